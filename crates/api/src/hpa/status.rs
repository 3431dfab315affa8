//! The status of a HorizontalPodAutoscaler, kept so that a steady one is rewritten without allocating.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity as ApiQuantity;
use plimsoll_engine::{At, Recalled};

use super::words::{Goal, MetricWords};
use super::{
    HorizontalPodAutoscalerCondition, HorizontalPodAutoscalerStatus, MetricIdentifier, MetricStatus,
    MetricValueStatus,
};
use crate::condition::{Condition, Conditions, from_time, to_time};
use crate::quantity::{Format, Quantity};
use crate::source::Source;

/// What the status says.
#[derive(Debug, PartialEq, Default)]
pub struct Status {
    /// The generation of the spec that was looked at.
    pub observed_generation: Option<i64>,
    /// When anything was last scaled.
    pub last_scale: Option<At>,
    /// The replicas that were found.
    pub current_replicas: i32,
    /// The replicas that are wanted.
    pub desired_replicas: i32,
    /// What the metrics measured.
    pub metrics: CurrentMetrics,
    /// The conditions.
    pub conditions: Conditions,
}

/// What the metrics measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum CurrentMetrics {
    /// They were not looked at.
    #[default]
    None,
    /// One for each metric; `None` for those that failed.
    Measured(Vec<Option<CurrentMetric>>),
    /// As read back from the API server.
    Read(Vec<MetricStatus>),
}

/// What one metric measured.
#[derive(Debug, Clone, PartialEq)]
pub struct CurrentMetric {
    /// Which metric.
    pub words: Arc<MetricWords>,
    /// In percent of the request.
    pub percent: i32,
    /// In milli-units.
    pub milli: i64,
}

impl Clone for Status {
    fn clone(&self) -> Self {
        let mut status = Status::default();
        status.clone_from(self);
        status
    }

    /// Keeps the room that the old one had.
    fn clone_from(&mut self, source: &Self) {
        self.observed_generation = source.observed_generation;
        self.last_scale = source.last_scale;
        self.current_replicas = source.current_replicas;
        self.desired_replicas = source.desired_replicas;
        match (&mut self.metrics, &source.metrics) {
            (CurrentMetrics::Measured(mine), CurrentMetrics::Measured(theirs)) => mine.clone_from(theirs),
            (mine, theirs) => mine.clone_from(theirs),
        }
        self.conditions.clone_from(&source.conditions);
    }
}

impl Status {
    /// What the engine must recall of it.
    #[must_use]
    pub fn recalled(&self) -> Recalled {
        Recalled {
            last_scale: self.last_scale,
            slept: self.conditions.get("ScaledToZero").is_some_and(Condition::is_true),
            ..Recalled::default()
        }
    }

    /// As the API server takes it.
    #[must_use]
    pub fn to_object(&self) -> HorizontalPodAutoscalerStatus {
        HorizontalPodAutoscalerStatus {
            observed_generation: self.observed_generation,
            last_scale_time: self.last_scale.map(to_time),
            // The reference leaves a zero out.
            current_replicas: (self.current_replicas != 0).then_some(self.current_replicas),
            desired_replicas: self.desired_replicas,
            current_metrics: self.metrics.to_objects(),
            conditions: Some(self.conditions.0.iter().map(condition_object).collect()),
        }
    }

    /// As the API server has it.
    #[must_use]
    pub fn from_object(object: &HorizontalPodAutoscalerStatus) -> Self {
        Status {
            observed_generation: object.observed_generation,
            last_scale: object.last_scale_time.as_ref().map(from_time),
            current_replicas: object.current_replicas.unwrap_or_default(),
            desired_replicas: object.desired_replicas,
            metrics: object.current_metrics.clone().map_or(CurrentMetrics::None, CurrentMetrics::Read),
            conditions: Conditions(object.conditions.iter().flatten().map(condition_read).collect()),
        }
    }
}

fn condition_object(condition: &Condition) -> HorizontalPodAutoscalerCondition {
    HorizontalPodAutoscalerCondition {
        type_: condition.kind.to_string(),
        status: condition.status.to_string(),
        last_transition_time: Some(to_time(condition.since)),
        reason: Some(condition.reason.to_string()),
        message: Some(condition.message.clone()),
        ..HorizontalPodAutoscalerCondition::default()
    }
}

fn condition_read(condition: &HorizontalPodAutoscalerCondition) -> Condition {
    Condition {
        kind: condition.type_.clone().into(),
        status: condition.status.clone().into(),
        since: condition.last_transition_time.as_ref().map_or(At::YEAR_ONE, from_time),
        reason: condition.reason.clone().unwrap_or_default().into(),
        message: condition.message.clone().unwrap_or_default(),
    }
}

impl CurrentMetrics {
    fn to_objects(&self) -> Option<Vec<MetricStatus>> {
        match self {
            CurrentMetrics::None => None,
            CurrentMetrics::Read(read) => Some(read.clone()),
            CurrentMetrics::Measured(measured) => {
                let one = |metric: &Option<CurrentMetric>| {
                    metric.as_ref().map_or_else(MetricStatus::default, to_object)
                };
                Some(measured.iter().map(one).collect())
            }
        }
    }
}

fn to_object(metric: &CurrentMetric) -> MetricStatus {
    use k8s_openapi::api::autoscaling::v2 as api;
    let words = &metric.words;
    let current = current(metric);
    let identifier = |name: &str, selector: &crate::source::MetricSelector| MetricIdentifier {
        name: name.to_owned(),
        selector: selector.written.clone(),
    };
    let mut status = MetricStatus::default();
    match &words.source {
        Source::Resource { name, container: None, .. } => {
            status.type_ = "Resource".to_owned();
            status.resource = Some(api::ResourceMetricStatus { name: name.to_string(), current });
        }
        Source::Resource { name, container: Some(container), .. } => {
            status.type_ = "ContainerResource".to_owned();
            let (name, container) = (name.to_string(), container.to_string());
            status.container_resource = Some(api::ContainerResourceMetricStatus { name, container, current });
        }
        Source::Pods { name, selector } => {
            status.type_ = "Pods".to_owned();
            status.pods = Some(api::PodsMetricStatus { metric: identifier(name, selector), current });
        }
        Source::Object { name, selector, object } => {
            status.type_ = "Object".to_owned();
            let described_object = super::CrossVersionObjectReference {
                api_version: (!object.api_version.is_empty()).then(|| object.api_version.to_string()),
                kind: object.kind.to_string(),
                name: object.name.to_string(),
            };
            status.object = Some(api::ObjectMetricStatus {
                metric: identifier(name, selector),
                current,
                described_object,
            });
        }
        Source::External { name, selector } => {
            status.type_ = "External".to_owned();
            status.external = Some(api::ExternalMetricStatus { metric: identifier(name, selector), current });
        }
        Source::Prometheus { query, .. } => {
            status.type_ = "Prometheus".to_owned();
            let metric = MetricIdentifier { name: query.to_string(), selector: None };
            status.external = Some(api::ExternalMetricStatus { metric, current });
        }
    }
    status
}

fn current(metric: &CurrentMetric) -> MetricValueStatus {
    // Memory reads best in powers of two, as the metrics server writes it.
    let format = match &metric.words.source {
        Source::Resource { name, .. } if &**name == "memory" => Format::BinarySi,
        _ => Format::DecimalSi,
    };
    let quantity = Some(ApiQuantity(Quantity::from_milli(metric.milli, format).to_string()));
    match metric.words.goal {
        Goal::Utilization => MetricValueStatus {
            average_utilization: Some(metric.percent),
            average_value: quantity,
            value: None,
        },
        Goal::AverageValue => MetricValueStatus { average_value: quantity, ..MetricValueStatus::default() },
        Goal::Value => MetricValueStatus { value: quantity, ..MetricValueStatus::default() },
    }
}
