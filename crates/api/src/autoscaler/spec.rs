//! The Autoscaler as users write it: an autoscaling/v2 spec and more, every further field absent by default.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::behavior::{Behavior, Constraints};
use super::metrics::{MetricSpec, ObjectReference};
use super::scalars::{Amount, Choice, words};
use super::status::AutoscalerStatus;

words! {
    /// A direction in which scaling is suspended.
    Suspend {
        /// Nothing is suspended.
        None,
        /// No growing.
        Up,
        /// No shrinking.
        Down,
        /// No scaling.
        All,
    }
}

words! {
    /// Whether decisions are carried out.
    Mode {
        /// They are.
        Active,
        /// They are only told.
        DryRun,
    }
}

words! {
    /// How the proposals of several metrics become one.
    Combine {
        /// The largest wins.
        Max,
        /// The smallest wins.
        Min,
    }
}

words! {
    /// How the pods of the target are found.
    SelectBy {
        /// By the target's label selector.
        Labels,
        /// By the target's label selector, and owned by the target.
        Owner,
    }
}

words! {
    /// What finished pods count for.
    Terminal {
        /// They count like others.
        Count,
        /// They do not count.
        Ignore,
    }
}

words! {
    /// What the extra pods of a rolling update count for.
    Surge {
        /// They count like others.
        Count,
        /// No more pods count than the target asks for.
        Cap,
    }
}

/// What to scale, between which bounds, by which metrics, and how willingly.
///
/// An autoscaling/v2 spec is a valid one and decides the same. Every further field is absent by default and then
/// changes nothing.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "plimsoll.dev",
    version = "v1alpha1",
    kind = "Autoscaler",
    plural = "autoscalers",
    singular = "autoscaler",
    shortname = "plim",
    category = "all",
    namespaced,
    status = "AutoscalerStatus",
    derive = "PartialEq",
    doc = "Scales a workload by metrics: all that a HorizontalPodAutoscaler does, and watermarks, step tables, cooldowns, schedules and more."
)]
#[serde(rename_all = "camelCase")]
pub struct AutoscalerSpec {
    /// The workload to scale, in the same namespace: anything with a scale subresource. Example:
    /// `{apiVersion: apps/v1, kind: Deployment, name: web}`.
    #[serde(default)]
    pub scale_target_ref: ObjectReference,

    /// The fewest replicas. `0` lets the target sleep and needs a metric that can wake it (Object, External or
    /// Prometheus, with a target, `Average` watermarks, or steps in replicas or `exact`). Default: `1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub min_replicas: Option<i32>,

    /// The most replicas; at least 1 and not less than `minReplicas`. Example: `20`.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_replicas: i32,

    /// What is measured and what holds it. Default: one metric, 80 percent of the pods' CPU requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 32))]
    pub metrics: Option<Vec<MetricSpec>>,

    /// How fast and how willingly replicas change. Exclusive with `constraints`. Default: as without `behavior` in
    /// a HorizontalPodAutoscaler: grow at once to at most twice the replicas (or 4), shrink after the controller's
    /// window of 300 seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behavior: Option<Behavior>,

    /// How fast replicas change, in the form of the first velocity proposal. Exclusive with `behavior`. Example:
    /// `{scaleUp: {percent: 900}, scaleDown: {pods: 1, periodSeconds: 600}}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints: Option<Constraints>,

    /// How far a metric may be from its target or beyond a watermark, as a share of it, before anything is done;
    /// at least 0 and less than 1. A fraction belongs in quotes. Default: the controller's flag (`"0.1"`). The
    /// `tolerance` of a direction in `behavior` goes first. Example: `"0.01"`, or `0` for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Amount>,

    /// Round each proposal that moves up to a multiple of this number. Limits and bounds may leave another number.
    /// Default: `1`. Example: `3`, one pod in each of three zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub replica_multiple: Option<i32>,

    /// Hold while fewer than this many percent of the pods are ready. Without meaning at 0 replicas. Default: `0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub min_available_percent: Option<i32>,

    /// Stop scaling in a direction, jumps to the bounds included: `None`, `Up`, `Down` or `All`. What is seen is
    /// still remembered. Default: `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspend: Option<Choice<Suspend>>,

    /// `Active`, or `DryRun`: decide and tell, but change nothing. Default: `Active`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Choice<Mode>>,

    /// Seconds between two decisions. Default: the controller's flag (`15`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3600))]
    pub sync_period_seconds: Option<i32>,

    /// How long new pods are treated with care.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warmup: Option<Warmup>,

    /// Which pods count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<PodsRule>,

    /// How the proposals of several metrics become one: `Max`, the largest wins, or `Min`, the smallest wins and a
    /// metric that is missing blocks growing. Default: `Max`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combine: Option<Choice<Combine>>,

    /// Times at which other bounds are in force. Of several at the same time the largest minimum and the smallest
    /// maximum count; if they cross, the maximum wins. They take effect at once, as a jump.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 32))]
    pub schedules: Option<Vec<Schedule>>,
}

/// How long new pods are treated with care.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Warmup {
    /// Seconds after a pod's start in which its CPU counts only while it is ready and its sample is new enough.
    /// Default: the controller's flag (`300`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 86400))]
    pub cpu_initialization_seconds: Option<i32>,

    /// Seconds after a pod's start in which a change to unready still counts as starting. Default: the controller's
    /// flag (`30`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 86400))]
    pub readiness_delay_seconds: Option<i32>,
}

/// Which pods count. The first word of each is a HorizontalPodAutoscaler's way and the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodsRule {
    /// `Labels`: all pods that the target's selector matches, those of other workloads too. `Owner`: of these, the
    /// ones that belong to the target. Default: `Labels`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select_by: Option<Choice<SelectBy>>,

    /// `Count`: pods that have finished count as pods without data, which can pin the replicas. `Ignore`: they do
    /// not count. Default: `Count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<Choice<Terminal>>,

    /// `Count`: the extra pods of a rolling update count, which can make it escalate. `Cap`: no more pods count
    /// than the target asks for. Default: `Count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surge: Option<Choice<Surge>>,
}

/// A time at which other bounds are in force.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// Name of the schedule, unlike that of the others; shown in the status while it is in force. Example:
    /// `office-hours`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 63))]
    pub name: String,

    /// When it begins: minute, hour, day of the month, month, day of the week. One fixed time that a clock change skips
    /// begins right after the gap; one that comes twice begins at the first. Example: `0 8 * * MON-FRI`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 256))]
    pub cron: String,

    /// The time zone of `cron`, by its IANA name. Default: `UTC`. Example: `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub time_zone: Option<String>,

    /// How long it lasts, in seconds that really pass (a change of the clock makes no difference). At most 366
    /// days. Example: `36000`, ten hours.
    #[serde(default)]
    #[schemars(range(min = 1, max = 31_622_400))]
    pub duration_seconds: i32,

    /// Instead of the spec's `minReplicas`. Default: that one stays. Example: `10`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub min_replicas: Option<i32>,

    /// Instead of the spec's `maxReplicas`. Default: that one stays. Example: `50`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_replicas: Option<i32>,
}
