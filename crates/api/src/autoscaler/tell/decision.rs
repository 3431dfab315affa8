//! The last decision in short: the Trail as data, at most 4 KiB however much there is to tell.

use plimsoll_engine::{At, Bind, Next, Outcome, Past, Policy, Step, Why, outlook};

use super::super::lower::Lowered;
use super::super::status::{LastDecision, MetricDecision, StageDecision};
use super::columns::{cut, goal, value};
use super::{Sync, waiting};
use crate::condition::to_time;
use crate::hpa::tell::{bounded, stabilized};

/// The most bytes that the last decision takes as JSON.
pub(super) const MOST_BYTES: usize = 4096;
/// The longest name, value or goal.
const LONGEST_NAME: usize = 60;
/// The longest note.
const LONGEST_NOTE: usize = 120;

/// The last decision.
pub(super) fn last(lowered: &Lowered, sync: &Sync<'_>) -> LastDecision {
    let Sync { in_force, memory, decision, outcome, .. } = *sync;
    let mut told = LastDecision {
        at: Some(to_time(decision.at)),
        from: decision.from,
        to: decision.to,
        metrics: metrics(lowered, sync),
        winner: winner(lowered, sync),
        stages: stages(lowered, sync),
        ..LastDecision::default()
    };
    let policy = lowered.policy();
    let now = if *outcome == Outcome::Written { decision.to } else { decision.from };
    let ahead = outlook(policy, in_force.bounds, memory, now, decision.at);
    told.next_up = next(ahead.up, policy, decision.at).map(to_time);
    told.next_down = next(ahead.down, policy, decision.at).map(to_time);
    shorten(&mut told);
    told
}

fn next(next: Next, policy: &Policy, at: At) -> Option<At> {
    let soonest = at.plus(policy.cadence_us);
    match next {
        Next::Now => Some(soonest),
        Next::At { at, .. } => Some(at.max(soonest)),
        Next::Never(_) => None,
    }
}

/// Leaves out metrics that did not win, the last ones first, then stages, until the rest fits.
fn shorten(told: &mut LastDecision) {
    let mut left_out = 0;
    while serde_json::to_vec(told).map_or(0, |json| json.len()) > MOST_BYTES {
        let loser = told.metrics.iter().rposition(|it| Some(&it.name) != told.winner.as_ref());
        match loser {
            Some(index) => {
                told.metrics.remove(index);
            }
            None if told.metrics.pop().is_some() || told.stages.pop().is_some() => {}
            None => return,
        }
        left_out += 1;
        told.left_out = Some(left_out);
    }
}

fn name(lowered: &Lowered, index: u16) -> String {
    cut(lowered.shown.get(usize::from(index)).map_or("", |it| &it.name), LONGEST_NAME)
}

fn winner(lowered: &Lowered, sync: &Sync<'_>) -> Option<String> {
    sync.trail.steps.iter().find_map(|step| match step {
        Step::Combined { winner, .. } => Some(name(lowered, *winner)),
        _ => None,
    })
}

fn metrics(lowered: &Lowered, sync: &Sync<'_>) -> Vec<MetricDecision> {
    let mut told: Vec<MetricDecision> = Vec::new();
    for step in &sync.trail.steps {
        match step {
            Step::Metric { index, bid } => {
                let place = usize::from(*index);
                let words = lowered.words().metrics.get(place);
                let metric = lowered.policy().metrics.get(place);
                let (Some(words), Some(metric)) = (words, metric) else { continue };
                told.push(MetricDecision {
                    name: name(lowered, *index),
                    value: bid.as_ref().ok().map(|bid| value(words, bid)),
                    goal: Some(cut(&goal(words, metric), LONGEST_NAME)),
                    proposal: bid.as_ref().ok().map(|bid| bid.to),
                    note: bid.as_ref().err().map(|why| {
                        let text: &Why = why;
                        cut(&words.failure(&lowered.words().namespace, text), LONGEST_NOTE)
                    }),
                });
            }
            Step::StandIn { to, .. } => {
                if let Some(metric) = told.last_mut() {
                    metric.proposal = *to;
                    let how = if to.is_some() { "stand-in" } else { "left out" };
                    let note = metric.note.take().unwrap_or_default();
                    metric.note = Some(cut(&format!("{how}: {note}"), LONGEST_NOTE));
                }
            }
            _ => {}
        }
    }
    told
}

/// Each stage that had a say.
fn stages(lowered: &Lowered, sync: &Sync<'_>) -> Vec<StageDecision> {
    let decision = sync.decision;
    let mut stages = Vec::new();
    let mut say = |stage: &str, before: i32, after: i32, reason: &str| {
        stages.push(StageDecision { stage: stage.to_owned(), before, after, reason: reason.to_owned() });
    };
    let mut wish = decision.from;
    for step in &sync.trail.steps {
        match step {
            Step::Blocked(_) => say("admit", decision.from, decision.from, "ScalingBlocked"),
            Step::Unread(_) => say("admit", decision.from, decision.from, "FailedGetScale"),
            Step::Asleep => say("enter", 0, 0, "ScalingDisabled"),
            Step::Jump { from, to, past } => {
                wish = *to;
                say("enter", *from, *to, past_bound(*past));
            }
            Step::BadSelector(_) => say("propose", decision.from, decision.from, "InvalidSelector"),
            Step::NoBid { .. } => say("combine", decision.from, decision.from, "NoValidMetric"),
            Step::Combined { to, .. } => {
                wish = *to;
                say("combine", decision.from, *to, "ValidMetricFound");
            }
            Step::Stabilized { from, to, toward } => {
                wish = *to;
                say("stabilize", *from, *to, stabilized(*from, *to, *toward).0);
            }
            Step::Bounded { from, to, by, .. } => {
                wish = *to;
                say("bound", *from, *to, bound_by(*by).unwrap_or(bounded(*by, *from, lowered.words()).0));
            }
            Step::Lifted { to } => {
                say("bound", wish, *to, "TooFewReplicas");
                wish = *to;
            }
            Step::Waits { on, .. } => {
                say("hold", wish, decision.from, waiting(*on).0);
                wish = decision.from;
            }
            Step::Read(_) | Step::Metric { .. } | Step::StandIn { .. } | Step::Cooling { .. } => {}
        }
    }
    match sync.outcome {
        Outcome::DryRun => say("act", wish, decision.from, "DryRun"),
        Outcome::Refused(_) => say("act", wish, decision.from, "FailedUpdateScale"),
        Outcome::Written => say("act", decision.from, decision.to, "SucceededRescale"),
        Outcome::NotTried => {}
    }
    stages
}

fn past_bound(past: Past) -> &'static str {
    match past {
        Past::Max => "TooManyReplicas",
        Past::Min | Past::Zero => "TooFewReplicas",
    }
}

/// The limits of one scaling have a name of their own here.
fn bound_by(by: Bind) -> Option<&'static str> {
    match by {
        Bind::ShareUp => Some("ScaleUpLimitPercent"),
        Bind::ShareDown => Some("ScaleDownLimitPercent"),
        _ => None,
    }
}
