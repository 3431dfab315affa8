//! A WatermarkPodAutoscaler as an Autoscaler: the same marks, limits and waits, and every habit that is not kept.

use super::{Converted, Difference, Impossible, Kind, metadata};
use crate::autoscaler::behavior::{Behavior, PolicyType, ScalingPolicy, ScalingRules};
use crate::autoscaler::metrics::{
    Algorithm, Converge, ExternalSource, MetricIdentifier, MetricSpec, MetricType, ObjectReference,
    ResourceSource, Watermarks,
};
use crate::autoscaler::scalars::{Amount, Level, Whole};
use crate::autoscaler::spec::{Mode, PodsRule, SelectBy, Terminal, Warmup};
use crate::autoscaler::validate::validate;
use crate::autoscaler::{Autoscaler, AutoscalerSpec};
use crate::quantity::{Format, Quantity};
use crate::wpa::check::Source;
use crate::wpa::gate::{Control, control, skips_owner_check};
use crate::wpa::{self, WatermarkPodAutoscaler, WpaSpec};

/// Turns a WatermarkPodAutoscaler, as the user wrote it, into an Autoscaler that decides as much alike as it can.
///
/// # Errors
/// When the object makes no sense, or what would come out makes none.
pub fn wpa_to_autoscaler(wpa: &WatermarkPodAutoscaler) -> Result<Converted<Autoscaler>, Impossible> {
    let mut wpa = wpa.clone();
    wpa::apply_defaults(&mut wpa.spec);
    wpa::lower(&wpa)?;
    let spec = converted(&wpa)?;
    if let Some(error) = validate(&spec).into_iter().next() {
        return Err(Impossible::Invalid(error));
    }
    let object = Autoscaler { metadata: metadata(&wpa.metadata), spec, status: None };
    Ok(Converted { object, differences: differences(&wpa)? })
}

fn sources(spec: &WpaSpec) -> Result<Vec<Source<'_>>, Impossible> {
    let sources: Result<Vec<_>, _> = spec.metrics.iter().map(Source::of).collect();
    sources.map_err(|invalid| Impossible::Refused(invalid.into()))
}

fn converted(wpa: &WatermarkPodAutoscaler) -> Result<AutoscalerSpec, Impossible> {
    let spec = &wpa.spec;
    let target = &spec.scale_target_ref;
    let metrics: Vec<MetricSpec> = sources(spec)?.iter().map(|source| metric(spec, source)).collect();
    let tolerance = milli_text(spec.tolerance.milli());
    let whole = spec.tolerance.milli() >= 1000;
    let delay = Some(spec.readiness_delay_seconds);
    Ok(AutoscalerSpec {
        scale_target_ref: ObjectReference {
            api_version: (!target.api_version.is_empty()).then(|| target.api_version.clone()),
            kind: target.kind.clone(),
            name: target.name.clone(),
        },
        min_replicas: Some(spec.min_replicas.unwrap_or(1).max(1)),
        max_replicas: spec.max_replicas,
        metrics: (!metrics.is_empty()).then_some(metrics),
        behavior: Some(behavior(spec, whole.then(|| Amount(tolerance.clone())))),
        tolerance: (!whole).then_some(Amount(tolerance)),
        replica_multiple: spec.replica_scaling_absolute_modulo.filter(|modulo| *modulo > 1),
        min_available_percent: Some(spec.min_available_replica_percentage).filter(|percent| *percent > 0),
        mode: spec.dry_run.then(|| Mode::DryRun.into()),
        warmup: spec
            .metrics
            .iter()
            .any(|metric| metric.kind == "Resource")
            .then_some(Warmup { cpu_initialization_seconds: Some(0), readiness_delay_seconds: delay }),
        pods: Some(PodsRule {
            select_by: (!skips_owner_check(wpa)).then(|| SelectBy::Owner.into()),
            terminal: Some(Terminal::Ignore.into()),
            surge: None,
        }),
        ..AutoscalerSpec::default()
    })
}

fn metric(spec: &WpaSpec, source: &Source<'_>) -> MetricSpec {
    let level = |amount: Option<&wpa::Amount>| amount.map(|it| Level(it.to_string()));
    let external = source.kind == "External";
    let algorithm = if spec.algorithm == "average" { Algorithm::Average } else { Algorithm::Absolute };
    let watermarks = Some(Watermarks {
        low: level(source.low),
        high: level(source.high),
        algorithm: external.then(|| algorithm.into()),
        converge: match spec.converge_towards_watermark.as_str() {
            "highwatermark" => Some(Converge::High.into()),
            "lowwatermark" => Some(Converge::Low.into()),
            _ => None,
        },
    });
    let mut metric = MetricSpec {
        type_: MetricType::External.into(),
        resource: None,
        container_resource: None,
        pods: None,
        object: None,
        external: None,
        prometheus: None,
        on_missing: None,
        max_age_seconds: None,
    };
    if external {
        let identifier =
            MetricIdentifier { name: source.name.to_owned(), selector: source.selector.cloned() };
        metric.external =
            Some(ExternalSource { metric: identifier, watermarks, ..ExternalSource::default() });
    } else {
        metric.type_ = MetricType::Resource.into();
        let name = source.name.to_owned();
        metric.resource = Some(ResourceSource { name, watermarks, ..ResourceSource::default() });
    }
    metric
}

/// Only the limit factors, forbidden windows and delays hold a WatermarkPodAutoscaler back: no window, no rate.
fn behavior(spec: &WpaSpec, tolerance: Option<Amount>) -> Behavior {
    let percent = |factor: Option<&wpa::Amount>| {
        let milli = factor.map_or(0, wpa::Amount::milli);
        // Rounded down, but what is not zero must not become never.
        let cut = if milli > 0 { (milli / 1000).max(1) } else { 0 };
        Some(i32::try_from(cut).unwrap_or(i32::MAX).min(10_000))
    };
    let given = |secs: i32| Some(secs).filter(|secs| *secs > 0);
    let unlimited = ScalingPolicy {
        type_: PolicyType::Pods.into(),
        value: Whole::Number(1_000_000),
        period_seconds: Some(1),
    };
    Behavior {
        scale_up: Some(ScalingRules {
            policies: Some(vec![unlimited]),
            tolerance: tolerance.clone(),
            cooldown_seconds: given(spec.upscale_forbidden_window_seconds),
            limit_percent: percent(spec.scale_up_limit_factor.as_ref()),
            breach_delay_seconds: given(spec.upscale_delay_above_watermark_seconds),
            ..ScalingRules::default()
        }),
        scale_down: Some(ScalingRules {
            stabilization_window_seconds: Some(0),
            tolerance,
            cooldown_seconds: given(spec.downscale_forbidden_window_seconds),
            limit_percent: percent(spec.scale_down_limit_factor.as_ref()),
            breach_delay_seconds: given(spec.downscale_delay_below_watermark_seconds),
            ..ScalingRules::default()
        }),
    }
}

fn milli_text(milli: i64) -> String {
    Quantity::from_milli(milli, Format::DecimalSi).to_string()
}

fn differences(wpa: &WatermarkPodAutoscaler) -> Result<Vec<Difference>, Impossible> {
    let spec = &wpa.spec;
    let mut out = vec![
        Difference::new(
            Kind::BoundsFirst,
            "spec.minReplicas",
            "outside minReplicas and maxReplicas the bounds are checked before the metrics, so a broken metric cannot \
             keep the target outside; a WatermarkPodAutoscaler looks at them last",
        ),
        Difference::new(
            Kind::FirstSync,
            "status.lastScaleTime",
            "the first look writes only a change, and breach delays hold at it; a WatermarkPodAutoscaler that never \
             scaled writes at once, even an unchanged number",
        ),
        Difference::new(
            Kind::Pods,
            "spec.pods",
            "while pods are pending, unready, being deleted or without a sample they are counted as a \
             HorizontalPodAutoscaler does, and an average is taken over spec.replicas; a WatermarkPodAutoscaler counts \
             pods that are ready, or pending for less than readinessDelaySeconds",
        ),
    ];
    by_metric(spec, &mut out)?;
    if control(wpa) == Control::On {
        out.push(Difference::new(
            Kind::MonitorGate,
            "metadata.annotations[wpa.datadoghq.com/lifecycle-control.enabled]",
            "no DatadogMonitor is asked for permission; use suspend to stop scaling by hand",
        ));
    }
    if spec.metrics.is_empty() {
        out.push(Difference::new(
            Kind::NoMetrics,
            "spec.metrics",
            "without metrics an Autoscaler holds the CPU at 80 percent of the request; a WatermarkPodAutoscaler \
             shrinks to minReplicas",
        ));
    } else if spec.metrics.len() > 1 {
        out.push(Difference::new(
            Kind::AnyFailure,
            "spec.metrics",
            "a metric that cannot be read blocks only shrinking; in a WatermarkPodAutoscaler it blocks everything",
        ));
    }
    if spec.min_replicas == Some(0) {
        out.push(Difference::new(
            Kind::AtLeastOne,
            "spec.minReplicas",
            "0 becomes 1, which is what it meant: a WatermarkPodAutoscaler never shrinks to zero",
        ));
    }
    by_number(spec, &mut out);
    if spec.dry_run {
        out.push(Difference::new(
            Kind::DryRunCounts,
            "spec.dryRun",
            "a dry run stores no scaling, so no cooldown follows; a WatermarkPodAutoscaler stamps lastScaleTime",
        ));
    }
    Ok(out)
}

fn by_metric(spec: &WpaSpec, out: &mut Vec<Difference>) -> Result<(), Impossible> {
    for (index, source) in sources(spec)?.iter().enumerate() {
        let external = source.kind == "External";
        if !external {
            let field = format!("spec.metrics[{index}].resource.metricSelector");
            let text = "the metrics of the target's own pods count; a WatermarkPodAutoscaler asks with the metric's own \
                        selector";
            out.push(Difference::new(Kind::OwnSelector, &field, text));
        }
        if !external && spec.algorithm != "average" {
            let field = format!("spec.metrics[{index}].resource");
            let text = "the average over the pods is compared with the watermarks, not the raw sum under the metric's \
                        selector: divide the watermarks by the pods you expect";
            out.push(Difference::new(Kind::RawSum, &field, text));
        }
        if external && !spec.tolerate_zero {
            let field = format!("spec.metrics[{index}].external");
            let text =
                "a value of 0 is believed and shrinks; without tolerateZero a WatermarkPodAutoscaler holds";
            out.push(Difference::new(Kind::ZeroBelieved, &field, text));
        }
        for (name, mark) in [("lowWatermark", source.low), ("highWatermark", source.high)] {
            let slack = mark.map_or(0, |mark| i128::from(mark.milli()) * i128::from(spec.tolerance.milli()));
            if slack % 1000 != 0 {
                let field = format!("spec.metrics[{index}].{}.{name}", source.kind.to_lowercase());
                let text = "the tolerance around this mark is exact; a WatermarkPodAutoscaler cuts it to whole \
                            thousandths";
                out.push(Difference::new(Kind::Rounded, &field, text));
            }
        }
    }
    Ok(())
}

fn by_number(spec: &WpaSpec, out: &mut Vec<Difference>) {
    let factors = [
        ("spec.scaleUpLimitFactor", &spec.scale_up_limit_factor, i64::from(10_000) * 1000),
        ("spec.scaleDownLimitFactor", &spec.scale_down_limit_factor, i64::from(100) * 1000),
    ];
    for (field, factor, most) in factors {
        let milli = factor.as_ref().map_or(0, wpa::Amount::milli);
        if milli % 1000 != 0 || milli > most {
            let text = "limitPercent is a whole number, so the factor is rounded";
            out.push(Difference::new(Kind::Rounded, field, text));
        }
    }
    let delays = [
        ("spec.upscaleDelayAboveWatermarkSeconds", spec.upscale_delay_above_watermark_seconds),
        ("spec.downscaleDelayBelowWatermarkSeconds", spec.downscale_delay_below_watermark_seconds),
    ];
    for (field, secs) in delays {
        if secs != 0 {
            let text = "the delay counts how long the metrics together wish to scale; in a WatermarkPodAutoscaler it \
                        counts how long any one has been past its mark";
            out.push(Difference::new(Kind::Delays, field, text));
        }
    }
    if spec.min_available_replica_percentage > 0 {
        let text = "counts running and ready pods among all selected ones; below it nothing is proposed, where a \
                    WatermarkPodAutoscaler fails the metric";
        out.push(Difference::new(Kind::Pods, "spec.minAvailableReplicaPercentage", text));
    }
}
