//! Finds out what a load was given as: a shape, or a file of YAML shapes, CSV, or Prometheus JSON.

use super::syntax::{self, Term};
use super::trace::{Holes, Trace};
use super::{Load, Noise, Part, Size};
use crate::error::{BadInput, from_yaml};
use crate::time::Span;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

type Open<'a> = &'a mut dyn FnMut(&str) -> Result<String, BadInput>;

/// Reads the value of `--load`.
pub(crate) fn from_flag(text: &str, open: Open<'_>) -> Result<Load, BadInput> {
    const FLAG: &str = "--load";
    let text = text.trim();
    if text.is_empty() {
        return Err(BadInput::new(FLAG, "it is empty", format!("write one of {}", syntax::SHAPES)));
    }
    if syntax::is_shape(text) {
        return syntax::build(FLAG, syntax::terms(FLAG, text)?, open);
    }
    let contents = match open(text) {
        Ok(contents) => contents,
        // Something like `stp:5->80@10m` is a slip in a shape, not a missing file.
        Err(_) if text.contains(':') && !text.contains(['/', '\\']) => {
            return syntax::terms(FLAG, text).and_then(|terms| syntax::build(FLAG, terms, open));
        }
        Err(mut missing) => {
            missing.help = format!("name a file that exists, or write a shape: {}", syntax::SHAPES);
            return Err(missing);
        }
    };
    from_file(text, &contents, open)
}

/// Reads a file by its content.
fn from_file(name: &str, text: &str, open: Open<'_>) -> Result<Load, BadInput> {
    if is_yaml(name, text) {
        return from_yaml_file(name, text, open);
    }
    let trace = trace(name, text, Holes::Refuse)?;
    Ok(Load { parts: vec![Part::Trace(trace)], noise: Vec::new() })
}

/// Reads a file that holds a recording.
pub(crate) fn trace(name: &str, text: &str, holes: Holes) -> Result<Trace, BadInput> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().chars().next() {
        None => Err(BadInput::new(
            name,
            "the file is empty",
            "give time,value lines or the JSON of a Prometheus range query",
        )),
        Some('{' | '[') => super::prometheus::read(name, text, holes),
        Some(_) => super::csv_trace::read(name, text, holes),
    }
}

fn is_yaml(name: &str, text: &str) -> bool {
    let named = [".yaml", ".yml"].iter().any(|end| name.ends_with(end));
    let first = text.lines().find(|l| !l.trim().is_empty() && !l.trim_start().starts_with('#'));
    named || first.is_some_and(|l| l.starts_with("load:"))
}

fn from_yaml_file(name: &str, text: &str, open: Open<'_>) -> Result<Load, BadInput> {
    let file: LoadFile = serde_saphyr::from_str(text).map_err(|e| from_yaml(name, text, &e))?;
    file.load.build(name, open)
}

/// A load file: `load:` with one shape or a list of shapes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadFile {
    load: Written,
}

/// A load as it is written in YAML: text in the compact form, or a list of text and maps.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Written(Vec<WrittenTerm>);

#[derive(Debug, Clone, PartialEq)]
enum WrittenTerm {
    Compact(String),
    Long(LongTerm),
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum LongTerm {
    Constant(f64),
    Step { from: f64, to: f64, at: Span },
    Ramp { from: f64, to: f64, at: Span, over: Span },
    Sine { low: f64, high: f64, period: Span, peak: Option<Span> },
    Spike { add: f64, at: Span, r#for: Span },
    Noise { percent: Option<f64>, rate: Option<f64>, every: Option<Span> },
    Trace { file: String },
}

impl Written {
    /// Makes the load; `place` is the file it stands in.
    pub(crate) fn build(
        &self,
        place: &str,
        open: &mut dyn FnMut(&str) -> Result<String, BadInput>,
    ) -> Result<Load, BadInput> {
        let mut terms = Vec::new();
        for term in &self.0 {
            match term {
                WrittenTerm::Compact(text) => terms.extend(syntax::terms(place, text)?),
                WrittenTerm::Long(long) => terms.push(long.term(place)?),
            }
        }
        syntax::build(place, terms, open)
    }
}

impl LongTerm {
    fn term(&self, place: &str) -> Result<Term, BadInput> {
        let rate = |value: f64| syntax::rate_ok(place, &value.to_string(), value);
        let some = |span: Span, field: &str| {
            if span == Span::ZERO {
                return Err(BadInput::new(
                    place,
                    format!("{field} is no time at all"),
                    "write one above zero",
                ));
            }
            Ok(span.micros())
        };
        Ok(Term::Part(match self {
            LongTerm::Constant(value) => Part::Constant { rate: rate(*value)? },
            LongTerm::Step { from, to, at } => {
                Part::Step { from: rate(*from)?, steps: vec![(at.micros(), rate(*to)?)] }
            }
            LongTerm::Ramp { from, to, at, over } => {
                let over = some(*over, "ramp.over")?;
                Part::Ramp { from: rate(*from)?, to: rate(*to)?, at: at.micros(), over }
            }
            LongTerm::Sine { low, high, period, peak } => {
                let period = some(*period, "sine.period")?;
                let peak = peak.map_or(period / 2, Span::micros);
                syntax::sine_ok(place, rate(*low)?, rate(*high)?, period, peak)?
            }
            LongTerm::Spike { add, at, r#for } => {
                Part::Spike { add: rate(*add)?, at: at.micros(), length: some(*r#for, "spike.for")? }
            }
            LongTerm::Noise { percent, rate: amount, every } => {
                let every = every.map_or(Ok(Noise::EVERY), |e| some(e, "noise.every"))?;
                let size = match (percent, amount) {
                    (Some(p), None) => Size::Share(syntax::noise_percent(place, rate(*p)?)? / 100.0),
                    (None, Some(r)) => Size::Rate(rate(*r)?),
                    _ => {
                        let what = "noise has both or neither of percent and rate";
                        return Err(BadInput::new(place, what, "write exactly one of them"));
                    }
                };
                return Ok(Term::Noise(Noise { size, every }));
            }
            LongTerm::Trace { file } => {
                return syntax::terms(place, &format!("trace:{file}"))?
                    .pop()
                    .ok_or_else(|| BadInput::new(place, "no trace", "name a file"));
            }
        }))
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = Written;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a shape like sine:20..200/24h, or a list of shapes")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Written, E> {
                Ok(Written(vec![WrittenTerm::Compact(text.to_string())]))
            }
            fn visit_f64<E: serde::de::Error>(self, rate: f64) -> Result<Written, E> {
                self.visit_str(&rate.to_string())
            }
            fn visit_i64<E: serde::de::Error>(self, rate: i64) -> Result<Written, E> {
                self.visit_str(&rate.to_string())
            }
            fn visit_u64<E: serde::de::Error>(self, rate: u64) -> Result<Written, E> {
                self.visit_str(&rate.to_string())
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Written, A::Error> {
                let mut terms = Vec::new();
                while let Some(term) = seq.next_element()? {
                    terms.push(term);
                }
                Ok(Written(terms))
            }
        }
        deserializer.deserialize_any(One)
    }
}

impl<'de> Deserialize<'de> for WrittenTerm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = WrittenTerm;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a shape like step:5->80@10m, or a map like `step: {from: 5, to: 80, at: 10m}`")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<WrittenTerm, E> {
                Ok(WrittenTerm::Compact(text.to_string()))
            }
            fn visit_f64<E: serde::de::Error>(self, rate: f64) -> Result<WrittenTerm, E> {
                self.visit_str(&rate.to_string())
            }
            fn visit_i64<E: serde::de::Error>(self, rate: i64) -> Result<WrittenTerm, E> {
                self.visit_str(&rate.to_string())
            }
            fn visit_u64<E: serde::de::Error>(self, rate: u64) -> Result<WrittenTerm, E> {
                self.visit_str(&rate.to_string())
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WrittenTerm, A::Error> {
                LongTerm::deserialize(MapAccessDeserializer::new(map)).map(WrittenTerm::Long)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
