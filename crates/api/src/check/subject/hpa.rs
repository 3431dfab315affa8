//! A HorizontalPodAutoscaler as a subject.

use plimsoll_engine::Side;

use super::{Lowered, Made, MetricView, Target, Window, Written, refused};
use crate::explain::Shown;
use crate::hpa::v1::HpaV1;
use crate::hpa::{self, Flags, Hpa};
use crate::source::Source;

/// The older version: one CPU goal of its own, the rest in annotations.
pub(super) fn of_v1(object: &HpaV1, flags: &Flags) -> Made {
    let (target, mut made) = of(hpa::v1::from_v1(object), flags);
    for metric in made.iter_mut().flat_map(|it| &mut it.metrics) {
        let cpu =
            matches!(&metric.source, Source::Resource { name, container: None, .. } if &**name == "cpu");
        if cpu {
            metric.field = "spec.targetCPUUtilizationPercentage".to_owned();
        }
    }
    (target, made)
}

pub(super) fn of(written: Hpa, flags: &Flags) -> Made {
    let mut object = written.clone();
    // As kubectl does.
    object.metadata.namespace.get_or_insert_with(|| "default".to_owned());
    hpa::default(&mut object);
    let reference = &object.spec.scale_target_ref;
    let target = Target {
        api_version: reference.api_version.clone().unwrap_or_default(),
        kind: reference.kind.clone(),
        name: reference.name.clone(),
    };
    let mut errors = hpa::validate(&object);
    let lowered = hpa::lower(&object, flags);
    if let (Err(error), true) = (&lowered, errors.is_empty()) {
        errors.push(error.clone());
    }
    let refusals = refused(errors);
    let Some(lowered) = lowered.ok().filter(|_| refusals.is_empty()) else { return (target, Err(refusals)) };
    let metrics = lowered.words.metrics.iter().zip(&lowered.policy.metrics).enumerate();
    let metrics = metrics.map(|(index, (words, metric))| MetricView {
        source: words.source.clone(),
        shown: Shown::new(&words.source, metric),
        field: format!("spec.metrics[{index}]"),
    });
    let metrics = metrics.collect();
    let written = self::written(&written);
    let widest = lowered.policy.bounds;
    (target, Ok(Lowered { policy: lowered.policy, metrics, written, schedules: Vec::new(), widest }))
}

fn written(written: &Hpa) -> Written {
    let mut out = Written::default();
    let Some(behavior) = &written.spec.behavior else { return out };
    // Writing down the defaults is no mistake.
    let mut defaults = written.clone();
    defaults.spec.behavior = Some(hpa::HorizontalPodAutoscalerBehavior::default());
    hpa::default(&mut defaults);
    let defaults = defaults.spec.behavior.unwrap_or_default();
    for (side, name, rules, default) in [
        (Side::Up, "scaleUp", &behavior.scale_up, &defaults.scale_up),
        (Side::Down, "scaleDown", &behavior.scale_down, &defaults.scale_down),
    ] {
        let Some(rules) = rules else { continue };
        let field = format!("spec.behavior.{name}");
        if let Some(secs) = rules.stabilization_window_seconds {
            let field = format!("{field}.stabilizationWindowSeconds");
            out.windows.push(Window { side, field, secs: secs.into() });
        }
        let usual = |policies: &Vec<hpa::HPAScalingPolicy>| {
            let default = default.as_ref().and_then(|it| it.policies.as_ref());
            default.is_some_and(|default| {
                default.len() == policies.len() && default.iter().all(|policy| policies.contains(policy))
            })
        };
        if rules.policies.as_ref().is_some_and(|policies| !usual(policies)) {
            out.policies.push((side, format!("{field}.policies")));
        }
        if rules.select_policy.as_deref() == Some("Disabled") {
            out.disabled.push((side, format!("{field}.selectPolicy: Disabled")));
        }
    }
    out
}
