//! The world: how pods, metrics and the controller behave. A YAML file with a default for every field.
//!
//! The load (what users ask for) is not part of it, so one world can be tried with many loads.

mod delay;
mod number;
mod read;

pub use delay::Delay;
pub use number::{Bytes, Cpu, Percent, Rate};

use crate::record::Line;
use crate::time::Span;
use plimsoll_api::explain::{lasting, number, percent};
use serde::Deserialize;

/// The most pods a world may hold.
pub const MOST_PODS: i32 = 100_000;

/// Everything around the autoscaler that is not load.
///
/// ```
/// let world = plimsoll_sim::World::parse("world.yaml", "pod: {requestsPerSecond: 25}\nsyncPeriod: 30s\n")?;
/// assert_eq!(world.pod.requests_per_second.get(), 25.0);
/// # Ok::<(), plimsoll_sim::BadInput>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct World {
    /// Wall-clock time at which the simulation starts (RFC 3339). Only schedules care.
    /// Default: the start of the recorded load, else Monday 2026-01-05T00:00:00Z.
    pub start: Option<jiff::Timestamp>,
    /// Replicas at the start. Default: the workload's, else the autoscaler's minimum.
    pub replicas: Option<i32>,
    /// Time between two looks of the autoscaler. Default: the autoscaler's own, else 15s.
    pub sync_period: Option<Span>,
    /// What one pod can do and needs.
    pub pod: Pod,
    /// How a pod comes to life.
    pub startup: Startup,
    /// How long a pod that is being ended still exists. It takes no more requests in that time.
    pub termination: Delay,
    /// What happens to requests that the ready pods cannot serve.
    pub overload: Overload,
    /// The queue, when `overload` is `queue`.
    pub queue: Queue,
    /// Room for pods.
    pub nodes: Nodes,
    /// How measurements reach the autoscaler.
    pub metrics: Metrics,
    /// What happens at certain moments.
    pub events: Vec<Event>,
}

/// What one pod can do and needs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Pod {
    /// Requests per second that one pod serves at 100 % of its CPU request.
    pub requests_per_second: Rate,
    /// CPU request. Default: the workload's, else 500m.
    pub cpu_request: Option<Cpu>,
    /// The most CPU a pod can use, in percent of its request: its limit. Default: the workload's limit, else 100 %.
    pub cpu_ceiling: Option<Percent>,
    /// CPU of a pod that has nothing to do, in percent of its request.
    pub idle_cpu: Percent,
    /// How unevenly requests are spread over the pods: one deviation of a pod's share, in percent.
    pub skew: Percent,
    /// Memory request. Default: the workload's, else 256Mi.
    pub memory_request: Option<Bytes>,
    /// Memory of a pod that has nothing to do.
    pub idle_memory: Bytes,
    /// Memory for each request per second that a pod serves.
    pub memory_per_request: Bytes,
}

/// How a pod comes to life: one phase after the other, each a fixed time or a distribution.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Startup {
    /// From creation until it has a node.
    pub scheduling: Delay,
    /// Pulling the image.
    pub image: Delay,
    /// From the start of its containers until the program is up.
    pub boot: Delay,
    /// From then until the readiness probe has passed. Default: half the period of the workload's probe, else 5s.
    pub readiness: Option<Delay>,
    /// CPU burnt while booting, in percent of the request.
    pub boot_cpu: Percent,
}

/// What happens to requests above the capacity of the ready pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Overload {
    /// They are turned away.
    #[default]
    Shed,
    /// They wait in one queue in front of all pods.
    Queue,
}

/// The queue in front of the pods.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Queue {
    /// The most requests that wait; more are turned away.
    pub longest: Rate,
    /// A request that waits longer than this counts as delayed.
    pub patience: Span,
}

/// Room for pods.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Nodes {
    /// How many pods fit on all nodes together; more stay pending until there is room.
    pub pods: i32,
}

/// How measurements reach the autoscaler.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Metrics {
    /// Time between two measurements.
    pub scrape: Span,
    /// The time a rate (CPU, requests) is averaged over. Default: the time between two measurements.
    pub window: Option<Span>,
    /// Time until a measurement can be read.
    pub lag: Span,
    /// How often one pod's sample is lost, in percent.
    pub loss: Percent,
    /// How far a sample is off: one deviation, in percent.
    pub noise: Percent,
    /// Times in which metrics cannot be read.
    pub outages: Vec<Outage>,
    /// What the metrics with a name of their own (Pods, Object, External) are.
    pub series: Vec<Series>,
}

/// A time in which metrics cannot be read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outage {
    /// When it starts.
    pub at: Span,
    /// How long it lasts.
    pub r#for: Span,
    /// Only the metric of this name (`cpu`, `memory` or a series); all of them when left out.
    #[serde(default)]
    pub metric: Option<String>,
}

/// What a named metric is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Series {
    /// The name in the autoscaler's manifest.
    pub name: String,
    /// What it measures.
    pub is: Quantity,
}

/// What a named metric can measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Quantity {
    /// Requests per second: those a pod serves (Pods), or all that are asked for (Object, External).
    Requests,
    /// Requests that wait: a pod's share (Pods), or all (Object, External).
    Queue,
}

/// Something that happens at a certain moment.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Event {
    /// When.
    pub at: Span,
    /// Every pod is replaced by a new one.
    #[serde(default)]
    pub rolling_update: Option<RollingUpdate>,
    /// Someone sets the replicas by hand.
    #[serde(default)]
    pub scale_to: Option<i32>,
    /// The controller restarts.
    #[serde(default)]
    pub restart: Option<Restart>,
}

/// How pods are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RollingUpdate {
    /// How many pods more than asked for there may be, in percent of them, rounded up.
    pub surge: Percent,
    /// How many pods fewer than asked for may be ready, in percent of them, rounded down.
    pub unavailable: Percent,
}

/// What a restarted controller still knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Restart {
    /// Its recommendations and scale events.
    KeepHistory,
    /// Only what stands in the object's status.
    LoseHistory,
}

impl Default for World {
    fn default() -> Self {
        Self {
            start: None,
            replicas: None,
            sync_period: None,
            pod: Pod::default(),
            startup: Startup::default(),
            termination: Delay::fixed(Span::from_secs(10)),
            overload: Overload::Shed,
            queue: Queue::default(),
            nodes: Nodes::default(),
            metrics: Metrics::default(),
            events: Vec::new(),
        }
    }
}

impl Default for Pod {
    fn default() -> Self {
        Self {
            requests_per_second: Rate::new(10.0),
            cpu_request: None,
            cpu_ceiling: None,
            idle_cpu: Percent::new(0.0),
            skew: Percent::new(0.0),
            memory_request: None,
            idle_memory: Bytes::new(64 << 20),
            memory_per_request: Bytes::new(4 << 20),
        }
    }
}

impl Default for Startup {
    fn default() -> Self {
        Self {
            scheduling: Delay::fixed(Span::from_secs(1)),
            image: Delay::fixed(Span::from_secs(4)),
            boot: Delay::fixed(Span::from_secs(10)),
            readiness: None,
            boot_cpu: Percent::new(100.0),
        }
    }
}

impl Default for Queue {
    fn default() -> Self {
        Self { longest: Rate::new(1_000.0), patience: Span::from_secs(1) }
    }
}

impl Default for Nodes {
    fn default() -> Self {
        Self { pods: MOST_PODS }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            scrape: Span::from_secs(15),
            window: None,
            lag: Span::from_secs(2),
            loss: Percent::new(0.0),
            noise: Percent::new(0.0),
            outages: Vec::new(),
            series: Vec::new(),
        }
    }
}

impl Default for RollingUpdate {
    fn default() -> Self {
        Self { surge: Percent::new(25.0), unavailable: Percent::new(25.0) }
    }
}

impl Metrics {
    /// Names that need no line in the world file, because they are common.
    const COMMON: [(&'static str, Quantity); 12] = [
        ("http_requests_per_second", Quantity::Requests),
        ("http_requests", Quantity::Requests),
        ("requests_per_second", Quantity::Requests),
        ("requests-per-second", Quantity::Requests),
        ("packets-per-second", Quantity::Requests),
        ("qps", Quantity::Requests),
        ("rps", Quantity::Requests),
        ("queue_depth", Quantity::Queue),
        ("queue-depth", Quantity::Queue),
        ("queue_length", Quantity::Queue),
        ("queue_messages_ready", Quantity::Queue),
        ("queue", Quantity::Queue),
    ];

    /// What the metric of this name measures, if this world has it.
    pub fn find(&self, name: &str) -> Option<Quantity> {
        let own = self.series.iter().find(|s| s.name == name).map(|s| s.is);
        own.or_else(|| Self::COMMON.iter().find(|(common, _)| *common == name).map(|(_, is)| *is))
    }
}

impl World {
    /// The world in short lines for the record.
    pub fn describe(&self) -> Vec<Line> {
        let m = &self.metrics;
        let s = &self.startup;
        let mut lines = vec![
            Line::new(
                "one pod serves",
                format!("{} requests/s at 100 % CPU", number(self.pod.requests_per_second.get())),
            ),
            Line::new(
                "start-up",
                format!(
                    "scheduling {}, image {}, boot {}",
                    s.scheduling.words(),
                    s.image.words(),
                    s.boot.words()
                ),
            ),
            Line::new("termination", self.termination.words()),
            Line::new(
                "overload",
                match self.overload {
                    Overload::Shed => "requests are turned away".to_string(),
                    Overload::Queue => format!("up to {} requests wait", self.queue.longest),
                },
            ),
            Line::new(
                "metrics",
                format!(
                    "every {}, {} late{}{}",
                    lasting(m.scrape.micros()),
                    lasting(m.lag.micros()),
                    if m.noise.get() > 0.0 {
                        format!(", noise {}", percent(m.noise.get()))
                    } else {
                        String::new()
                    },
                    if m.loss.get() > 0.0 {
                        format!(", loss {}", percent(m.loss.get()))
                    } else {
                        String::new()
                    },
                ),
            ),
        ];
        if self.nodes.pods < MOST_PODS {
            lines.push(Line::new("nodes", format!("room for {} pods", self.nodes.pods)));
        }
        lines
    }
}
