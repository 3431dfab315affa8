//! A tree of nodes as any type that serde knows, with the place of whatever does not fit.

use std::cell::RefCell;
use std::fmt;

use serde::de::value::{StrDeserializer, StringDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::access::{Fields, List, Variant};
use super::closest::closest;
use super::error::ManifestError;
use super::node::{At, Content, Node};
use super::place::{Place, Step};
use crate::quantity;

/// The node as a type. A field that the type does not have is an error.
pub(super) fn decode<T: DeserializeOwned>(node: &Node, place: &Place<'_>) -> Result<T, ManifestError> {
    let unknown = RefCell::new(None);
    let decoder = Decoder { node, place, root: place, unknown: &unknown, key: None };
    let value = T::deserialize(decoder).map_err(|error| match error {
        DecodeError::Placed(error) => *error,
        DecodeError::Bare(what) => place.error(node, &what),
    })?;
    match unknown.into_inner() {
        Some(error) => Err(error),
        None => Ok(value),
    }
}

/// The key a value stands under and the keys its type knows.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub(super) at: At,
    pub(super) known: &'static [&'static str],
}

#[derive(Clone, Copy)]
pub(super) struct Decoder<'de, 'p> {
    node: &'de Node,
    pub(super) place: &'p Place<'p>,
    root: &'p Place<'p>,
    /// The first field that no type has.
    unknown: &'p RefCell<Option<ManifestError>>,
    key: Option<Key>,
}

/// What went wrong, with its place as soon as that is known.
#[derive(Debug)]
pub(super) enum DecodeError {
    Bare(String),
    Placed(Box<ManifestError>),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bare(what) => f.write_str(what),
            Self::Placed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Self::Bare(what.to_string())
    }

    fn invalid_type(got: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Bare(format!("expected {expected}, got {got}"))
    }

    fn invalid_value(got: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Bare(format!("expected {expected}, got {got}"))
    }

    fn unknown_variant(got: &str, known: &'static [&'static str]) -> Self {
        Self::Bare(format!("expected one of {}, got {got:?}", known.join(", ")))
    }

    fn unknown_field(_: &str, known: &'static [&'static str]) -> Self {
        Self::Bare(format!("unknown field: there are {}", known.join(", ")))
    }

    fn missing_field(name: &'static str) -> Self {
        Self::Bare(format!("missing field {name:?}"))
    }
}

impl<'de, 'p> Decoder<'de, 'p> {
    /// The same for a part of what is here.
    pub(super) fn at<'q>(self, node: &'de Node, place: &'q Place<'q>, key: Option<Key>) -> Decoder<'de, 'q>
    where
        'p: 'q,
    {
        Decoder { node, place, root: self.root, unknown: self.unknown, key }
    }

    fn placed<T>(&self, result: Result<T, DecodeError>) -> Result<T, DecodeError> {
        result.map_err(|error| match error {
            DecodeError::Bare(what) => DecodeError::Placed(Box::new(self.place.error(self.node, &what))),
            placed => placed,
        })
    }

    fn expected<T>(&self, what: &str) -> Result<T, DecodeError> {
        self.placed(Err(DecodeError::Bare(format!("expected {what}, got {}", self.node.content))))
    }

    fn integer<V: Visitor<'de>>(self, least: i128, most: i128, visitor: V) -> Result<V::Value, DecodeError> {
        let number = match self.node.content {
            Content::Integer(number) => number,
            // As JSON has it: 3.0 is 3.
            Content::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => number as i128,
            _ => return self.expected("an integer"),
        };
        if number < least || number > most {
            return self.expected(&format!("an integer from {least} to {most}"));
        }
        self.placed(match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => visitor.visit_i64(number),
            (_, Ok(number)) => visitor.visit_u64(number),
            _ => visitor.visit_i128(number),
        })
    }

    pub(super) fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let Content::List(nodes) = &self.node.content else { return self.expected("a list") };
        self.placed(visitor.visit_seq(List { nodes: nodes.iter().enumerate(), of: self }))
    }

    pub(super) fn object<V: Visitor<'de>>(
        self,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let Content::Object(entries) = &self.node.content else { return self.expected("an object") };
        self.placed(visitor.visit_map(Fields { entries: entries.iter(), value: None, known, of: self }))
    }

    /// Checked here, where its line is known, and spelled as an API server would hand it back.
    fn quantity(&self) -> Result<String, DecodeError> {
        let text = match &self.node.content {
            Content::Text(text) => text.clone(),
            Content::Integer(number) => number.to_string(),
            Content::Float(number) => number.to_string(),
            _ => return self.expected("a quantity such as 500m, 2 or 1Gi"),
        };
        match quantity::keep_or_rewrite(&text) {
            Ok(text) => Ok(text.into_owned()),
            Err(error) => self.placed(Err(DecodeError::Bare(format!("{text:?} is no quantity: {error}")))),
        }
    }
}

macro_rules! integers {
    ($($method:ident $type:ty),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            self.integer(<$type>::MIN as i128, <$type>::MAX as i128, visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Decoder<'de, '_> {
    type Error = DecodeError;

    integers!(
        deserialize_i8 i8, deserialize_i16 i16, deserialize_i32 i32, deserialize_i64 i64,
        deserialize_u8 u8, deserialize_u16 u16, deserialize_u32 u32, deserialize_u64 u64
    );

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.content {
            Content::Null => self.placed(visitor.visit_unit()),
            Content::Bool(value) => self.placed(visitor.visit_bool(*value)),
            Content::Integer(_) => self.integer(i64::MIN.into(), u64::MAX.into(), visitor),
            Content::Float(number) => self.placed(visitor.visit_f64(*number)),
            Content::Text(text) => self.placed(visitor.visit_borrowed_str(text)),
            Content::List(_) => self.list(visitor),
            Content::Object(_) => self.object(&[], visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.content {
            Content::Bool(value) => self.placed(visitor.visit_bool(*value)),
            _ => self.expected("true or false"),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.content {
            Content::Float(number) => self.placed(visitor.visit_f64(*number)),
            Content::Integer(number) => self.placed(visitor.visit_f64(*number as f64)),
            _ => self.expected("a number"),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.content {
            Content::Text(text) => self.placed(visitor.visit_borrowed_str(text)),
            Content::Bool(_) | Content::Integer(_) | Content::Float(_) => {
                let what = format!("expected a string, got {}: put it in quotes", self.node.content);
                self.placed(Err(DecodeError::Bare(what)))
            }
            _ => self.expected("a string"),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.content {
            Content::Null => self.placed(visitor.visit_none()),
            _ => self.placed(visitor.visit_some(self)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if name == "Quantity" {
            let text: StringDeserializer<DecodeError> = self.quantity()?.into_deserializer();
            return self.placed(visitor.visit_newtype_struct(text));
        }
        self.placed(visitor.visit_newtype_struct(self))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.list(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.list(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.object(&[], visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.object(fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match &self.node.content {
            Content::Text(text) => {
                let text: StrDeserializer<'_, DecodeError> = text.as_str().into_deserializer();
                self.placed(visitor.visit_enum(text))
            }
            Content::Object(entries) => match entries.as_slice() {
                [entry] => self.placed(visitor.visit_enum(Variant { entry, of: self })),
                _ => self.expected("an object with one field"),
            },
            _ => self.expected("a string"),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.note_unknown();
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 bytes byte_buf unit unit_struct identifier }
}

impl Decoder<'_, '_> {
    fn note_unknown(&self) {
        let (Some(key), Step::Key(parent, name)) = (self.key, &self.place.step) else { return };
        // They were looked at before the type was known; not every type keeps them.
        if std::ptr::eq(*parent, self.root) && (*name == "apiVersion" || *name == "kind") {
            return;
        }
        let what = match closest(name, key.known) {
            Some(meant) => format!("unknown field: did you mean {meant:?}?"),
            None => "unknown field: remove it".to_owned(),
        };
        self.unknown.borrow_mut().get_or_insert_with(|| self.place.error_at(key.at, &what));
    }
}
