//! The Autoscaler's status: everything a HorizontalPodAutoscaler tells, and the last decision with its reasons.

use k8s_openapi::api::autoscaling::v2::{HorizontalPodAutoscalerCondition, MetricStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was last seen and decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoscalerStatus {
    /// The generation of the object that this status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// When the replicas were last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_scale_time: Option<Time>,

    /// Replicas of the target when it was last looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_replicas: Option<i32>,

    /// Replicas as last decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desired_replicas: Option<i32>,

    /// Each metric as last read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_metrics: Option<Vec<MetricStatus>>,

    /// Whether scaling is possible (`AbleToScale`), metrics can be read (`ScalingActive`), the wish was limited
    /// (`ScalingLimited`), and the spec makes sense (`SpecValid`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Vec<HorizontalPodAutoscalerCondition>>,

    /// What is scaled, as `Kind/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,

    /// The fewest replicas now in force, schedules included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<i32>,

    /// The most replicas now in force, schedules included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_replicas: Option<i32>,

    /// Each metric's value and what holds it, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<String>,

    /// The last decision in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,

    /// `Active` or `DryRun`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,

    /// Names of the schedules now in force, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_schedule: Option<String>,

    /// The fallback now in use: which metric is missing since when, and the replicas proposed instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackStatus>,

    /// The last decision, step by step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_decision: Option<LastDecision>,
}

/// A fallback in use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FallbackStatus {
    /// Name of the metric that is missing.
    pub metric: String,

    /// Since when it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,

    /// The replicas proposed instead.
    pub replicas: i32,
}

/// A decision, step by step; at most 4 KiB.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastDecision {
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,

    /// Replicas before.
    pub from: i32,

    /// Replicas after.
    pub to: i32,

    /// Each metric: its value, what holds it, and what it proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricDecision>,

    /// Name of the metric whose proposal won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,

    /// Each stage that had a say: what came in, what went out and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageDecision>,

    /// The earliest time at which the replicas can grow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_up: Option<Time>,

    /// The earliest time at which the replicas can shrink.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_down: Option<Time>,

    /// How many metrics and stages were left out to keep this short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<i32>,
}

/// One metric's part in a decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricDecision {
    /// Name of the metric.
    pub name: String,

    /// Its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,

    /// What holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,

    /// The replicas it proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<i32>,

    /// Why it proposed nothing, or what stood in for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One stage's part in a decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageDecision {
    /// Name of the stage.
    pub stage: String,

    /// Replicas that came in.
    pub before: i32,

    /// Replicas that went out.
    pub after: i32,

    /// Why.
    pub reason: String,
}
