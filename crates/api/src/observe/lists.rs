//! The answers of the three metric APIs, as far as they matter.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Deserializer, Serialize};

use crate::quantity::Quantity;

/// Go writes an empty list or map as `null`.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// metrics.k8s.io: what pods use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PodMetricsList {
    /// One for each pod.
    #[serde(default, deserialize_with = "nullable")]
    pub items: Vec<PodMetrics>,
}

/// What one pod uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PodMetrics {
    /// Which pod.
    pub metadata: Meta,
    /// When it was measured.
    #[serde(default)]
    pub timestamp: Option<Time>,
    /// Over how long, as Go writes durations.
    #[serde(default)]
    pub window: String,
    /// One for each container.
    #[serde(default, deserialize_with = "nullable")]
    pub containers: Vec<ContainerMetrics>,
}

/// The part of an object's metadata that matters here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The name.
    #[serde(default)]
    pub name: String,
    /// The labels.
    #[serde(default, deserialize_with = "nullable")]
    pub labels: BTreeMap<String, String>,
}

/// What one container uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContainerMetrics {
    /// Which container.
    #[serde(default)]
    pub name: String,
    /// By resource.
    #[serde(default, deserialize_with = "nullable")]
    pub usage: BTreeMap<String, Quantity>,
}

/// custom.metrics.k8s.io: a list of values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricValueList {
    /// One for each object.
    #[serde(default, deserialize_with = "nullable")]
    pub items: Vec<MetricValue>,
}

/// custom.metrics.k8s.io: one value of one object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricValue {
    /// Which object.
    #[serde(default)]
    pub described_object: Described,
    /// When it was measured.
    #[serde(default)]
    pub timestamp: Option<Time>,
    /// Over how many seconds (v1beta1 says `window`).
    #[serde(default, alias = "window")]
    pub window_seconds: Option<i64>,
    /// The value.
    pub value: Quantity,
}

/// The object a value describes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Described {
    /// Its name.
    #[serde(default)]
    pub name: String,
}

/// external.metrics.k8s.io: a list of values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExternalMetricValueList {
    /// The values.
    #[serde(default, deserialize_with = "nullable")]
    pub items: Vec<ExternalMetricValue>,
}

/// external.metrics.k8s.io: one value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExternalMetricValue {
    /// Its labels.
    #[serde(default)]
    pub metric_labels: Option<BTreeMap<String, String>>,
    /// When it was measured.
    #[serde(default)]
    pub timestamp: Option<Time>,
    /// The value.
    pub value: Quantity,
}
