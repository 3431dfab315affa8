//! What is wrong with an Autoscaler: every rule that a spec can break, with its field path and what to write instead.
//!
//! This is the authority. The rules in the CustomResourceDefinition refuse a part of it at the door; what remains
//! (cron lines, time zones, the finer rules of step tables) ends up in the condition `SpecValid`.

mod behavior;
mod metrics;
mod schedules;
mod steps;
mod wake;

use std::ops::RangeInclusive;

use plimsoll_engine::rule::marks::Unit;

use super::metrics::ObjectReference;
use super::scalars::{Amount, Choice, Level, Word};
use super::spec::AutoscalerSpec;
use crate::field::{FieldError, FieldPath};
use crate::names;
use crate::quantity::{self, Quantity};

pub use steps::zones;

/// The longest window, period or cooldown: a day.
const DAY_SECS: i32 = 86_400;

/// Everything that is wrong with a spec, in the order of its fields; nothing when it is fine.
pub fn validate(spec: &AutoscalerSpec) -> Vec<FieldError> {
    let path = FieldPath::root("spec");
    let mut errors = Vec::new();
    reference(&spec.scale_target_ref, &path.child("scaleTargetRef"), &mut errors);
    bounds(spec, &path, &mut errors);
    let metrics = path.child("metrics");
    for (index, metric) in spec.metrics.iter().flatten().enumerate() {
        metrics::check(metric, &metrics.index(index), &mut errors);
    }
    wake::check(spec, &path, &mut errors);
    behavior::check(spec, &path, &mut errors);
    object_tolerance(spec.tolerance.as_ref(), &path.child("tolerance"), &mut errors);
    within(spec.replica_multiple, 1..=100_000, &path.child("replicaMultiple"), &mut errors);
    within(spec.min_available_percent, 0..=100, &path.child("minAvailablePercent"), &mut errors);
    word(spec.suspend.as_ref(), &path.child("suspend"), &mut errors);
    word(spec.mode.as_ref(), &path.child("mode"), &mut errors);
    within(spec.sync_period_seconds, 1..=3600, &path.child("syncPeriodSeconds"), &mut errors);
    if let Some(warmup) = &spec.warmup {
        let path = path.child("warmup");
        let cpu = path.child("cpuInitializationSeconds");
        within(warmup.cpu_initialization_seconds, 0..=DAY_SECS, &cpu, &mut errors);
        let delay = path.child("readinessDelaySeconds");
        within(warmup.readiness_delay_seconds, 0..=DAY_SECS, &delay, &mut errors);
    }
    if let Some(pods) = &spec.pods {
        let path = path.child("pods");
        word(pods.select_by.as_ref(), &path.child("selectBy"), &mut errors);
        word(pods.terminal.as_ref(), &path.child("terminal"), &mut errors);
        word(pods.surge.as_ref(), &path.child("surge"), &mut errors);
    }
    word(spec.combine.as_ref(), &path.child("combine"), &mut errors);
    schedules::check(spec, &path.child("schedules"), &mut errors);
    errors
}

fn bounds(spec: &AutoscalerSpec, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if let Some(min) = spec.min_replicas.filter(|min| *min < 0) {
        errors.push(path.child("minReplicas").invalid(min, "must be at least 0"));
    }
    let max = path.child("maxReplicas");
    if spec.max_replicas == 0 {
        errors.push(max.required("must be set and greater than 0"));
    } else if spec.max_replicas < 0 {
        errors.push(max.invalid(spec.max_replicas, "must be at least 1"));
    } else if let Some(min) = spec.min_replicas.filter(|min| *min > spec.max_replicas) {
        errors.push(max.invalid(spec.max_replicas, &format!("must be at least minReplicas, which is {min}")));
    }
}

fn reference(reference: &ObjectReference, path: &FieldPath, errors: &mut Vec<FieldError>) {
    name(&reference.kind, &path.child("kind"), "write the kind of the object, such as Deployment", errors);
    name(&reference.name, &path.child("name"), "write the name of the object", errors);
    if let Some(version) = reference.api_version.as_deref().filter(|it| it.matches('/').count() > 1) {
        let detail = "must be a group and a version, such as apps/v1";
        errors.push(path.child("apiVersion").invalid(version, detail));
    }
}

/// A name that becomes a segment of a URL's path.
fn name(text: &str, path: &FieldPath, missing: &str, errors: &mut Vec<FieldError>) {
    if text.is_empty() {
        errors.push(path.required(missing));
    }
    errors.extend(names::path_segment(text).iter().map(|complaint| path.invalid(text, complaint)));
}

fn within(value: Option<i32>, range: RangeInclusive<i32>, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if let Some(value) = value.filter(|value| !range.contains(value)) {
        let detail = match *range.end() {
            i32::MAX => format!("must be at least {}", range.start()),
            end => format!("must be between {} and {end}", range.start()),
        };
        errors.push(path.invalid(value, &detail));
    }
}

fn word<W: Word>(choice: Option<&Choice<W>>, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if let Some(Choice::Unknown(text)) = choice {
        let words: Vec<&str> = W::WORDS.iter().map(|(word, _)| *word).collect();
        errors.push(path.not_supported(text.as_str(), &words));
    }
}

/// A quantity, or the complaint that it is none.
fn amount(text: &Amount, path: &FieldPath, errors: &mut Vec<FieldError>) -> Option<Quantity> {
    let parsed = quantity::parse(&text.0).ok();
    if parsed.is_none() {
        errors.push(path.invalid(text.0.as_str(), "must be a quantity such as 500m, 1.5 or 2Gi"));
    }
    parsed
}

fn object_tolerance(tolerance: Option<&Amount>, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if let Some(text) = tolerance
        && let Some(share) = amount(text, path, errors)
        && !(0.0..1.0).contains(&share.approximate())
    {
        let detail = "must be at least 0 and less than 1: it is a share, write \"0.1\" for 10 percent";
        errors.push(path.invalid(text.0.as_str(), detail));
    }
}

/// A mark or bound: so many thousandths, or so many percent of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What it counts.
    pub unit: Unit,
    /// How much.
    pub value: i64,
}

/// Reads a mark or bound, or says what to write.
pub fn mark(text: &Level) -> Result<Mark, String> {
    let hint = "must be a quantity such as 150m, or a percentage of the request such as \"80%\"";
    if let Some(digits) = text.0.strip_suffix('%') {
        let value = digits.parse::<i32>().map_err(|_| hint.to_owned())?;
        return Ok(Mark { unit: Unit::Percent, value: i64::from(value) });
    }
    let parsed = quantity::parse(&text.0).map_err(|_| hint.to_owned())?;
    let largest = i64::MAX / 1000;
    if parsed.approximate().abs() >= largest as f64 {
        return Err(format!(
            "is too large: must be less than {largest}, because it is compared in thousandths"
        ));
    }
    Ok(Mark { unit: Unit::Milli, value: parsed.milli_value() })
}

/// Whether a metric has a request to take percent of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    Known,
    None,
}

/// Reads a mark or bound where percentages may be out of place; complains and gives nothing if it is wrong.
fn level(text: &Level, request: Request, path: &FieldPath, errors: &mut Vec<FieldError>) -> Option<Mark> {
    match mark(text) {
        Err(detail) => errors.push(path.invalid(text.0.as_str(), &detail)),
        Ok(mark) if mark.unit == Unit::Percent && request == Request::None => {
            let detail =
                "must be a quantity: only resource and containerResource have a request to take percent of";
            errors.push(path.invalid(text.0.as_str(), detail));
        }
        Ok(mark) => return Some(mark),
    }
    None
}

#[cfg(test)]
mod tests;
