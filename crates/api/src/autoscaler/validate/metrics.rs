//! What is wrong with one metric: its source, what holds it, and what stands in for it.

use plimsoll_engine::rule::marks::Unit;

use super::super::metrics::{
    Goal, MetricIdentifier, MetricSpec, MetricTarget, MetricType, MissingType, OnMissing, PrometheusSource,
    TargetType, Watermarks,
};
use super::super::scalars::{Amount, Level, Word};
use super::{DAY_SECS, Request, amount, level, name, reference, steps, within, word};
use crate::field::{FieldError, FieldPath};
use crate::names;

/// What a metric's kind means for what may hold it.
#[derive(Clone, Copy)]
struct Kind {
    field: &'static str,
    request: Request,
    reach: Reach,
}

/// Whether the pods are measured one by one, or something as a whole.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    PerPod,
    Whole,
}

fn kind(of: MetricType) -> Kind {
    let (field, request, reach) = match of {
        MetricType::Resource => ("resource", Request::Known, Reach::PerPod),
        MetricType::ContainerResource => ("containerResource", Request::Known, Reach::PerPod),
        MetricType::Pods => ("pods", Request::None, Reach::PerPod),
        MetricType::Object => ("object", Request::None, Reach::Whole),
        MetricType::External => ("external", Request::None, Reach::Whole),
        MetricType::Prometheus => ("prometheus", Request::None, Reach::Whole),
    };
    Kind { field, request, reach }
}

pub(super) fn check(metric: &MetricSpec, path: &FieldPath, errors: &mut Vec<FieldError>) {
    word(Some(&metric.type_), &path.child("type"), errors);
    if let Some(wanted) = metric.type_.known() {
        for (of, _) in present(metric).into_iter().filter(|(of, given)| *given && *of != wanted) {
            let detail = format!("type is {}: leave this out, or write type: {}", wanted.word(), of.word());
            errors.push(path.child(kind(of).field).forbidden(&detail));
        }
        source(metric, wanted, path, errors);
    }
    if let Some(missing) = &metric.on_missing {
        on_missing(missing, metric, &path.child("onMissing"), errors);
    }
    within(metric.max_age_seconds, 1..=DAY_SECS, &path.child("maxAgeSeconds"), errors);
}

fn present(metric: &MetricSpec) -> [(MetricType, bool); 6] {
    [
        (MetricType::Resource, metric.resource.is_some()),
        (MetricType::ContainerResource, metric.container_resource.is_some()),
        (MetricType::Pods, metric.pods.is_some()),
        (MetricType::Object, metric.object.is_some()),
        (MetricType::External, metric.external.is_some()),
        (MetricType::Prometheus, metric.prometheus.is_some()),
    ]
}

fn source(metric: &MetricSpec, of: MetricType, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let kind = kind(of);
    let path = path.child(kind.field);
    let given = match of {
        MetricType::Resource => metric.resource.as_ref().map(|it| {
            resource_name(&it.name, &path.child("name"), errors);
            it.goal()
        }),
        MetricType::ContainerResource => metric.container_resource.as_ref().map(|it| {
            resource_name(&it.name, &path.child("name"), errors);
            container(&it.container, &path.child("container"), errors);
            it.goal()
        }),
        MetricType::Pods => metric.pods.as_ref().map(|it| {
            identifier(&it.metric, &path.child("metric"), errors);
            it.goal()
        }),
        MetricType::Object => metric.object.as_ref().map(|it| {
            reference(&it.described_object, &path.child("describedObject"), errors);
            identifier(&it.metric, &path.child("metric"), errors);
            it.goal()
        }),
        MetricType::External => metric.external.as_ref().map(|it| {
            identifier(&it.metric, &path.child("metric"), errors);
            it.goal()
        }),
        MetricType::Prometheus => metric.prometheus.as_ref().map(|it| {
            prometheus(it, &path, errors);
            it.goal()
        }),
    };
    match given {
        Some(given) => goal(&given, of, kind, &path, errors),
        None => errors.push(path.required(&format!("type is {}: describe the metric here", of.word()))),
    }
}

fn resource_name(text: &str, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if text.is_empty() {
        errors.push(path.required("write cpu or memory"));
    }
}

fn container(text: &str, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if text.is_empty() {
        errors.push(path.required("write the name of a container of the pods"));
    } else {
        errors.extend(names::dns_label(text).iter().map(|complaint| path.invalid(text, complaint)));
    }
}

fn identifier(metric: &MetricIdentifier, path: &FieldPath, errors: &mut Vec<FieldError>) {
    name(&metric.name, &path.child("name"), "write the name of the metric", errors);
}

fn prometheus(source: &PrometheusSource, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if source.query.trim().is_empty() {
        errors.push(
            path.child("query").required("write a query in PromQL, such as sum(rate(requests_total[2m]))"),
        );
    }
    if let Some(server) = source.server.as_deref()
        && !["http://", "https://"]
            .iter()
            .any(|scheme| server.starts_with(scheme) && server.len() > scheme.len())
    {
        let detail =
            "must be a URL that begins with http:// or https://, such as https://prometheus.monitoring:9090";
        errors.push(path.child("server").invalid(server, detail));
    }
    within(source.timeout_seconds, 1..=300, &path.child("timeoutSeconds"), errors);
    let Some(auth) = &source.auth else { return };
    let path = path.child("auth");
    match (&auth.bearer, &auth.basic) {
        (None, None) => errors.push(path.required("give bearer or basic, or leave auth out")),
        (Some(_), Some(_)) => {
            errors.push(path.child("basic").forbidden("bearer is given too: leave one of them out"))
        }
        _ => {}
    }
    let secrets = [
        ("bearer", auth.bearer.as_ref().map(|it| &it.secret_name)),
        ("basic", auth.basic.as_ref().map(|it| &it.secret_name)),
    ];
    for (field, secret) in secrets {
        let path = path.child(field).child("secretName");
        match secret {
            Some(secret) if secret.is_empty() => errors.push(path.required("write the name of a Secret")),
            Some(secret) => {
                let complaints = names::dns_subdomain(secret);
                errors.extend(complaints.iter().map(|it| path.invalid(secret.as_str(), it)));
            }
            None => {}
        }
    }
}

fn goal(goal: &Goal<'_>, of: MetricType, kind: Kind, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let given: Vec<&str> = [
        ("target", goal.target.is_some()),
        ("watermarks", goal.watermarks.is_some()),
        ("steps", goal.steps.is_some()),
    ]
    .into_iter()
    .filter_map(|(field, given)| given.then_some(field))
    .collect();
    match given.as_slice() {
        [] => errors.push(path.required("give exactly one of target, watermarks and steps")),
        [_] => {}
        [first, others @ ..] => {
            for field in others {
                let detail =
                    format!("{first} is given too: give exactly one of target, watermarks and steps");
                errors.push(path.child(field).forbidden(&detail));
            }
        }
    }
    if let Some(given) = goal.target {
        target(given, of, &path.child("target"), errors);
    }
    if let Some(given) = goal.watermarks {
        watermarks(given, kind, &path.child("watermarks"), errors);
    }
    if let Some(given) = goal.steps {
        steps::check(given, kind.request, &path.child("steps"), errors);
    }
}

fn target(target: &MetricTarget, of: MetricType, path: &FieldPath, errors: &mut Vec<FieldError>) {
    word(Some(&target.type_), &path.child("type"), errors);
    positive(target.value.as_ref(), &path.child("value"), errors);
    positive(target.average_value.as_ref(), &path.child("averageValue"), errors);
    within(target.average_utilization, 1..=i32::MAX, &path.child("averageUtilization"), errors);
    let (whole, per_pod, percent) =
        (target.value.is_some(), target.average_value.is_some(), target.average_utilization.is_some());
    match of {
        MetricType::Resource | MetricType::ContainerResource => match (percent, per_pod) {
            (false, false) => {
                let detail = "give averageUtilization (percent of the request) or averageValue";
                errors.push(path.child("averageUtilization").required(detail));
            }
            (true, true) => {
                let detail = "averageUtilization is given too: leave one of them out";
                errors.push(path.child("averageValue").forbidden(detail));
            }
            _ => {}
        },
        MetricType::Pods if !per_pod => {
            let detail = "give averageValue: a pods metric is averaged over the pods";
            errors.push(path.child("averageValue").required(detail));
        }
        MetricType::Pods => {}
        MetricType::Object | MetricType::External | MetricType::Prometheus => match (whole, per_pod) {
            (false, false) => {
                let detail = "give averageValue (per pod) or value (the whole)";
                errors.push(path.child("averageValue").required(detail));
            }
            // An Object metric may have both in autoscaling/v2; its type then decides.
            (true, true) if of != MetricType::Object => {
                errors
                    .push(path.child("value").forbidden("averageValue is given too: leave one of them out"));
            }
            _ => {}
        },
    }
}

fn positive(text: Option<&Amount>, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if let Some(text) = text
        && let Some(parsed) = amount(text, path, errors)
        && parsed.sign() < 1
    {
        errors.push(path.invalid(text.0.as_str(), "must be positive"));
    }
}

fn watermarks(marks: &Watermarks, kind: Kind, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let mut read = |field: &str, text: Option<&Level>| {
        let path = path.child(field);
        let text = text?;
        let mark = level(text, kind.request, &path, errors)?;
        if mark.value <= 0 {
            errors.push(path.invalid(text.0.as_str(), "must be positive"));
            return None;
        }
        Some(mark)
    };
    let low = read("low", marks.low.as_ref());
    let high = read("high", marks.high.as_ref());
    if marks.low.is_none() && marks.high.is_none() {
        errors.push(path.required("give low, high or both"));
    }
    if let (Some(low), Some(high), Some(low_text), Some(high_text)) = (low, high, &marks.low, &marks.high) {
        let path = path.child("high");
        if low.unit != high.unit {
            let detail = format!(
                "must be of the same kind as low, which is {low_text}: both quantities or both percentages"
            );
            errors.push(path.invalid(high_text.0.as_str(), &detail));
        } else if low.value > high.value {
            errors.push(
                path.invalid(high_text.0.as_str(), &format!("must be at least low, which is {low_text}")),
            );
        }
    }
    word(marks.algorithm.as_ref(), &path.child("algorithm"), errors);
    word(marks.converge.as_ref(), &path.child("converge"), errors);
    if marks.algorithm.is_some() && kind.reach == Reach::PerPod {
        let detail = "is for object, external and prometheus: leave it out, this metric is always averaged over the pods";
        errors.push(path.child("algorithm").forbidden(detail));
    }
}

fn on_missing(missing: &OnMissing, metric: &MetricSpec, path: &FieldPath, errors: &mut Vec<FieldError>) {
    word(Some(&missing.type_), &path.child("type"), errors);
    within(missing.max_age_seconds, 1..=DAY_SECS, &path.child("maxAgeSeconds"), errors);
    within(missing.replicas, 0..=i32::MAX, &path.child("replicas"), errors);
    within(missing.after_seconds, 0..=DAY_SECS, &path.child("afterSeconds"), errors);
    let Some(wanted) = missing.type_.known() else { return };
    let fields = [
        (
            MissingType::UseLast,
            "maxAgeSeconds",
            missing.max_age_seconds.is_some(),
            Some("how old it may be, such as 300"),
        ),
        (MissingType::Assume, "value", missing.value.is_some(), Some("the value to assume")),
        (MissingType::Fallback, "replicas", missing.replicas.is_some(), Some("the replicas to fall back to")),
        (MissingType::Fallback, "afterSeconds", missing.after_seconds.is_some(), None),
    ];
    for (of, field, given, must) in fields {
        match must {
            _ if given && of != wanted => {
                let detail =
                    format!("is for type {}, but type is {}: leave it out", of.word(), wanted.word());
                errors.push(path.child(field).forbidden(&detail));
            }
            Some(what) if !given && of == wanted => {
                errors.push(path.child(field).required(&format!("type is {}: write {what}", of.word())));
            }
            _ => {}
        }
    }
    if let Some(value) = missing.value.as_ref().filter(|_| wanted == MissingType::Assume) {
        assumed(value, metric, &path.child("value"), errors);
    }
}

/// An assumed value must be in the unit of what holds the metric.
fn assumed(value: &Level, metric: &MetricSpec, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let request = match metric.type_.known() {
        Some(MetricType::Resource | MetricType::ContainerResource) => Request::Known,
        _ => Request::None,
    };
    let Some(mark) = level(value, request, path, errors) else { return };
    if mark.value < 0 {
        errors.push(path.invalid(value.0.as_str(), "must be at least 0"));
    }
    match goal_unit(metric) {
        Some(Unit::Percent) if mark.unit == Unit::Milli => {
            let detail =
                "must be a percentage such as \"70%\", because the metric is held by percent of the request";
            errors.push(path.invalid(value.0.as_str(), detail));
        }
        Some(Unit::Milli) if mark.unit == Unit::Percent => {
            let detail = "must be a quantity such as 150m, because the metric is held by a quantity";
            errors.push(path.invalid(value.0.as_str(), detail));
        }
        _ => {}
    }
}

/// The unit of what holds a metric, where that can be told.
fn goal_unit(metric: &MetricSpec) -> Option<Unit> {
    let goal = metric.goal()?;
    if let Some(target) = goal.target {
        let percent =
            target.average_utilization.is_some() && target.type_.known() != Some(TargetType::AverageValue);
        return Some(if percent { Unit::Percent } else { Unit::Milli });
    }
    let marks = goal.watermarks.and_then(|it| it.low.as_ref().or(it.high.as_ref()));
    let bounds = goal
        .steps
        .and_then(|steps| steps.iter().find_map(|it| it.lower_bound.as_ref().or(it.upper_bound.as_ref())));
    super::mark(marks.or(bounds)?).ok().map(|it| it.unit)
}
