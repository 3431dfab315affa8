//! The record of one decision: everything it was made from, and everything that came of it.

use std::sync::Arc;

use plimsoll_api::explain::{Shown, explain, next_changes};
use plimsoll_engine::{
    Bounds, Decision, Memory, Observation, Outcome, Outlook, Policy, Trail, decide, outlook,
};
use serde::{Deserialize, Serialize};

use crate::explain::{Explained, Origin};
use crate::key::Key;

/// The record of one decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Of which autoscaler.
    pub key: Key,
    /// Its UID.
    pub uid: String,
    /// What it scales, as `Kind/name`.
    pub target: String,
    /// What its metrics are called.
    pub metrics: Vec<String>,
    /// How its metrics are shown to people.
    pub shown: Arc<Vec<Shown>>,
    /// What it follows.
    pub policy: Policy,
    /// What was seen.
    pub seen: Observation,
    /// What was remembered before.
    pub before: Memory,
    /// What each stage did.
    pub trail: Trail,
    /// What was decided.
    pub decision: Decision,
    /// What became of it.
    pub outcome: Outcome,
    /// What is remembered after.
    pub after: Memory,
    /// When the next change is possible.
    pub outlook: Outlook,
    /// How the sync failed, if it did.
    pub error: Option<String>,
}

/// Whose decision it is.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// Of which autoscaler.
    pub key: Key,
    /// Its UID.
    pub uid: String,
    /// What it scales, as `Kind/name`.
    pub target: String,
    /// What its metrics are called.
    pub metrics: Vec<String>,
    /// How its metrics are shown to people.
    pub shown: Arc<Vec<Shown>>,
}

impl Record {
    /// The decision that is made from this, with everything that comes of it.
    #[must_use]
    pub fn made(about: About, policy: Policy, seen: Observation, before: Memory, outcome: Outcome) -> Record {
        let About { key, uid, target, metrics, shown } = about;
        let mut trail = Trail::new();
        let decision = decide(&policy, &seen, &before, &mut trail);
        let mut after = before.clone();
        after.settle(&policy, &trail, &decision, &outcome);
        let outlook = look_ahead(&policy, &seen, &after, &decision);
        let error = None;
        Record {
            key,
            uid,
            target,
            metrics,
            shown,
            policy,
            seen,
            before,
            trail,
            decision,
            outcome,
            after,
            outlook,
            error,
        }
    }

    /// The bounds that were in force.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.seen.bounds.unwrap_or(self.policy.bounds)
    }

    /// In words.
    #[must_use]
    pub fn explained(&self, origin: Origin) -> Explained {
        let (growing, shrinking) = next_changes(&self.outlook, self.decision.at);
        let words = explain(&self.trail, &self.decision, &self.shown);
        Explained { origin, words, growing, shrinking, record: self.clone() }
    }

    /// The same record with everything that was decided made again from what it was made from.
    #[must_use]
    pub fn again(&self) -> Record {
        let Record { key, uid, target, metrics, shown, policy, seen, before, outcome, error, .. } =
            self.clone();
        let about = About { key, uid, target, metrics, shown };
        Record { error, ..Record::made(about, policy, seen, before, outcome) }
    }
}

/// When the next change is possible, seen from a decision that has been carried out.
#[must_use]
pub fn look_ahead(policy: &Policy, seen: &Observation, after: &Memory, decision: &Decision) -> Outlook {
    outlook(policy, seen.bounds.unwrap_or(policy.bounds), after, decision.to, decision.at)
}
