//! What was seen at one moment: owned by its maker and refilled in place, joined by position, without pod names.

use serde::{Deserialize, Serialize};

use crate::policy::{Bounds, Text};
use crate::time::At;

/// Everything seen at one sync.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// When.
    pub at: At,
    /// The bounds in force, when they are not the policy's own (schedules).
    pub bounds: Option<Bounds>,
    /// Whether scaling is allowed at all.
    pub permit: Result<(), Blocked>,
    /// The target's scale.
    pub scale: Result<Scale, Unread>,
    /// Whether the target's selector can be used.
    pub selection: Result<(), BadSelector>,
    /// The selected pods, in list order, shared by all metrics.
    pub pods: Vec<Pod>,
    /// One reading for each metric of the policy.
    pub readings: Vec<Reading>,
}

impl Observation {
    /// An empty observation to fill in.
    #[must_use]
    pub fn at(at: At) -> Self {
        Observation {
            at,
            bounds: None,
            permit: Ok(()),
            scale: Ok(Scale { spec: 0, status: 0 }),
            selection: Ok(()),
            pods: Vec::new(),
            readings: Vec::new(),
        }
    }
}

/// The replicas a target was asked for and those it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scale {
    /// Asked for.
    pub spec: i32,
    /// Existing.
    pub status: i32,
}

/// Why scaling is not allowed now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// What blocks it, in the words of whoever does.
    pub by: Text,
}

/// Why the target's scale could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unread {
    /// The reference to the target has an API version that does not parse.
    BadVersion(Text),
    /// No such kind is known.
    UnknownKind(Text),
    /// Asking for it failed.
    Failed(Text),
}

/// Why the target's selector cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum BadSelector {
    /// It is empty.
    Missing,
    /// It does not parse.
    Invalid(Text),
    /// Others select the same pods.
    Ambiguous(Text),
}

/// The few facts about a pod that matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pod {
    /// Where in its life it is.
    pub phase: Phase,
    /// Whether it is ready.
    pub ready: Ready,
    /// When its readiness last changed.
    pub ready_since: At,
    /// When it started, if it did.
    pub start: Option<At>,
    /// Whether it is being deleted.
    pub deleted: bool,
    /// Whether it belongs to the target (by owner), as far as is known.
    pub owned: bool,
}

impl Pod {
    /// A pod of the target that has been running and ready since `start`.
    #[must_use]
    pub fn running(start: At) -> Self {
        Pod {
            phase: Phase::Running,
            ready: Ready::True,
            ready_since: start,
            start: Some(start),
            deleted: false,
            owned: true,
        }
    }
}

/// Where in its life a pod is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Accepted, not yet running.
    Pending,
    /// Running.
    Running,
    /// All containers ended well.
    Succeeded,
    /// A container ended badly.
    Failed,
    /// Not known, or not given.
    Unknown,
}

/// What a pod says of its readiness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ready {
    /// It is ready.
    True,
    /// It is not.
    False,
    /// It says something else.
    Unknown,
    /// It says nothing.
    Unsaid,
}

/// What one metric gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reading {
    /// One value for each pod.
    PerPod(PerPod),
    /// Values that belong to no pod; their sum is meant, but rules differ in how it overflows.
    Series {
        /// The values, in milli-units.
        values: Vec<i64>,
        /// When the oldest was taken, if that is known.
        taken: Option<At>,
    },
    /// Nothing, and why.
    Missing(Absent),
}

/// Samples joined to pods by position: `samples[i]` and `requests[i]` belong to `pods[i]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PerPod {
    /// The samples; `None` where a pod has none.
    pub samples: Vec<Option<Sample>>,
    /// What each pod requests, in milli-units, or why that is not known. Only utilization needs it.
    pub requests: Result<Vec<i64>, Text>,
    /// Samples of pods that are not in the list.
    pub others: Others,
}

/// Samples of pods that are not in the list. They count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Others {
    /// How many.
    pub count: i64,
    /// Their sum, in milli-units.
    pub milli: i64,
}

/// One pod's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The value, in milli-units.
    pub milli: i64,
    /// When it was taken.
    pub at: At,
    /// Over how long it was measured.
    pub window_us: i64,
}

/// Why there is no reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Absent {
    /// Asking failed, or nothing came back: in the words of whoever asked.
    Api(Text),
    /// The metric's own selector cannot be used.
    Selector(Text),
    /// The metric's description makes no sense.
    Spec(Text),
}
