//! What a simulation (or the live demo) writes down: self-contained, serialisable, bounded in size.
//!
//! A [`Run`] is everything a picture or a table of one autoscaler needs; a [`Comparison`] holds several that
//! saw the same load. Times are seconds since the start of the run; rates are requests per second.

use plimsoll_api::explain::Shown;
pub use plimsoll_api::explain::{Explanation as TrailWords, Goal, StepInfo};
use serde::{Deserialize, Serialize};

/// Version of the record's JSON form; it grows when a reader would have to change.
pub const RECORD_VERSION: u32 = 1;

/// One autoscaler's life in one world under one load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// The form of this record, see [`RECORD_VERSION`].
    pub version: u32,
    /// The name of the autoscaler object, made unique within one comparison.
    pub name: String,
    /// The kind as the user wrote it, for example `HorizontalPodAutoscaler`.
    pub kind: String,
    /// What the autoscaler does, in short lines of label and value, in order of importance.
    pub config: Vec<Line>,
    /// The load in words.
    pub load: String,
    /// The world in short lines of label and value.
    pub world: Vec<Line>,
    /// The seed of every random number in this run.
    pub seed: u64,
    /// Wall-clock moment at which virtual time starts, RFC 3339.
    pub start: String,
    /// How long the run lasts.
    pub duration_secs: f64,
    /// Time between two looks of the autoscaler.
    pub sync_period_secs: f64,
    /// How many decisions were made in all (points may be fewer, see [`Run::points`]).
    pub decisions: u64,
    /// What each metric is and what it is held to; [`Point::metrics`] has the values in the same order.
    pub metrics: Vec<MetricInfo>,
    /// The series, in time order, one per decision or per several decisions when the run is long.
    pub points: Vec<Point>,
    /// Every change of `spec.replicas` in time order, up to a bound.
    pub changes: Vec<Change>,
    /// How many changes came after the last one kept in [`Run::changes`].
    pub changes_left_out: u64,
    /// What the world did: rolling updates, outages, restarts, in time order.
    pub incidents: Vec<Incident>,
    /// The words of decisions; [`Point::trail`] and [`Change::trail`] are positions in this list.
    pub trails: Vec<TrailWords>,
    /// What it comes to.
    pub score: Score,
}

/// A label and its value, for example `min..max` and `2..20`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// What it is.
    pub label: String,
    /// Its value in words.
    pub value: String,
}

impl Line {
    /// A line from anything that is text.
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Self {
        Self { label: label.into(), value: value.into() }
    }
}

/// A metric of the autoscaler: its words, its unit, its goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricInfo {
    /// Short and readable: `cpu`, `http_requests_per_second`.
    pub name: String,
    /// What a number of this metric is: `% of request`, `requests/s per pod`, `MiB`, or empty.
    pub unit: String,
    /// What it is held to, in [`MetricInfo::unit`].
    pub goal: Goal,
}

impl From<&Shown> for MetricInfo {
    fn from(shown: &Shown) -> Self {
        Self { name: shown.name.clone(), unit: shown.unit.clone(), goal: shown.goal.clone() }
    }
}

/// One moment of the series.
///
/// In a long run one point stands for several decisions: replicas, metrics, proposals and the trail are those
/// of the last of them; `load`, `capacity` and `unmet` are means over the time since the point before;
/// `load_peak` and `queue` are the highest in that time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Point {
    /// Seconds since the start.
    pub t: f64,
    /// Load offered, requests/s.
    pub load: f64,
    /// Highest load since the point before, requests/s.
    pub load_peak: f64,
    /// What the ready pods can serve, requests/s.
    pub capacity: f64,
    /// Requests lost or delayed per second.
    pub unmet: f64,
    /// Requests that wait.
    pub queue: f64,
    /// `spec.replicas` after this moment's decision.
    pub spec: i32,
    /// `status.replicas`: pods that exist and are not being ended.
    pub status: i32,
    /// Pods that are ready.
    pub ready: i32,
    /// What the metrics asked for; `None` when no metric could be read.
    pub proposed: Option<i32>,
    /// What is left of it after stabilization.
    pub stabilized: Option<i32>,
    /// The fewest replicas that the rate limits and min/max allowed at this moment.
    pub allowed_low: i32,
    /// The most replicas that the rate limits and min/max allowed at this moment.
    pub allowed_high: i32,
    /// `minReplicas` in force.
    pub min: i32,
    /// `maxReplicas` in force.
    pub max: i32,
    /// Each metric as the autoscaler saw it, in the order of [`Run::metrics`]; `None` when it was missing.
    pub metrics: Vec<Option<f64>>,
    /// Position of this decision's words in [`Run::trails`]; `None` when words were not asked for.
    pub trail: Option<u32>,
}

/// A change of `spec.replicas`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Seconds since the start.
    pub t: f64,
    /// Replicas before.
    pub from: i32,
    /// Replicas after.
    pub to: i32,
    /// Who changed it.
    pub by: Author,
    /// Why, in one sentence.
    pub reason: String,
    /// Position of the decision's words in [`Run::trails`]; `None` when a person changed it.
    pub trail: Option<u32>,
}

/// Who changed the replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Author {
    /// The autoscaler.
    Autoscaler,
    /// A person, by hand, as the world file says.
    Hand,
}

/// Something the world did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    /// Seconds since the start.
    pub t: f64,
    /// When it ended; `None` for something that has no length, or had not ended yet.
    pub until: Option<f64>,
    /// In words: `metrics outage`, `rolling update`, `controller restart, history lost`.
    pub what: String,
}

/// What a run comes to. Every field but `total_requests` is better when it is smaller.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// Requests lost or delayed, percent of all requests.
    pub unmet_percent: f64,
    /// Requests turned away or dropped.
    pub lost_requests: f64,
    /// Requests that were served later than the world's patience allows.
    pub delayed_requests: f64,
    /// All requests.
    pub total_requests: f64,
    /// Seconds in which the load was above the capacity of the ready pods.
    pub under_capacity_secs: f64,
    /// Hours of pods, from when a pod has a node until it is gone.
    pub pod_hours: f64,
    /// Changes of `spec.replicas` by the autoscaler.
    pub changes: u64,
    /// Changes against the direction of the one before, less than ten minutes after it.
    pub flaps: u64,
    /// Changes against the direction of the one before, at any distance.
    pub reversals: u64,
    /// How long the largest rise of the load took to be served in full.
    pub recovery: Recovery,
    /// The most `spec.replicas` there ever were.
    pub peak_replicas: i32,
}

/// How the largest jump of the load ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum Recovery {
    /// The load never rose by a tenth of its peak within one minute.
    #[default]
    NoJump,
    /// It was served in full again.
    After {
        /// When the jump began, seconds since the start.
        at: f64,
        /// The time it took.
        secs: f64,
    },
    /// The run ended before it was.
    Never {
        /// When the jump began, seconds since the start.
        at: f64,
    },
}

/// Several runs of the same load and world, side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The runs in the order they were named.
    pub runs: Vec<Run>,
    /// The columns of the table.
    pub columns: Vec<Column>,
    /// The differences in sentences.
    pub words: Vec<String>,
}

/// One column of a comparison: one figure for each run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Column {
    /// Its heading: `unmet`, `pod-hours`.
    pub label: String,
    /// One figure for each run, in words with a unit.
    pub cells: Vec<String>,
    /// Which runs are the best here; all of them are listed when they are equal.
    pub best: Vec<usize>,
}
