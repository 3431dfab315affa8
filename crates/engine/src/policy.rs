//! What the user wants, checked and complete: every difference between the kinds of autoscaler is a field here.
//!
//! A `Policy` is made by lowering a manifest and is never edited afterwards. The engine trusts it.

use serde::{Deserialize, Serialize};

use crate::memory::HistoryKind;
use crate::metric::Metric;
use crate::time::seconds;

/// Words that came from outside (names, error texts): shared, never built while deciding.
pub type Text = std::sync::Arc<str>;

/// Everything that shapes a decision and does not change from sync to sync.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// The fewest and the most replicas, unless the observation brings others (schedules).
    pub bounds: Bounds,
    /// When zero replicas and min/max are looked at: before the metrics or after everything else.
    pub entry: Entry,
    /// Which number of the target's scale is "the current replicas".
    pub counted: Counted,
    /// What is measured, and what each measurement asks for.
    pub metrics: Vec<Metric>,
    /// How the metrics' proposals become one.
    pub combine: Combine,
    /// What a metric that cannot be had does to the others.
    pub on_failure: OnFailure,
    /// Which pods count.
    pub roster: Roster,
    /// How earlier proposals hold the present one back.
    pub stabilize: Option<Stabilize>,
    /// Which kind of memory `stabilize` needs.
    pub history: HistoryKind,
    /// How far one scaling may go.
    pub limits: Limits,
    /// How long scaling must wait.
    pub hold: Option<Hold>,
    /// Directions in which nothing is scaled.
    pub suspend: Suspend,
    /// Whether decisions are carried out.
    pub dry_run: DryRun,
    /// Whether a metric exists that can be read while there are no pods.
    pub wakes_from_zero: bool,
    /// How often this policy is looked at, in microseconds.
    pub cadence_us: i64,
}

impl Policy {
    /// The plainest policy: no metrics yet, one replica, the reference's usual windows and limits. A start to build on.
    #[must_use]
    pub fn plain() -> Self {
        Policy {
            bounds: Bounds { min: 1, max: 1 },
            entry: Entry::BoundsFirst,
            counted: Counted::Spec,
            metrics: Vec::new(),
            combine: Combine::Max,
            on_failure: OnFailure::BlocksShrink,
            roster: Roster::default(),
            stabilize: Some(Stabilize::Highest { window_us: seconds(300) }),
            history: HistoryKind::Slots,
            limits: Limits::Doubling,
            hold: None,
            suspend: Suspend::None,
            dry_run: DryRun::Off,
            wakes_from_zero: false,
            cadence_us: seconds(15),
        }
    }
}

/// The fewest and the most replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// The fewest.
    pub min: i32,
    /// The most.
    pub max: i32,
}

/// Where in the flow zero replicas and min/max are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entry {
    /// Before the metrics: outside the bounds, no metric is looked at.
    BoundsFirst,
    /// After the cooldown: the metrics are always looked at, and the bounds have the last word.
    BoundsLast,
}

/// Which number of the scale is the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counted {
    /// What the target was asked for.
    Spec,
    /// What the target has.
    Status,
}

/// How several proposals become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Combine {
    /// The largest proposal wins.
    Max,
    /// The smallest proposal wins.
    Min,
}

/// What a failed metric does to the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnFailure {
    /// Growing goes on with the other metrics, shrinking does not.
    BlocksShrink,
    /// Nothing is decided, and the metrics after it are not looked at.
    BlocksAll,
}

/// Which of the selected pods take part at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Roster {
    /// Pods of other workloads that the selector also matches.
    pub strangers: Strangers,
    /// Pods that have finished.
    pub terminal: Terminal,
    /// Pods beyond the number asked for, as during a rolling update.
    pub surge: Surge,
    /// The least share of the pods, in percent, that must be available for anything to change.
    pub min_available_percent: i32,
}

/// What to do with pods of other workloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Strangers {
    /// The labels decide: they count.
    #[default]
    Count,
    /// The owner decides: they do not count.
    Ignore,
}

/// What to do with finished pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Terminal {
    /// They count (a succeeded pod counts as one without a sample).
    #[default]
    Count,
    /// They do not count.
    Ignore,
}

/// What to do with pods beyond the number asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Surge {
    /// Every pod counts.
    #[default]
    Count,
    /// No more pods are counted than were asked for.
    Cap,
}

/// How earlier proposals hold the present one back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stabilize {
    /// The highest proposal of the window wins, even if it lies above the current replicas. Its far edge counts.
    Highest {
        /// The window.
        window_us: i64,
    },
    /// Growth goes to the lowest proposal of the up window, shrinking to the highest of the down window.
    /// Their far edges do not count.
    Band {
        /// The window for growing.
        up_us: i64,
        /// The window for shrinking.
        down_us: i64,
    },
}

/// How far one scaling may go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Limits {
    /// Up to twice the current replicas or four, whichever is more; no limit down.
    Doubling,
    /// By policies per period of time, each direction on its own.
    Rates {
        /// Growing.
        up: Rate,
        /// Shrinking.
        down: Rate,
    },
    /// By a share of the current replicas at each scaling, in milli-percent; at least one.
    Share {
        /// Growing.
        up_milli: i64,
        /// Shrinking.
        down_milli: i64,
    },
}

/// How much may change in one direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Which of the policies counts.
    pub select: Select,
    /// How much may change per period.
    pub policies: Vec<RatePolicy>,
    /// How much may change at one scaling, in percent of the current replicas: cut, but at least one; 0 is never.
    pub step_percent: Option<i32>,
    /// What percentages mean while there are no replicas.
    pub at_zero: AtZero,
}

/// What a percentage of zero replicas allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AtZero {
    /// Nothing: a percentage of zero is zero.
    Strict,
    /// Anything: percentages do not count until there is a replica.
    PercentIgnored,
}

/// Which of several policies counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Select {
    /// The one that allows the largest change.
    Max,
    /// The one that allows the smallest change.
    Min,
    /// None: this direction is never taken.
    Disabled,
}

/// How much may change within one period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatePolicy {
    /// The most that may change.
    pub amount: Amount,
    /// The period.
    pub period_us: i64,
}

/// An amount of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Amount {
    /// A number of pods.
    Pods(i32),
    /// A share of the replicas at the start of the period.
    Percent(i32),
}

/// How long scaling must wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Cooldown before growing, counted from any scaling.
    pub up_us: i64,
    /// Cooldown before shrinking, counted from any scaling.
    pub down_us: i64,
    /// How long the wish to grow must have lasted, in seconds.
    pub up_delay_secs: i32,
    /// How long the wish to shrink must have lasted, in seconds.
    pub down_delay_secs: i32,
    /// What happens while nothing was ever scaled.
    pub first: First,
    /// What the delays are counted by.
    pub delays: Delays,
}

/// What a delay is counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Delays {
    /// How long any metric has been beyond its mark on that side.
    ByMarks,
    /// How long the combined wish has pointed that way.
    ByWish,
}

/// What happens while nothing was ever scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum First {
    /// Whatever was decided is written, even an unchanged number.
    Free,
    /// The same as later: only a change is written, and delays hold.
    Held,
}

/// Directions in which nothing is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Suspend {
    /// Scaling goes on.
    #[default]
    None,
    /// No growing.
    Up,
    /// No shrinking.
    Down,
    /// Neither.
    All,
}

/// Whether decisions are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DryRun {
    /// They are.
    #[default]
    Off,
    /// They are not, and nothing is remembered of them.
    Silent,
    /// They are not, but cooldowns count from them as if they were.
    CountsAsScaling,
}
