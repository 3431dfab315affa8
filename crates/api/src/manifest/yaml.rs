//! YAML text to trees, without recursion: nesting cannot reach the stack. The only file that knows the YAML library.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, Span, Tag};

use super::error::ManifestError;
use super::node::{At, Content, Entry, Node};
use super::scalar;

/// Deeper than any Kubernetes object.
const DEEPEST: usize = 100;
/// How many values anchors and aliases may copy: enough for people, not for bombs.
const MOST_COPIED: usize = 200_000;

/// The documents of a file that hold something.
pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Vec<Node>, ManifestError> {
    let error = |at, what: &str| ManifestError::new(name, at, String::new(), what);
    let text = std::str::from_utf8(bytes)
        .map_err(|fault| error(end_of(bytes, fault.valid_up_to()), "not UTF-8: save the file as UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.flow_nesting_limit = DEEPEST;
    options.block_nesting_limit = DEEPEST;
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut builder = Builder::default();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|fault| error(place_of(&fault), &words(&fault)))?;
        builder.take(event, span).map_err(|(at, what)| error(at, &what))?;
    }
    Ok(builder.documents)
}

/// Where the first `length` bytes end.
fn end_of(bytes: &[u8], length: usize) -> At {
    let before = String::from_utf8_lossy(bytes.split_at_checked(length).map_or(bytes, |(before, _)| before));
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    At::new(line, column)
}

fn place_of(fault: &ScanError) -> At {
    At::new(fault.marker().line(), fault.marker().col() + 1)
}

fn words(fault: &ScanError) -> String {
    match fault.kind() {
        ErrorKind::RecursionLimitExceeded => too_deep(),
        _ => format!("not valid YAML: {}", fault.info()),
    }
}

fn too_deep() -> String {
    format!("nested too deeply: more than {DEEPEST} levels")
}

/// A fault and where it is.
type Taken<T> = Result<T, (At, String)>;

/// A list or an object whose end has not come yet.
struct Open {
    at: At,
    anchor: usize,
    /// How many values there were before this one.
    made_before: usize,
    kind: OpenKind,
}

enum OpenKind {
    List(Vec<Node>),
    Object { entries: Vec<Entry>, keys: Keys, key: Option<(String, At)>, merged: Vec<Node> },
}

#[derive(Default)]
struct Builder {
    documents: Vec<Node>,
    open: Vec<Open>,
    /// Finished values with an anchor, and how many values each is made of.
    anchored: BTreeMap<usize, (Node, usize)>,
    made: usize,
    copied: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Taken<()> {
        let at = At::new(span.start.line(), span.start.col() + 1);
        match event {
            Event::DocumentStart(..) => self.anchored.clear(),
            Event::Scalar(text, style, anchor, tag) => {
                return self.scalar(at, text, style, anchor, tag.as_deref());
            }
            Event::SequenceStart(_, anchor, tag) => {
                check_tag(at, tag.as_deref(), &["seq"])?;
                return self.start(at, anchor, OpenKind::List(Vec::new()));
            }
            Event::MappingStart(_, anchor, tag) => {
                check_tag(at, tag.as_deref(), &["map"])?;
                let (entries, keys, merged) = Default::default();
                return self.start(at, anchor, OpenKind::Object { entries, keys, key: None, merged });
            }
            Event::SequenceEnd | Event::MappingEnd => return self.end(),
            Event::Alias(id) => {
                let node = self.alias(at, id)?;
                return self.attach(node);
            }
            _ => {}
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        at: At,
        text: Cow<'_, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> Taken<()> {
        self.made += 1;
        // A key is what is written, whatever it would mean as a value.
        if let Some(Open { kind: OpenKind::Object { key: key @ None, .. }, .. }) = self.open.last_mut() {
            *key = Some((text.clone().into_owned(), at));
            if anchor > 0 {
                self.keep(anchor, &Node { at, content: Content::Text(text.into_owned()) }, 1, at)?;
            }
            return Ok(());
        }
        check_tag(at, tag, &["str", "int", "float", "bool", "null"])?;
        let resolved = style == ScalarStyle::Plain && tag.is_none()
            || tag.and_then(Tag::core_suffix).is_some_and(|it| it != "str");
        let content = if resolved { scalar::resolve(&text) } else { Content::Text(text.into_owned()) };
        let node = Node { at, content };
        if anchor > 0 {
            self.keep(anchor, &node, 1, at)?;
        }
        self.attach(node)
    }

    fn start(&mut self, at: At, anchor: usize, kind: OpenKind) -> Taken<()> {
        if matches!(self.open.last(), Some(Open { kind: OpenKind::Object { key: None, .. }, .. })) {
            return Err((at, "not valid here: a key must be a string".to_owned()));
        }
        if self.open.len() >= DEEPEST {
            return Err((at, too_deep()));
        }
        self.open.push(Open { at, anchor, made_before: self.made, kind });
        self.made += 1;
        Ok(())
    }

    fn end(&mut self) -> Taken<()> {
        let Some(Open { at, anchor, made_before, kind }) = self.open.pop() else { return Ok(()) };
        let content = match kind {
            OpenKind::List(nodes) => Content::List(nodes),
            OpenKind::Object { mut entries, merged, .. } => {
                for node in merged {
                    merge(node, &mut entries)?;
                }
                Content::Object(entries)
            }
        };
        let node = Node { at, content };
        if anchor > 0 {
            self.keep(anchor, &node, self.made - made_before, at)?;
        }
        self.attach(node)
    }

    fn keep(&mut self, anchor: usize, node: &Node, size: usize, at: At) -> Taken<()> {
        self.count_copies(size, at)?;
        self.anchored.insert(anchor, (node.clone(), size));
        Ok(())
    }

    fn alias(&mut self, at: At, id: usize) -> Taken<Node> {
        let Some((_, size)) = self.anchored.get(&id) else {
            return Err((at, "not valid here: an alias inside of what it stands for".to_owned()));
        };
        let size = *size;
        self.count_copies(size, at)?;
        self.made += size;
        let content = self.anchored.get(&id).map_or(Content::Null, |(node, _)| node.content.clone());
        Ok(Node { at, content })
    }

    fn count_copies(&mut self, size: usize, at: At) -> Taken<()> {
        self.copied = self.copied.saturating_add(size);
        if self.copied > MOST_COPIED {
            return Err((at, "too much repetition by anchors and aliases: write it out".to_owned()));
        }
        Ok(())
    }

    fn attach(&mut self, node: Node) -> Taken<()> {
        let Some(Open { kind, .. }) = self.open.last_mut() else {
            if !matches!(node.content, Content::Null) {
                self.documents.push(node);
            }
            return Ok(());
        };
        match kind {
            OpenKind::List(nodes) => nodes.push(node),
            OpenKind::Object { entries, keys, key, merged } => match (key.take(), node.content) {
                (None, Content::Text(text)) => *key = Some((text, node.at)),
                (None, _) => return Err((node.at, "not valid here: a key must be a string".to_owned())),
                (Some((key, _)), content) if key == "<<" => merged.push(Node { at: node.at, content }),
                (Some((key, key_at)), content) => {
                    if !keys.insert(&key, entries) {
                        return Err((key_at, format!("duplicate key {key:?}: remove one of them")));
                    }
                    entries.push(Entry { key, key_at, value: Node { at: node.at, content } });
                }
            },
        }
        Ok(())
    }
}

/// Which keys an object has: small ones are looked through, large ones indexed.
#[derive(Default)]
struct Keys(BTreeSet<String>);

impl Keys {
    const SMALL: usize = 24;

    /// Whether the key is new.
    fn insert(&mut self, key: &str, entries: &[Entry]) -> bool {
        if entries.len() < Self::SMALL {
            return !entries.iter().any(|it| it.key == key);
        }
        if self.0.is_empty() {
            self.0.extend(entries.iter().map(|it| it.key.clone()));
        }
        self.0.insert(key.to_owned())
    }
}

/// `<<` takes over the fields that the object does not have itself.
fn merge(node: Node, entries: &mut Vec<Entry>) -> Taken<()> {
    let at = node.at;
    let objects = match node.content {
        Content::List(nodes) => nodes,
        content => vec![Node { at, content }],
    };
    for object in objects {
        let Content::Object(fields) = object.content else {
            return Err((at, "not valid here: << takes an object or a list of objects".to_owned()));
        };
        let mut known: BTreeSet<String> = entries.iter().map(|it| it.key.clone()).collect();
        entries.extend(fields.into_iter().filter(|it| known.insert(it.key.clone())));
    }
    Ok(())
}

fn check_tag(at: At, tag: Option<&Tag>, allowed: &[&str]) -> Taken<()> {
    match tag {
        Some(tag) if !tag.core_suffix().is_some_and(|it| allowed.contains(&it)) && tag.original() != "!" => {
            Err((at, format!("not valid here: the tag {} is not supported", tag.original())))
        }
        _ => Ok(()),
    }
}
