//! HorizontalPodAutoscaler: autoscaling/v2 as users write it, its defaults and its rules, and autoscaling/v1.

mod defaults;
pub(crate) mod lower;
mod status;
pub(crate) mod tell;
pub mod v1;
mod validate;
pub(crate) mod words;

pub use crate::event::{Event, EventType};
pub use defaults::default;
pub use lower::{Flags, Lowered, lower};
pub use status::{CurrentMetric, CurrentMetrics, Status};
pub use tell::{Told, tell};
pub use validate::validate;
pub use words::{Goal, MetricWords, Words};

pub use k8s_openapi::api::autoscaling::v2::{
    ContainerResourceMetricSource, CrossVersionObjectReference, ExternalMetricSource, HPAScalingPolicy,
    HPAScalingRules, HorizontalPodAutoscaler as Hpa, HorizontalPodAutoscalerBehavior,
    HorizontalPodAutoscalerCondition, HorizontalPodAutoscalerSpec, HorizontalPodAutoscalerStatus,
    MetricIdentifier, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus, ObjectMetricSource,
    PodsMetricSource, ResourceMetricSource,
};

/// The utilization an autoscaler without metrics holds its CPU at, in percent.
pub(crate) const DEFAULT_CPU_PERCENT: i32 = 80;

/// What an autoscaler without metrics is given: CPU, held at a utilization.
pub(crate) fn cpu_utilization(percent: i32) -> MetricSpec {
    MetricSpec {
        type_: "Resource".to_owned(),
        resource: Some(ResourceMetricSource {
            name: "cpu".to_owned(),
            target: MetricTarget {
                type_: "Utilization".to_owned(),
                average_utilization: Some(percent),
                ..MetricTarget::default()
            },
        }),
        ..MetricSpec::default()
    }
}
