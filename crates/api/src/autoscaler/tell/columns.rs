//! The one-line fields that `kubectl get` shows.

use plimsoll_engine::rule::marks::Unit;
use plimsoll_engine::{Bid, Decision, Metric, Outcome, Rule, Step, Trail};

use super::super::lower::Lowered;
use super::sentence;
use crate::hpa::{Goal, MetricWords};
use crate::quantity::{Format, Quantity};
use crate::source::Source;

/// The longest text of one line.
const LONGEST: usize = 200;
/// How many metrics are shown, as `kubectl get hpa` does.
const SHOWN: usize = 2;

/// Each metric's value and what holds it, as in `kubectl get hpa`.
pub(super) fn targets(lowered: &Lowered, trail: &Trail) -> String {
    let metrics = lowered.words().metrics.iter().zip(&lowered.policy().metrics).enumerate();
    let all: Vec<String> = metrics
        .map(|(index, (words, metric))| {
            let bid = bid(trail, index);
            let current = bid.map_or_else(|| "<unknown>".to_owned(), |bid| value(words, bid));
            let line = format!("{current}/{}", goal(words, metric));
            match (&words.source, words.goal) {
                (Source::Resource { name, .. }, _) => format!("{name}: {line}"),
                (
                    Source::Object { .. } | Source::External { .. } | Source::Prometheus { .. },
                    Goal::AverageValue,
                ) => {
                    format!("{line} (avg)")
                }
                _ => line,
            }
        })
        .collect();
    let shown = all.get(..SHOWN).unwrap_or(&all).join(", ");
    if all.len() > SHOWN { format!("{shown} + {} more...", all.len() - SHOWN) } else { shown }
}

/// The last decision in one line.
pub(super) fn why(lowered: &Lowered, trail: &Trail, decision: &Decision, outcome: &Outcome) -> String {
    let sentence = sentence(lowered, trail, decision);
    match outcome {
        Outcome::DryRun => short(&format!("dry run: {sentence}")),
        Outcome::Refused(error) => short(&format!("not written ({error}): {sentence}")),
        Outcome::Written | Outcome::NotTried => short(&sentence),
    }
}

/// No longer than one line.
pub(super) fn short(text: &str) -> String {
    cut(text, LONGEST)
}

/// At most `longest` characters, with an ellipsis where something is missing; line breaks become spaces.
pub(super) fn cut(text: &str, longest: usize) -> String {
    let flat = |c: char| if c.is_control() { ' ' } else { c };
    match text.char_indices().nth(longest) {
        None => text.chars().map(flat).collect(),
        Some(_) => text.chars().take(longest.saturating_sub(1)).map(flat).chain(['\u{2026}']).collect(),
    }
}

/// What a metric asked for at this sync, if it could be read.
pub(super) fn bid(trail: &Trail, index: usize) -> Option<&Bid> {
    trail.steps.iter().find_map(|step| match step {
        Step::Metric { index: at, bid: Ok(bid) } if usize::from(*at) == index => Some(bid),
        _ => None,
    })
}

/// A measured value.
pub(super) fn value(words: &MetricWords, bid: &Bid) -> String {
    match words.goal {
        Goal::Utilization => format!("{}%", bid.percent),
        Goal::AverageValue | Goal::Value => quantity(words, bid.milli),
    }
}

/// What holds a metric: `80%`, `500m`, `150m..400m`, `3 steps`.
pub(super) fn goal(words: &MetricWords, metric: &Metric) -> String {
    let mark = |unit: Unit, value: i64| match unit {
        Unit::Percent => format!("{value}%"),
        Unit::Milli => quantity(words, value),
    };
    match &metric.rule {
        Rule::Utilization { percent } => format!("{percent}%"),
        Rule::Average { milli } | Rule::Value { milli } | Rule::PerReplica { milli, .. } => {
            quantity(words, *milli)
        }
        Rule::Marks(marks) if marks.low == marks.high => mark(marks.unit, marks.high),
        Rule::Marks(marks) => {
            format!("{}..{}", mark(marks.unit, marks.low), mark(marks.unit, marks.high))
        }
        Rule::Steps(steps) if steps.table.len() == 1 => "1 step".to_owned(),
        Rule::Steps(steps) => format!("{} steps", steps.table.len()),
    }
}

fn quantity(words: &MetricWords, milli: i64) -> String {
    let format = match &words.source {
        Source::Resource { name, .. } if &**name == "memory" => Format::BinarySi,
        _ => Format::DecimalSi,
    };
    Quantity::from_milli(milli, format).to_string()
}
