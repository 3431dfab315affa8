//! A WatermarkPodAutoscaler as a subject.

use plimsoll_engine::Side;

use super::{Lowered, Made, MetricView, Refusal, Target, Window, Written};
use crate::check::finding::Code;
use crate::explain::Shown;
use crate::source::{MetricSelector, Source};
use crate::wpa::{self, WatermarkPodAutoscaler};

pub(super) fn of(mut object: WatermarkPodAutoscaler) -> Made {
    let written = self::written(&object);
    wpa::apply_defaults(&mut object.spec);
    let reference = &object.spec.scale_target_ref;
    let target = Target {
        api_version: reference.api_version.clone(),
        kind: reference.kind.clone(),
        name: reference.name.clone(),
    };
    let policy = match wpa::lower(&object) {
        Ok(policy) => policy,
        Err(refusal) => {
            let refusal = match refusal {
                wpa::Refusal::Invalid(it) => {
                    Refusal { code: Code::Refused, field: it.field, message: it.text }
                }
                wpa::Refusal::Recommender { url } => Refusal {
                    code: Code::NotSupported,
                    field: "spec.recommender".to_owned(),
                    message: format!(
                        "asking {url} for the number of replicas is not supported: use spec.metrics"
                    ),
                },
            };
            return (target, Err(vec![refusal]));
        }
    };
    let mut metrics = Vec::new();
    for (index, (metric, lowered)) in object.spec.metrics.iter().zip(&policy.metrics).enumerate() {
        let source = match (&metric.external, &metric.resource) {
            (Some(it), _) if metric.kind == "External" => Source::External {
                name: it.metric_name.as_str().into(),
                selector: MetricSelector::new(it.metric_selector.as_ref()),
            },
            (_, Some(it)) => {
                Source::Resource { name: it.name.as_str().into(), container: None, selector: None }
            }
            _ => continue,
        };
        let shown = Shown::new(&source, lowered);
        metrics.push(MetricView { source, shown, field: format!("spec.metrics[{index}]") });
    }
    let widest = policy.bounds;
    (target, Ok(Lowered { policy, metrics, written, schedules: Vec::new(), widest }))
}

fn written(object: &WatermarkPodAutoscaler) -> Written {
    let spec = &object.spec;
    let mut out = Written::default();
    for (side, name, secs) in [
        (Side::Up, "upscaleForbiddenWindowSeconds", spec.upscale_forbidden_window_seconds),
        (Side::Down, "downscaleForbiddenWindowSeconds", spec.downscale_forbidden_window_seconds),
    ] {
        if secs > 0 {
            out.windows.push(Window { side, field: format!("spec.{name}"), secs: secs.into() });
        }
    }
    for (side, name, factor) in [
        (Side::Up, "scaleUpLimitFactor", &spec.scale_up_limit_factor),
        (Side::Down, "scaleDownLimitFactor", &spec.scale_down_limit_factor),
    ] {
        if factor.as_ref().is_some_and(|it| it.milli() == 0) {
            out.disabled.push((side, format!("spec.{name}: 0")));
        }
    }
    if spec.replica_scaling_absolute_modulo.is_some() {
        out.multiple = Some("spec.replicaScalingAbsoluteModulo".to_owned());
    }
    out
}
