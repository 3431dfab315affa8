//! Metrics as people read them: a short name, a unit, a goal in that unit.

use plimsoll_engine::rule::marks::{Algorithm, Unit};
use plimsoll_engine::rule::steps::{Adjust, StepRule};
use plimsoll_engine::{Bid, Metric, Rule};
use serde::{Deserialize, Serialize};

use crate::source::Source;

/// A metric in words, and how its raw numbers become the shown ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// Short and readable: `cpu`, `http_requests_per_second`.
    pub name: String,
    /// What a number of it is: `% of request`, `MiB per pod`, or empty.
    pub unit: String,
    /// What it is held to, in that unit.
    pub goal: Goal,
    /// How measured numbers are shown.
    pub shows: Shows,
}

/// How measured numbers are shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Shows {
    /// As the percentage of the request.
    Percent,
    /// As milli-units divided by this.
    Milli(f64),
}

/// What a metric is held to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum Goal {
    /// One number.
    Target {
        /// The number to hold.
        value: f64,
    },
    /// Between low and high nothing happens.
    Watermarks {
        /// Below this it shrinks.
        low: f64,
        /// Above this it grows.
        high: f64,
    },
    /// A table of steps.
    Steps {
        /// The steps in order.
        steps: Vec<StepInfo>,
    },
}

/// One row of a step table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepInfo {
    /// The lower end; `None` is open.
    pub lower: Option<f64>,
    /// The upper end; `None` is open.
    pub upper: Option<f64>,
    /// The adjustment in words: `+2`, `-10 %`, `=4`.
    pub adjustment: String,
}

impl Shown {
    /// A metric of a policy, by where it comes from and what it is held to.
    #[must_use]
    pub fn new(source: &Source, metric: &Metric) -> Self {
        let (name, memory) = match source {
            Source::Resource { name, container: None, .. } => (name.to_string(), &**name == "memory"),
            Source::Resource { name, container: Some(container), .. } => {
                (format!("{name} of {container}"), &**name == "memory")
            }
            Source::Pods { name, .. } | Source::External { name, .. } => (name.to_string(), false),
            Source::Object { name, object, .. } => (format!("{name} of {}", object.name), false),
            Source::Prometheus { query, .. } => (query.to_string(), false),
        };
        let percent = match &metric.rule {
            Rule::Utilization { .. } => true,
            Rule::Marks(marks) => marks.unit == Unit::Percent,
            Rule::Steps(steps) => steps.unit == Unit::Percent,
            Rule::Average { .. } | Rule::Value { .. } | Rule::PerReplica { .. } => false,
        };
        let divisor = if memory { 1000.0 * 1024.0 * 1024.0 } else { 1000.0 };
        let shows = if percent { Shows::Percent } else { Shows::Milli(divisor) };
        let unit = if percent { "% of request".to_owned() } else { unit(source, &metric.rule) };
        Shown { name, unit, goal: Goal::new(&metric.rule, shows), shows }
    }

    /// A measured value in this metric's unit.
    #[must_use]
    pub fn value(&self, bid: &Bid) -> f64 {
        match self.shows {
            Shows::Percent => f64::from(bid.percent),
            Shows::Milli(divisor) => bid.milli as f64 / divisor,
        }
    }
}

/// What a number of it is, as far as Kubernetes says: a metric with a name of its own may be anything.
fn unit(source: &Source, rule: &Rule) -> String {
    let what = match source {
        Source::Resource { name, .. } if &**name == "cpu" => "cores",
        Source::Resource { name, .. } if &**name == "memory" => "MiB",
        _ => "",
    };
    let each = if is_per_pod(source, rule) { "per pod" } else { "" };
    [what, each].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" ")
}

/// Whether a number of this metric is one pod's share of it.
fn is_per_pod(source: &Source, rule: &Rule) -> bool {
    match (source, rule) {
        (Source::Resource { .. } | Source::Pods { .. }, _) | (_, Rule::PerReplica { .. }) => true,
        (_, Rule::Marks(marks)) => marks.algorithm == Algorithm::Average,
        (_, Rule::Steps(steps)) => steps.algorithm == Algorithm::Average,
        _ => false,
    }
}

impl Goal {
    fn new(rule: &Rule, shows: Shows) -> Self {
        let scaled = |value: f64| match shows {
            Shows::Percent => value,
            Shows::Milli(divisor) => value / divisor,
        };
        match rule {
            Rule::Utilization { percent } => Goal::Target { value: f64::from(*percent) },
            Rule::Average { milli } | Rule::Value { milli } | Rule::PerReplica { milli, .. } => {
                Goal::Target { value: scaled(*milli as f64) }
            }
            Rule::Marks(marks) => {
                Goal::Watermarks { low: scaled(marks.low as f64), high: scaled(marks.high as f64) }
            }
            Rule::Steps(steps) => {
                Goal::Steps { steps: steps.table.iter().map(|step| StepInfo::new(step, scaled)).collect() }
            }
        }
    }
}

impl StepInfo {
    fn new(step: &StepRule, scaled: impl Fn(f64) -> f64) -> Self {
        StepInfo {
            lower: step.lower.map(&scaled),
            upper: step.upper.map(&scaled),
            adjustment: match step.adjust {
                Adjust::Pods(pods) => format!("{pods:+}"),
                Adjust::Percent(percent) => format!("{percent:+} %"),
                Adjust::Exact(replicas) => format!("={replicas}"),
            },
        }
    }
}
