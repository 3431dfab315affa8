//! What each metric measures, what holds it, and what stands in for it.

use plimsoll_engine::rule::marks::{Algorithm, Converge, Marks, Unit, Zero};
use plimsoll_engine::rule::steps::{Adjust, StepRule, Steps};
use plimsoll_engine::{Metric, OnMissing, Overflow, Roll, Rule, Tolerance, Warmup, seconds};

use super::super::metrics::{self as written, MetricSpec, MissingType, Step, Watermarks};
use super::super::scalars::{Amount, Level};
use super::super::spec::AutoscalerSpec;
use super::super::validate::{Mark, mark, zones};
use super::super::{as_v2, validate};
use super::chosen;
use crate::field::{FieldError, FieldPath};
use crate::hpa::lower::{Held, source_and_rule};
use crate::hpa::{self, Flags, Goal, MetricWords};
use crate::quantity;
use crate::source::Source;

/// Every metric with its words; without any, the CPU of the pods.
pub(super) fn lower(
    spec: &AutoscalerSpec,
    flags: &Flags,
) -> Result<(Vec<Metric>, Vec<MetricWords>), FieldError> {
    let path = FieldPath::root("spec");
    let cx = Cx { spec, tolerance: tolerance(spec, flags, &path)?, warmup: warmup(spec, flags) };
    let path = path.child("metrics");
    let given = spec.metrics.as_deref().unwrap_or_default();
    if given.is_empty() {
        let cpu = hpa::cpu_utilization(hpa::DEFAULT_CPU_PERCENT);
        let parts = source_and_rule(&cpu, cx.warmup, &path.index(0))?;
        let (metric, words) = cx.metric(parts, OnMissing::Fail, None);
        return Ok((vec![metric], vec![words]));
    }
    let mut metrics = Vec::with_capacity(given.len());
    let mut words = Vec::with_capacity(given.len());
    for (index, metric) in given.iter().enumerate() {
        let path = path.index(index);
        let parts = cx.parts(metric, &path)?;
        let on_missing = on_missing(metric, &path.child("onMissing"))?;
        let max_age_us = metric.max_age_seconds.map(|secs| seconds(secs.into()));
        let (metric, told) = cx.metric(parts, on_missing, max_age_us);
        metrics.push(metric);
        words.push(told);
    }
    Ok((metrics, words))
}

/// A direction's own tolerance, else the object's, else the flag's.
fn tolerance(spec: &AutoscalerSpec, flags: &Flags, path: &FieldPath) -> Result<Tolerance, FieldError> {
    let read = |text: &Amount, path: FieldPath| {
        let parsed = quantity::parse(&text.0);
        parsed.map(|it| it.approximate()).map_err(|error| path.invalid(text.0.as_str(), &error.to_string()))
    };
    let own = match &spec.tolerance {
        Some(text) => read(text, path.child("tolerance"))?,
        None => flags.tolerance,
    };
    let behavior = spec.behavior.as_ref();
    let direction = |rules: Option<&super::super::behavior::ScalingRules>, field: &str| match rules
        .and_then(|rules| rules.tolerance.as_ref())
    {
        Some(text) => read(text, path.child("behavior").child(field).child("tolerance")),
        None => Ok(own),
    };
    Ok(Tolerance {
        up: direction(behavior.and_then(|it| it.scale_up.as_ref()), "scaleUp")?,
        down: direction(behavior.and_then(|it| it.scale_down.as_ref()), "scaleDown")?,
    })
}

fn warmup(spec: &AutoscalerSpec, flags: &Flags) -> Warmup {
    let given = spec.warmup.as_ref();
    let cpu_init = given.and_then(|it| it.cpu_initialization_seconds).map(i64::from);
    let delay = given.and_then(|it| it.readiness_delay_seconds).map(i64::from);
    Warmup {
        cpu_init_us: seconds(cpu_init.unwrap_or(flags.cpu_initialization_secs)),
        delay_us: seconds(delay.unwrap_or(flags.initial_readiness_delay_secs)),
    }
}

/// Where a metric comes from, what holds it, which pods count, what it is called.
type Parts = (Source, Held, Roll, String);

struct Cx<'a> {
    spec: &'a AutoscalerSpec,
    tolerance: Tolerance,
    warmup: Warmup,
}

impl Cx<'_> {
    fn metric(
        &self,
        (source, (rule, goal, bad_target), roll, described): Parts,
        on_missing: OnMissing,
        max_age_us: Option<i64>,
    ) -> (Metric, MetricWords) {
        let metric = Metric {
            roll,
            rule,
            tolerance: self.tolerance,
            multiple: self.spec.replica_multiple.unwrap_or(1),
            on_missing,
            max_age_us,
        };
        (metric, MetricWords { source, goal, described: described.into(), bad_target })
    }

    fn parts(&self, metric: &MetricSpec, path: &FieldPath) -> Result<Parts, FieldError> {
        let mut parts = match &metric.prometheus {
            Some(prometheus) if metric.type_.known() == Some(written::MetricType::Prometheus) => {
                let source = Source::Prometheus {
                    query: prometheus.query.as_str().into(),
                    server: prometheus.server.as_deref().map(Into::into),
                };
                let held = query_goal(prometheus.target.as_ref(), &path.child("prometheus").child("target"))?;
                (source, held, Roll::Running, "prometheus query".to_owned())
            }
            _ => source_and_rule(&as_v2::metric(metric), self.warmup, path)?,
        };
        let goal = metric.goal().unwrap_or_default();
        if let Some(marks) = goal.watermarks {
            let held = self.marks(marks, parts.2, &path.child("watermarks"))?;
            parts = renamed(parts, held);
        } else if let Some(steps) = goal.steps {
            let held = steps_goal(steps, parts.2, &path.child("steps"))?;
            parts = renamed(parts, held);
        }
        Ok(parts)
    }

    fn marks(&self, marks: &Watermarks, roll: Roll, path: &FieldPath) -> Result<Held, FieldError> {
        let read = |field: &str, first: &Option<Level>, second: &Option<Level>| {
            let text = first.as_ref().or(second.as_ref());
            level(text, &path.child(field))
        };
        let low = read("low", &marks.low, &marks.high)?;
        let high = read("high", &marks.high, &marks.low)?;
        let algorithm = match (roll, chosen(marks.algorithm.as_ref())) {
            (Roll::Running, Some(written::Algorithm::Average)) => Algorithm::Average,
            _ => Algorithm::Absolute,
        };
        let rule = Rule::Marks(Marks {
            low: low.value,
            high: high.value,
            below: low.value as f64 * (1.0 - self.tolerance.down),
            above: high.value as f64 * (1.0 + self.tolerance.up),
            unit: low.unit,
            algorithm,
            converge: match chosen(marks.converge.as_ref()) {
                Some(written::Converge::High) => Converge::High,
                Some(written::Converge::Low) => Converge::Low,
                Some(written::Converge::None) | None => Converge::None,
            },
            zero: Zero::Trusted,
            least: 0,
        });
        Ok((rule, goal_of(low.unit, roll, algorithm), None))
    }
}

/// The same metric held by something else: what it is called follows.
fn renamed((source, _, roll, described): Parts, held: Held) -> Parts {
    let described = match (&source, held.1) {
        (Source::Resource { name, container: None, .. }, Goal::Utilization) => {
            format!("{name} resource utilization (percentage of request)")
        }
        (Source::Resource { name, container: Some(_), .. }, Goal::Utilization) => {
            format!("{name} container resource utilization (percentage of request)")
        }
        (Source::Resource { name, .. }, _) => format!("{name} resource"),
        (Source::Object { name, object, .. }, _) => format!("{} metric {name}", object.kind),
        _ => described,
    };
    (source, held, roll, described)
}

fn goal_of(unit: Unit, roll: Roll, algorithm: Algorithm) -> Goal {
    match (unit, roll, algorithm) {
        (Unit::Percent, ..) => Goal::Utilization,
        (Unit::Milli, Roll::Running, Algorithm::Absolute) => Goal::Value,
        (Unit::Milli, ..) => Goal::AverageValue,
    }
}

fn query_goal(target: Option<&written::MetricTarget>, path: &FieldPath) -> Result<Held, FieldError> {
    let milli = |text: &Amount, field: &str| {
        let parsed = quantity::parse(&text.0);
        let path = path.child(field);
        parsed.map(|it| it.milli_value()).map_err(|error| path.invalid(text.0.as_str(), &error.to_string()))
    };
    Ok(match target.map(|it| (&it.average_value, &it.value)) {
        Some((Some(average), _)) => {
            let milli = milli(average, "averageValue")?;
            (Rule::PerReplica { milli, overflow: Overflow::Capped }, Goal::AverageValue, None)
        }
        Some((None, Some(value))) => (Rule::Value { milli: milli(value, "value")? }, Goal::Value, None),
        _ => (Rule::Value { milli: 1000 }, Goal::Value, None),
    })
}

fn steps_goal(steps: &[Step], roll: Roll, path: &FieldPath) -> Result<Held, FieldError> {
    let mut unit = Unit::Milli;
    let mut table = Vec::with_capacity(steps.len());
    for (index, (step, side)) in steps.iter().zip(zones(steps)).enumerate() {
        let path = path.index(index);
        let mut bound = |text: &Option<Level>, field: &str| -> Result<Option<f64>, FieldError> {
            let Some(text) = text else { return Ok(None) };
            let mark = level(Some(text), &path.child(field))?;
            unit = mark.unit;
            Ok(Some(mark.value as f64))
        };
        let adjust = match (step.adjustment.replicas, step.adjustment.percent, step.adjustment.exact) {
            (Some(pods), ..) => Adjust::Pods(pods),
            (None, Some(percent), _) => Adjust::Percent(percent),
            (None, None, Some(replicas)) => Adjust::Exact(replicas),
            (None, None, None) => {
                let detail = "give exactly one of replicas, percent and exact";
                return Err(path.child("adjustment").required(detail));
            }
        };
        table.push(StepRule {
            lower: bound(&step.lower_bound, "lowerBound")?,
            upper: bound(&step.upper_bound, "upperBound")?,
            side,
            adjust,
        });
    }
    let rule = Rule::Steps(Steps { unit, algorithm: Algorithm::Absolute, table });
    Ok((rule, goal_of(unit, roll, Algorithm::Absolute), None))
}

fn level(text: Option<&Level>, path: &FieldPath) -> Result<Mark, FieldError> {
    let text = text.ok_or_else(|| path.required("give low, high or both"))?;
    mark(text).map_err(|detail| path.invalid(text.0.as_str(), &detail))
}

fn on_missing(metric: &MetricSpec, path: &FieldPath) -> Result<OnMissing, FieldError> {
    let Some(given) = &metric.on_missing else { return Ok(OnMissing::Fail) };
    let secs = |value: Option<i32>| seconds(value.unwrap_or(0).into());
    Ok(match given.type_.known() {
        Some(MissingType::Hold) => OnMissing::Hold,
        Some(MissingType::Ignore) => OnMissing::Ignore,
        Some(MissingType::UseLast) => OnMissing::UseLast { max_age_us: secs(given.max_age_seconds) },
        Some(MissingType::Assume) => {
            let path = path.child("value");
            let text = given.value.as_ref().ok_or_else(|| path.required("write the value to assume"))?;
            let mark = validate::mark(text).map_err(|detail| path.invalid(text.0.as_str(), &detail))?;
            OnMissing::Assume { value: mark.value }
        }
        Some(MissingType::Fallback) => {
            OnMissing::Fallback { replicas: given.replicas.unwrap_or(0), after_us: secs(given.after_seconds) }
        }
        None => OnMissing::Fail,
    })
}
