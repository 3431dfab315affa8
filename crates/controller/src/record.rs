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

impl Record {
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
        let mut trail = Trail::new();
        let decision = decide(&self.policy, &self.seen, &self.before, &mut trail);
        let mut after = self.before.clone();
        after.settle(&self.policy, &trail, &decision, &self.outcome);
        let outlook = look_ahead(&self.policy, &self.seen, &after, &decision);
        Record { trail, decision, after, outlook, ..self.clone() }
    }
}

/// When the next change is possible, seen from a decision that has been carried out.
#[must_use]
pub fn look_ahead(policy: &Policy, seen: &Observation, after: &Memory, decision: &Decision) -> Outlook {
    outlook(policy, seen.bounds.unwrap_or(policy.bounds), after, decision.to, decision.at)
}
