//! An Autoscaler as a HorizontalPodAutoscaler: what autoscaling/v2 can say, and by name what it cannot.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::{Converted, Difference, Impossible, Kind, metadata};
use crate::autoscaler::Autoscaler;
use crate::autoscaler::as_v2;
use crate::autoscaler::behavior::{self, Constraint, PolicyType, ScalingRules, SelectPolicy};
use crate::autoscaler::metrics::{Algorithm, Goal, MetricSpec, MetricType, Watermarks};
use crate::autoscaler::scalars::{Choice, Level, WholeUnit};
use crate::autoscaler::spec::{AutoscalerSpec, Combine, Mode, SelectBy, Surge, Suspend, Terminal};
use crate::autoscaler::validate::validate;
use crate::hpa::{
    HPAScalingPolicy, HPAScalingRules, HorizontalPodAutoscalerBehavior, HorizontalPodAutoscalerSpec, Hpa,
    MetricSpec as V2Metric, MetricTarget,
};

/// The longest period that autoscaling/v2 knows.
const LONGEST_PERIOD_SECS: i32 = 1800;
/// The longest window that autoscaling/v2 knows.
const LONGEST_WINDOW_SECS: i32 = 3600;
/// The period of a policy that does not say its own.
const PERIOD_SECS: i32 = 60;

/// Turns an Autoscaler into a HorizontalPodAutoscaler that comes as close as autoscaling/v2 allows.
///
/// # Errors
/// When the object makes no sense.
pub fn autoscaler_to_hpa(object: &Autoscaler) -> Result<Converted<Hpa>, Impossible> {
    let spec = &object.spec;
    if let Some(error) = validate(spec).into_iter().next() {
        return Err(Impossible::Invalid(error));
    }
    let mut out = Differences(Vec::new());
    let metrics = metrics(spec, &mut out);
    let behavior = behavior(spec, &mut out);
    left_out(spec, &mut out);
    let hpa = Hpa {
        metadata: metadata(&object.metadata),
        spec: HorizontalPodAutoscalerSpec {
            scale_target_ref: as_v2::reference(&spec.scale_target_ref),
            min_replicas: spec.min_replicas,
            max_replicas: spec.max_replicas,
            metrics,
            behavior,
        },
        status: None,
    };
    Ok(Converted { object: hpa, differences: out.0 })
}

struct Differences(Vec<Difference>);

impl Differences {
    fn add(&mut self, kind: Kind, field: &str, text: &str) {
        self.0.push(Difference::new(kind, field, text));
    }
}

fn metrics(spec: &AutoscalerSpec, out: &mut Differences) -> Option<Vec<V2Metric>> {
    let given = spec.metrics.as_deref()?;
    let mut metrics = Vec::with_capacity(given.len());
    for (index, metric) in given.iter().enumerate() {
        let path = format!("spec.metrics[{index}]");
        if metric.on_missing.is_some() {
            let text = "left out: a HorizontalPodAutoscaler leaves a missing metric aside and blocks shrinking meanwhile";
            out.add(Kind::LeftOut, &format!("{path}.onMissing"), text);
        }
        if metric.max_age_seconds.is_some() {
            let text = "left out: data of any age are used";
            out.add(Kind::LeftOut, &format!("{path}.maxAgeSeconds"), text);
        }
        if metric.type_.known() == Some(MetricType::Prometheus) {
            let text = "left out: a HorizontalPodAutoscaler cannot ask Prometheus; serve the query as an external metric";
            out.add(Kind::LeftOut, &path, text);
            continue;
        }
        metrics.extend(one_metric(metric, &path, out));
    }
    if metrics.is_empty() && !given.is_empty() {
        let text = "no metric is left, and without metrics a HorizontalPodAutoscaler holds the CPU at 80 percent of the request";
        out.add(Kind::Close, "spec.metrics", text);
    }
    Some(metrics)
}

fn one_metric(metric: &MetricSpec, path: &str, out: &mut Differences) -> Option<V2Metric> {
    let goal = metric.goal().unwrap_or_default();
    let mut v2 = as_v2::metric(metric);
    match goal {
        Goal { watermarks: Some(marks), .. } => {
            let text = "becomes a target at the high watermark: it shrinks as soon as the value is below it, rounding up";
            out.add(Kind::Close, &format!("{path}.watermarks"), text);
            hold(&mut v2, target(marks, metric.type_.known()));
            Some(v2)
        }
        Goal { steps: Some(_), .. } => {
            let text = "left out: a HorizontalPodAutoscaler has no step tables";
            out.add(Kind::LeftOut, &format!("{path}.steps"), text);
            None
        }
        _ => Some(v2),
    }
}

fn target(marks: &Watermarks, kind: Option<MetricType>) -> MetricTarget {
    let mark = marks.high.as_ref().or(marks.low.as_ref()).map_or("1", |Level(text)| text.as_str());
    let average = marks.algorithm == Some(Choice::Known(Algorithm::Average));
    let quantity = Some(Quantity(mark.to_owned()));
    match mark.strip_suffix('%') {
        Some(percent) => MetricTarget {
            type_: "Utilization".to_owned(),
            average_utilization: percent.parse().ok(),
            ..MetricTarget::default()
        },
        None if average || !matches!(kind, Some(MetricType::Object | MetricType::External)) => MetricTarget {
            type_: "AverageValue".to_owned(),
            average_value: quantity,
            ..MetricTarget::default()
        },
        None => MetricTarget { type_: "Value".to_owned(), value: quantity, ..MetricTarget::default() },
    }
}

fn hold(metric: &mut V2Metric, target: MetricTarget) {
    if let Some(it) = &mut metric.resource {
        it.target = target;
    } else if let Some(it) = &mut metric.container_resource {
        it.target = target;
    } else if let Some(it) = &mut metric.pods {
        it.target = target;
    } else if let Some(it) = &mut metric.object {
        it.target = target;
    } else if let Some(it) = &mut metric.external {
        it.target = target;
    }
}

fn behavior(spec: &AutoscalerSpec, out: &mut Differences) -> Option<HorizontalPodAutoscalerBehavior> {
    let suspended = spec.suspend.as_ref().and_then(Choice::known).unwrap_or(Suspend::None);
    let (mut up, mut down) = match (&spec.constraints, &spec.behavior) {
        (Some(constraints), _) => (
            Some(by_constraint(constraints.scale_up.as_ref(), Side::Up, out)),
            Some(by_constraint(constraints.scale_down.as_ref(), Side::Down, out)),
        ),
        (None, Some(behavior)) => (
            behavior.scale_up.as_ref().map(|rules| by_rules(rules, Side::Up, out)),
            behavior.scale_down.as_ref().map(|rules| by_rules(rules, Side::Down, out)),
        ),
        (None, None) => (None, None),
    };
    let plain = spec.constraints.is_none() && spec.behavior.is_none();
    if let Some(tolerance) = &spec.tolerance {
        for rules in [&mut up, &mut down] {
            let rules = rules.get_or_insert_default();
            rules.tolerance.get_or_insert_with(|| Quantity(tolerance.0.clone()));
        }
    }
    let stops = [
        (&mut up, matches!(suspended, Suspend::Up | Suspend::All)),
        (&mut down, matches!(suspended, Suspend::Down | Suspend::All)),
    ];
    for (rules, stop) in stops {
        if stop {
            rules.get_or_insert_default().select_policy = Some("Disabled".to_owned());
        }
    }
    if suspended != Suspend::None {
        let text =
            "becomes selectPolicy: Disabled, which does not stop jumps back to minReplicas and maxReplicas";
        out.add(Kind::Close, "spec.suspend", text);
    }
    if plain && (up.is_some() || down.is_some()) {
        let text =
            "needs behavior, whose default limits per 15 seconds take the place of the plain ones per look";
        out.add(Kind::Close, if spec.tolerance.is_some() { "spec.tolerance" } else { "spec.suspend" }, text);
    }
    let wanted = !plain || up.is_some() || down.is_some();
    wanted.then_some(HorizontalPodAutoscalerBehavior { scale_up: up, scale_down: down })
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Up,
    Down,
}

impl Side {
    fn field(self) -> &'static str {
        match self {
            Side::Up => "scaleUp",
            Side::Down => "scaleDown",
        }
    }
}

fn by_rules(rules: &ScalingRules, side: Side, out: &mut Differences) -> HPAScalingRules {
    let path = format!("spec.behavior.{}", side.field());
    let gone = [
        ("cooldownSeconds", rules.cooldown_seconds.is_some_and(|it| it > 0), "no wait after a scaling"),
        ("limitPercent", rules.limit_percent.is_some_and(|it| it > 0), "one scaling may change any share"),
        (
            "breachDelaySeconds",
            rules.breach_delay_seconds.is_some_and(|it| it > 0),
            "a wish is followed at once",
        ),
    ];
    for (field, given, text) in gone {
        if given {
            out.add(Kind::LeftOut, &format!("{path}.{field}"), &format!("left out: {text}"));
        }
    }
    let chosen = rules.select_policy.as_ref().and_then(Choice::known).unwrap_or(SelectPolicy::Max);
    let policies: Option<Vec<HPAScalingPolicy>> = rules.policies.as_ref().map(|policies| {
        policies
            .iter()
            .enumerate()
            .map(|(index, it)| policy(it, &format!("{path}.policies[{index}]"), out))
            .collect()
    });
    let zero = |it: &HPAScalingPolicy| it.value == 0;
    let all = policies.as_deref().unwrap_or_default();
    // A policy of zero is not allowed in v2: it decides alone or with Min, and has no say with Max.
    let never = !all.is_empty()
        && (all.iter().all(zero) || (chosen == SelectPolicy::Min && all.iter().any(zero)))
        || rules.limit_percent == Some(0);
    let kept: Option<Vec<_>> = policies.map(|all| all.into_iter().filter(|it| !zero(it)).collect());
    HPAScalingRules {
        stabilization_window_seconds: window(
            rules.stabilization_window_seconds,
            &format!("{path}.stabilizationWindowSeconds"),
            out,
        ),
        select_policy: if never {
            Some("Disabled".to_owned())
        } else {
            rules.select_policy.as_ref().map(|it| it.text().to_owned())
        },
        policies: kept.filter(|kept| !kept.is_empty()),
        tolerance: rules.tolerance.as_ref().map(|it| Quantity(it.0.clone())),
    }
}

fn policy(policy: &behavior::ScalingPolicy, path: &str, out: &mut Differences) -> HPAScalingPolicy {
    let value = match policy.value.parse() {
        Some(WholeUnit::Plain(value) | WholeUnit::Percent(value)) => value,
        None => 0,
    };
    let kind = if policy.type_.known() == Some(PolicyType::Pods) { "Pods" } else { "Percent" };
    every(kind, value, policy.period_seconds, &format!("{path}.periodSeconds"), out)
}

fn every(kind: &str, value: i32, period: Option<i32>, path: &str, out: &mut Differences) -> HPAScalingPolicy {
    let period_seconds = period.unwrap_or(PERIOD_SECS);
    if period_seconds > LONGEST_PERIOD_SECS {
        out.add(Kind::Close, path, "becomes 1800, the longest period of a HorizontalPodAutoscaler");
    }
    HPAScalingPolicy {
        type_: kind.to_owned(),
        value,
        period_seconds: period_seconds.min(LONGEST_PERIOD_SECS),
    }
}

fn window(secs: Option<i32>, path: &str, out: &mut Differences) -> Option<i32> {
    if secs.is_some_and(|secs| secs > LONGEST_WINDOW_SECS) {
        out.add(Kind::Close, path, "becomes 3600, the longest window of a HorizontalPodAutoscaler");
    }
    secs.map(|secs| secs.min(LONGEST_WINDOW_SECS))
}

/// Growing takes the larger addition, shrinking the smaller removal; what is not given has its default.
fn by_constraint(constraint: Option<&Constraint>, side: Side, out: &mut Differences) -> HPAScalingRules {
    let path = format!("spec.constraints.{}", side.field());
    let nothing = Constraint::default();
    let constraint = constraint.unwrap_or(&nothing);
    let rate = constraint.rate();
    let (pods, percent) = match side {
        Side::Up => (Some(rate.pods.unwrap_or(4)), Some(rate.percent.unwrap_or(100))),
        Side::Down => (rate.pods, rate.percent),
    };
    let mut policies = Vec::new();
    for (kind, value) in [("Pods", pods), ("Percent", percent)] {
        if let Some(value) = value.filter(|value| *value != 0) {
            policies.push(every(kind, value, rate.period_seconds, &format!("{path}.periodSeconds"), out));
        }
    }
    let never = policies.is_empty() && (pods.is_some() || percent.is_some());
    let select = match (never, side) {
        (true, _) => "Disabled",
        (false, Side::Up) => "Max",
        (false, Side::Down) => "Min",
    };
    HPAScalingRules {
        stabilization_window_seconds: window(constraint.delay_seconds, &format!("{path}.delaySeconds"), out),
        select_policy: Some(select.to_owned()),
        policies: (!policies.is_empty()).then_some(policies),
        tolerance: None,
    }
}

/// Everything of the spec that autoscaling/v2 has no place for.
fn left_out(spec: &AutoscalerSpec, out: &mut Differences) {
    let known = |given: bool, field: &str, text: &str, out: &mut Differences| {
        if given {
            out.add(Kind::LeftOut, field, &format!("left out: {text}"));
        }
    };
    let pods = spec.pods.as_ref();
    let owner = pods.and_then(|it| it.select_by.as_ref()).and_then(Choice::known) == Some(SelectBy::Owner);
    let ignored = pods.and_then(|it| it.terminal.as_ref()).and_then(Choice::known) == Some(Terminal::Ignore);
    let capped = pods.and_then(|it| it.surge.as_ref()).and_then(Choice::known) == Some(Surge::Cap);
    let mode = spec.mode.as_ref().and_then(Choice::known);
    let combine = spec.combine.as_ref().and_then(Choice::known);
    let rows = [
        (
            spec.replica_multiple.is_some_and(|it| it > 1),
            "replicaMultiple",
            "any number of replicas may come out",
        ),
        (
            spec.min_available_percent.is_some_and(|it| it > 0),
            "minAvailablePercent",
            "it scales however few pods are ready",
        ),
        (
            mode == Some(Mode::DryRun),
            "mode",
            "a HorizontalPodAutoscaler always acts, so do not apply this one just to look",
        ),
        (spec.sync_period_seconds.is_some(), "syncPeriodSeconds", "the controller's flag holds for all"),
        (spec.warmup.is_some(), "warmup", "the controller's flags hold for all"),
        (owner, "pods.selectBy", "pods of other workloads with the same labels count"),
        (ignored, "pods.terminal", "finished pods count as pods without data"),
        (capped, "pods.surge", "the extra pods of a rolling update count"),
        (combine == Some(Combine::Min), "combine", "the largest proposal wins"),
        (
            spec.schedules.as_ref().is_some_and(|it| !it.is_empty()),
            "schedules",
            "minReplicas and maxReplicas hold at all times",
        ),
    ];
    for (given, field, text) in rows {
        known(given, &format!("spec.{field}"), text, out);
    }
}
