//! What came of a sync: the number, what is to be done with it, and why; and afterwards what became of it.

use serde::{Deserialize, Serialize};

use crate::policy::Text;
use crate::time::At;
use crate::trail::Breach;

/// What was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// When.
    pub at: At,
    /// The current replicas.
    pub from: i32,
    /// The replicas decided on. With [`Act::Keep`] the target stays at `from` all the same.
    pub to: i32,
    /// What is to be done.
    pub act: Act,
    /// Why.
    pub cause: Cause,
    /// What is to be remembered, even if nothing is written.
    pub notes: Notes,
}

/// What is to be done with a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// Write the number to the target (it may be unchanged).
    Write,
    /// Leave the target as it is.
    Keep,
    /// Nothing could be decided: what was desired before stays so.
    Abort,
}

/// Why a number was decided on. Fixed when the proposals are combined, not by the final direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// For no reason that has a name.
    Unnamed,
    /// This metric is above its goal.
    Above(u16),
    /// All metrics are below their goals.
    AllBelow,
    /// The current replicas are above the maximum.
    PastMax,
    /// The current replicas are below the minimum.
    PastMin,
    /// There are no replicas at all.
    PastZero,
    /// Moving on between the marks.
    Converging,
}

/// What is to be remembered of a sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Notes {
    /// The replicas at the first look, which count as a proposal.
    pub seed: Option<i32>,
    /// What was proposed before stabilizing.
    pub proposal: Option<i32>,
    /// On which sides the metrics were beyond their marks.
    pub breach: Option<Breach>,
}

/// What became of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// It was written.
    Written,
    /// Writing it failed.
    Refused(Text),
    /// It was not written on purpose.
    DryRun,
    /// There was nothing to write.
    NotTried,
}
