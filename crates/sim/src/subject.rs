//! The autoscaler under test: its policy, what feeds its metrics, and the words to show it with.

use crate::record::{Goal, Line, MetricInfo};
use crate::world::{Quantity, World};
use plimsoll_engine::{At, Bounds, Policy, Text};
use std::sync::Arc;

/// Bounds in force at a moment, when they follow a schedule.
pub type Schedule = Arc<dyn Fn(At) -> Bounds + Send + Sync>;

/// An autoscaler, ready to be put into a world.
#[derive(Clone)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its kind as the user wrote it.
    pub kind: String,
    /// What it does.
    pub policy: Policy,
    /// Where each metric of the policy comes from.
    pub feeds: Vec<Feed>,
    /// Each metric in words.
    pub metrics: Vec<Shown>,
    /// What it does, in short lines.
    pub config: Vec<Line>,
    /// What is known of the workload it scales.
    pub workload: Workload,
    /// Bounds that change with time.
    pub schedule: Option<Schedule>,
}

/// A metric in words, and how its raw numbers become the shown ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Name, unit, goal.
    pub info: MetricInfo,
    /// How a bid's numbers are shown.
    pub scale: Shows,
}

/// How a bid's numbers are shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shows {
    /// The percentage of the request.
    Percent,
    /// The measured milli-units divided by this.
    Milli(f64),
}

/// Where a metric comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Feed {
    /// Which of the world's measurements.
    pub source: Source,
    /// For a series, what it measures.
    pub quantity: Quantity,
    /// Whether it is one value for each pod or one for all.
    pub spread: Spread,
    /// What each pod requests of it, in milli-units.
    pub request_milli: i64,
    /// Its name, to be told apart in outages.
    pub name: String,
    /// What is said when it cannot be read.
    pub outage: Text,
}

/// Which of the world's measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// CPU of a pod.
    Cpu,
    /// Memory of a pod.
    Memory,
    /// A metric with a name of its own.
    Series,
}

/// One value for each pod, or one for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// For each pod.
    PerPod,
    /// For all.
    Whole,
}

/// What is known of the workload. Filled from its manifest, then from the world, then from defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Replicas at the start.
    pub replicas: i32,
    /// What a pod requests, in milli-cores.
    pub cpu_request_milli: i64,
    /// The most CPU a pod can use, as a fraction of its request.
    pub cpu_ceiling: f64,
    /// What a pod requests, in bytes.
    pub memory_request: i64,
}

/// What the manifests say of the workload, as far as they say it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Given {
    /// `spec.replicas`.
    pub replicas: Option<i32>,
    /// The sum of its containers' CPU requests, in milli-cores.
    pub cpu_request_milli: Option<i64>,
    /// The sum of its containers' CPU limits, in milli-cores.
    pub cpu_limit_milli: Option<i64>,
    /// The sum of its containers' memory requests, in bytes.
    pub memory_request: Option<i64>,
    /// The earliest moment its readiness probe can pass after the start, in seconds.
    pub readiness_secs: Option<i64>,
}

impl Workload {
    /// The world file has the first word, then the manifests, then defaults.
    pub fn resolve(given: &Given, world: &World, min: i32) -> Self {
        let cpu_request_milli =
            world.pod.cpu_request.map(|c| c.milli()).or(given.cpu_request_milli).unwrap_or(500).max(1);
        let limit = given.cpu_limit_milli.map(|l| l as f64 / cpu_request_milli as f64);
        Self {
            replicas: world.replicas.or(given.replicas).unwrap_or(min.max(1)),
            cpu_request_milli,
            cpu_ceiling: world.pod.cpu_ceiling.map(|c| c.fraction()).or(limit).unwrap_or(1.0),
            memory_request: world
                .pod
                .memory_request
                .map(|b| b.get())
                .or(given.memory_request)
                .unwrap_or(256 << 20),
        }
    }
}

impl Shown {
    /// A metric held to one number.
    pub fn target(name: &str, unit: &str, value: f64, scale: Shows) -> Self {
        let info =
            MetricInfo { name: name.to_string(), unit: unit.to_string(), goal: Goal::Target { value } };
        Self { info, scale }
    }
}
