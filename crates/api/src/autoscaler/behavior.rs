//! How fast and how willingly replicas change: `behavior` as in autoscaling/v2 and more, and the `constraints` form.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scalars::{Amount, Choice, Whole, words};

words! {
    /// What a policy counts.
    PolicyType (AnyCase) {
        /// Pods.
        Pods,
        /// Percent of the replicas.
        Percent,
    }
}

words! {
    /// Which of several policies applies.
    SelectPolicy (AnyCase) {
        /// The one that allows the largest change.
        Max,
        /// The one that allows the smallest change.
        Min,
        /// None: never scale in this direction.
        Disabled,
    }
}

/// How replicas may change, for each direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Behavior {
    /// Rules for growing. Default: no window; up to 4 pods or 100 percent in 15 seconds, whichever is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_up: Option<ScalingRules>,

    /// Rules for shrinking. Default: the window of the controller's flag, else 300 seconds; no limit of the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_down: Option<ScalingRules>,
}

/// Rules for one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScalingRules {
    /// Look back this many seconds and use the safest proposal: the lowest when growing, the highest when
    /// shrinking. Default: `0` for growing; for shrinking the controller's flag, else `300`. At most a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 86400))]
    pub stabilization_window_seconds: Option<i32>,

    /// Which policy applies when there are several: `Max` (the largest change), `Min` (the smallest) or `Disabled`
    /// (never scale in this direction), in any case. Default: `Max`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select_policy: Option<Choice<SelectPolicy>>,

    /// How much may change in which time. Default: the policies named at `scaleUp` and `scaleDown`.
    /// Example: `[{type: Percent, value: 900%, periodSeconds: 60}]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 20))]
    pub policies: Option<Vec<ScalingPolicy>>,

    /// How far the metric may be from its target, as a share of it, before anything is done in this direction.
    /// A fraction belongs in quotes. Default: the object's `tolerance`, else the controller's flag (`"0.1"`).
    /// Example: `"0.05"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Amount>,

    /// Seconds to wait after any scaling, in either direction, before scaling in this one. Default: `0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 86400))]
    pub cooldown_seconds: Option<i32>,

    /// The most that one scaling may change, in percent of the replicas; rounded down, but at least one pod.
    /// With `30`, 10 replicas that want 14 become 13. `0` means never scale in this direction. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 10_000))]
    pub limit_percent: Option<i32>,

    /// Seconds for which the wish to scale in this direction must last before it is followed; one sync without it
    /// starts over. Default: `0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 86400))]
    pub breach_delay_seconds: Option<i32>,
}

/// How much may change in which time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScalingPolicy {
    /// What `value` counts: `Pods` or `Percent`, in any case.
    #[serde(rename = "type")]
    pub type_: Choice<PolicyType>,

    /// How much: a number of pods, or percent of the replicas at the start of the period. `0` allows no change, so
    /// as the only policy it means never. Example: `4`, or `900%`.
    pub value: Whole,

    /// The time in which `value` may be used up. Default: `60`. At most a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400))]
    pub period_seconds: Option<i32>,
}

/// The rate and the delay of changes, for each direction: the form of the first velocity proposal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Constraints {
    /// Rules for growing: of `pods` and `percent` the larger addition wins. Default: 4 pods or 100 percent in
    /// 60 seconds, without delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_up: Option<Constraint>,

    /// Rules for shrinking: of `pods` and `percent` the smaller removal wins. Default: no limit, with a delay of
    /// 300 seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_down: Option<Constraint>,
}

/// The rate and the delay in one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Constraint {
    /// How much may change in which time. Its fields may also be written beside `delaySeconds`, but not in both
    /// places. Example: `{percent: 900}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,

    /// Look back this many seconds and use the safest proposal: the lowest when growing, the highest when
    /// shrinking. Default: `0` for growing; for shrinking the controller's flag, else `300`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 86400))]
    pub delay_seconds: Option<i32>,

    /// Short for `rate.pods`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub pods: Option<i32>,

    /// Short for `rate.percent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub percent: Option<i32>,

    /// Short for `rate.periodSeconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400))]
    pub period_seconds: Option<i32>,
}

impl Constraint {
    /// The rate, wherever it was written.
    pub fn rate(&self) -> Rate {
        let beside = Rate { pods: self.pods, percent: self.percent, period_seconds: self.period_seconds };
        self.rate.unwrap_or(beside)
    }
}

/// How much may change in which time. Not given differs from `0`: `0` beside another value is ignored, both `0`
/// means never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rate {
    /// Number of pods. Default: `4` for growing, no limit for shrinking.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub pods: Option<i32>,

    /// Percent of the replicas at the start of the period. Default: `100` for growing, no limit for shrinking.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub percent: Option<i32>,

    /// The time in which that may be used up. Default: `60`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86400))]
    pub period_seconds: Option<i32>,
}
