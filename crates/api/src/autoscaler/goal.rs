//! What holds a metric: a target, two watermarks, or a table of steps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scalars::{Amount, Choice, Level, words};

words! {
    /// What kind of number a target is.
    TargetType {
        /// Percent of the request.
        Utilization,
        /// The whole value.
        Value,
        /// The value per pod.
        AverageValue,
    }
}

words! {
    /// How an Object, External or Prometheus value is compared with watermarks.
    Algorithm {
        /// As it is.
        Absolute,
        /// Divided by the replicas.
        Average,
    }
}

words! {
    /// The mark towards which replicas drift inside the band.
    Converge {
        /// Fewer pods, a higher value: towards `high`.
        High,
        /// More pods, a lower value: towards `low`.
        Low,
        /// Stay.
        None,
    }
}

/// What holds a metric; exactly one of the three is given in a valid spec.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Goal<'a> {
    /// One value.
    pub target: Option<&'a MetricTarget>,
    /// Two values.
    pub watermarks: Option<&'a Watermarks>,
    /// A table of ranges.
    pub steps: Option<&'a [Step]>,
}

/// One value to keep a metric at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricTarget {
    /// What kind of number the target is: `Utilization` (percent of the request, resources only), `AverageValue`
    /// (per pod) or `Value` (the whole, Object, External and Prometheus only).
    #[serde(rename = "type")]
    pub type_: Choice<TargetType>,

    /// Percent of the pods' requests, on average over the pods. Example: `80`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub average_utilization: Option<i32>,

    /// Value per pod. Example: `500m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_value: Option<Amount>,

    /// The whole value, whatever the number of pods. Example: `10k`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Amount>,
}

/// Two values between which nothing is done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Watermarks {
    /// Below this value, by more than the tolerance, replicas shrink (rounded down). A quantity, or for resources
    /// a percentage of the request in quotes. Default: the same as `high`. Example: `150m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<Level>,

    /// Above this value, by more than the tolerance, replicas grow (rounded up). A quantity, or for resources a
    /// percentage of the request in quotes. Default: the same as `low`. Example: `400m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<Level>,

    /// How an Object, External or Prometheus value is compared. `Absolute`: as it is, for values that fall when
    /// pods are added, such as a latency; replicas = ready pods * value / mark. `Average`: divided by the
    /// replicas, for values that do not, such as requests per second; replicas = value / mark. Default: `Absolute`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<Choice<Algorithm>>,

    /// Inside the band, move one `replicaMultiple` at a time towards this mark, as long as the value is predicted
    /// to stay inside: `High` (fewer pods), `Low` (more pods) or `None`. Default: `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converge: Option<Choice<Converge>>,
}

/// What to do while the metric is in one range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Where the range begins; left out: it reaches down without end. The bound belongs to the range above the
    /// hold zone, not to the one below it. A quantity, or for resources a percentage of the request in quotes.
    /// Example: `"88%"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<Level>,

    /// Where the range ends; left out: it reaches up without end. The bound belongs to the range below the hold
    /// zone, not to the one above it. A quantity, or for resources a percentage of the request in quotes.
    /// Example: `"95%"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper_bound: Option<Level>,

    /// How the replicas change at every sync that finds the metric in this range and that the limits allow.
    #[serde(default)]
    pub adjustment: Adjustment,
}

/// A change of replicas: exactly one of the three.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Adjustment {
    /// Add this many replicas, or remove them when negative. Example: `2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub replicas: Option<i32>,

    /// Add this many percent of the replicas, or remove them when negative; rounded away from zero, so that at
    /// least one changes. Example: `-25`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -100, max = 10_000))]
    pub percent: Option<i32>,

    /// Go to exactly this many replicas. Example: `10`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub exact: Option<i32>,
}
