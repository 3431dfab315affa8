//! What an autoscaler means: the words and the numbers behind them.

use serde::Serialize;

use super::probe::Change;
use crate::explain::Goal;

/// What an autoscaler means.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meaning {
    /// The file.
    pub file: String,
    /// The line the object starts on, from 1.
    pub line: usize,
    /// Its API version.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace, if that is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// What it scales: `Kind/name`.
    pub target: String,
    /// The fewest replicas; absent when the object is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<i32>,
    /// The most replicas; absent when the object is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_replicas: Option<i32>,
    /// What it measures.
    pub metrics: Vec<MetricMeaning>,
    /// What it would do, as the engine decided it.
    pub examples: Vec<Example>,
    /// All of it in words, in order.
    pub lines: Vec<Line>,
}

/// What is measured, and what it is held to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricMeaning {
    /// Its name.
    pub name: String,
    /// What its numbers are; may be empty.
    pub unit: String,
    /// What it is held to.
    pub goal: Goal,
    /// Where it asks for no change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet: Option<Quiet>,
}

/// A range in which nothing changes, in the metric's unit, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Quiet {
    /// From here.
    pub from: f64,
    /// To here.
    pub to: f64,
}

/// What it would do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Example {
    /// The metric that is off its goal; absent when all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Where the metric is, in its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The replicas at the start.
    pub from: i32,
    /// The replicas at the end.
    pub to: i32,
    /// Every change on the way.
    pub changes: Vec<Change>,
}

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Topic {
    /// Times at which other bounds are in force.
    Bounds,
    /// What it holds.
    Holds,
    /// What makes it grow, and how fast.
    Grows,
    /// What makes it shrink, and how fast.
    Shrinks,
    /// When it waits.
    Waits,
    /// Zero replicas.
    Sleeps,
    /// What happens without data.
    Blind,
}

impl Topic {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Topic::Bounds => "bounds",
            Topic::Holds => "holds",
            Topic::Grows => "grows",
            Topic::Shrinks => "shrinks",
            Topic::Waits => "waits",
            Topic::Sleeps => "sleeps",
            Topic::Blind => "blind",
        }
    }
}

/// One line of an explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// What it is about.
    pub topic: Topic,
    /// What it says.
    pub text: String,
}
