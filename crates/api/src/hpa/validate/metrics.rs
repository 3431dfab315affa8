//! The rules for `spec.metrics`.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::super::{
    ContainerResourceMetricSource, ExternalMetricSource, HorizontalPodAutoscalerSpec, MetricIdentifier,
    MetricSpec, MetricTarget, ObjectMetricSource, PodsMetricSource, ResourceMetricSource,
};
use super::{Group, reference};
use crate::field::{BadValue, FieldError, FieldPath};
use crate::{names, quantity};

/// The kinds of metric and the field each of them fills, in the order the reference looks at the fields.
const SOURCES: [(&str, &str); 5] = [
    ("Object", "object"),
    ("External", "external"),
    ("Pods", "pods"),
    ("Resource", "resource"),
    ("ContainerResource", "containerResource"),
];
const KINDS: [&str; 5] = ["ContainerResource", "External", "Object", "Pods", "Resource"];

pub(super) fn check(spec: &HorizontalPodAutoscalerSpec, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let metrics = spec.metrics.as_deref().unwrap_or_default();
    for (index, metric) in metrics.iter().enumerate() {
        check_metric(metric, &path.index(index), errors);
    }
    let wakes = metrics.iter().any(|it| it.type_ == "Object" || it.type_ == "External");
    if spec.min_replicas == Some(0) && !wakes {
        errors.push(path.forbidden(
            "must specify at least one Object or External metric to support scaling to zero replicas",
        ));
    }
}

fn check_metric(metric: &MetricSpec, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let kind = metric.type_.as_str();
    if kind.is_empty() {
        errors.push(path.child("type").required("must specify a metric source type"));
    }
    if !KINDS.contains(&kind) {
        errors.push(path.child("type").not_supported(BadValue::json(&metric.type_), &KINDS));
    }
    // Only the first source is looked into: with several, that they are several is the complaint.
    if let Some(source) = &metric.object {
        object(source, &path.child("object"), errors);
    } else if let Some(source) = &metric.external {
        external(source, &path.child("external"), errors);
    } else if let Some(source) = &metric.pods {
        pods(source, &path.child("pods"), errors);
    } else if let Some(source) = &metric.resource {
        resource(source, &path.child("resource"), errors);
    } else if let Some(source) = &metric.container_resource {
        container_resource(source, &path.child("containerResource"), errors);
    }
    let expected = SOURCES.iter().find(|(name, _)| *name == kind).map(|(_, field)| *field);
    let mut present = present(metric);
    if let Some(field) = expected.filter(|field| !present.contains(field)) {
        errors.push(path.child(field).required("must populate information for the given metric source"));
    }
    if present.len() != 1 {
        present.retain(|field| Some(*field) != expected);
        // The reference goes through a set in no order; ours is by name.
        present.sort_unstable();
        let complaint = "must populate the given metric source only";
        errors.extend(present.iter().map(|field| path.child(field).forbidden(complaint)));
    }
}

fn present(metric: &MetricSpec) -> Vec<&'static str> {
    let filled = [
        metric.object.is_some(),
        metric.external.is_some(),
        metric.pods.is_some(),
        metric.resource.is_some(),
        metric.container_resource.is_some(),
    ];
    SOURCES.iter().zip(filled).filter_map(|((_, field), filled)| filled.then_some(*field)).collect()
}

fn object(source: &ObjectMetricSource, path: &FieldPath, errors: &mut Vec<FieldError>) {
    reference(&source.described_object, &path.child("describedObject"), Group::Optional, errors);
    let target_path = path.child("target");
    identifier(&source.metric, &path.child("metric"), errors);
    target(&source.target, &target_path, errors);
    if source.target.value.is_none() && source.target.average_value.is_none() {
        let complaint = "must set either a target value or averageValue";
        errors.push(target_path.child("averageValue").required(complaint));
    }
}

fn external(source: &ExternalMetricSource, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let target_path = path.child("target");
    identifier(&source.metric, &path.child("metric"), errors);
    target(&source.target, &target_path, errors);
    match (&source.target.value, &source.target.average_value) {
        (None, None) => {
            let complaint = "must set either a target value for metric or a per-pod target";
            errors.push(target_path.child("averageValue").required(complaint));
        }
        (Some(_), Some(_)) => {
            let complaint = "may not set both a target value for metric and a per-pod target";
            errors.push(target_path.child("value").forbidden(complaint));
        }
        _ => {}
    }
}

fn pods(source: &PodsMetricSource, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let target_path = path.child("target");
    identifier(&source.metric, &path.child("metric"), errors);
    target(&source.target, &target_path, errors);
    if source.target.average_value.is_none() {
        let complaint = "must specify a positive target averageValue";
        errors.push(target_path.child("averageValue").required(complaint));
    }
}

fn resource(source: &ResourceMetricSource, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if source.name.is_empty() {
        errors.push(path.child("name").required("must specify a resource name"));
    }
    resource_target(&source.target, &path.child("target"), errors);
}

fn container_resource(
    source: &ContainerResourceMetricSource,
    path: &FieldPath,
    errors: &mut Vec<FieldError>,
) {
    if source.name.is_empty() {
        errors.push(path.child("name").required("must specify a resource name"));
    } else {
        container_resource_name(&source.name, &path.child("name"), errors);
    }
    let container_path = path.child("container");
    if source.container.is_empty() {
        errors.push(container_path.required("must specify a container"));
    } else {
        let complaints = names::dns_label(&source.container);
        errors.extend(complaints.iter().map(|it| container_path.invalid(source.container.as_str(), it)));
    }
    resource_target(&source.target, &path.child("target"), errors);
}

fn resource_target(of: &MetricTarget, path: &FieldPath, errors: &mut Vec<FieldError>) {
    target(of, path, errors);
    match (&of.average_utilization, &of.average_value) {
        (None, None) => {
            let complaint = "must set either a target raw value or a target utilization";
            errors.push(path.child("averageUtilization").required(complaint));
        }
        (Some(_), Some(_)) => {
            let complaint = "may not set both a target raw value and a target utilization";
            errors.push(path.child("averageValue").forbidden(complaint));
        }
        _ => {}
    }
}

/// What a container can request: a standard resource, huge pages, or an extended one with a domain.
fn container_resource_name(name: &str, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let shown = || BadValue::json(&name);
    let complaints = names::qualified(name);
    errors.extend(complaints.iter().map(|it| path.invalid(shown(), it)));
    let standard = ["cpu", "memory", "ephemeral-storage"].contains(&name) || name.starts_with("hugepages-");
    if !name.contains('/') {
        if complaints.is_empty() && !standard && !is_countable(name) {
            errors.push(path.invalid(shown(), "must be a standard resource type or fully qualified"));
        }
        if !standard {
            errors.push(path.invalid(shown(), "must be a standard resource for containers"));
        }
    } else if !name.contains("kubernetes.io/")
        && (name.starts_with("requests.") || !names::qualified(&format!("requests.{name}")).is_empty())
    {
        errors.push(path.invalid(shown(), "doesn't follow extended resource name standard"));
    }
}

/// Resources that quotas know besides those of containers.
fn is_countable(name: &str) -> bool {
    const KNOWN: [&str; 17] = [
        "requests.cpu",
        "requests.memory",
        "requests.ephemeral-storage",
        "limits.cpu",
        "limits.memory",
        "limits.ephemeral-storage",
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "storage",
        "requests.storage",
        "services.nodeports",
        "services.loadbalancers",
    ];
    KNOWN.contains(&name) || name.starts_with("requests.hugepages-")
}

fn identifier(metric: &MetricIdentifier, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let (name, path) = (metric.name.as_str(), path.child("name"));
    if name.is_empty() {
        errors.push(path.required("must specify a metric name"));
    }
    errors.extend(names::path_segment(name).iter().map(|it| path.invalid(name, it)));
}

fn target(target: &MetricTarget, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if target.type_.is_empty() {
        errors.push(path.child("type").required("must specify a metric target type"));
    }
    if !["Utilization", "Value", "AverageValue"].contains(&target.type_.as_str()) {
        let complaint = "must be either Utilization, Value, or AverageValue";
        errors.push(path.child("type").invalid(BadValue::json(&target.type_), complaint));
    }
    if let Some(value) = &target.value {
        quantity(value, &path.child("value"), Sign::Positive, errors);
    }
    if let Some(value) = &target.average_value {
        quantity(value, &path.child("averageValue"), Sign::Positive, errors);
    }
    if let Some(percent) = target.average_utilization.filter(|percent| *percent < 1) {
        errors.push(path.child("averageUtilization").invalid(percent, "must be greater than 0"));
    }
}

/// Which quantities are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Positive,
    NotNegative,
}

/// A quantity that does not parse never gets this far in an API server; here its text may come from anywhere.
pub(super) fn quantity(text: &Quantity, path: &FieldPath, sign: Sign, errors: &mut Vec<FieldError>) {
    let shown = |text: &str| path.invalid(text, "");
    let complaint = match (quantity::parse(text.0.trim()), sign) {
        (Err(error), _) => return errors.push(FieldError { detail: error.to_string(), ..shown(&text.0) }),
        (Ok(quantity), Sign::Positive) if quantity.sign() < 1 => "must be positive",
        (Ok(quantity), Sign::NotNegative) if quantity.sign() < 0 => "must be greater than or equal to 0",
        _ => return,
    };
    let text = quantity::keep_or_rewrite(&text.0).unwrap_or_default();
    errors.push(FieldError { detail: complaint.to_owned(), ..shown(&text) });
}
