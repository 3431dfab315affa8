//! A delay that is the same for every pod, or drawn for each one.

use crate::random::{Purpose, bell, unit};
use crate::time::{self, Span};
use plimsoll_api::explain::lasting;
use serde::de::{Deserialize, Deserializer, Error as _};
use std::fmt;

/// How long something takes: `5s`, `5s..20s` (even), `8s~2s` (mean and deviation), `5s^20s` (median and 95th percentile
/// of a long tail).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay(Law);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Law {
    Fixed(Span),
    Even { from: Span, to: Span },
    Bell { mean: Span, deviation: Span },
    Tail { median: Span, p95: Span },
}

/// The 95th percentile of the standard bell curve.
const Z95: f64 = 1.645;

impl Delay {
    /// Always the same.
    pub const fn fixed(span: Span) -> Self {
        Self(Law::Fixed(span))
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let two =
            |a: &str, b: &str| -> Result<(Span, Span), String> { Ok((Span::parse(a)?, Span::parse(b)?)) };
        let law = if let Some((a, b)) = text.split_once("..") {
            let (from, to) = two(a, b)?;
            if from > to {
                return Err(format!("`{text}` has its ends swapped: write the shorter time first"));
            }
            Law::Even { from, to }
        } else if let Some((a, b)) = text.split_once('~') {
            let (mean, deviation) = two(a, b)?;
            Law::Bell { mean, deviation }
        } else if let Some((a, b)) = text.split_once('^') {
            let (median, p95) = two(a, b)?;
            if median > p95 || median == Span::ZERO {
                return Err(format!(
                    "`{text}` has no tail: write the median first, above zero, then the longer 95th percentile"
                ));
            }
            Law::Tail { median, p95 }
        } else {
            Law::Fixed(Span::parse(text)?)
        };
        Ok(Self(law))
    }

    /// The delay of one pod, in microseconds.
    pub(crate) fn draw(&self, seed: u64, purpose: Purpose, pod: u64) -> i64 {
        let us = match self.0 {
            Law::Fixed(span) => return span.micros(),
            Law::Even { from, to } => {
                let width = (to.micros() - from.micros()) as f64;
                from.micros() as f64 + width * unit(seed, purpose, pod, 0)
            }
            Law::Bell { mean, deviation } => {
                mean.micros() as f64 + deviation.micros() as f64 * bell(seed, purpose, pod, 0)
            }
            Law::Tail { median, p95 } => {
                let sigma = libm::log(p95.micros() as f64 / median.micros() as f64) / Z95;
                median.micros() as f64 * libm::exp(sigma * bell(seed, purpose, pod, 0))
            }
        };
        Span::from_micros(libm::round(us) as i64).micros()
    }
}

impl Delay {
    /// For people: `5 s`, `5 s to 20 s`, `8 s ± 2 s`, `5 s (one in twenty over 20 s)`.
    pub fn words(&self) -> String {
        let w = |s: Span| lasting(s.micros());
        match self.0 {
            Law::Fixed(span) => w(span),
            Law::Even { from, to } => format!("{} to {}", w(from), w(to)),
            Law::Bell { mean, deviation } => format!("{} ± {}", w(mean), w(deviation)),
            Law::Tail { median, p95 } => format!("{} (one in twenty over {})", w(median), w(p95)),
        }
    }
}

/// As it is written in a world file.
impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let w = |s: Span| time::written(s.micros());
        match self.0 {
            Law::Fixed(span) => f.write_str(&w(span)),
            Law::Even { from, to } => write!(f, "{}..{}", w(from), w(to)),
            Law::Bell { mean, deviation } => write!(f, "{}~{}", w(mean), w(deviation)),
            Law::Tail { median, p95 } => write!(f, "{}^{}", w(median), w(p95)),
        }
    }
}

impl<'de> Deserialize<'de> for Delay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Delay::parse(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SECOND;

    #[test]
    fn draws_stay_within_their_law() {
        let draw = |text: &str| {
            let delay = Delay::parse(text).unwrap();
            assert_eq!(delay.to_string(), text);
            (0..2_000).map(|pod| delay.draw(1, Purpose::Boot, pod)).collect::<Vec<_>>()
        };
        assert!(draw("5s").iter().all(|us| *us == 5 * SECOND));
        assert!(draw("5s..20s").iter().all(|us| (5 * SECOND..20 * SECOND).contains(us)));
        let bell = draw("8s~2s");
        let mean = bell.iter().sum::<i64>() / 2_000;
        assert!((mean - 8 * SECOND).abs() < SECOND / 4, "{mean}");
        let mut tail = draw("5s^20s");
        tail.sort_unstable();
        assert!((tail[1_000] - 5 * SECOND).abs() < SECOND / 2, "median {}", tail[1_000]);
        assert!((tail[1_900] - 20 * SECOND).abs() < 3 * SECOND, "95th {}", tail[1_900]);
    }

    #[test]
    fn refuses_what_is_no_delay() {
        assert!(Delay::parse("20s..5s").unwrap_err().contains("write the shorter time first"));
        assert!(Delay::parse("20s^5s").unwrap_err().contains("write the median first"));
        assert!(Delay::parse("soon").unwrap_err().contains("is not a duration"));
    }
}
