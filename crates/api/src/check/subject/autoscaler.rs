//! An Autoscaler as a subject.

use plimsoll_engine::{Bounds, Side};

use super::{Lowered, Made, MetricView, Target, Window, Written, refused};
use crate::autoscaler::behavior::{Constraint, ScalingRules, SelectPolicy};
use crate::autoscaler::scalars::Choice;
use crate::autoscaler::spec::Schedule;
use crate::autoscaler::{self, Autoscaler, AutoscalerSpec};
use crate::check::words::lasting_secs;
use crate::hpa::Flags;

pub(super) fn of(object: &Autoscaler, flags: &Flags) -> Made {
    let spec = &object.spec;
    let reference = &spec.scale_target_ref;
    let target = Target {
        api_version: reference.api_version.clone().unwrap_or_default(),
        kind: reference.kind.clone(),
        name: reference.name.clone(),
    };
    let lowered = match autoscaler::admit(object, flags) {
        Ok(lowered) => lowered,
        Err(errors) => return (target, Err(refused(errors))),
    };
    let metrics = lowered.words().metrics.iter().zip(&lowered.shown).enumerate();
    let metrics = metrics.map(|(index, (words, shown))| MetricView {
        source: words.source.clone(),
        shown: shown.clone(),
        field: format!("spec.metrics[{index}]"),
    });
    let metrics = metrics.collect();
    let policy = lowered.base.policy;
    let schedules = spec.schedules.iter().flatten();
    let widest = schedules.clone().fold(policy.bounds, |widest, it| Bounds {
        min: widest.min.min(it.min_replicas.unwrap_or(widest.min)),
        max: widest.max.max(it.max_replicas.unwrap_or(widest.max)),
    });
    let schedules = schedules.map(|it| schedule(it, policy.bounds)).collect();
    (target, Ok(Lowered { policy, metrics, written: written(spec), schedules, widest }))
}

fn schedule(schedule: &Schedule, bounds: Bounds) -> String {
    let zone = schedule.time_zone.as_deref().unwrap_or("UTC");
    format!(
        "{} (cron {}, {zone}, for {}): between {} and {} replicas, at once",
        schedule.name,
        schedule.cron,
        lasting_secs(schedule.duration_seconds.into()),
        schedule.min_replicas.unwrap_or(bounds.min),
        schedule.max_replicas.unwrap_or(bounds.max)
    )
}

fn written(spec: &AutoscalerSpec) -> Written {
    let mut out = Written {
        pods: Some("spec.pods".to_owned()),
        multiple: spec.replica_multiple.map(|_| "spec.replicaMultiple".to_owned()),
        ..Written::default()
    };
    let behavior = spec.behavior.as_ref();
    let constraints = spec.constraints.as_ref();
    for (side, name, rules, constraint) in [
        (
            Side::Up,
            "scaleUp",
            behavior.and_then(|it| it.scale_up.as_ref()),
            constraints.and_then(|it| it.scale_up.as_ref()),
        ),
        (
            Side::Down,
            "scaleDown",
            behavior.and_then(|it| it.scale_down.as_ref()),
            constraints.and_then(|it| it.scale_down.as_ref()),
        ),
    ] {
        if let Some(rules) = rules {
            of_rules(side, &format!("spec.behavior.{name}"), rules, &mut out);
        }
        if let Some(constraint) = constraint {
            of_constraint(side, &format!("spec.constraints.{name}"), constraint, &mut out);
        }
    }
    out
}

fn of_rules(side: Side, field: &str, rules: &ScalingRules, out: &mut Written) {
    for (name, secs) in [
        ("stabilizationWindowSeconds", rules.stabilization_window_seconds),
        ("cooldownSeconds", rules.cooldown_seconds),
    ] {
        if let Some(secs) = secs {
            out.windows.push(Window { side, field: format!("{field}.{name}"), secs: secs.into() });
        }
    }
    if rules.policies.is_some() {
        out.policies.push((side, format!("{field}.policies")));
    }
    if rules.select_policy.as_ref().and_then(Choice::known) == Some(SelectPolicy::Disabled) {
        out.disabled.push((side, format!("{field}.selectPolicy: Disabled")));
    }
    if rules.limit_percent == Some(0) {
        out.disabled.push((side, format!("{field}.limitPercent: 0")));
    }
}

fn of_constraint(side: Side, field: &str, constraint: &Constraint, out: &mut Written) {
    if let Some(secs) = constraint.delay_seconds {
        out.windows.push(Window { side, field: format!("{field}.delaySeconds"), secs: secs.into() });
    }
    let rate = constraint.rate();
    if rate.pods == Some(0) && rate.percent == Some(0) {
        out.disabled.push((side, format!("{field}: pods 0 and percent 0")));
    }
}
