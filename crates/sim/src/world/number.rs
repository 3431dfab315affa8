//! Numbers of a world file that check themselves while they are read, so that a message knows the line.

use serde::de::{Deserialize, Deserializer, Error as _};
use std::fmt;

/// A percentage from 0 to 10,000; written `25%` or `25`.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Percent(f64);

/// A rate or an amount, 0 to 1e9.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Rate(f64);

/// CPU in milli-cores; written `500m` or `2`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cpu(i64);

/// Memory in bytes; written `256Mi`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bytes(i64);

impl Percent {
    /// A percentage, kept within the accepted range.
    pub fn new(percent: f64) -> Self {
        Self(percent.clamp(0.0, 10_000.0))
    }
    /// As percent.
    pub fn get(self) -> f64 {
        self.0
    }
    /// As a fraction of one.
    pub fn fraction(self) -> f64 {
        self.0 / 100.0
    }
}

impl Rate {
    /// A rate, kept within the accepted range.
    pub fn new(rate: f64) -> Self {
        Self(rate.clamp(0.0, 1e9))
    }
    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Cpu {
    /// From milli-cores.
    pub fn from_milli(milli: i64) -> Self {
        Self(milli.clamp(1, 1_000_000_000))
    }
    /// As milli-cores.
    pub fn milli(self) -> i64 {
        self.0
    }
}

impl Bytes {
    /// From bytes.
    pub fn new(bytes: i64) -> Self {
        Self(bytes.clamp(0, 1 << 50))
    }
    /// As bytes.
    pub fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

fn number(text: &str, most: f64) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|n| (0.0..=most).contains(n))
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        number(text.trim().trim_end_matches('%'), 10_000.0).map(Self).ok_or_else(|| {
            D::Error::custom(format!("`{text}` is not a percentage: write one from 0% to 10000%, like 25%"))
        })
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        number(&text, 1e9).map(Self).ok_or_else(|| {
            D::Error::custom(format!("`{text}` is not an amount: write a number from 0 to 1e9"))
        })
    }
}

impl<'de> Deserialize<'de> for Cpu {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let milli = plimsoll_api::quantity::parse(&text).ok().map(|q| q.milli_value());
        milli.filter(|m| (1..=1_000_000_000).contains(m)).map(Self).ok_or_else(|| {
            D::Error::custom(format!("`{text}` is not an amount of CPU: write one like 500m or 2"))
        })
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = plimsoll_api::quantity::parse(&text).ok().map(|q| q.value());
        bytes.filter(|b| (0..=1 << 50).contains(b)).map(Self).ok_or_else(|| {
            D::Error::custom(format!("`{text}` is not an amount of memory: write one like 256Mi"))
        })
    }
}
