//! When a status is worth writing: at once when a number of replicas or a reason changed, else once a minute.

use plimsoll_engine::{At, seconds};

use super::super::status::{AutoscalerStatus, LastDecision};
use crate::condition::from_time;

/// How long a status that only differs in measured values, messages or times may wait.
const QUIET_US: i64 = seconds(60);

/// Whether `new` should take the place of `stored` now.
///
/// A pure function of the two and the time: what was stored says itself when it was decided.
#[must_use]
pub fn is_due(stored: Option<&AutoscalerStatus>, new: &AutoscalerStatus, at: At) -> bool {
    let Some(stored) = stored else { return true };
    if weighty(stored) != weighty(new) {
        return true;
    }
    let written = stored.last_decision.as_ref().and_then(|it| it.at.as_ref()).map(from_time);
    timeless(stored) != timeless(new) && written.is_none_or(|written| at.since(written) >= QUIET_US)
}

/// Every number of replicas and every reason, in order.
#[derive(PartialEq)]
struct Weighty<'a> {
    numbers: Vec<Option<i64>>,
    reasons: Vec<&'a str>,
}

fn weighty(status: &AutoscalerStatus) -> Weighty<'_> {
    let replicas =
        [status.current_replicas, status.desired_replicas, status.min_replicas, status.max_replicas];
    let mut numbers: Vec<Option<i64>> = vec![status.observed_generation];
    numbers.extend(replicas.map(|it| it.map(i64::from)));
    numbers.push(status.last_scale_time.as_ref().map(|it| from_time(it).0));
    let mut reasons: Vec<&str> = Vec::new();
    for condition in status.conditions.iter().flatten() {
        reasons.extend([condition.type_.as_str(), condition.status.as_str()]);
        reasons.push(condition.reason.as_deref().unwrap_or_default());
    }
    reasons.extend(
        [&status.reference, &status.mode, &status.active_schedule].map(|it| it.as_deref().unwrap_or("")),
    );
    if let Some(fallback) = &status.fallback {
        numbers.push(Some(fallback.replicas.into()));
        reasons.push(&fallback.metric);
    }
    if let Some(decision) = &status.last_decision {
        numbers.extend([decision.from, decision.to].map(|it| Some(i64::from(it))));
        numbers.extend(decision.metrics.iter().map(|it| it.proposal.map(i64::from)));
        reasons.push(decision.winner.as_deref().unwrap_or_default());
        for stage in &decision.stages {
            numbers.extend([stage.before, stage.after].map(|it| Some(i64::from(it))));
            reasons.extend([stage.stage.as_str(), stage.reason.as_str()]);
        }
    }
    Weighty { numbers, reasons }
}

/// The same status without the times that move at every look.
fn timeless(status: &AutoscalerStatus) -> AutoscalerStatus {
    let last_decision = status.last_decision.as_ref().map(|it| LastDecision {
        at: None,
        next_up: None,
        next_down: None,
        ..it.clone()
    });
    AutoscalerStatus { last_decision, ..status.clone() }
}
