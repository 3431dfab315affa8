//! One measurement of a policy: which pods count, what it asks for, what stands in when it is missing.

use serde::{Deserialize, Serialize};

use crate::rule::marks::Marks;
use crate::rule::steps::Steps;

/// One measurement and what it asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// Which pods' samples count, and how.
    pub roll: Roll,
    /// How a measured value becomes a number of replicas.
    pub rule: Rule,
    /// How far from the goal the value may be before anything changes.
    pub tolerance: Tolerance,
    /// A proposal that moves is rounded up to a multiple of this; 1 rounds nothing.
    pub multiple: i32,
    /// What to do when it cannot be measured.
    pub on_missing: OnMissing,
    /// How old a measurement may be, in microseconds.
    pub max_age_us: Option<i64>,
}

/// Which pods count for a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Roll {
    /// Ready, unready and missing pods are told apart; with `warmup`, young pods' samples are distrusted (CPU).
    Grouped {
        /// How young pods are treated; `None` trusts every sample.
        warmup: Option<Warmup>,
    },
    /// Pods that are running and ready.
    Running,
    /// Pods owned by the target that have a sample; pending ones are left out once `delay_us` has passed.
    Sampled {
        /// How long after its start an unready pod is still given time; `None` trusts every sample.
        delay_us: Option<i64>,
    },
    /// Pods owned by the target that are ready, or pending for less than `delay_us`.
    Tolerated {
        /// How long a pending pod is taken for ready.
        delay_us: i64,
    },
}

/// How long a pod's CPU samples are distrusted after its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warmup {
    /// While a pod is younger than this, its samples count only when taken while it was ready.
    pub cpu_init_us: i64,
    /// A pod that became unready within this time after its start was never ready.
    pub delay_us: i64,
}

/// How a measured value becomes a number of replicas. Goals are in milli-units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Rule {
    /// Keep the pods' use at this percentage of what they request.
    Utilization {
        /// The goal.
        percent: i32,
    },
    /// Keep the pods' average at this value.
    Average {
        /// The goal.
        milli: i64,
    },
    /// Keep one value at this goal, in proportion to the ready pods.
    Value {
        /// The goal.
        milli: i64,
    },
    /// Keep one value, divided by the replicas, at this goal.
    PerReplica {
        /// The goal.
        milli: i64,
        /// What happens when the sum of values is too large.
        overflow: Overflow,
    },
    /// Hold between two watermarks.
    Marks(Marks),
    /// Add or remove by a table of ranges.
    Steps(Steps),
}

/// What a sum or quotient does that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Overflow {
    /// It wraps around.
    Wraps,
    /// It stays at the largest value.
    Capped,
}

/// How far a value may be from its goal before anything changes, as a fraction of the goal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Above the goal.
    pub up: f64,
    /// Below the goal.
    pub down: f64,
}

impl Tolerance {
    /// Whether a value of `ratio` times the goal is close enough.
    #[must_use]
    pub fn covers(&self, ratio: f64) -> bool {
        (1.0 - self.down) <= ratio && ratio <= (1.0 + self.up)
    }
}

/// What a metric proposes when it cannot be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnMissing {
    /// Nothing: it counts as failed, and the policy's `on_failure` decides.
    Fail,
    /// The current replicas.
    Hold,
    /// Nothing, and it does not count as failed either.
    Ignore,
    /// What it proposed last, if that is not older than this many microseconds; else it counts as failed.
    UseLast {
        /// The oldest proposal that still counts.
        max_age_us: i64,
    },
    /// What it would propose if this had been measured (milli-units, or percent for utilization).
    Assume {
        /// The assumed value.
        value: i64,
    },
    /// The current replicas, and after it has been missing for `after_us`, this many.
    Fallback {
        /// How many replicas.
        replicas: i32,
        /// How long to wait before.
        after_us: i64,
    },
}
