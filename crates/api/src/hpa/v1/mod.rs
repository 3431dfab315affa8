//! autoscaling/v1: the same object with one metric; everything else travels in annotations.

mod read;
#[cfg(test)]
mod tests;
mod write;

use k8s_openapi::api::autoscaling::v1;
pub use k8s_openapi::api::autoscaling::v1::HorizontalPodAutoscaler as HpaV1;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{
    CrossVersionObjectReference, DEFAULT_CPU_PERCENT, HorizontalPodAutoscalerSpec,
    HorizontalPodAutoscalerStatus, Hpa, MetricSpec, MetricStatus, MetricValueStatus, cpu_utilization,
};
use k8s_openapi::api::autoscaling::v2::ResourceMetricStatus;

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
/// Everything that carries fields from one version to the other; never kept from the input.
const CARRIERS: [&str; 6] = [
    METRICS,
    CURRENT_METRICS,
    CONDITIONS,
    BEHAVIOR,
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
];

/// The object as autoscaling/v1 has it.
pub fn to_v1(hpa: &Hpa) -> HpaV1 {
    let (spec, status) = (&hpa.spec, hpa.status.clone().unwrap_or_default());
    let metrics = spec.metrics.as_deref().unwrap_or_default();
    let mut metadata = without_carriers(&hpa.metadata);
    let others: Vec<&MetricSpec> = metrics.iter().filter(|it| cpu_percent(it).is_none()).collect();
    let mut carry = |key: &str, text: Option<String>| {
        if let Some(text) = text {
            metadata.annotations.get_or_insert_default().insert(key.to_owned(), text);
        }
    };
    carry(METRICS, (!others.is_empty()).then(|| write::metrics(&others)));
    let current = status.current_metrics.as_deref().unwrap_or_default();
    carry(CURRENT_METRICS, (!current.is_empty()).then(|| write::current_metrics(current)));
    carry(BEHAVIOR, spec.behavior.as_ref().map(write::behavior));
    let conditions = status.conditions.as_deref().unwrap_or_default();
    carry(CONDITIONS, (!conditions.is_empty()).then(|| write::conditions(conditions)));
    HpaV1 {
        metadata,
        spec: v1::HorizontalPodAutoscalerSpec {
            scale_target_ref: v1::CrossVersionObjectReference {
                api_version: spec.scale_target_ref.api_version.clone(),
                kind: spec.scale_target_ref.kind.clone(),
                name: spec.scale_target_ref.name.clone(),
            },
            min_replicas: spec.min_replicas,
            max_replicas: spec.max_replicas,
            target_cpu_utilization_percentage: metrics.iter().find_map(cpu_percent),
        },
        status: Some(v1::HorizontalPodAutoscalerStatus {
            // The last one counts.
            current_cpu_utilization_percentage: current.iter().filter_map(current_cpu_percent).next_back(),
            current_replicas: status.current_replicas.unwrap_or_default(),
            desired_replicas: status.desired_replicas,
            last_scale_time: status.last_scale_time,
            observed_generation: status.observed_generation,
        }),
    }
}

/// The object as autoscaling/v2 has it. An annotation that cannot be understood is as good as none.
pub fn from_v1(hpa: &HpaV1) -> Hpa {
    let (spec, status) = (&hpa.spec, hpa.status.clone().unwrap_or_default());
    let carried =
        |key: &str| hpa.metadata.annotations.as_ref().and_then(|it| it.get(key)).map(String::as_str);
    let mut metrics = carried(METRICS).and_then(read::metrics).unwrap_or_default();
    metrics.extend(spec.target_cpu_utilization_percentage.map(cpu_utilization));
    if metrics.is_empty() {
        metrics.push(cpu_utilization(DEFAULT_CPU_PERCENT));
    }
    let current = status.current_cpu_utilization_percentage.map(|percent| vec![cpu_status(percent)]);
    Hpa {
        metadata: without_carriers(&hpa.metadata),
        spec: HorizontalPodAutoscalerSpec {
            scale_target_ref: CrossVersionObjectReference {
                api_version: spec.scale_target_ref.api_version.clone(),
                kind: spec.scale_target_ref.kind.clone(),
                name: spec.scale_target_ref.name.clone(),
            },
            min_replicas: spec.min_replicas,
            max_replicas: spec.max_replicas,
            metrics: Some(metrics),
            behavior: carried(BEHAVIOR).and_then(read::behavior),
        },
        status: Some(HorizontalPodAutoscalerStatus {
            current_metrics: carried(CURRENT_METRICS).and_then(read::current_metrics).or(current),
            conditions: carried(CONDITIONS).and_then(read::conditions),
            current_replicas: Some(status.current_replicas).filter(|it| *it != 0),
            desired_replicas: status.desired_replicas,
            last_scale_time: status.last_scale_time,
            observed_generation: status.observed_generation,
        }),
    }
}

fn without_carriers(metadata: &ObjectMeta) -> ObjectMeta {
    let mut metadata = metadata.clone();
    if let Some(annotations) = &mut metadata.annotations {
        annotations.retain(|key, _| !CARRIERS.contains(&key.as_str()));
        if annotations.is_empty() {
            metadata.annotations = None;
        }
    }
    metadata
}

/// The target of the one metric that autoscaling/v1 has a field for.
fn cpu_percent(metric: &MetricSpec) -> Option<i32> {
    let resource = metric.resource.as_ref()?;
    (metric.type_ == "Resource" && resource.name == "cpu").then_some(resource.target.average_utilization)?
}

fn current_cpu_percent(metric: &MetricStatus) -> Option<i32> {
    let resource = metric.resource.as_ref()?;
    (metric.type_ == "Resource" && resource.name == "cpu").then_some(resource.current.average_utilization)?
}

fn cpu_status(percent: i32) -> MetricStatus {
    let current = MetricValueStatus { average_utilization: Some(percent), ..MetricValueStatus::default() };
    MetricStatus {
        type_: "Resource".to_owned(),
        resource: Some(ResourceMetricStatus { name: "cpu".to_owned(), current }),
        ..MetricStatus::default()
    }
}
