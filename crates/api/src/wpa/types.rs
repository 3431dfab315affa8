//! The object as users write it and read it back, with every field.
//!
//! Everything may be absent, as in the original: what must be there is said by the validity check, in its words.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::amount::Amount;

fn is_zero(number: &i32) -> bool {
    *number == 0
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// What is wanted of a WatermarkPodAutoscaler.
#[derive(CustomResource, Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "datadoghq.com",
    version = "v1alpha1",
    kind = "WatermarkPodAutoscaler",
    plural = "watermarkpodautoscalers",
    shortname = "wpa",
    namespaced,
    status = "WpaStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "Scales a workload so that its metrics stay between two watermarks.",
    printcolumn = r#"{"name":"scaling active","type":"string","jsonPath":".status.conditions[?(@.type==\"ScalingActive\")].status"}"#,
    printcolumn = r#"{"name":"condition","type":"string","jsonPath":".status.lastConditionType"}"#,
    printcolumn = r#"{"name":"condition state","type":"string","jsonPath":".status.lastConditionState"}"#,
    printcolumn = r#"{"name":"value","type":"string","jsonPath":".status.currentMetrics[*].external.currentValue.."}"#,
    printcolumn = r#"{"name":"high watermark","type":"string","jsonPath":".spec..highWatermark"}"#,
    printcolumn = r#"{"name":"low watermark","type":"string","jsonPath":".spec..lowWatermark"}"#,
    printcolumn = r#"{"name":"age","type":"date","jsonPath":".metadata.creationTimestamp"}"#,
    printcolumn = r#"{"name":"min replicas","type":"integer","jsonPath":".spec.minReplicas"}"#,
    printcolumn = r#"{"name":"max replicas","type":"integer","jsonPath":".spec.maxReplicas"}"#,
    printcolumn = r#"{"name":"dry-run","type":"string","jsonPath":".status.conditions[?(@.type==\"DryRun\")].status"}"#,
    printcolumn = r#"{"name":"last scale","type":"date","jsonPath":".status.lastScaleTime"}"#,
    printcolumn = r#"{"name":"scale count","type":"integer","jsonPath":".status.scalingEventsCount","priority":1}"#
)]
#[serde(rename_all = "camelCase", default)]
pub struct WpaSpec {
    /// How long after any scaling nothing is removed, in seconds. 300 if absent or 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub downscale_forbidden_window_seconds: i32,
    /// How long after any scaling nothing is added, in seconds. 60 if absent or 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub upscale_forbidden_window_seconds: i32,
    /// The most that one scaling may add, in percent of the replicas; at least one. 0 means never. 50 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_up_limit_factor: Option<Amount>,
    /// How long a metric must have been above its high watermark before replicas are added, in seconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub upscale_delay_above_watermark_seconds: i32,
    /// The most that one scaling may remove, in percent of the replicas; at least one. 0 means never. 20 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_down_limit_factor: Option<Amount>,
    /// How long a metric must have been below its low watermark before replicas are removed, in seconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub downscale_delay_below_watermark_seconds: i32,
    /// Replicas are added and removed up to a multiple of this. 1 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica_scaling_absolute_modulo: Option<i32>,
    /// `highwatermark` or `lowwatermark`: between the marks, move on towards that one as long as the prediction holds.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub converge_towards_watermark: String,
    /// How far past a watermark a value must be, as a share of it, from 0 to 1. 100m if absent or 0.
    pub tolerance: Amount,
    /// `absolute` compares the sum with the marks, `average` the sum divided by the ready pods. `absolute` if absent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub algorithm: String,
    /// Decide and tell, but do not scale.
    #[serde(skip_serializing_if = "is_false")]
    pub dry_run: bool,
    /// Believe an external metric that says 0. Otherwise nothing is scaled by it.
    #[serde(skip_serializing_if = "is_false")]
    pub tolerate_zero: bool,
    /// What is scaled.
    pub scale_target_ref: TargetRef,
    /// What is measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricSpec>,
    /// A service to ask for the number of replicas instead of measuring. Read, but not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommender: Option<Recommender>,
    /// The fewest replicas. 1 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_replicas: Option<i32>,
    /// The least share of the pods, in percent, that must be ready for anything to be scaled.
    #[serde(skip_serializing_if = "is_zero")]
    pub min_available_replica_percentage: i32,
    /// The most replicas.
    #[serde(skip_serializing_if = "is_zero")]
    pub max_replicas: i32,
    /// How long a starting pod is given before its readiness is believed, in seconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub readiness_delay_seconds: i32,
}

/// Which workload is scaled.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetRef {
    /// Its kind, such as `Deployment`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its API version, such as `apps/v1`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
}

/// One metric: `type` and the field of that name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricSpec {
    /// `External` or `Resource`.
    #[serde(rename = "type")]
    pub kind: String,
    /// A metric that belongs to no object in the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalSource>,
    /// What the pods use of a resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceSource>,
}

/// A metric that belongs to no object in the cluster, and its watermarks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ExternalSource {
    /// Its name.
    pub metric_name: String,
    /// Which of its series count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_selector: Option<LabelSelector>,
    /// Above it replicas are added. Equal to the low one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_watermark: Option<Amount>,
    /// Below it replicas are removed. Equal to the high one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_watermark: Option<Amount>,
}

/// What the pods use of a resource, and the watermarks for it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceSource {
    /// The resource, such as `cpu`.
    pub name: String,
    /// Which pods' metrics count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_selector: Option<LabelSelector>,
    /// Above it replicas are added. Equal to the low one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_watermark: Option<Amount>,
    /// Below it replicas are removed. Equal to the high one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_watermark: Option<Amount>,
}

/// A service that recommends a number of replicas.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Recommender {
    /// Where it is.
    pub url: String,
    /// How to talk to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_config: Option<TlsConfig>,
    /// What to tell it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// What its watermarks mean.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target_type: String,
    /// The upper bound it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_watermark: Option<Amount>,
    /// The lower bound it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low_watermark: Option<Amount>,
}

/// How to talk to a recommender.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TlsConfig {
    /// A file with the certificate of the authority to trust.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ca_file: String,
    /// A file with the client's certificate.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cert_file: String,
    /// A file with the key of the client's certificate.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key_file: String,
    /// The name the server must prove.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub server_name: String,
    /// Trust any certificate.
    #[serde(skip_serializing_if = "is_false")]
    pub insecure_skip_verify: bool,
    /// The oldest version of TLS to accept.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub min_version: String,
    /// The newest version of TLS to accept.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub max_version: String,
}

/// What has become of a WatermarkPodAutoscaler.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WpaStatus {
    /// Which generation of the object was looked at. Never written by the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// When the target was last scaled (or, in dry run, would have been).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_scale_time: Option<Time>,
    /// How often the target was scaled.
    #[serde(skip_serializing_if = "is_zero")]
    pub scaling_events_count: i32,
    /// The replicas the target has.
    pub current_replicas: i32,
    /// The replicas the target should have.
    pub desired_replicas: i32,
    /// What was measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub current_metrics: Vec<MetricStatus>,
    /// What is the case, the newest change first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The condition written last.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_condition_type: String,
    /// Its state.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_condition_state: String,
}

/// What was measured for one metric.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricStatus {
    /// `External` or `Resource`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The value of an external metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalStatus>,
    /// The use of a resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceStatus>,
}

/// The value of an external metric.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ExternalStatus {
    /// The metric's name.
    pub metric_name: String,
    /// Which of its series counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_selector: Option<LabelSelector>,
    /// The value that was compared with the watermarks.
    pub current_value: Amount,
    /// The value per pod. Never written by the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_average_value: Option<Amount>,
}

/// The use of a resource.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceStatus {
    /// The resource.
    pub name: String,
    /// The use in percent of the request. Never written by the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_average_utilization: Option<i32>,
    /// The value that was compared with the watermarks.
    pub current_average_value: Amount,
}

/// Something that is the case, or is not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// What.
    #[serde(rename = "type")]
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// When the status last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Time>,
    /// Why, in one word (or, here, in a few).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Why, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube::CustomResourceExt;

    #[test]
    fn the_definition_carries_the_columns_people_know() {
        let crd = serde_json::to_value(WatermarkPodAutoscaler::crd()).unwrap();
        let version = &crd["spec"]["versions"][0];
        assert_eq!(version["additionalPrinterColumns"].as_array().unwrap().len(), 12);
        let spec = &version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
        assert_eq!(spec["tolerance"]["x-kubernetes-int-or-string"], true);
        assert_eq!(crd["spec"]["names"]["shortNames"][0], "wpa");
    }

    #[test]
    fn an_empty_status_is_two_numbers() {
        let status = serde_json::to_string(&WpaStatus::default()).unwrap();
        assert_eq!(status, r#"{"currentReplicas":0,"desiredReplicas":0}"#);
    }
}
