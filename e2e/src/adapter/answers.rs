//! The bodies of the metric APIs: who asks for what, and what they get.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::pods::{self, PodView};
use super::selector::Selector;
use super::values::{Millis, Shelf, Surface};

/// Groups and their versions, the preferred one first.
pub(super) const GROUPS: [(&str, &[&str]); 3] = [
    ("metrics.k8s.io", &["v1beta1", "v1"]),
    ("custom.metrics.k8s.io", &["v1beta2", "v1beta1"]),
    ("external.metrics.k8s.io", &["v1beta1"]),
];

/// What a path asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Ask<'a> {
    Groups,
    Group(&'a str),
    Resources { group: &'a str, version: &'a str },
    PodUsage { version: &'a str, namespace: &'a str, name: Option<&'a str> },
    NodeUsage { version: &'a str },
    Custom { version: &'a str, namespace: &'a str, resource: &'a str, name: &'a str, metric: &'a str },
    External { namespace: &'a str, metric: &'a str },
    Unknown,
}

impl<'a> Ask<'a> {
    pub(super) fn parse(path: &'a str) -> Ask<'a> {
        let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        match *segments.as_slice() {
            ["apis"] => Ask::Groups,
            ["apis", group] => Ask::Group(group),
            ["apis", group, version] => Ask::Resources { group, version },
            ["apis", "metrics.k8s.io", version, "namespaces", namespace, "pods"] => {
                Ask::PodUsage { version, namespace, name: None }
            }
            ["apis", "metrics.k8s.io", version, "namespaces", namespace, "pods", name] => {
                Ask::PodUsage { version, namespace, name: Some(name) }
            }
            ["apis", "metrics.k8s.io", version, "nodes"] => Ask::NodeUsage { version },
            ["apis", "custom.metrics.k8s.io", version, "namespaces", name, "metrics", metric] => {
                Ask::Custom { version, namespace: name, resource: "namespaces", name, metric }
            }
            ["apis", "custom.metrics.k8s.io", version, "namespaces", namespace, resource, name, metric] => {
                Ask::Custom { version, namespace, resource, name, metric }
            }
            ["apis", "external.metrics.k8s.io", "v1beta1", "namespaces", namespace, metric] => {
                Ask::External { namespace, metric }
            }
            _ => Ask::Unknown,
        }
    }

    /// Whose values are asked for and through which API; `None` for discovery.
    pub(super) fn subject(&self) -> Option<(&'a str, Surface)> {
        match *self {
            Ask::PodUsage { namespace, .. } => Some((namespace, Surface::Resource)),
            Ask::Custom { namespace, .. } => Some((namespace, Surface::Custom)),
            Ask::External { namespace, .. } => Some((namespace, Surface::External)),
            _ => None,
        }
    }
}

/// The selectors of a request.
#[derive(Default)]
pub(super) struct Selectors {
    pub objects: Selector,
    pub series: Selector,
}

/// An answer: a status and a body.
pub(super) type Answer = (StatusCode, Value);

pub(super) fn not_found(what: &str) -> Answer {
    status(StatusCode::NOT_FOUND, "NotFound", &format!("the server could not find {what}"))
}

pub(super) fn status(code: StatusCode, reason: &str, message: &str) -> Answer {
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code.as_u16(),
    });
    (code, body)
}

/// Discovery: which groups, versions and resources there are.
pub(super) fn discovery(ask: &Ask<'_>) -> Answer {
    match *ask {
        Ask::Groups => {
            let groups: Vec<Value> = GROUPS.iter().map(|(name, versions)| group(name, versions)).collect();
            (StatusCode::OK, json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
        }
        Ask::Group(name) => match GROUPS.iter().find(|(known, _)| *known == name) {
            Some((name, versions)) => (StatusCode::OK, group(name, versions)),
            None => not_found(name),
        },
        Ask::Resources { group, version } if known(group, version) => {
            (StatusCode::OK, resources(group, version))
        }
        _ => not_found("the requested resource"),
    }
}

fn known(group: &str, version: &str) -> bool {
    GROUPS.iter().any(|(name, versions)| *name == group && versions.contains(&version))
}

fn group(name: &str, versions: &[&str]) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|version| json!({"groupVersion": format!("{name}/{version}"), "version": version}))
        .collect();
    json!({
        "kind": "APIGroup", "apiVersion": "v1", "name": name,
        "preferredVersion": versions.first(), "versions": versions,
    })
}

fn resources(group: &str, version: &str) -> Value {
    let one = |name: &str, namespaced: bool, kind: &str, verbs: &[&str]| json!({"name": name, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": verbs});
    let list = match group {
        "metrics.k8s.io" => vec![
            one("nodes", false, "NodeMetrics", &["get", "list"]),
            one("pods", true, "PodMetrics", &["get", "list"]),
        ],
        "custom.metrics.k8s.io" => vec![one("pods/metrics", true, "MetricValueList", &["get"])],
        _ => vec![one("metrics", true, "ExternalMetricValueList", &["get"])],
    };
    json!({
        "kind": "APIResourceList", "apiVersion": "v1",
        "groupVersion": format!("{group}/{version}"), "resources": list,
    })
}

/// When a namespace's samples were taken.
fn taken_at(shelf: &Shelf, now: Timestamp) -> String {
    let taken = now.saturating_sub(SignedDuration::from_secs(shelf.age_secs.into())).unwrap_or(now);
    taken.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// metrics.k8s.io: the usage of pods.
pub(super) fn pod_usage(
    (version, name): (&str, Option<&str>),
    (namespace, shelf): (&str, &Shelf),
    all: &[PodView],
    selectors: &Selectors,
    now: Timestamp,
) -> Answer {
    let api_version = format!("metrics.k8s.io/{version}");
    let body = |pod: &PodView| {
        let usage = pods::usage(&shelf.usage, pod, all)?;
        let containers: Vec<Value> = usage
            .into_iter()
            .map(|(container, usage)| json!({"name": container, "usage": quantities(usage)}))
            .collect();
        Some(json!({
            "kind": "PodMetrics", "apiVersion": api_version,
            "metadata": {"name": pod.name, "namespace": namespace, "labels": pod.labels},
            "timestamp": taken_at(shelf, now),
            "window": format!("{}s", shelf.window_secs),
            "containers": containers,
        }))
    };
    if let Some(name) = name {
        return match all.iter().find(|pod| pod.name == name).and_then(body) {
            Some(pod) => (StatusCode::OK, pod),
            None => not_found(&format!("the metrics of pod {namespace}/{name}")),
        };
    }
    let items: Vec<Value> =
        all.iter().filter(|pod| selectors.objects.matches(&pod.labels)).filter_map(body).collect();
    list("PodMetricsList", &api_version, &items)
}

fn quantities(usage: BTreeMap<String, Millis>) -> BTreeMap<String, String> {
    usage.into_iter().map(|(resource, value)| (resource, value.to_string())).collect()
}

/// metrics.k8s.io for nodes: the fake node uses nothing.
pub(super) fn node_usage(version: &str, now: Timestamp) -> Answer {
    let api_version = format!("metrics.k8s.io/{version}");
    let node = json!({
        "kind": "NodeMetrics", "apiVersion": api_version,
        "metadata": {"name": crate::plane::nodes::NODE},
        "timestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(), "window": "1s",
        "usage": {"cpu": "0", "memory": "0"},
    });
    list("NodeMetricsList", &api_version, &[node])
}

/// custom.metrics.k8s.io: metrics of pods (`*` for all a selector matches) and of other objects.
pub(super) fn custom(
    ask: &Ask<'_>,
    shelf: &Shelf,
    all: &[PodView],
    selectors: &Selectors,
    now: Timestamp,
) -> Answer {
    let &Ask::Custom { version, namespace, resource, name, metric } = ask else {
        return not_found("the requested resource");
    };
    let item = |kind: &str, object: &str, value: Millis| {
        let described = json!({"kind": kind, "namespace": namespace, "name": object, "apiVersion": "/v1"});
        let (at, value) = (taken_at(shelf, now), value.to_string());
        if version == "v1beta1" {
            json!({"describedObject": described, "metricName": metric, "timestamp": at, "value": value})
        } else {
            let metric = json!({"name": metric, "selector": null});
            json!({"describedObject": described, "metric": metric, "timestamp": at, "value": value})
        }
    };
    let items: Vec<Value> = if resource == "pods" {
        all.iter()
            .filter(|pod| if name == "*" { selectors.objects.matches(&pod.labels) } else { pod.name == name })
            .filter_map(|pod| Some(item("Pod", &pod.name, pods::value(&shelf.custom, metric, pod, all)?)))
            .collect()
    } else {
        let object = format!("{resource}/{name}");
        shelf
            .series
            .iter()
            .filter(|one| one.object == object && one.metric == metric)
            .filter(|one| selectors.series.matches(&one.labels))
            .map(|one| item(resource, name, one.value))
            .collect()
    };
    if items.is_empty() {
        return not_found(&format!("the metric {metric} for {resource} {name}"));
    }
    list("MetricValueList", &format!("custom.metrics.k8s.io/{version}"), &items)
}

/// external.metrics.k8s.io: every series of a metric that the selector matches.
pub(super) fn external(metric: &str, shelf: &Shelf, selectors: &Selectors, now: Timestamp) -> Answer {
    let items: Vec<Value> = shelf
        .series
        .iter()
        .filter(|one| one.object.is_empty() && one.metric == metric)
        .filter(|one| selectors.objects.matches(&one.labels))
        .map(|one| {
            json!({
                "metricName": metric, "metricLabels": one.labels,
                "timestamp": taken_at(shelf, now), "value": one.value.to_string(),
            })
        })
        .collect();
    list("ExternalMetricValueList", "external.metrics.k8s.io/v1beta1", &items)
}

fn list(kind: &str, api_version: &str, items: &[Value]) -> Answer {
    (StatusCode::OK, json!({"kind": kind, "apiVersion": api_version, "metadata": {}, "items": items}))
}
