//! The tree of a document with the place of every part.

use std::fmt;

use serde_json::Value;

/// Line and column, both from 1; 0 when unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    pub(super) line: u32,
    pub(super) column: u32,
}

impl At {
    pub(super) fn new(line: usize, column: usize) -> Self {
        let clamp = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { line: clamp(line), column: clamp(column) }
    }
}

/// A value and where it is.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) at: At,
    pub(super) content: Content,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Null,
    Bool(bool),
    /// Wide enough for every integer of JSON.
    Integer(i128),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Entry>),
}

/// A field of an object.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_at: At,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn field(&self, key: &str) -> Option<&Node> {
        match &self.content {
            Content::Object(entries) => entries.iter().find(|it| it.key == key).map(|it| &it.value),
            _ => None,
        }
    }

    /// As plain JSON, for objects whose type is not known.
    pub(super) fn to_json(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::from(*value),
            Content::Integer(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => Value::from(number),
                (_, Ok(number)) => Value::from(number),
                _ => Value::from(*number as f64),
            },
            Content::Float(number) => Value::from(*number),
            Content::Text(text) => Value::from(text.as_str()),
            Content::List(nodes) => nodes.iter().map(Node::to_json).collect(),
            Content::Object(entries) => {
                entries.iter().map(|it| (it.key.clone(), it.value.to_json())).collect()
            }
        }
    }
}

/// How a value is named in an error: short.
impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("nothing"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number}"),
            Self::Text(text) if text.chars().count() > 40 => {
                let start: String = text.chars().take(40).collect();
                write!(f, "{start:?}...")
            }
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(_) => f.write_str("a list"),
            Self::Object(_) => f.write_str("an object"),
        }
    }
}
