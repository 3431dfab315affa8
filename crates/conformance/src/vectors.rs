//! Reads vector files line by line and tells what each line is; a file that is not in order is refused.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufRead, BufReader, Read};

use serde::de::{DeserializeOwned, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// What is wrong with a line, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(String);

impl Fault {
    /// A fault in these words.
    pub fn new(what: impl fmt::Display) -> Self {
        Self(what.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A vector file that cannot be read or understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorError {
    /// The file.
    pub file: String,
    /// Its line, counted from 1, unless the file as a whole is wrong.
    pub line: Option<usize>,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.fault),
            None => write!(f, "{}: {}", self.file, self.fault),
        }
    }
}

impl std::error::Error for VectorError {}

/// What a vector is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string and the quantity it is.
    Quantity,
    /// A HorizontalPodAutoscaler, its defaults, errors and conversions.
    HpaObject,
    /// A WatermarkPodAutoscaler, its defaults and its error.
    WpaObject,
    /// A HorizontalPodAutoscaler followed over time.
    HpaScenario,
    /// A WatermarkPodAutoscaler followed over time.
    WpaScenario,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quantity => "quantities",
            Self::HpaObject => "HorizontalPodAutoscaler objects",
            Self::WpaObject => "WatermarkPodAutoscaler objects",
            Self::HpaScenario => "HorizontalPodAutoscaler scenarios",
            Self::WpaScenario => "WatermarkPodAutoscaler scenarios",
        })
    }
}

/// What the line is, by the fields it has. Refuses what is no JSON object, has a key twice, or is of no known kind.
pub fn kind(line: &str) -> Result<Kind, Fault> {
    let TopKeys(keys) = serde_json::from_str(line).map_err(|error| fault_of(&error))?;
    let has = |key| keys.iter().any(|it| it.0 == key);
    let kinds = [
        (Kind::Quantity, has("in") && has("ok")),
        (Kind::HpaScenario, has("steps") && has("hpa")),
        (Kind::WpaScenario, has("steps") && has("wpa")),
        (Kind::HpaObject, has("input") && has("errors")),
        (Kind::WpaObject, has("input") && has("error")),
    ];
    let mut matching = kinds.into_iter().filter_map(|(kind, is)| is.then_some(kind));
    match (matching.next(), matching.next()) {
        (Some(kind), None) => Ok(kind),
        (None, _) => Err(Fault::new(format!("unknown kind of vector, with the fields {}", list(&keys)))),
        _ => Err(Fault::new(format!("several kinds of vector in one, with the fields {}", list(&keys)))),
    }
}

fn list(keys: &[Key<'_>]) -> String {
    let mut names: Vec<&str> = keys.iter().map(|it| it.0.as_ref()).collect();
    names.sort_unstable();
    if names.is_empty() { "(none)".to_owned() } else { names.join(", ") }
}

/// The line as a type. A field that the type does not have is an error: nothing is left unchecked.
pub fn typed<T: DeserializeOwned>(line: &str) -> Result<T, Fault> {
    let mut unknown = None;
    let mut reader = serde_json::Deserializer::from_str(line);
    let value = serde_ignored::deserialize(&mut reader, |path| {
        unknown.get_or_insert_with(|| path.to_string().replace(".?", ""));
    })
    .map_err(|error| fault_of(&error))?;
    match unknown {
        Some(path) => Err(Fault::new(format!("unknown field {path}"))),
        None => Ok(value),
    }
}

fn fault_of(error: &serde_json::Error) -> Fault {
    // Each line is parsed on its own: the file's line is known better, only the column is news.
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    Fault::new(format!("column {}: {what}", error.column()))
}

/// Calls `each` for every line of a file, gzipped or not. Blank lines hold nothing.
pub fn read(
    name: &str,
    file: impl Read,
    mut each: impl FnMut(&str) -> Result<(), Fault>,
) -> Result<(), VectorError> {
    let at = |line, fault| VectorError { file: name.to_owned(), line, fault };
    let mut file = BufReader::with_capacity(1 << 16, file);
    let start = file.fill_buf().map_err(|error| at(None, Fault::new(error)))?;
    let mut lines: Box<dyn BufRead> = if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::with_capacity(1 << 16, flate2::bufread::MultiGzDecoder::new(file)))
    } else {
        Box::new(file)
    };
    let (mut bytes, mut number, mut vectors) = (Vec::new(), 0, 0);
    loop {
        bytes.clear();
        number += 1;
        let length = lines
            .read_until(b'\n', &mut bytes)
            .map_err(|error| at(Some(number), Fault::new(format!("cannot be read: {error}"))))?;
        if length == 0 {
            break;
        }
        let line = std::str::from_utf8(&bytes).map_err(|error| {
            at(Some(number), Fault::new(format!("column {}: not UTF-8", error.valid_up_to() + 1)))
        })?;
        if !line.trim().is_empty() {
            vectors += 1;
            each(line.trim_end()).map_err(|fault| at(Some(number), fault))?;
        }
    }
    if vectors == 0 {
        return Err(at(None, Fault::new("holds no vectors")));
    }
    Ok(())
}

/// The keys of a JSON object, after checking that no object in it has a key twice.
struct TopKeys<'de>(Vec<Key<'de>>);

impl<'de> Deserialize<'de> for TopKeys<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = TopKeys<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TopKeys<'de>, A::Error> {
                unique_keys(map).map(TopKeys)
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Any JSON value without a key twice.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Unique)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Unique, A::Error> {
        while seq.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Unique, A::Error> {
        unique_keys(map).map(|_| Unique)
    }
}

/// Few keys are looked through, many are indexed.
const FEW: usize = 24;

fn unique_keys<'de, A: MapAccess<'de>>(mut map: A) -> Result<Vec<Key<'de>>, A::Error> {
    let mut keys: Vec<Key<'de>> = Vec::new();
    let mut index = BTreeSet::new();
    while let Some(key) = map.next_key::<Key<'de>>()? {
        if keys.len() == FEW {
            index.extend(keys.iter().cloned());
        }
        let new = if keys.len() < FEW { !keys.contains(&key) } else { index.insert(key.clone()) };
        if !new {
            return Err(serde::de::Error::custom(format!("duplicate key {:?}", key.0)));
        }
        map.next_value::<Unique>()?;
        keys.push(key);
    }
    Ok(keys)
}

/// A key, borrowed from the line unless it has escapes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}
