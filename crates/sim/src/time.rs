//! Virtual time: integer microseconds, and durations as people write them (`90s`, `1h30m`, `2d`).

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Microseconds in one second.
pub const SECOND: i64 = 1_000_000;
/// Microseconds in one minute.
pub const MINUTE: i64 = 60 * SECOND;
/// Microseconds in one hour.
pub const HOUR: i64 = 60 * MINUTE;
/// Microseconds in one day.
pub const DAY: i64 = 24 * HOUR;
/// The longest simulation that is accepted.
pub const LONGEST: i64 = 366 * DAY;

/// A length of virtual time in microseconds, never negative, at most [`LONGEST`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(i64);

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// From whole seconds, kept within the accepted range.
    pub const fn from_secs(secs: i64) -> Self {
        Self::from_micros(secs.saturating_mul(SECOND))
    }

    /// From microseconds, kept within the accepted range.
    pub const fn from_micros(us: i64) -> Self {
        Self(if us < 0 {
            0
        } else if us > LONGEST {
            LONGEST
        } else {
            us
        })
    }

    /// As microseconds.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// As seconds.
    pub fn secs(self) -> f64 {
        secs(self.0)
    }

    /// Reads `90s`, `1h30m`, `2d`, `1w`, `250ms`, or a plain number of seconds.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let wrong = || {
            format!(
                "`{}` is not a duration: write one like 45s, 10m, 1h30m or 2d",
                crate::error::one_line(text)
            )
        };
        if text.is_empty() {
            return Err(wrong());
        }
        let mut total = 0.0_f64;
        let mut rest = text;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
            let (number, after) = rest.split_at(digits);
            let value: f64 = number.parse().map_err(|_| wrong())?;
            let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
            let (unit, next) = after.split_at(letters);
            total += value * unit_micros(unit).ok_or_else(wrong)?;
            if unit.is_empty() && !(next.is_empty() && number.len() == text.len()) {
                return Err(wrong());
            }
            rest = next;
        }
        if total > LONGEST as f64 {
            return Err(format!("`{text}` is too long: at most {} is accepted", written(LONGEST)));
        }
        Ok(Self(libm::round(total) as i64))
    }
}

fn unit_micros(unit: &str) -> Option<f64> {
    Some(match unit {
        "us" => 1.0,
        "ms" => 1_000.0,
        "" | "s" | "sec" | "secs" => SECOND as f64,
        "m" | "min" | "mins" => MINUTE as f64,
        "h" | "hour" | "hours" => HOUR as f64,
        "d" | "day" | "days" => DAY as f64,
        "w" | "week" | "weeks" => 7.0 * DAY as f64,
        _ => return None,
    })
}

/// Microseconds as seconds.
pub fn secs(us: i64) -> f64 {
    us as f64 / SECOND as f64
}

/// A duration as it is written on the command line and in files, exactly: `45s`, `1h30m`, `2d4h`, `250ms`.
///
/// For people there is [`plimsoll_api::explain::lasting`].
pub fn written(us: i64) -> String {
    let units = [(DAY, "d"), (HOUR, "h"), (MINUTE, "m"), (SECOND, "s"), (1_000, "ms"), (1, "us")];
    let mut out = String::new();
    let mut rest = us.max(0);
    for (size, name) in units {
        if rest >= size {
            out.push_str(&format!("{}{name}", rest / size));
            rest %= size;
        }
    }
    if out.is_empty() { "0s".to_string() } else { out }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&written(self.0))
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Span::parse(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations_as_people_write_them() {
        for (text, us) in [
            ("45s", 45 * SECOND),
            ("10m", 10 * MINUTE),
            ("1h30m", 90 * MINUTE),
            ("2d", 2 * DAY),
            ("1w", 7 * DAY),
            ("250ms", 250_000),
            ("1.5h", 90 * MINUTE),
            ("30", 30 * SECOND),
            ("0", 0),
        ] {
            assert_eq!(Span::parse(text), Ok(Span(us)), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_not_a_duration() {
        for text in ["", "x", "-5s", "5x", "1h30", "5 s 3", "..s", "NaN", "1e400s"] {
            let error = Span::parse(text).unwrap_err();
            assert!(error.contains("is not a duration: write one like 45s"), "{text}: {error}");
        }
        assert_eq!(Span::parse("400d").unwrap_err(), "`400d` is too long: at most 366d is accepted");
    }

    #[test]
    fn writes_what_it_reads() {
        for (us, text) in [
            (0, "0s"),
            (45 * SECOND, "45s"),
            (90 * MINUTE, "1h30m"),
            (DAY + 3 * SECOND, "1d3s"),
            (250_000, "250ms"),
            (SECOND + 5, "1s5us"),
        ] {
            assert_eq!(written(us), text);
            assert_eq!(Span::parse(text), Ok(Span(us)));
        }
    }
}
