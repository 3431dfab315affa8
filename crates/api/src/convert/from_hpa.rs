//! A HorizontalPodAutoscaler as an Autoscaler: the same spec.

use super::{Converted, Difference, Impossible, Kind, metadata};
use crate::autoscaler::validate::validate;
use crate::autoscaler::{Autoscaler, AutoscalerSpec};
use crate::field::FieldPath;
use crate::hpa::Hpa;

/// Turns a HorizontalPodAutoscaler, as the user wrote it, into an Autoscaler that decides the same.
///
/// # Errors
/// When the object makes no sense.
pub fn hpa_to_autoscaler(hpa: &Hpa) -> Result<Converted<Autoscaler>, Impossible> {
    let unreadable = |error: serde_json::Error| {
        Impossible::Invalid(FieldPath::root("spec").invalid("", &error.to_string()))
    };
    let written = serde_json::to_value(&hpa.spec).map_err(unreadable)?;
    let spec: AutoscalerSpec = serde_json::from_value(written).map_err(unreadable)?;
    if let Some(error) = validate(&spec).into_iter().next() {
        return Err(Impossible::Invalid(error));
    }
    let mut differences = Vec::new();
    if sleeps_by_percent(hpa) {
        differences.push(Difference::new(
            Kind::Waking,
            "spec.behavior.scaleUp.policies",
            "at 0 replicas a percentage allows nothing, so a HorizontalPodAutoscaler never wakes; an Autoscaler \
             ignores percentages there and does",
        ));
    }
    let object = Autoscaler { metadata: metadata(&hpa.metadata), spec, status: None };
    Ok(Converted { object, differences })
}

/// Whether the target may sleep and only percentages say how fast it may wake.
fn sleeps_by_percent(hpa: &Hpa) -> bool {
    let rules = hpa.spec.behavior.as_ref().and_then(|it| it.scale_up.as_ref());
    let policies = rules.and_then(|it| it.policies.as_deref()).unwrap_or_default();
    let smallest = rules.is_some_and(|it| it.select_policy.as_deref() == Some("Min"));
    let percent = |kind: &str| kind == "Percent";
    hpa.spec.min_replicas == Some(0)
        && if smallest {
            policies.iter().any(|it| percent(&it.type_))
        } else {
            !policies.is_empty() && policies.iter().all(|it| percent(&it.type_))
        }
}
