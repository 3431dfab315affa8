//! Whether a WatermarkPodAutoscaler makes sense: the original's checks, in its order and in its words.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::amount::Amount;
use super::types::{MetricSpec, WatermarkPodAutoscaler, WpaSpec};
use super::words::series;

/// What is wrong with an object, in the words its controller puts into events and conditions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Invalid {
    /// Which field, as a path.
    pub field: String,
    /// What is wrong.
    pub text: String,
}

impl Invalid {
    fn new(field: impl Into<String>, text: impl Into<String>) -> Self {
        Self { field: field.into(), text: text.into() }
    }
}

/// Checks an object whose defaults have been applied. Only the first thing that is wrong is told.
///
/// # Errors
/// When the object makes no sense.
pub fn check(object: &WatermarkPodAutoscaler) -> Result<(), Invalid> {
    let spec = &object.spec;
    check_target_and_bounds(spec)?;
    check_shares(spec)?;
    if spec.recommender.is_some() && !spec.metrics.is_empty() {
        return Err(Invalid::new(
            "spec.recommender",
            "recommender and metrics can't be set at the same time, please choose one",
        ));
    }
    let meta = &object.metadata;
    let owner = format!(
        "{}/{}",
        meta.namespace.as_deref().unwrap_or_default(),
        meta.name.as_deref().unwrap_or_default()
    );
    spec.metrics.iter().enumerate().try_for_each(|(index, metric)| {
        check_metric(metric, &owner).map_err(|mut invalid| {
            invalid.field = format!("spec.metrics[{index}]{}", invalid.field);
            invalid
        })
    })
}

fn check_target_and_bounds(spec: &WpaSpec) -> Result<(), Invalid> {
    let target = &spec.scale_target_ref;
    if target.kind.is_empty() || target.name.is_empty() {
        return Err(Invalid::new(
            "spec.scaleTargetRef",
            format!(
                "the Spec.ScaleTargetRef should be populated, currently Kind:{} and/or Name:{} are not set properly",
                target.kind, target.name
            ),
        ));
    }
    if spec.min_replicas.is_none_or(|min| spec.max_replicas < min) {
        return Err(Invalid::new(
            "spec.minReplicas",
            "watermark pod autoscaler requires the minimum number of replicas to be configured and inferior to the maximum",
        ));
    }
    Ok(())
}

fn check_shares(spec: &WpaSpec) -> Result<(), Invalid> {
    let tolerance = spec.tolerance.milli();
    if !(0..=1000).contains(&tolerance) {
        return Err(Invalid::new(
            "spec.tolerance",
            format!(
                "tolerance should be set as a quantity between 0 and 1, currently set to : {}, which is {:.0}%",
                spec.tolerance,
                tolerance as f64 / 10.0
            ),
        ));
    }
    let (Some(up), Some(down)) = (&spec.scale_up_limit_factor, &spec.scale_down_limit_factor) else {
        return Err(Invalid::new(
            "spec",
            "scaleuplimitfactor and scaledownlimitfactor can't be nil, make sure the WPA spec is defaulted",
        ));
    };
    if up.milli() < 0 {
        return Err(Invalid::new(
            "spec.scaleUpLimitFactor",
            format!(
                "scaleuplimitfactor should be set as a positive quantity, currently set to : {up}, which could yield a {:.0}% growth",
                up.milli() as f64 / 1000.0
            ),
        ));
    }
    if !(0..100_000).contains(&down.milli()) {
        return Err(Invalid::new(
            "spec.scaleDownLimitFactor",
            format!(
                "scaledownlimitfactor should be set as a quantity between 0 and 100 (exc.), currently set to : {down}, which could yield a {:.0}% decrease",
                down.milli() as f64 / 1000.0
            ),
        ));
    }
    Ok(())
}

/// What the two kinds of metric have in common.
pub(crate) struct Source<'a> {
    pub(crate) kind: &'static str,
    field: &'static str,
    pub(crate) name: &'a str,
    pub(crate) selector: Option<&'a LabelSelector>,
    pub(crate) low: Option<&'a Amount>,
    pub(crate) high: Option<&'a Amount>,
}

impl<'a> Source<'a> {
    /// The source that `type` names. The field in the error is relative to the metric.
    pub(crate) fn of(metric: &'a MetricSpec) -> Result<Self, Invalid> {
        let absent = |field: &str| {
            let kind = &metric.kind;
            Invalid::new(field, format!("metric.{kind} is nil while metric.Type is '{kind}'"))
        };
        match metric.kind.as_str() {
            "External" => metric.external.as_ref().ok_or_else(|| absent(".external")).map(|source| Self {
                kind: "External",
                field: ".external",
                name: &source.metric_name,
                selector: source.metric_selector.as_ref(),
                low: source.low_watermark.as_ref(),
                high: source.high_watermark.as_ref(),
            }),
            "Resource" => metric.resource.as_ref().ok_or_else(|| absent(".resource")).map(|source| Self {
                kind: "Resource",
                field: ".resource",
                name: &source.name,
                selector: source.metric_selector.as_ref(),
                low: source.low_watermark.as_ref(),
                high: source.high_watermark.as_ref(),
            }),
            other => Err(Invalid::new(".type", format!("incorrect metric.Type: '{other}'"))),
        }
    }
}

fn check_metric(metric: &MetricSpec, owner: &str) -> Result<(), Invalid> {
    let source = Source::of(metric)?;
    let (kind, name, field) = (source.kind, source.name, source.field);
    if source.low.is_none() && source.high.is_none() {
        return Err(Invalid::new(
            field,
            format!("watermarks are not set correctly, removing the WPA {owner} from the Reconciler"),
        ));
    }
    let Some(selector) = source.selector else {
        return Err(Invalid::new(
            format!("{field}.metricSelector"),
            format!("missing Labels for the {kind} metric {name}"),
        ));
    };
    if let (Some(low), Some(high)) = (source.low, source.high)
        && high.milli() < low.milli()
    {
        return Err(Invalid::new(
            format!("{field}.lowWatermark"),
            format!(
                "low WaterMark of {kind} metric {} has to be strictly inferior to the High Watermark",
                series(name, selector)
            ),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wpa::apply_defaults;

    fn object(spec: serde_json::Value) -> WatermarkPodAutoscaler {
        let mut object: WatermarkPodAutoscaler = serde_json::from_value(serde_json::json!({
            "apiVersion": "datadoghq.com/v1alpha1", "kind": "WatermarkPodAutoscaler",
            "metadata": { "name": "web", "namespace": "prod" }, "spec": spec,
        }))
        .unwrap();
        apply_defaults(&mut object.spec);
        object
    }

    #[test]
    fn names_the_first_fault_and_its_field() {
        let invalid = check(&object(serde_json::json!({ "maxReplicas": 3 }))).unwrap_err();
        assert_eq!(invalid.field, "spec.scaleTargetRef");

        let invalid = check(&object(serde_json::json!({
            "scaleTargetRef": { "kind": "Deployment", "name": "web" }, "maxReplicas": 3,
            "metrics": [{ "type": "External", "external": {
                "metricName": "queue", "metricSelector": { "matchLabels": { "b": "2", "a": "1" } },
                "highWatermark": 1, "lowWatermark": "1001m" } }],
        })))
        .unwrap_err();
        assert_eq!(invalid.field, "spec.metrics[0].external.lowWatermark");
        assert_eq!(
            invalid.text,
            "low WaterMark of External metric queue{map[a:1 b:2]} has to be strictly inferior to the High Watermark"
        );
    }

    #[test]
    fn a_recommender_excludes_metrics() {
        let invalid = check(&object(serde_json::json!({
            "scaleTargetRef": { "kind": "Deployment", "name": "web" }, "maxReplicas": 3,
            "recommender": { "url": "http://recommender" }, "metrics": [{ "type": "Pods" }],
        })))
        .unwrap_err();
        assert_eq!(invalid.text, "recommender and metrics can't be set at the same time, please choose one");
    }

    #[test]
    fn percentages_round_to_even_as_the_original_does() {
        let wrong = |tolerance: &str| {
            check(&object(serde_json::json!({
                "scaleTargetRef": { "kind": "Deployment", "name": "web" }, "maxReplicas": 3,
                "tolerance": tolerance,
            })))
            .unwrap_err()
            .text
        };
        assert!(wrong("1005m").ends_with("currently set to : 1005m, which is 100%"));
        assert!(wrong("1015m").ends_with("which is 102%"));
        assert!(wrong("-1m").ends_with("which is -0%"));
    }
}
