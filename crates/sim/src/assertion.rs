//! Assertions on a score, for CI: `unmet<1%`, `flaps<=2`, `recover<3m`.

use crate::error::{BadInput, one_line};
use crate::record::{Recovery, Score};
use crate::time::{SECOND, Span};
use plimsoll_api::explain::{grouped, lasting, number, percent};

/// A condition that a score must meet.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    figure: Figure,
    sign: Sign,
    limit: f64,
    text: String,
}

/// What came of an assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it holds.
    pub holds: bool,
    /// `unmet<1%: 3.2 %, does not hold`.
    pub words: String,
}

/// A figure of the score, as it is called in assertions and tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Requests lost or delayed, percent.
    Unmet,
    /// Requests lost.
    Lost,
    /// Requests delayed.
    Delayed,
    /// Seconds under capacity.
    Under,
    /// Pod-hours.
    PodHours,
    /// Changes.
    Changes,
    /// Flaps.
    Flaps,
    /// Reversals.
    Reversals,
    /// Time to recover from the largest jump.
    Recover,
    /// Most replicas.
    Peak,
}

const FIGURES: [(&str, Figure); 10] = [
    ("unmet", Figure::Unmet),
    ("lost", Figure::Lost),
    ("delayed", Figure::Delayed),
    ("under", Figure::Under),
    ("pod-hours", Figure::PodHours),
    ("changes", Figure::Changes),
    ("flaps", Figure::Flaps),
    ("reversals", Figure::Reversals),
    ("recover", Figure::Recover),
    ("peak", Figure::Peak),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
}

const SIGNS: [(&str, Sign); 6] = [
    ("<=", Sign::AtMost),
    (">=", Sign::AtLeast),
    ("==", Sign::Equal),
    ("<", Sign::Less),
    (">", Sign::More),
    ("=", Sign::Equal),
];

impl Figure {
    /// Its number; `None` where there is nothing to measure (no jump), infinite for a jump never recovered from.
    pub fn of(self, score: &Score) -> Option<f64> {
        Some(match self {
            Figure::Unmet => score.unmet_percent,
            Figure::Lost => score.lost_requests,
            Figure::Delayed => score.delayed_requests,
            Figure::Under => score.under_capacity_secs,
            Figure::PodHours => score.pod_hours,
            Figure::Changes => score.changes as f64,
            Figure::Flaps => score.flaps as f64,
            Figure::Reversals => score.reversals as f64,
            Figure::Recover => match score.recovery {
                Recovery::NoJump => return None,
                Recovery::After { secs, .. } => secs,
                Recovery::Never { .. } => f64::INFINITY,
            },
            Figure::Peak => f64::from(score.peak_replicas),
        })
    }

    /// Its number in words.
    pub fn words(self, score: &Score) -> String {
        let Some(value) = self.of(score) else { return "no jump".to_string() };
        match self {
            Figure::Unmet => percent(value),
            Figure::Under | Figure::Recover if value.is_infinite() => "never".to_string(),
            Figure::Under | Figure::Recover => lasting(libm::round(value * SECOND as f64) as i64),
            Figure::Lost | Figure::Delayed => grouped(libm::round(value) as i64),
            _ => number(value),
        }
    }
}

impl Assertion {
    /// Reads `unmet<1%`.
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        const FLAG: &str = "--assert";
        let found = SIGNS.iter().filter_map(|(s, sign)| text.find(s).map(|at| (at, *s, *sign)));
        // The earliest sign, and of two at one place the longer.
        let Some((at, sign_text, sign)) = found.min_by_key(|(at, s, _)| (*at, std::cmp::Reverse(s.len())))
        else {
            let what = format!("`{}` compares nothing", one_line(text));
            return Err(BadInput::new(FLAG, what, "write one like 'unmet<1%' or 'flaps<=2'"));
        };
        let name = text.get(..at).unwrap_or("").trim();
        let limit = text.get(at + sign_text.len()..).unwrap_or("").trim();
        let Some((_, figure)) = FIGURES.iter().find(|(n, _)| *n == name) else {
            let known = FIGURES.map(|(n, _)| n).join(", ");
            return Err(BadInput::new(
                FLAG,
                format!("`{}` is not a figure", one_line(name)),
                format!("use one of {known}"),
            ));
        };
        let limit = limit_of(*figure, limit).map_err(|help| {
            BadInput::new(FLAG, format!("`{}` has no number to compare with", one_line(text)), help)
        })?;
        Ok(Self { figure: *figure, sign, limit, text: text.trim().to_string() })
    }

    /// Holds it against a score. Where there was no jump, nothing had to be recovered from: it holds.
    pub fn check(&self, score: &Score) -> Verdict {
        let holds = self.figure.of(score).is_none_or(|value| match self.sign {
            Sign::Less => value < self.limit,
            Sign::AtMost => value <= self.limit,
            Sign::More => value > self.limit,
            Sign::AtLeast => value >= self.limit,
            Sign::Equal => value == self.limit,
        });
        let tail = if holds { "holds" } else { "does not hold" };
        Verdict { holds, words: format!("{}: {}, {tail}", self.text, self.figure.words(score)) }
    }
}

fn limit_of(figure: Figure, text: &str) -> Result<f64, String> {
    let plain = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    match figure {
        Figure::Unmet => {
            plain(text.trim_end_matches('%').trim()).ok_or("write a percentage like 1%".to_string())
        }
        Figure::Under | Figure::Recover => Span::parse(text).map(Span::secs),
        _ => plain(text).ok_or("write a number like 2".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_hold_or_not_and_say_so() {
        let score = Score {
            unmet_percent: 3.2,
            flaps: 2,
            recovery: Recovery::After { at: 60.0, secs: 95.0 },
            pod_hours: 12.34,
            ..Score::default()
        };
        for (text, holds, words) in [
            ("unmet<1%", false, "unmet<1%: 3.2 %, does not hold"),
            ("unmet <= 3.2", true, "unmet <= 3.2: 3.2 %, holds"),
            ("flaps<=2", true, "flaps<=2: 2, holds"),
            ("flaps<2", false, "flaps<2: 2, does not hold"),
            ("flaps==2", true, "flaps==2: 2, holds"),
            ("recover<90s", false, "recover<90s: 1 min 35 s, does not hold"),
            ("pod-hours>10", true, "pod-hours>10: 12.3, holds"),
        ] {
            let verdict = Assertion::parse(text).unwrap().check(&score);
            assert_eq!((verdict.holds, verdict.words.as_str()), (holds, words));
        }
        let none = Assertion::parse("recover<1s").unwrap().check(&Score::default());
        assert_eq!((none.holds, none.words.as_str()), (true, "recover<1s: no jump, holds"));
        let never = Score { recovery: Recovery::Never { at: 1.0 }, ..Score::default() };
        assert_eq!(
            Assertion::parse("recover<1h").unwrap().check(&never).words,
            "recover<1h: never, does not hold"
        );
    }

    #[test]
    fn bad_assertions_are_refused_in_one_line() {
        for (text, message) in [
            ("unmet", "--assert: `unmet` compares nothing; write one like 'unmet<1%' or 'flaps<=2'"),
            (
                "latency<1",
                "--assert: `latency` is not a figure; use one of unmet, lost, delayed, under, pod-hours, changes, \
                 flaps, reversals, recover, peak",
            ),
            ("unmet<", "--assert: `unmet<` has no number to compare with; write a percentage like 1%"),
            ("flaps<=NaN", "--assert: `flaps<=NaN` has no number to compare with; write a number like 2"),
            (
                "recover<soon",
                "--assert: `recover<soon` has no number to compare with; `soon` is not a duration: write one like \
                 45s, 10m, 1h30m or 2d",
            ),
        ] {
            assert_eq!(Assertion::parse(text).unwrap_err().to_string(), message);
        }
    }
}
