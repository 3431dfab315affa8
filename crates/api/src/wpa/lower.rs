//! From a WatermarkPodAutoscaler to the policy it means.

use plimsoll_engine::rule::marks::{Algorithm, Converge, Marks, Unit, Zero};
use plimsoll_engine::{
    Bounds, Delays, DryRun, Entry, First, Hold, Limits, Metric, OnFailure, OnMissing, Policy, Roll, Roster,
    Rule, Tolerance, seconds,
};

use super::amount::Amount;
use super::check::{Invalid, Source, check};
use super::types::{WatermarkPodAutoscaler, WpaSpec};

/// How often a WatermarkPodAutoscaler is looked at, in seconds.
pub const SYNC_SECS: i64 = 15;

/// Why an object has no policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It makes no sense.
    #[error("{0}")]
    Invalid(#[from] Invalid),
    /// It asks a recommender, which is not supported.
    #[error(
        "spec.recommender: asking {url} for the number of replicas is not supported, use spec.metrics instead"
    )]
    Recommender {
        /// The recommender's address.
        url: String,
    },
}

/// The policy of an object whose defaults have been applied.
///
/// # Errors
/// When the object makes no sense, or wants what is not supported.
pub fn lower(object: &WatermarkPodAutoscaler) -> Result<Policy, Refusal> {
    check(object)?;
    let spec = &object.spec;
    if let Some(recommender) = &spec.recommender {
        return Err(Refusal::Recommender { url: recommender.url.clone() });
    }
    let metrics = spec
        .metrics
        .iter()
        .map(|metric| Source::of(metric).map(|source| lower_metric(spec, &source)))
        .collect::<Result<_, _>>()?;
    Ok(Policy {
        bounds: Bounds { min: spec.min_replicas.unwrap_or(1), max: spec.max_replicas },
        entry: Entry::BoundsLast,
        metrics,
        on_failure: OnFailure::BlocksAll,
        roster: Roster { min_available_percent: spec.min_available_replica_percentage, ..Roster::default() },
        stabilize: None,
        limits: Limits::Share {
            up_milli: milli(spec.scale_up_limit_factor.as_ref()),
            down_milli: milli(spec.scale_down_limit_factor.as_ref()),
        },
        hold: Some(Hold {
            up_us: seconds(spec.upscale_forbidden_window_seconds.into()),
            down_us: seconds(spec.downscale_forbidden_window_seconds.into()),
            up_delay_secs: spec.upscale_delay_above_watermark_seconds,
            down_delay_secs: spec.downscale_delay_below_watermark_seconds,
            first: First::Free,
            delays: Delays::ByMarks,
        }),
        dry_run: if spec.dry_run { DryRun::CountsAsScaling } else { DryRun::Off },
        cadence_us: seconds(SYNC_SECS),
        ..Policy::plain()
    })
}

fn milli(amount: Option<&Amount>) -> i64 {
    amount.map_or(0, Amount::milli)
}

fn lower_metric(spec: &WpaSpec, source: &Source<'_>) -> Metric {
    let delay_us = seconds(spec.readiness_delay_seconds.into());
    let roll = if source.kind == "External" {
        Roll::Tolerated { delay_us }
    } else {
        // Only CPU is distorted by a pod that is still starting.
        Roll::Sampled { delay_us: (source.name == "cpu").then_some(delay_us) }
    };
    Metric {
        roll,
        rule: Rule::Marks(marks(spec, source)),
        tolerance: Tolerance { up: 0.0, down: 0.0 },
        multiple: spec.replica_scaling_absolute_modulo.unwrap_or(1),
        on_missing: OnMissing::Fail,
        max_age_us: None,
    }
}

/// The watermarks, with the tolerance taken in whole thousandths as the original does. A missing one equals the other.
fn marks(spec: &WpaSpec, source: &Source<'_>) -> Marks {
    let low = milli(source.low.or(source.high));
    let high = milli(source.high.or(source.low));
    let slack = |mark: i64| mark.wrapping_mul(spec.tolerance.milli()) / 1000;
    Marks {
        low,
        high,
        below: low.wrapping_sub(slack(low)) as f64,
        above: high.wrapping_add(slack(high)) as f64,
        unit: Unit::Milli,
        algorithm: if spec.algorithm == "average" { Algorithm::Average } else { Algorithm::Absolute },
        converge: match spec.converge_towards_watermark.as_str() {
            "highwatermark" => Converge::High,
            "lowwatermark" => Converge::Low,
            _ => Converge::None,
        },
        zero: if spec.tolerate_zero { Zero::Trusted } else { Zero::Ignored },
        least: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wpa::apply_defaults;

    fn lowered(spec: serde_json::Value) -> Result<Policy, Refusal> {
        let mut object: WatermarkPodAutoscaler = serde_json::from_value(serde_json::json!({
            "metadata": { "name": "web", "namespace": "prod" }, "spec": spec,
        }))
        .unwrap();
        apply_defaults(&mut object.spec);
        lower(&object)
    }

    #[test]
    fn one_mark_stands_for_both_and_tolerance_is_cut_to_thousandths() {
        let policy = lowered(serde_json::json!({
            "scaleTargetRef": { "kind": "Deployment", "name": "web" }, "maxReplicas": 9, "tolerance": "10m",
            "metrics": [{ "type": "Resource", "resource": {
                "name": "cpu", "metricSelector": {}, "highWatermark": "150m" } }],
        }))
        .unwrap();
        let Rule::Marks(marks) = &policy.metrics[0].rule else { panic!("not watermarks") };
        assert_eq!((marks.low, marks.high), (150, 150));
        assert_eq!((marks.below, marks.above), (149.0, 151.0));
        assert_eq!(policy.metrics[0].roll, Roll::Sampled { delay_us: Some(0) });
    }

    #[test]
    fn a_recommender_is_refused_by_name() {
        let refusal = lowered(serde_json::json!({
            "scaleTargetRef": { "kind": "Deployment", "name": "web" }, "maxReplicas": 9,
            "recommender": { "url": "http://recommender" },
        }))
        .unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "spec.recommender: asking http://recommender for the number of replicas is not supported, use spec.metrics instead"
        );
    }
}
