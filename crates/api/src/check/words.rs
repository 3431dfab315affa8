//! Small words: levels, rates, chains of replicas, lists.

use plimsoll_engine::{Amount, Limits, Rate, RatePolicy, Select, Side};

use super::probe::{Level, Run};
use crate::explain::{Shown, Shows, lasting, number};

/// The longest chain of replicas that is told in full.
const LONGEST_CHAIN: usize = 7;

/// A level in the unit of its metric: `90 %`, `256 MiB`, `12.5`.
pub(super) fn level(shown: &Shown, level: Level) -> String {
    match shown.shows {
        Shows::Percent => format!("{} %", number(level)),
        Shows::Milli(divisor) => {
            let unit = if shown.unit.starts_with("Mi") { " MiB" } else { "" };
            format!("{}{unit}", number(level / divisor))
        }
    }
}

/// How much one policy allows: `4 pods in 15 s`.
pub(super) fn rate_policy(policy: &RatePolicy) -> String {
    let per = lasting(policy.period_us);
    match policy.amount {
        Amount::Pods(1) => format!("1 pod in {per}"),
        Amount::Pods(pods) => format!("{pods} pods in {per}"),
        Amount::Percent(percent) => format!("{percent} % in {per}"),
    }
}

/// How far one direction may go; `None` if there is no limit.
pub(super) fn limit(limits: &Limits, side: Side) -> Option<String> {
    match (limits, side) {
        (Limits::Doubling, Side::Up) => {
            Some("at most to twice the replicas (or to 4) at each look".to_owned())
        }
        (Limits::Doubling, Side::Down) => None,
        (Limits::Share { up_milli: milli, .. }, Side::Up)
        | (Limits::Share { down_milli: milli, .. }, Side::Down) => Some(format!(
            "at most {} % of the replicas at a time, but at least one",
            number(*milli as f64 / 1000.0)
        )),
        (Limits::Rates { up: rate, .. }, Side::Up) | (Limits::Rates { down: rate, .. }, Side::Down) => {
            rate_words(rate, side)
        }
    }
}

fn rate_words(rate: &Rate, side: Side) -> Option<String> {
    let unlimited = |it: &RatePolicy| {
        side == Side::Down && matches!(it.amount, Amount::Percent(percent) if percent >= 100)
    };
    let open = match rate.select {
        Select::Disabled => return Some("never".to_owned()),
        Select::Max => rate.policies.is_empty() || rate.policies.iter().any(unlimited),
        Select::Min => rate.policies.iter().all(unlimited),
    };
    let mut parts = Vec::new();
    if !open {
        let policies: Vec<String> = rate.policies.iter().map(rate_policy).collect();
        let which = match (policies.len(), rate.select) {
            (1, _) => "",
            (_, Select::Max) => ", whichever is more",
            _ => ", whichever is less",
        };
        parts.push(format!("at most {}{which}", policies.join(" or ")));
    }
    if let Some(percent) = rate.step_percent {
        parts.push(format!("at most {percent} % of the replicas at a time, but at least one"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What a run did: `goes to 15 in 2 steps 15 s apart (10 → 14 → 15)`. `None` if it did nothing.
pub(super) fn run(run: &Run) -> Option<String> {
    let first = run.changes.first()?;
    let to = run.to();
    let start = (first.after_seconds > 0).then(|| lasting_secs(first.after_seconds));
    if run.changes.len() == 1 {
        return Some(match start {
            None => format!("goes to {to} at once"),
            Some(start) => format!("goes to {to} after {start}"),
        });
    }
    let gaps: Vec<i64> = run
        .changes
        .iter()
        .zip(run.changes.iter().skip(1))
        .map(|(a, b)| b.after_seconds - a.after_seconds)
        .collect();
    let even = gaps.iter().all(|gap| Some(gap) == gaps.first());
    let pace = if even {
        format!("{} apart", lasting_secs(gaps.first().copied().unwrap_or(0)))
    } else {
        format!("over {}", lasting_secs(gaps.iter().sum()))
    };
    let from_when = start.map_or_else(String::new, |start| format!(", the first after {start}"));
    Some(format!("goes to {to} in {} steps {pace}{from_when} ({})", run.changes.len(), chain(run)))
}

/// How long a run took until its last change.
pub(super) fn whole(run: &Run) -> String {
    run.changes
        .last()
        .filter(|it| it.after_seconds > 0)
        .map_or("at once".to_owned(), |it| format!("in {}", lasting_secs(it.after_seconds)))
}

/// The replicas one after the other.
pub(super) fn chain(run: &Run) -> String {
    let all: Vec<String> = std::iter::once(run.from)
        .chain(run.changes.iter().map(|it| it.replicas))
        .map(|it| it.to_string())
        .collect();
    if all.len() <= LONGEST_CHAIN {
        return all.join(" → ");
    }
    let beginning = all.iter().take(LONGEST_CHAIN - 2).cloned().collect::<Vec<_>>().join(" → ");
    format!("{beginning} → … → {}", run.to())
}

pub(super) fn lasting_secs(secs: i64) -> String {
    lasting(plimsoll_engine::seconds(secs))
}

/// `1 pod`, `3 pods`.
pub(super) fn pods(count: i32) -> String {
    if count == 1 { "1 pod".to_owned() } else { format!("{count} pods") }
}
