//! What is remembered between syncs. Read by `decide`, changed by `settle` alone.

mod history;

use serde::{Deserialize, Serialize};

pub use history::{History, HistoryKind};

use crate::decision::{Act, Decision, Outcome};
use crate::metric::OnMissing;
use crate::policy::{Delays, DryRun, Limits, Policy, Rate};
use crate::time::At;
use crate::trail::{Breach, Step, Trail};

/// The most scale events kept for one direction. Beyond it the two oldest become one, dated with the younger, so
/// that a limit can only be stricter for it.
const MOST_CHANGES: usize = 1024;

/// Everything an autoscaler remembers. Bounded, serialisable, and separate from its policy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Memory {
    /// Earlier proposals.
    pub history: History,
    /// Scalings up.
    pub grown: Vec<Change>,
    /// Scalings down.
    pub shrunk: Vec<Change>,
    /// What is read back from the object's status at each sync.
    pub recalled: Recalled,
    /// One entry for each metric that has a stand-in when it is missing.
    pub metrics: Vec<MetricMemory>,
}

/// One scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// When.
    pub at: At,
    /// By how many replicas; never negative.
    pub by: i32,
    /// Whether its place may be used again. It still counts while a period reaches back to it.
    #[serde(default)]
    pub outdated: bool,
}

/// What lives in the object's status and is read back at each sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recalled {
    /// When anything was last scaled.
    pub last_scale: Option<At>,
    /// Whether we put the target to zero replicas.
    pub slept: bool,
    /// Since when growing is called for.
    pub above_since: Option<At>,
    /// Since when shrinking is called for.
    pub below_since: Option<At>,
}

/// What is remembered of a metric in case it goes missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MetricMemory {
    /// What it last asked for.
    pub last: Option<LastBid>,
    /// Since when it has been missing.
    pub failing_since: Option<At>,
}

/// What a metric asked for, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastBid {
    /// When.
    pub at: At,
    /// How many replicas.
    pub to: i32,
}

/// The sum of changes after `cutoff`, wrapping as the reference does.
pub(crate) fn changed_since(changes: &[Change], cutoff: At) -> i32 {
    changes.iter().filter(|change| change.at > cutoff).fold(0, |sum, change| sum.wrapping_add(change.by))
}

impl Memory {
    /// An empty memory of the kind that `policy` needs.
    #[must_use]
    pub fn new(policy: &Policy) -> Self {
        Memory { history: History::new(policy.history), ..Memory::default() }
    }

    /// Remembers what came of a decision: what was seen always, a scaling only if it really happened (or counts as
    /// if it had).
    pub fn settle(&mut self, policy: &Policy, trail: &Trail, decision: &Decision, outcome: &Outcome) {
        let at = decision.at;
        self.history.fit(policy.history);
        if let Some(seed) = decision.notes.seed {
            self.history.seed(at, seed);
        }
        if let (Some(proposal), Some(stabilize)) = (decision.notes.proposal, policy.stabilize) {
            self.history.record(at, proposal, stabilize);
        }
        // A wish that was not seen did not last. (By marks, only what was measured counts.)
        let unseen = policy.hold.filter(|hold| hold.delays == Delays::ByWish).map(|_| Breach::default());
        if let Some(breach) = decision.notes.breach.or(unseen) {
            let since = |before: Option<At>, now: bool| now.then(|| before.unwrap_or(at));
            self.recalled.above_since = since(self.recalled.above_since, breach.above);
            self.recalled.below_since = since(self.recalled.below_since, breach.below);
        }
        self.settle_metrics(policy, trail, at);
        let counts = match outcome {
            Outcome::Written => true,
            Outcome::DryRun => policy.dry_run == DryRun::CountsAsScaling,
            Outcome::Refused(_) | Outcome::NotTried => false,
        };
        if counts && decision.act == Act::Write {
            self.settle_scaling(policy, decision);
        }
    }

    fn settle_scaling(&mut self, policy: &Policy, decision: &Decision) {
        let (from, to) = (decision.from, decision.to);
        self.recalled.last_scale = Some(decision.at);
        self.recalled.slept = from > 0 && to == 0 && policy.wakes_from_zero;
        if let Limits::Rates { up, down } = &policy.limits {
            if to > from {
                store(&mut self.grown, up, decision.at, to.saturating_sub(from));
            } else if to < from {
                store(&mut self.shrunk, down, decision.at, from.saturating_sub(to));
            }
        }
    }

    fn settle_metrics(&mut self, policy: &Policy, trail: &Trail, at: At) {
        if policy.metrics.iter().all(|metric| metric.on_missing == OnMissing::Fail) {
            self.metrics.clear();
            return;
        }
        self.metrics.resize(policy.metrics.len(), MetricMemory::default());
        for step in &trail.steps {
            let Step::Metric { index, bid } = step else { continue };
            let Some(metric) = self.metrics.get_mut(usize::from(*index)) else { continue };
            match bid {
                Ok(bid) => {
                    *metric = MetricMemory { last: Some(LastBid { at, to: bid.to }), failing_since: None }
                }
                Err(_) => metric.failing_since = metric.failing_since.or(Some(at)),
            }
        }
    }
}

/// Stores a scaling, in the place of one that no period reaches back to.
fn store(changes: &mut Vec<Change>, rate: &Rate, at: At, by: i32) {
    let longest_us = rate.policies.iter().map(|policy| policy.period_us).max().unwrap_or(0).max(0);
    let cutoff = at.minus(longest_us);
    let mut free = None;
    for change in changes.iter_mut() {
        change.outdated |= change.at < cutoff;
        if change.outdated {
            free = Some(change);
        }
    }
    let change = Change { at, by, outdated: false };
    match free {
        Some(free) => *free = change,
        None => {
            changes.push(change);
            if changes.len() > MOST_CHANGES {
                merge_oldest(changes);
            }
        }
    }
}

fn merge_oldest(changes: &mut Vec<Change>) {
    changes.sort_by_key(|change| change.at);
    let oldest = changes.remove(0);
    if let Some(next) = changes.first_mut() {
        next.by = next.by.saturating_add(oldest.by);
    }
}
