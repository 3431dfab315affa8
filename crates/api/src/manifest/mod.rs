//! Reads what users write: YAML or JSON, one or many documents, lists included, each object as its own type.
//!
//! Everything is refused that an API server would refuse or silently drop: a field no type has, a wrong type, a key
//! that is there twice. Each error is one line: `file:line:column: field: what is wrong`.

mod access;
mod closest;
mod decode;
mod error;
mod locate;
mod node;
mod object;
mod place;
mod scalar;
#[cfg(test)]
mod tests;
mod yaml;

use std::sync::Arc;

use serde::de::DeserializeOwned;

pub use error::ManifestError;
pub use locate::line_of;
pub use object::Object;

use node::{Content, Node};
use place::Place;

/// One object of a file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file it is from.
    pub source: Arc<str>,
    /// Which document of the file, from 0; the items of a list share one.
    pub index: usize,
    /// The line it starts on, from 1.
    pub line: usize,
    /// For example `autoscaling/v2`.
    pub api_version: String,
    /// For example `HorizontalPodAutoscaler`.
    pub kind: String,
    /// The object as its own type.
    pub object: Object,
}

/// Reads all objects of a file; `name` is what errors call it. A file without any is fine.
pub fn read(name: &str, bytes: &[u8]) -> Result<Vec<Document>, ManifestError> {
    let source: Arc<str> = Arc::from(name);
    let mut documents = Vec::new();
    for (index, root) in yaml::read(name, bytes)?.into_iter().enumerate() {
        let reader = Reader { source: &source, index };
        reader.document(&root, &Place::root(name), None, &mut documents)?;
    }
    Ok(documents)
}

/// Reads a file that holds one value of one type, with the same care and the same errors.
pub fn read_as<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, ManifestError> {
    let place = Place::root(name);
    let roots = yaml::read(name, bytes)?;
    match roots.as_slice() {
        [root] => decode::decode(root, &place),
        [] => Err(ManifestError::of_file(name, "is empty")),
        [_, second, ..] => Err(place.error(second, "a second document, but this file holds one")),
    }
}

/// What a list says about items that say nothing themselves.
struct Inherited<'a> {
    api_version: &'a str,
    kind: &'a str,
}

struct Reader<'a> {
    source: &'a Arc<str>,
    index: usize,
}

impl Reader<'_> {
    fn document(
        &self,
        root: &Node,
        place: &Place<'_>,
        inherited: Option<&Inherited<'_>>,
        out: &mut Vec<Document>,
    ) -> Result<(), ManifestError> {
        let Content::Object(_) = &root.content else {
            return Err(place.error(root, &format!("expected an object, got {}", root.content)));
        };
        let api_version = name_of(root, place, "apiVersion", inherited.map(|it| it.api_version))?;
        let kind = name_of(root, place, "kind", inherited.map(|it| it.kind))?;
        if let (Some(item_kind), Some(items)) = (kind.strip_suffix("List"), root.field("items")) {
            // A plain List says nothing about its items; they must say it themselves.
            let inherited = (!item_kind.is_empty()).then_some(Inherited { api_version, kind: item_kind });
            return self.items(items, place, inherited.as_ref(), out);
        }
        out.push(Document {
            source: Arc::clone(self.source),
            index: self.index,
            line: root.at.line as usize,
            object: object::decode(api_version, kind, root, place)?,
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
        });
        Ok(())
    }

    fn items(
        &self,
        items: &Node,
        place: &Place<'_>,
        inherited: Option<&Inherited<'_>>,
        out: &mut Vec<Document>,
    ) -> Result<(), ManifestError> {
        let place = place.key("items");
        match &items.content {
            Content::Null => Ok(()),
            Content::List(items) => {
                let mut items = items.iter().enumerate();
                items.try_for_each(|(index, item)| self.document(item, &place.index(index), inherited, out))
            }
            other => Err(place.error(items, &format!("expected a list, got {other}"))),
        }
    }
}

fn name_of<'a>(
    root: &'a Node,
    place: &Place<'_>,
    key: &str,
    inherited: Option<&'a str>,
) -> Result<&'a str, ManifestError> {
    match root.field(key).map(|it| (it, &it.content)) {
        Some((_, Content::Text(text))) if !text.is_empty() => Ok(text),
        None | Some((_, Content::Null | Content::Text(_))) => {
            let missing = "missing: every object needs apiVersion and kind";
            inherited.ok_or_else(|| place.key(key).error(root, missing))
        }
        Some((node, other)) => Err(place.key(key).error(node, &format!("expected a string, got {other}"))),
    }
}
