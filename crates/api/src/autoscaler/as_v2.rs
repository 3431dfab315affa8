//! An Autoscaler's metric as autoscaling/v2 writes it, so that both kinds read and tell it in the same way.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::metrics::{Goal, MetricIdentifier, MetricSpec, MetricTarget, MetricType, ObjectReference};
use super::scalars::Amount;
use crate::hpa;

/// The same metric in autoscaling/v2. What v2 cannot say (watermarks, steps, Prometheus, stand-ins) is left out.
#[must_use]
pub fn metric(metric: &MetricSpec) -> hpa::MetricSpec {
    let goal = metric.goal().unwrap_or_default();
    let mut v2 = hpa::MetricSpec { type_: metric.type_.text().to_owned(), ..hpa::MetricSpec::default() };
    match metric.type_.known() {
        Some(MetricType::Resource) => {
            v2.resource = metric
                .resource
                .as_ref()
                .map(|it| hpa::ResourceMetricSource { name: it.name.clone(), target: target(&goal) });
        }
        Some(MetricType::ContainerResource) => {
            v2.container_resource =
                metric.container_resource.as_ref().map(|it| hpa::ContainerResourceMetricSource {
                    name: it.name.clone(),
                    container: it.container.clone(),
                    target: target(&goal),
                });
        }
        Some(MetricType::Pods) => {
            v2.pods = metric
                .pods
                .as_ref()
                .map(|it| hpa::PodsMetricSource { metric: identifier(&it.metric), target: target(&goal) });
        }
        Some(MetricType::Object) => {
            v2.object = metric.object.as_ref().map(|it| hpa::ObjectMetricSource {
                described_object: reference(&it.described_object),
                metric: identifier(&it.metric),
                target: target(&goal),
            });
        }
        Some(MetricType::External) => {
            v2.external = metric.external.as_ref().map(|it| hpa::ExternalMetricSource {
                metric: identifier(&it.metric),
                target: target(&goal),
            });
        }
        Some(MetricType::Prometheus) | None => {}
    }
    v2
}

/// An object as autoscaling/v2 refers to it.
#[must_use]
pub fn reference(reference: &ObjectReference) -> hpa::CrossVersionObjectReference {
    hpa::CrossVersionObjectReference {
        api_version: reference.api_version.clone(),
        kind: reference.kind.clone(),
        name: reference.name.clone(),
    }
}

/// A target as autoscaling/v2 writes it.
pub(super) fn v2_target(target: &MetricTarget) -> hpa::MetricTarget {
    let quantity = |amount: &Option<Amount>| amount.as_ref().map(|it| Quantity(it.0.clone()));
    hpa::MetricTarget {
        type_: target.type_.text().to_owned(),
        average_utilization: target.average_utilization,
        average_value: quantity(&target.average_value),
        value: quantity(&target.value),
    }
}

/// Without a target there is a stand-in that reads well; watermarks and steps take its place.
fn target(goal: &Goal<'_>) -> hpa::MetricTarget {
    let none = || hpa::MetricTarget {
        type_: "AverageValue".to_owned(),
        average_value: Some(Quantity("1".to_owned())),
        ..hpa::MetricTarget::default()
    };
    goal.target.map_or_else(none, v2_target)
}

fn identifier(metric: &MetricIdentifier) -> hpa::MetricIdentifier {
    hpa::MetricIdentifier { name: metric.name.clone(), selector: metric.selector.clone() }
}
