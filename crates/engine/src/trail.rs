//! The Trail: what each stage did, in the order it happened, with the numbers it did it with.
//!
//! Everything that explains a decision to a person is made from this.

use serde::{Deserialize, Serialize};

use crate::observation::{BadSelector, Blocked, Scale, Unread};
use crate::policy::Text;
use crate::time::At;

/// A log of steps. The caller owns it and reuses it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trail {
    /// The steps, in order.
    pub steps: Vec<Step>,
}

impl Trail {
    /// A trail with room for a usual decision.
    #[must_use]
    pub fn new() -> Self {
        Trail { steps: Vec::with_capacity(16) }
    }

    pub(crate) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }
}

/// What one stage did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// admit: scaling is not allowed now.
    Blocked(Blocked),
    /// admit: the scale could not be read.
    Unread(Unread),
    /// admit: the scale was read.
    Read(Scale),
    /// enter: the target was set to zero by someone else, so nothing is scaled.
    Asleep,
    /// enter: the current replicas are outside the bounds.
    Jump {
        /// From how many replicas.
        from: i32,
        /// To how many.
        to: i32,
        /// Past which bound it was.
        past: Past,
    },
    /// propose: the pods cannot be told.
    BadSelector(BadSelector),
    /// propose: what one metric asks for.
    Metric {
        /// Its place in the policy.
        index: u16,
        /// What it asks for, or why it cannot.
        bid: Result<Bid, Why>,
    },
    /// propose: a metric that could not be measured has a stand-in.
    StandIn {
        /// Its place in the policy.
        index: u16,
        /// How many replicas it now asks for; `None` if it is left out.
        to: Option<i32>,
        /// Since when it has been missing.
        since: At,
    },
    /// combine: no decision is possible.
    NoBid {
        /// The first metric that failed.
        first: u16,
        /// How many failed.
        failed: u16,
    },
    /// combine: one proposal was chosen.
    Combined {
        /// How many replicas.
        to: i32,
        /// The metric that won.
        winner: u16,
        /// How many failed.
        failed: u16,
        /// On which sides the metrics are beyond their marks.
        breach: Breach,
    },
    /// stabilize: earlier proposals were looked at.
    Stabilized {
        /// What was proposed now.
        from: i32,
        /// What it became.
        to: i32,
        /// Which side's words fit.
        toward: Side,
    },
    /// bound: limits and min/max were applied.
    Bounded {
        /// What was wished.
        from: i32,
        /// What it became.
        to: i32,
        /// What was allowed at the least.
        low: i32,
        /// What was allowed at the most.
        high: i32,
        /// Which rule bound.
        by: Bind,
    },
    /// bound: woken up to the minimum.
    Lifted {
        /// How many replicas.
        to: i32,
    },
    /// hold: cooldowns that have not ended.
    Cooling {
        /// Until when growing must wait.
        up: Option<At>,
        /// Until when shrinking must wait.
        down: Option<At>,
    },
    /// hold: the change must wait.
    Waits {
        /// What it waits for.
        on: Waiting,
        /// Until when, as far as is known.
        until: Option<At>,
    },
}

/// Past which bound the current replicas are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Past {
    /// More than the most.
    Max,
    /// Fewer than the fewest.
    Min,
    /// None at all, though some are wanted.
    Zero,
}

/// What one metric asks for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bid {
    /// How many replicas.
    pub to: i32,
    /// How many pods counted as ready.
    pub ready: i32,
    /// The measured use in percent of the request; 0 where that is not measured.
    pub percent: i32,
    /// Where the value is.
    pub mark: Mark,
    /// The measured value, in milli-units.
    pub milli: i64,
}

/// Where a value is, seen from its goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// There is one goal, not two marks.
    None,
    /// Above the high mark.
    Above,
    /// Below the low mark.
    Below,
    /// Between the marks.
    Within,
    /// Between the marks, moving on to one of them.
    Converging(Converged),
    /// Zero was measured, which is not believed.
    ZeroIgnored,
}

/// How moving on between the marks went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Converged {
    /// Shrinking towards the high mark.
    ToHigh,
    /// Growing towards the low mark.
    ToLow,
    /// Shrinking further would cross the high mark.
    HighUnstable,
    /// Growing further would cross the low mark.
    LowUnstable,
}

/// Why a metric asks for nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Why {
    /// It could not be had.
    Api(Text),
    /// Its own selector cannot be used.
    Selector(Text),
    /// Its description makes no sense.
    Spec(Text),
    /// It is too old.
    Stale {
        /// How old, in seconds.
        secs: i64,
    },
    /// There are no pods.
    NoPods,
    /// No pod that counts has a sample.
    NoSamples,
    /// A pod does not say what it requests.
    Request(Text),
    /// The samples are of other pods.
    NoMatch,
    /// No pod is ready.
    NoneReady {
        /// Of how many.
        of: u32,
    },
    /// Too few pods are ready.
    TooFewReady {
        /// How many, in percent.
        percent: i32,
    },
}

/// On which sides metrics are beyond their marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Breach {
    /// At least one is above.
    pub above: bool,
    /// At least one is below.
    pub below: bool,
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// More replicas.
    Up,
    /// Fewer replicas.
    Down,
}

/// Which rule bound the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bind {
    /// None.
    Within,
    /// Growing too fast.
    RateUp,
    /// Shrinking too fast.
    RateDown,
    /// Growing by too large a share at once.
    ShareUp,
    /// Shrinking by too large a share at once.
    ShareDown,
    /// Above the maximum.
    TooMany,
    /// Below the minimum.
    TooFew,
    /// Below one, where nothing may be scaled to zero.
    AtLeastOne,
}

/// What a change waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Waiting {
    /// The cooldown after the last scaling.
    Cooldown(Side),
    /// The wish must last longer.
    Delay(Side),
    /// This direction is suspended.
    Suspended(Side),
    /// Too few pods are available.
    Availability,
}
