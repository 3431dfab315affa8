//! Zero replicas: at least one metric must be able to wake the target again.

use super::super::metrics::{Adjustment, Algorithm, Goal, MetricSpec, MissingType};
use super::super::scalars::Choice;
use super::super::spec::{AutoscalerSpec, Combine};
use crate::field::{FieldError, FieldPath};

/// What a metric says while there are no pods.
#[derive(Clone, Copy, PartialEq)]
enum AtZero {
    /// It can propose at least one replica.
    Wakes,
    /// It can be read, but what it proposes is in proportion to nothing.
    Proportional,
    /// It cannot be read without pods.
    Unreadable,
}

pub(super) fn check(spec: &AutoscalerSpec, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let mut sleepy = Vec::new();
    if spec.min_replicas == Some(0) {
        sleepy.push(path.child("minReplicas"));
    }
    for (index, schedule) in spec.schedules.iter().flatten().enumerate() {
        if schedule.min_replicas == Some(0) {
            sleepy.push(path.child("schedules").index(index).child("minReplicas"));
        }
    }
    if let Some(why) = never_wakes(spec) {
        errors.extend(sleepy.iter().map(|path| path.invalid(0, why)));
    }
}

fn never_wakes(spec: &AutoscalerSpec) -> Option<&'static str> {
    let smallest_wins = spec.combine == Some(Choice::Known(Combine::Min));
    let mut metrics = spec.metrics.iter().flatten();
    if !metrics.clone().any(|metric| at_zero(metric) == AtZero::Wakes) {
        return Some(
            "0 replicas could never wake: add an Object, External or Prometheus metric with a target, Average \
             watermarks, or steps in replicas or exact; or write at least 1",
        );
    }
    if smallest_wins && metrics.any(blocks_waking) {
        return Some(
            "0 replicas could never wake, because with combine: Min every metric must agree and one cannot without \
             pods: give it onMissing (Ignore, Assume or Fallback), or write at least 1",
        );
    }
    None
}

fn blocks_waking(metric: &MetricSpec) -> bool {
    match at_zero(metric) {
        AtZero::Wakes => false,
        AtZero::Proportional => true,
        AtZero::Unreadable => {
            let stand_in = metric.on_missing.as_ref().and_then(|it| it.type_.known());
            !matches!(stand_in, Some(MissingType::Ignore | MissingType::Assume | MissingType::Fallback))
        }
    }
}

fn at_zero(metric: &MetricSpec) -> AtZero {
    let whole = metric.object.as_ref().map(|it| it.goal());
    let whole = whole.or_else(|| metric.external.as_ref().map(|it| it.goal()));
    let whole = whole.or_else(|| metric.prometheus.as_ref().map(|it| it.goal()));
    match whole {
        None => AtZero::Unreadable,
        Some(goal) if wakes(&goal) => AtZero::Wakes,
        Some(_) => AtZero::Proportional,
    }
}

fn wakes(goal: &Goal<'_>) -> bool {
    let average = Some(Choice::Known(Algorithm::Average));
    let by_steps = |it: &Adjustment| it.replicas.or(it.exact).is_some_and(|it| it > 0);
    goal.target.is_some()
        || goal.watermarks.is_some_and(|it| it.algorithm == average)
        || goal.steps.is_some_and(|steps| steps.iter().any(|step| by_steps(&step.adjustment)))
}
