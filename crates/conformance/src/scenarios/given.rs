//! What a step of a scenario gives: the scale, the pods, the answers of the metric APIs; and how it is observed.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use plimsoll_api::observe::lists::{ExternalMetricValueList, MetricValue, MetricValueList, PodMetricsList};
use plimsoll_api::observe::{self, PodView};
use plimsoll_api::selector::Selector;
use plimsoll_api::source::Source;
use plimsoll_engine::{At, Outcome, Reading, Unread};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// One step: what there is at a moment, and what the reference did.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Step {
    pub(crate) now: Timestamp,
    /// The user has just replaced the spec.
    pub(crate) spec: Option<Value>,
    pub(crate) scale: Scale,
    #[serde(deserialize_with = "nullable")]
    pub(crate) pods: Vec<Pod>,
    #[serde(default)]
    pub(crate) metrics: Metrics,
    /// The state of the DatadogMonitor of the same name, `absent` or `unset`.
    pub(crate) datadog_monitor: Option<String>,
    pub(crate) expect: Value,
}

/// What GET and PUT of the scale do.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Scale {
    pub(crate) spec_replicas: i32,
    pub(crate) status_replicas: i32,
    pub(crate) selector: String,
    pub(crate) get_error: Option<String>,
    pub(crate) update_error: Option<String>,
}

/// What the metric APIs answer.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Metrics {
    resource: Option<Answer<PodMetricsList>>,
    resource_error: Option<String>,
    #[serde(default)]
    pods: BTreeMap<String, Answer<MetricValueList>>,
    #[serde(default)]
    pods_error: BTreeMap<String, String>,
    #[serde(default)]
    object: BTreeMap<String, Answer<MetricValue>>,
    #[serde(default)]
    object_error: BTreeMap<String, String>,
    #[serde(default)]
    external: BTreeMap<String, Answer<ExternalMetricValueList>>,
    #[serde(default)]
    external_error: Errors,
}

/// How calls fail: each on its own, or all alike.
#[derive(Deserialize)]
#[serde(untagged)]
enum Errors {
    All(String),
    ByName(BTreeMap<String, String>),
}

impl Default for Errors {
    fn default() -> Self {
        Errors::ByName(BTreeMap::new())
    }
}

impl Errors {
    fn get(&self, name: &str) -> Option<&String> {
        match self {
            Errors::All(error) => Some(error),
            Errors::ByName(errors) => errors.get(name),
        }
    }
}

/// An API's answer: more fields than matter here are no mistake in a vector.
struct Answer<T>(T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Answer<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        serde_json::from_value(value).map(Answer).map_err(serde::de::Error::custom)
    }
}

fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl Step {
    pub(crate) fn at(&self) -> At {
        At(self.now.as_microsecond())
    }

    /// Reads the scale of a target.
    pub(crate) fn read_scale(&self, api_version: &str, kind: &str) -> Result<plimsoll_engine::Scale, Unread> {
        let group = group(api_version).map_err(|error| Unread::BadVersion(error.into()))?;
        let known = match kind {
            "Deployment" | "StatefulSet" | "ReplicaSet" => group == "apps",
            "ReplicationController" => group.is_empty(),
            _ => false,
        };
        if !known {
            return Err(Unread::UnknownKind(
                format!("no matches for kind {kind:?} in group {group:?}").into(),
            ));
        }
        match &self.scale.get_error {
            Some(error) => Err(Unread::Failed(error.as_str().into())),
            None => Ok(plimsoll_engine::Scale {
                spec: self.scale.spec_replicas,
                status: self.scale.status_replicas,
            }),
        }
    }

    /// Writes the scale of the target.
    pub(crate) fn write_scale(&self) -> Outcome {
        match &self.scale.update_error {
            Some(error) => Outcome::Refused(error.as_str().into()),
            None => Outcome::Written,
        }
    }

    /// Asks the API that a metric comes from. `selector` is the target's.
    pub(crate) fn read(&self, source: &Source, selector: &Selector, pods: &[&PodView]) -> Reading {
        let metrics = &self.metrics;
        let failed = |error: &String| Reading::Missing(source.call_failed(error));
        match source {
            Source::Resource { name, container, selector: own } => {
                let selector = own.as_ref().and_then(|own| own.parsed.as_ref().ok()).unwrap_or(selector);
                let listed = metrics.resource.iter().flat_map(|list| &list.0.items);
                let asked = listed.filter(|pod| selector.matches(&pod.metadata.labels));
                let answer = || observe::resource(source, asked, pods, name, container.as_deref());
                metrics.resource_error.as_ref().map_or_else(answer, failed)
            }
            Source::Pods { name, .. } => {
                let empty = MetricValueList::default();
                let list = metrics.pods.get(&**name).map_or(&empty, |list| &list.0);
                let answer = || observe::per_pod_custom(source, list, pods);
                metrics.pods_error.get(&**name).map_or_else(answer, failed)
            }
            Source::Object { name, .. } => {
                match (metrics.object_error.get(&**name), metrics.object.get(&**name)) {
                    (Some(error), _) => failed(error),
                    (None, Some(value)) => observe::object(&value.0),
                    (None, None) => Reading::Missing(source.nothing_returned()),
                }
            }
            Source::External { name, .. } => match self.read_external(name) {
                Ok(list) => observe::external(source, &list),
                Err(error) => failed(error),
            },
            Source::Prometheus { .. } => Reading::Missing(source.nothing_returned()),
        }
    }

    /// What the external metrics API has under a name, whatever its labels.
    pub(crate) fn read_external(&self, name: &str) -> Result<ExternalMetricValueList, &String> {
        match self.metrics.external_error.get(name) {
            Some(error) => Err(error),
            None => Ok(self.metrics.external.get(name).map(|list| list.0.clone()).unwrap_or_default()),
        }
    }
}

/// The group of an API version such as `apps/v1` or `v1`.
fn group(api_version: &str) -> Result<&str, String> {
    match api_version.split_once('/') {
        None => Ok(""),
        Some((_, version)) if version.contains('/') => {
            Err(format!("unexpected GroupVersion string: {api_version}"))
        }
        Some((group, _)) => Ok(group),
    }
}
