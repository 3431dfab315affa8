//! Numbers about single objects, which go when the object goes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

use crate::key::{Key, Kind};

/// A label: its name is ours, or one that the user chose.
pub(crate) type Label = (Cow<'static, str>, String);

/// One number about an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    /// The metric's name.
    pub name: &'static str,
    /// Labels besides the object's own.
    pub labels: Vec<Label>,
    /// The number.
    pub value: f64,
}

impl Point {
    /// A number without labels of its own.
    #[must_use]
    pub(crate) fn new(name: &'static str, value: f64) -> Self {
        Point { name, labels: Vec::new(), value }
    }

    /// With one more label.
    #[must_use]
    pub(crate) fn with(mut self, label: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.labels.push((label.into(), value.into()));
        self
    }
}

/// All numbers about single objects.
#[derive(Debug, Default)]
pub(crate) struct Gauges {
    objects: Mutex<BTreeMap<Key, Vec<Point>>>,
}

impl Gauges {
    pub(crate) fn set(&self, key: Key, points: Vec<Point>) {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner).insert(key, points);
    }

    pub(crate) fn remove(&self, key: &Key) {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    pub(crate) fn clear(&self) {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Collector for Gauges {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let objects = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        let mut by_name: BTreeMap<&str, Vec<(&Key, &Point)>> = BTreeMap::new();
        for (key, points) in objects.iter() {
            for point in points {
                by_name.entry(point.name).or_default().push((key, point));
            }
        }
        for (name, points) in by_name {
            let mut metric = encoder.encode_descriptor(name, help(name), None, MetricType::Gauge)?;
            for (key, point) in points {
                let labels = labels(name, key, point);
                ConstGauge::new(point.value).encode(metric.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}

/// The labels that say which object it is: each kind's own controller had its own.
fn labels(name: &str, key: &Key, point: &Point) -> Vec<Label> {
    let namespace = key.namespace.clone();
    let own = if name.starts_with("horizontal_pod_autoscaler_controller_") {
        vec![("namespace", namespace), ("hpa_name", key.name.clone())]
    } else if name == "wpa_controller_lifecycle_control_status" {
        vec![("wpa_name", key.name.clone()), ("wpa_namespace", namespace)]
    } else if key.kind == Kind::Wpa && name.starts_with("wpa_controller_") {
        vec![
            ("wpa_name", key.name.clone()),
            ("wpa_namespace", namespace.clone()),
            ("resource_namespace", namespace.clone()),
            ("namespace", namespace),
        ]
    } else {
        vec![("kind", key.kind.short().to_owned()), ("namespace", namespace), ("name", key.name.clone())]
    };
    let own = own.into_iter().map(|(label, value)| (Cow::Borrowed(label), value));
    own.chain(point.labels.iter().cloned()).collect()
}

fn help(name: &str) -> &'static str {
    match name {
        "horizontal_pod_autoscaler_controller_desired_replicas" => {
            "Current desired replica count for HPA objects"
        }
        "plimsoll_value" => "What a metric measured last, in its own unit (percent for utilization)",
        "plimsoll_goal" => "What a metric is held at, in its own unit",
        "plimsoll_proposal" => "How many replicas a metric asked for last",
        "plimsoll_stage_replicas" => "How many replicas each stage of the last decision came to",
        "plimsoll_current_replicas" => "The replicas the target had at the last decision",
        "plimsoll_desired_replicas" => "The replicas decided on last",
        "plimsoll_min_replicas" => "The fewest replicas now in force",
        "plimsoll_max_replicas" => "The most replicas now in force",
        "plimsoll_restricted" => "Whether the last decision was restricted, by reason",
        "plimsoll_next_change_seconds" => "Seconds until a change in this direction is possible; -1 is never",
        "plimsoll_sync_interval_seconds" => "How much time passed between the last two syncs",
        _ => "See the metrics reference",
    }
}
