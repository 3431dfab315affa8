//! The autoscaler under test: its policy, what feeds its metrics, and the words to show it with.

use crate::record::Line;
use crate::time::{SECOND, Span};
use crate::world::{Delay, Quantity, World};
pub use plimsoll_api::autoscaler::calendar::Calendar;
pub use plimsoll_api::explain::{Goal, Shown, Shows};
use plimsoll_engine::{Policy, Text};
use std::sync::Arc;

/// An autoscaler, ready to be put into a world.
#[derive(Debug, Clone)]
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
    pub calendar: Option<Arc<Calendar>>,
}

/// Where a metric comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Feed {
    /// Which of the world's measurements.
    pub source: Measured,
    /// For a series, what it measures.
    pub quantity: Quantity,
    /// Whether it is one value for each pod or one for all.
    pub spread: Spread,
    /// What each pod requests of it, in milli-units, or that it does not say.
    pub request: Result<i64, Text>,
    /// The share of the pod that is measured: less than 1 for one container of several.
    pub portion: f64,
    /// Its name, to be told apart in outages.
    pub name: String,
    /// What is said when it cannot be read.
    pub outage: Text,
}

/// Which of the world's measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
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

/// What is known of the workload. Filled from the world, then from its manifest, then from defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Replicas at the start.
    pub replicas: i32,
    /// What a pod requests, in milli-cores.
    pub cpu_request_milli: i64,
    /// Whether the world file says what a pod requests of CPU.
    pub cpu_request_said: bool,
    /// The most CPU a pod can use, as a fraction of its request.
    pub cpu_ceiling: f64,
    /// What a pod requests, in milli-bytes, as quantities are measured.
    pub memory_request_milli: i64,
    /// Whether the world file says what a pod requests of memory.
    pub memory_request_said: bool,
    /// How long the readiness probe takes once the program is up.
    pub readiness: Delay,
    /// A pod is never ready sooner than this after the start of its containers.
    pub ready_not_before_us: i64,
}

/// What the manifests say of the workload, as far as they say it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    /// `spec.replicas`.
    pub replicas: Option<i32>,
    /// Its containers; `None` when no workload was given.
    pub containers: Option<Vec<ContainerGiven>>,
    /// The longest `initialDelaySeconds` of its readiness probes.
    pub probe_delay_secs: Option<i32>,
    /// The longest `periodSeconds` of its readiness probes.
    pub probe_period_secs: Option<i32>,
}

/// What a manifest says of one container.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContainerGiven {
    /// Its name.
    pub name: String,
    /// Its CPU request, in milli-cores.
    pub cpu_request_milli: Option<i64>,
    /// Its CPU limit, in milli-cores.
    pub cpu_limit_milli: Option<i64>,
    /// Its memory request, in milli-bytes.
    pub memory_request_milli: Option<i64>,
}

impl Given {
    /// The sum over all containers; `None` when one of them does not say.
    fn sum(&self, of: impl Fn(&ContainerGiven) -> Option<i64>) -> Option<i64> {
        let all: Option<Vec<i64>> = self.containers.as_ref()?.iter().map(of).collect();
        Some(all?.into_iter().fold(0, i64::saturating_add)).filter(|sum| *sum > 0)
    }
}

impl Workload {
    /// The world file has the first word, then the manifests, then defaults.
    pub fn resolve(given: &Given, world: &World, min: i32) -> Self {
        let pod = &world.pod;
        let cpu =
            pod.cpu_request.map(|c| c.milli()).or(given.sum(|c| c.cpu_request_milli)).unwrap_or(500).max(1);
        let limit = given.sum(|c| c.cpu_limit_milli).map(|l| l as f64 / cpu as f64);
        let memory = pod.memory_request.map(|b| b.get().saturating_mul(1_000));
        // A probe asks once in a period; on average the program is up for half of one when it is asked.
        let probe =
            given.probe_period_secs.map(|p| Delay::fixed(Span::from_micros(i64::from(p) * SECOND / 2)));
        Self {
            replicas: world.replicas.or(given.replicas).unwrap_or(min.max(1)),
            cpu_request_milli: cpu,
            cpu_request_said: pod.cpu_request.is_some(),
            cpu_ceiling: pod.cpu_ceiling.map(|c| c.fraction()).or(limit).unwrap_or(1.0),
            memory_request_milli: memory
                .or(given.sum(|c| c.memory_request_milli))
                .unwrap_or((256 << 20) * 1_000),
            memory_request_said: pod.memory_request.is_some(),
            readiness: world.startup.readiness.or(probe).unwrap_or(Delay::fixed(Span::from_secs(5))),
            ready_not_before_us: i64::from(given.probe_delay_secs.unwrap_or(0)) * SECOND,
        }
    }
}
