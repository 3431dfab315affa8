//! The small values users write: words from a fixed list, quantities or percentages, whole numbers or percentages.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// How exactly a word has to be spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As it stands in the list.
    Exact,
    /// In any mix of upper and lower case.
    AnyCase,
}

/// A closed list of words, each with its meaning.
pub trait Word: Copy + PartialEq + fmt::Debug + 'static {
    /// Every word with its meaning, in the order in which messages list them.
    const WORDS: &'static [(&'static str, Self)];
    /// How exactly the words have to be spelled.
    const SPELLING: Spelling = Spelling::Exact;

    /// The meaning of a word, if it is one of the list.
    fn parse(text: &str) -> Option<Self> {
        Self::WORDS
            .iter()
            .find(|(word, _)| match Self::SPELLING {
                Spelling::Exact => *word == text,
                Spelling::AnyCase => word.eq_ignore_ascii_case(text),
            })
            .map(|(_, meaning)| *meaning)
    }

    /// The word for this meaning.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, meaning)| *meaning == self).map_or("", |(word, _)| *word)
    }
}

/// A word as the user wrote it: a known one, or one that validation refuses with its field path.
///
/// Reading an object must not fail because of one word, or an object that slipped past the schema
/// could stop a whole list from being read.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice<W> {
    /// One of the list.
    Known(W),
    /// Anything else.
    Unknown(String),
}

impl<W: Word> Choice<W> {
    /// The meaning, if the word is known.
    pub fn known(&self) -> Option<W> {
        match self {
            Choice::Known(word) => Some(*word),
            Choice::Unknown(_) => None,
        }
    }

    /// The text: the canonical spelling of a known word, an unknown one as written.
    pub fn text(&self) -> &str {
        match self {
            Choice::Known(word) => word.word(),
            Choice::Unknown(text) => text,
        }
    }
}

impl<W> From<W> for Choice<W> {
    fn from(word: W) -> Self {
        Choice::Known(word)
    }
}

impl<W: Word> Serialize for Choice<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

impl<'de, W: Word> Deserialize<'de> for Choice<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(W::parse(&text).map_or(Choice::Unknown(text), Choice::Known))
    }
}

impl<W: Word> JsonSchema for Choice<W> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Choice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = W::WORDS.iter().map(|(word, _)| *word).collect();
        match W::SPELLING {
            Spelling::Exact => json_schema!({ "type": "string", "enum": words }),
            Spelling::AnyCase => {
                json_schema!({ "type": "string", "maxLength": 32, "pattern": format!("^(?i:{})$", words.join("|")) })
            }
        }
    }
}

/// Defines an enum of words together with its list.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident $(($spelling:ident))? { $($(#[$vdoc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $crate::autoscaler::scalars::Word for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$((stringify!($variant), $name::$variant)),+];
            $(const SPELLING: $crate::autoscaler::scalars::Spelling = $crate::autoscaler::scalars::Spelling::$spelling;)?
        }
    };
}
pub(super) use words;

/// Defines a text that may also be written as a bare number, kept as it was written.
macro_rules! text_or_number {
    ($(#[$doc:meta])* $name:ident, $pattern:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name(pub String);

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                $name(text.to_owned())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(AmountVisitor).map($name)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "x-kubernetes-int-or-string": true, "maxLength": 64, "pattern": $pattern })
            }
        }
    };
}

text_or_number! {
    /// A quantity such as `150m`, `1.5` or `2Gi`.
    ///
    /// Whole numbers may be written bare; fractions belong in quotes, because a custom resource may hold a whole
    /// number or a text here but no fraction.
    Amount,
    r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"
}

text_or_number! {
    /// A quantity such as `150m`, or a percentage of the request such as `80%`.
    Level,
    r"^[+-]?([0-9]+%|([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?)$"
}

struct AmountVisitor;

impl Visitor<'_> for AmountVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity such as 150m, or a percentage such as \"80%\"")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_i64<E>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_u64<E>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_f64<E>(self, number: f64) -> Result<String, E> {
        Ok(number.to_string())
    }
}

/// A whole number, or a text such as `900%`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whole {
    /// A bare number.
    Number(i32),
    /// A text: a percentage, a number in quotes, or something validation refuses.
    Text(String),
}

/// What a [`Whole`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeUnit {
    /// A plain number.
    Plain(i32),
    /// A number of percent.
    Percent(i32),
}

impl Whole {
    /// What was written, if it can be understood.
    pub fn parse(&self) -> Option<WholeUnit> {
        match self {
            Whole::Number(number) => Some(WholeUnit::Plain(*number)),
            Whole::Text(text) => match text.strip_suffix('%') {
                Some(digits) => digits.trim_end().parse().ok().map(WholeUnit::Percent),
                None => text.parse().ok().map(WholeUnit::Plain),
            },
        }
    }
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Whole::Number(number) => write!(f, "{number}"),
            Whole::Text(text) => f.write_str(text),
        }
    }
}

impl Serialize for Whole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Whole::Number(number) => serializer.serialize_i32(*number),
            Whole::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number such as 4, or a percentage such as \"900%\"")
    }

    fn visit_str<E>(self, text: &str) -> Result<Whole, E> {
        Ok(Whole::Text(text.to_owned()))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Whole, E> {
        let fits = i32::try_from(number);
        fits.map(Whole::Number).map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Whole, E> {
        let fits = i32::try_from(number);
        fits.map(Whole::Number).map_err(|_| E::invalid_value(serde::de::Unexpected::Unsigned(number), &self))
    }
}

impl JsonSchema for Whole {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Whole".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "x-kubernetes-int-or-string": true, "maxLength": 16, "pattern": "^[0-9]{1,9}%?$" })
    }
}
