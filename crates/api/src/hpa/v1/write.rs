//! The annotations of autoscaling/v1, to the byte as the reference writes them.
//!
//! A metric's target and its status have the same fields, named after `target` or `current`; they differ in which
//! quantities are written even when there is none ([`Of`]).

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, Time};
use serde_json::{Map, Value, json};

use super::super::{
    CrossVersionObjectReference, HPAScalingRules, HorizontalPodAutoscalerBehavior,
    HorizontalPodAutoscalerCondition, MetricIdentifier, MetricSpec, MetricStatus, MetricTarget,
    MetricValueStatus,
};
use crate::{gojson, quantity};

pub(super) fn metrics(metrics: &[&MetricSpec]) -> String {
    let metrics: Vec<Value> = metrics
        .iter()
        .map(|it| {
            let mut out = Object::default();
            out.put("type", &it.type_);
            out.put_some(
                "object",
                it.object.as_ref().map(|source| {
                    object(&source.described_object, &source.metric, &Amounts::target(&source.target))
                }),
            );
            out.put_some(
                "pods",
                it.pods.as_ref().map(|source| pods(&source.metric, &Amounts::target(&source.target))),
            );
            out.put_some(
                "resource",
                it.resource
                    .as_ref()
                    .map(|source| resource(&source.name, &Amounts::target(&source.target), None)),
            );
            out.put_some(
                "containerResource",
                it.container_resource.as_ref().map(|source| {
                    resource(&source.name, &Amounts::target(&source.target), Some(&source.container))
                }),
            );
            out.put_some(
                "external",
                it.external.as_ref().map(|source| external(&source.metric, &Amounts::target(&source.target))),
            );
            out.done()
        })
        .collect();
    gojson::to_string(&metrics)
}

pub(super) fn current_metrics(metrics: &[MetricStatus]) -> String {
    let metrics: Vec<Value> = metrics
        .iter()
        .map(|it| {
            let mut out = Object::default();
            out.put("type", &it.type_);
            out.put_some(
                "object",
                it.object.as_ref().map(|source| {
                    object(&source.described_object, &source.metric, &Amounts::current(&source.current))
                }),
            );
            out.put_some(
                "pods",
                it.pods.as_ref().map(|source| pods(&source.metric, &Amounts::current(&source.current))),
            );
            out.put_some(
                "resource",
                it.resource
                    .as_ref()
                    .map(|source| resource(&source.name, &Amounts::current(&source.current), None)),
            );
            out.put_some(
                "containerResource",
                it.container_resource.as_ref().map(|source| {
                    resource(&source.name, &Amounts::current(&source.current), Some(&source.container))
                }),
            );
            out.put_some(
                "external",
                it.external
                    .as_ref()
                    .map(|source| external(&source.metric, &Amounts::current(&source.current))),
            );
            out.done()
        })
        .collect();
    gojson::to_string(&metrics)
}

pub(super) fn behavior(behavior: &HorizontalPodAutoscalerBehavior) -> String {
    let rules = |rules: Option<&HPAScalingRules>| {
        rules.map(|it| {
            let policies = it.policies.as_ref().map(|policies| {
                let policy = |it: &super::super::HPAScalingPolicy| {
                    json!({"Type": it.type_, "Value": it.value, "PeriodSeconds": it.period_seconds})
                };
                policies.iter().map(policy).collect::<Vec<_>>()
            });
            json!({
                "StabilizationWindowSeconds": it.stabilization_window_seconds,
                "SelectPolicy": it.select_policy,
                "Policies": policies,
                "Tolerance": it.tolerance.as_ref().map(amount),
            })
        })
    };
    gojson::to_string(&json!({
        "ScaleUp": rules(behavior.scale_up.as_ref()),
        "ScaleDown": rules(behavior.scale_down.as_ref()),
    }))
}

pub(super) fn conditions(conditions: &[HorizontalPodAutoscalerCondition]) -> String {
    let conditions: Vec<Value> = conditions
        .iter()
        .map(|it| {
            let mut out = Object::default();
            out.put("type", &it.type_);
            out.put("status", &it.status);
            out.0.insert(
                "lastTransitionTime".to_owned(),
                json!(it.last_transition_time.as_ref().map(in_seconds)),
            );
            out.put_some("reason", it.reason.as_ref().filter(|it| !it.is_empty()));
            out.put_some("message", it.message.as_ref().filter(|it| !it.is_empty()));
            out.put_some("observedGeneration", it.observed_generation);
            out.done()
        })
        .collect();
    gojson::to_string(&conditions)
}

fn in_seconds(time: &Time) -> String {
    time.0.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Whether a metric is written as asked for or as observed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Target,
    Current,
}

/// The numbers of a metric, asked for or observed.
struct Amounts<'a> {
    of: Of,
    utilization: Option<i32>,
    average: Option<&'a Quantity>,
    value: Option<&'a Quantity>,
}

impl<'a> Amounts<'a> {
    fn target(target: &'a MetricTarget) -> Self {
        Self {
            of: Of::Target,
            utilization: target.average_utilization,
            average: target.average_value.as_ref(),
            value: target.value.as_ref(),
        }
    }

    fn current(current: &'a MetricValueStatus) -> Self {
        Self {
            of: Of::Current,
            utilization: current.average_utilization,
            average: current.average_value.as_ref(),
            value: current.value.as_ref(),
        }
    }

    fn key(&self, rest: &str) -> String {
        match self.of {
            Of::Target => format!("target{rest}"),
            Of::Current => format!("current{rest}"),
        }
    }

    /// A quantity that is left out when there is none, but only of a target.
    fn unless_target(&self, quantity: Option<&Quantity>) -> Option<String> {
        match self.of {
            Of::Target => quantity.map(amount),
            Of::Current => Some(or_zero(quantity)),
        }
    }
}

fn object(
    reference: &CrossVersionObjectReference,
    metric: &MetricIdentifier,
    amounts: &Amounts<'_>,
) -> Value {
    let mut target = Object::default();
    target.put("kind", &reference.kind);
    target.put("name", &reference.name);
    target.put_some("apiVersion", reference.api_version.as_ref().filter(|it| !it.is_empty()));
    let mut out = Object::default();
    out.put_some("target", Some(target.done()));
    out.put("metricName", &metric.name);
    out.put(&amounts.key("Value"), &or_zero(amounts.value));
    out.put_some("selector", metric.selector.as_ref().map(selector));
    out.put_some("averageValue", amounts.average.map(amount));
    out.done()
}

fn pods(metric: &MetricIdentifier, amounts: &Amounts<'_>) -> Value {
    let mut out = Object::default();
    out.put("metricName", &metric.name);
    out.put(&amounts.key("AverageValue"), &or_zero(amounts.average));
    out.put_some("selector", metric.selector.as_ref().map(selector));
    out.done()
}

fn resource(name: &str, amounts: &Amounts<'_>, container: Option<&str>) -> Value {
    let mut out = Object::default();
    out.put("name", name);
    out.put_some(&amounts.key("AverageUtilization"), amounts.utilization);
    out.put_some(&amounts.key("AverageValue"), amounts.unless_target(amounts.average));
    out.put_some("container", container);
    out.done()
}

fn external(metric: &MetricIdentifier, amounts: &Amounts<'_>) -> Value {
    let mut out = Object::default();
    out.put("metricName", &metric.name);
    out.put_some("metricSelector", metric.selector.as_ref().map(selector));
    out.put_some(&amounts.key("Value"), amounts.unless_target(amounts.value));
    out.put_some(&amounts.key("AverageValue"), amounts.average.map(amount));
    out.done()
}

fn selector(selector: &LabelSelector) -> Value {
    let mut out = Object::default();
    out.put_some(
        "matchLabels",
        selector.match_labels.as_ref().filter(|it| !it.is_empty()).map(|it| json!(it)),
    );
    let expressions = selector.match_expressions.iter().flatten().map(|it| {
        let mut out = Object::default();
        out.put("key", &it.key);
        out.put("operator", &it.operator);
        out.put_some("values", it.values.as_ref().filter(|it| !it.is_empty()).map(|it| json!(it)));
        out.done()
    });
    let expressions: Vec<Value> = expressions.collect();
    out.put_some("matchExpressions", (!expressions.is_empty()).then_some(expressions));
    out.done()
}

fn amount(quantity: &Quantity) -> String {
    quantity::keep_or_rewrite(&quantity.0).map_or_else(|_| quantity.0.clone(), |it| it.into_owned())
}

fn or_zero(quantity: Option<&Quantity>) -> String {
    quantity.map_or_else(|| "0".to_owned(), amount)
}

/// A JSON object whose fields stay in the order they were put.
#[derive(Default)]
struct Object(Map<String, Value>);

impl Object {
    fn put(&mut self, key: &str, text: &str) {
        self.0.insert(key.to_owned(), Value::from(text));
    }

    fn put_some(&mut self, key: &str, value: Option<impl serde::Serialize>) {
        if let Some(value) = value {
            self.0.insert(key.to_owned(), json!(value));
        }
    }

    fn done(self) -> Value {
        Value::Object(self.0)
    }
}
