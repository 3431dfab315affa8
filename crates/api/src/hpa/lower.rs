//! From a HorizontalPodAutoscaler with its defaults filled in to the policy that the engine follows.

use std::sync::Arc;

use plimsoll_engine::{
    Amount, AtZero, Bounds, Limits, Metric, OnMissing, Overflow, Policy, Rate, RatePolicy, Roll, Rule,
    Select, Stabilize, Text, Tolerance, Warmup, seconds,
};

use super::words::{Goal, MetricWords, TOO_FEW, Words};
use super::{HPAScalingRules, HorizontalPodAutoscalerSpec, Hpa, MetricSpec, MetricTarget};
use crate::field::{FieldError, FieldPath};
use crate::quantity;
use crate::source::{MetricSelector, ObjectRef, Source};

/// What holds for every HorizontalPodAutoscaler: the controller's flags.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flags {
    /// `--horizontal-pod-autoscaler-tolerance`.
    pub tolerance: f64,
    /// `--horizontal-pod-autoscaler-downscale-stabilization`, in seconds.
    pub downscale_stabilization_secs: i64,
    /// `--horizontal-pod-autoscaler-cpu-initialization-period`, in seconds.
    pub cpu_initialization_secs: i64,
    /// `--horizontal-pod-autoscaler-initial-readiness-delay`, in seconds.
    pub initial_readiness_delay_secs: i64,
    /// `--horizontal-pod-autoscaler-sync-period`, in seconds.
    pub sync_period_secs: i64,
}

impl Default for Flags {
    /// The defaults of Kubernetes.
    fn default() -> Self {
        Flags {
            tolerance: 0.1,
            downscale_stabilization_secs: 300,
            cpu_initialization_secs: 300,
            initial_readiness_delay_secs: 30,
            sync_period_secs: 15,
        }
    }
}

/// A policy, and the words to tell it with.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowered {
    /// What the engine follows.
    pub policy: Policy,
    /// How its results are told.
    pub words: Words,
}

/// Lowers a HorizontalPodAutoscaler. It must have its defaults filled in ([`super::default`]); whether it is valid is
/// for [`super::validate`] to say. Refuses only what no policy can be made of.
pub fn lower(hpa: &Hpa, flags: &Flags) -> Result<Lowered, FieldError> {
    let spec = &hpa.spec;
    let namespace: Text = hpa.metadata.namespace.as_deref().unwrap_or("default").into();
    let tolerance = tolerance(spec, flags)?;
    let path = FieldPath::root("spec").child("metrics");
    let mut metrics = Vec::new();
    let mut words = Vec::new();
    for (index, metric) in spec.metrics.iter().flatten().enumerate() {
        let (metric, told) = lower_metric(metric, tolerance, flags, &path.index(index))?;
        metrics.push(metric);
        words.push(Arc::new(told));
    }
    let (stabilize, limits) = velocity(spec, flags);
    let policy = Policy {
        bounds: Bounds { min: spec.min_replicas.unwrap_or(1), max: spec.max_replicas },
        wakes_from_zero: words.iter().any(|words| {
            matches!(
                words.source,
                Source::Object { .. } | Source::External { .. } | Source::Prometheus { .. }
            )
        }),
        metrics,
        stabilize: Some(stabilize),
        limits,
        cadence_us: seconds(flags.sync_period_secs),
        ..Policy::plain()
    };
    let target = &spec.scale_target_ref;
    let reference = format!("{}/{namespace}/{}", target.kind, target.name).into();
    Ok(Lowered { policy, words: Words { reference, namespace, metrics: words, too_few: TOO_FEW } })
}

fn tolerance(spec: &HorizontalPodAutoscalerSpec, flags: &Flags) -> Result<Tolerance, FieldError> {
    let behavior = spec.behavior.as_ref();
    let path = FieldPath::root("spec").child("behavior");
    let of = |rules: Option<&HPAScalingRules>, name: &str| -> Result<f64, FieldError> {
        match rules.and_then(|rules| rules.tolerance.as_ref()) {
            None => Ok(flags.tolerance),
            Some(written) => Ok(parsed(&path.child(name).child("tolerance"), &written.0)?.approximate()),
        }
    };
    Ok(Tolerance {
        up: of(behavior.and_then(|behavior| behavior.scale_up.as_ref()), "scaleUp")?,
        down: of(behavior.and_then(|behavior| behavior.scale_down.as_ref()), "scaleDown")?,
    })
}

fn parsed(path: &FieldPath, text: &str) -> Result<quantity::Quantity, FieldError> {
    quantity::parse(text).map_err(|error| path.invalid(text, &error.to_string()))
}

/// Windows and limits: without `behavior` the plain ones, with it whatever it says.
fn velocity(spec: &HorizontalPodAutoscalerSpec, flags: &Flags) -> (Stabilize, Limits) {
    let Some(behavior) = &spec.behavior else {
        let window_us = seconds(flags.downscale_stabilization_secs);
        return (Stabilize::Highest { window_us }, Limits::Doubling);
    };
    let nothing = HPAScalingRules::default();
    let up = behavior.scale_up.as_ref().unwrap_or(&nothing);
    let down = behavior.scale_down.as_ref().unwrap_or(&nothing);
    let window = |rules: &HPAScalingRules, otherwise: i64| {
        seconds(rules.stabilization_window_seconds.map_or(otherwise, i64::from))
    };
    let stabilize =
        Stabilize::Band { up_us: window(up, 0), down_us: window(down, flags.downscale_stabilization_secs) };
    (stabilize, Limits::Rates { up: rate(up), down: rate(down) })
}

fn rate(rules: &HPAScalingRules) -> Rate {
    let policies = rules.policies.iter().flatten().map(|policy| RatePolicy {
        amount: match policy.type_.as_str() {
            "Pods" => Amount::Pods(policy.value),
            _ => Amount::Percent(policy.value),
        },
        period_us: seconds(i64::from(policy.period_seconds)),
    });
    Rate {
        select: match rules.select_policy.as_deref() {
            Some("Disabled") => Select::Disabled,
            Some("Min") => Select::Min,
            _ => Select::Max,
        },
        policies: policies.collect(),
        step_percent: None,
        at_zero: AtZero::Strict,
    }
}

/// A rule, what kind of goal it is, and what is wrong with the target if it makes no sense.
pub(crate) type Held = (Rule, Goal, Option<Text>);

fn lower_metric(
    metric: &MetricSpec,
    tolerance: Tolerance,
    flags: &Flags,
    path: &FieldPath,
) -> Result<(Metric, MetricWords), FieldError> {
    let warmup = Warmup {
        cpu_init_us: seconds(flags.cpu_initialization_secs),
        delay_us: seconds(flags.initial_readiness_delay_secs),
    };
    let (source, (rule, goal, bad_target), roll, described) = source_and_rule(metric, warmup, path)?;
    let words = MetricWords { source, goal, described: described.into(), bad_target };
    let metric = Metric { roll, rule, tolerance, multiple: 1, on_missing: OnMissing::Fail, max_age_us: None };
    Ok((metric, words))
}

/// Where a metric comes from, what holds it, which pods count, and what it is called.
pub(crate) fn source_and_rule(
    metric: &MetricSpec,
    warmup: Warmup,
    path: &FieldPath,
) -> Result<(Source, Held, Roll, String), FieldError> {
    let missing =
        |field: &str| path.child(field).required("must populate information for the given metric source");
    match metric.type_.as_str() {
        "Resource" => {
            let it = metric.resource.as_ref().ok_or_else(|| missing("resource"))?;
            let source = Source::Resource { name: it.name.as_str().into(), container: None, selector: None };
            let held = resource_goal(&it.target, path)?;
            let described = match held.1 {
                Goal::Utilization => format!("{} resource utilization (percentage of request)", it.name),
                _ => format!("{} resource", it.name),
            };
            Ok((source, held, grouped(&it.name, warmup), described))
        }
        "ContainerResource" => {
            let it = metric.container_resource.as_ref().ok_or_else(|| missing("containerResource"))?;
            let (name, container) = (it.name.as_str().into(), Some(it.container.as_str().into()));
            let held = resource_goal(&it.target, path)?;
            let described = match held.1 {
                Goal::Utilization => {
                    format!("{} container resource utilization (percentage of request)", it.name)
                }
                _ => format!("{} resource", it.name),
            };
            let source = Source::Resource { name, container, selector: None };
            Ok((source, held, grouped(&it.name, warmup), described))
        }
        "Pods" => {
            let it = metric.pods.as_ref().ok_or_else(|| missing("pods"))?;
            let selector = MetricSelector::new(it.metric.selector.as_ref());
            let source = Source::Pods { name: it.metric.name.as_str().into(), selector };
            let held = pods_goal(&it.target, path)?;
            Ok((source, held, Roll::Grouped { warmup: None }, format!("pods metric {}", it.metric.name)))
        }
        "Object" => {
            let it = metric.object.as_ref().ok_or_else(|| missing("object"))?;
            let held = object_goal(&it.target, path)?;
            let selector = MetricSelector::new(it.metric.selector.as_ref());
            let described = match held.1 {
                Goal::AverageValue => format!("external metric {}({})", it.metric.name, selector.printed),
                _ => format!("{} metric {}", it.described_object.kind, it.metric.name),
            };
            let object = ObjectRef {
                api_version: it.described_object.api_version.as_deref().unwrap_or_default().into(),
                kind: it.described_object.kind.as_str().into(),
                name: it.described_object.name.as_str().into(),
            };
            let source = Source::Object { name: it.metric.name.as_str().into(), selector, object };
            Ok((source, held, Roll::Running, described))
        }
        "External" => {
            let it = metric.external.as_ref().ok_or_else(|| missing("external"))?;
            let selector = MetricSelector::new(it.metric.selector.as_ref());
            let described = format!("external metric {}({})", it.metric.name, selector.printed);
            let source = Source::External { name: it.metric.name.as_str().into(), selector };
            Ok((source, external_goal(&it.target, path)?, Roll::Running, described))
        }
        other => Err(path
            .child("type")
            .not_supported(other, &["ContainerResource", "External", "Object", "Pods", "Resource"])),
    }
}

/// Only CPU needs a warm-up: a starting pod burns more of it than it will later.
fn grouped(resource: &str, warmup: Warmup) -> Roll {
    Roll::Grouped { warmup: (resource == "cpu").then_some(warmup) }
}

fn milli(path: &FieldPath, name: &str, text: &str) -> Result<i64, FieldError> {
    Ok(parsed(&path.child(name), text)?.milli_value())
}

fn resource_goal(target: &MetricTarget, path: &FieldPath) -> Result<Held, FieldError> {
    if let Some(average) = &target.average_value {
        let milli = milli(path, "averageValue", &average.0)?;
        return Ok((Rule::Average { milli }, Goal::AverageValue, None));
    }
    Ok(match target.average_utilization {
        Some(percent) => (Rule::Utilization { percent }, Goal::Utilization, None),
        None => {
            let bad = "invalid resource metric source: neither an average utilization target nor an average value \
                       (usage) target was set";
            (Rule::Utilization { percent: 0 }, Goal::Utilization, Some(bad.into()))
        }
    })
}

fn pods_goal(target: &MetricTarget, path: &FieldPath) -> Result<Held, FieldError> {
    match &target.average_value {
        Some(average) => {
            let milli = milli(path, "averageValue", &average.0)?;
            Ok((Rule::Average { milli }, Goal::AverageValue, None))
        }
        None => Err(path
            .child("pods")
            .child("target")
            .child("averageValue")
            .required("must specify a positive target averageValue")),
    }
}

fn object_goal(target: &MetricTarget, path: &FieldPath) -> Result<Held, FieldError> {
    match (target.type_.as_str(), &target.value, &target.average_value) {
        ("Value", Some(value), _) => {
            Ok((Rule::Value { milli: milli(path, "value", &value.0)? }, Goal::Value, None))
        }
        ("AverageValue", _, Some(average)) => {
            let milli = milli(path, "averageValue", &average.0)?;
            Ok((Rule::PerReplica { milli, overflow: Overflow::Wraps }, Goal::AverageValue, None))
        }
        _ => Ok(no_goal("object")),
    }
}

fn external_goal(target: &MetricTarget, path: &FieldPath) -> Result<Held, FieldError> {
    match (&target.average_value, &target.value) {
        (Some(average), _) => {
            let milli = milli(path, "averageValue", &average.0)?;
            Ok((Rule::PerReplica { milli, overflow: Overflow::Capped }, Goal::AverageValue, None))
        }
        (None, Some(value)) => {
            Ok((Rule::Value { milli: milli(path, "value", &value.0)? }, Goal::Value, None))
        }
        (None, None) => Ok(no_goal("external")),
    }
}

fn no_goal(source: &str) -> Held {
    let bad =
        format!("invalid {source} metric source: neither a value target nor an average value target was set");
    (Rule::Value { milli: 0 }, Goal::Value, Some(bad.into()))
}
