//! The annotations of autoscaling/v1 read back: one that cannot be understood gives `None`.

use std::collections::BTreeMap;

use k8s_openapi::api::autoscaling::v2::{
    ContainerResourceMetricStatus, ExternalMetricStatus, ObjectMetricStatus, PodsMetricStatus,
    ResourceMetricStatus,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::super::{
    ContainerResourceMetricSource, CrossVersionObjectReference, ExternalMetricSource, HPAScalingPolicy,
    HPAScalingRules, HorizontalPodAutoscalerBehavior, HorizontalPodAutoscalerCondition, MetricIdentifier,
    MetricSpec, MetricStatus, MetricTarget, MetricValueStatus, ObjectMetricSource, PodsMetricSource,
    ResourceMetricSource,
};
use crate::quantity;

pub(super) fn metrics(text: &str) -> Option<Vec<MetricSpec>> {
    list(text, |it| {
        Some(MetricSpec {
            type_: it.text("type")?,
            object: it.object("object", |it| {
                Some(ObjectMetricSource {
                    described_object: it.reference()?,
                    metric: it.identifier("selector")?,
                    target: object_target(it)?,
                })
            })?,
            pods: it.object("pods", |it| {
                let average_value = Some(it.quantity("targetAverageValue")?.unwrap_or_else(zero));
                let target = target("AverageValue", None, average_value, None);
                Some(PodsMetricSource { metric: it.identifier("selector")?, target })
            })?,
            resource: it.object("resource", |it| {
                Some(ResourceMetricSource { name: it.text("name")?, target: resource_target(it)? })
            })?,
            container_resource: it.object("containerResource", |it| {
                Some(ContainerResourceMetricSource {
                    name: it.text("name")?,
                    container: it.text("container")?,
                    target: resource_target(it)?,
                })
            })?,
            external: it.object("external", |it| {
                let value = it.quantity("targetValue")?;
                let kind = if value.is_none() { "AverageValue" } else { "Value" };
                let target = target(kind, None, it.quantity("targetAverageValue")?, value);
                Some(ExternalMetricSource { metric: it.identifier("metricSelector")?, target })
            })?,
        })
    })
}

pub(super) fn current_metrics(text: &str) -> Option<Vec<MetricStatus>> {
    list(text, |it| {
        Some(MetricStatus {
            type_: it.text("type")?,
            object: it.object("object", |it| {
                Some(ObjectMetricStatus {
                    described_object: it.reference()?,
                    metric: it.identifier("selector")?,
                    current: MetricValueStatus {
                        value: Some(it.quantity("currentValue")?.unwrap_or_else(zero)),
                        average_value: it.quantity("averageValue")?,
                        average_utilization: None,
                    },
                })
            })?,
            pods: it.object("pods", |it| {
                Some(PodsMetricStatus { metric: it.identifier("selector")?, current: current_average(it)? })
            })?,
            resource: it.object("resource", |it| {
                Some(ResourceMetricStatus { name: it.text("name")?, current: current_average(it)? })
            })?,
            container_resource: it.object("containerResource", |it| {
                Some(ContainerResourceMetricStatus {
                    name: it.text("name")?,
                    container: it.text("container")?,
                    current: current_average(it)?,
                })
            })?,
            external: it.object("external", |it| {
                Some(ExternalMetricStatus {
                    metric: it.identifier("metricSelector")?,
                    current: MetricValueStatus {
                        value: Some(it.quantity("currentValue")?.unwrap_or_else(zero)),
                        average_value: it.quantity("currentAverageValue")?,
                        average_utilization: None,
                    },
                })
            })?,
        })
    })
}

pub(super) fn behavior(text: &str) -> Option<HorizontalPodAutoscalerBehavior> {
    let value: Value = serde_json::from_str(text).ok()?;
    let it = Reader(value.as_object()?);
    let behavior = HorizontalPodAutoscalerBehavior {
        scale_up: it.object("ScaleUp", rules)?,
        scale_down: it.object("ScaleDown", rules)?,
    };
    (behavior != HorizontalPodAutoscalerBehavior::default()).then_some(behavior)
}

pub(super) fn conditions(text: &str) -> Option<Vec<HorizontalPodAutoscalerCondition>> {
    list(text, |it| {
        Some(HorizontalPodAutoscalerCondition {
            type_: it.text("type")?,
            status: it.text("status")?,
            last_transition_time: it.get("lastTransitionTime")?,
            reason: it.get::<String>("reason")?.filter(|it| !it.is_empty()),
            message: it.get::<String>("message")?.filter(|it| !it.is_empty()),
            observed_generation: it.get("observedGeneration")?,
        })
    })
}

fn rules(it: Reader<'_>) -> Option<HPAScalingRules> {
    let policies: Option<Vec<Value>> = it.get("Policies")?;
    let policies = policies.map(|policies| {
        let policy = |value: &Value| {
            let it = Reader(value.as_object()?);
            Some(HPAScalingPolicy {
                type_: it.text("Type")?,
                value: it.get("Value")?.unwrap_or_default(),
                period_seconds: it.get("PeriodSeconds")?.unwrap_or_default(),
            })
        };
        policies.iter().map(policy).collect::<Option<Vec<_>>>()
    });
    Some(HPAScalingRules {
        stabilization_window_seconds: it.get("StabilizationWindowSeconds")?,
        select_policy: it.get("SelectPolicy")?,
        policies: match policies {
            None => None,
            Some(policies) => Some(policies?),
        },
        tolerance: it.quantity("Tolerance")?,
    })
}

fn object_target(it: Reader<'_>) -> Option<MetricTarget> {
    let value = it.quantity("targetValue")?.unwrap_or_else(zero);
    let average_value = it.quantity("averageValue")?;
    if average_value.is_none() {
        return Some(target("Value", None, None, Some(value)));
    }
    // v1 cannot leave the value out, so beside an average a zero means there is none.
    let given = !quantity::parse(&value.0).is_ok_and(|it| it.is_zero());
    Some(target("AverageValue", None, average_value, given.then_some(value)))
}

fn resource_target(it: Reader<'_>) -> Option<MetricTarget> {
    let utilization = it.get("targetAverageUtilization")?;
    let kind = if utilization.is_none() { "AverageValue" } else { "Utilization" };
    Some(target(kind, utilization, it.quantity("targetAverageValue")?, None))
}

fn current_average(it: Reader<'_>) -> Option<MetricValueStatus> {
    Some(MetricValueStatus {
        average_value: Some(it.quantity("currentAverageValue")?.unwrap_or_else(zero)),
        average_utilization: it.get("currentAverageUtilization")?,
        value: None,
    })
}

fn target(
    kind: &str,
    average_utilization: Option<i32>,
    average_value: Option<Quantity>,
    value: Option<Quantity>,
) -> MetricTarget {
    MetricTarget { type_: kind.to_owned(), average_utilization, average_value, value }
}

fn zero() -> Quantity {
    Quantity("0".to_owned())
}

fn list<T>(text: &str, each: impl Fn(Reader<'_>) -> Option<T>) -> Option<Vec<T>> {
    let values: Vec<Map<String, Value>> = serde_json::from_str(text).ok()?;
    values.iter().map(|it| each(Reader(it))).collect()
}

/// The fields of a JSON object, whatever the case of their names. `None`: of the wrong type.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a Map<String, Value>);

impl Reader<'_> {
    fn value(&self, key: &str) -> Option<&Value> {
        let exact = self.0.get(key);
        let value =
            exact.or_else(|| self.0.iter().find(|(it, _)| it.eq_ignore_ascii_case(key)).map(|(_, it)| it));
        value.filter(|it| !it.is_null())
    }

    fn get<T: DeserializeOwned>(&self, key: &str) -> Option<Option<T>> {
        match self.value(key) {
            None => Some(None),
            Some(value) => T::deserialize(value).ok().map(Some),
        }
    }

    fn text(&self, key: &str) -> Option<String> {
        self.get(key).map(Option::unwrap_or_default)
    }

    fn quantity(&self, key: &str) -> Option<Option<Quantity>> {
        let Some(quantity) = self.get::<Quantity>(key)? else { return Some(None) };
        quantity::keep_or_rewrite(&quantity.0).ok().map(|it| Some(Quantity(it.into_owned())))
    }

    fn object<T>(&self, key: &str, then: impl Fn(Reader<'_>) -> Option<T>) -> Option<Option<T>> {
        match self.value(key) {
            None => Some(None),
            Some(value) => then(Reader(value.as_object()?)).map(Some),
        }
    }

    fn reference(&self) -> Option<CrossVersionObjectReference> {
        let reference = self.object("target", |it| {
            Some(CrossVersionObjectReference {
                kind: it.text("kind")?,
                name: it.text("name")?,
                api_version: it.get::<String>("apiVersion")?.filter(|it| !it.is_empty()),
            })
        });
        reference.map(Option::unwrap_or_default)
    }

    fn identifier(&self, selector: &str) -> Option<MetricIdentifier> {
        let selector = self.object(selector, |it| {
            let labels: Option<BTreeMap<String, String>> = it.get("matchLabels")?;
            let expressions: Option<Vec<LabelSelectorRequirement>> = it.get("matchExpressions")?;
            Some(LabelSelector {
                match_labels: labels.filter(|it| !it.is_empty()),
                match_expressions: expressions.filter(|it| !it.is_empty()),
            })
        });
        Some(MetricIdentifier { name: self.text("metricName")?, selector: selector? })
    }
}
