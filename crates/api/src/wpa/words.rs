//! The words of the WatermarkPodAutoscaler controller: reasons and messages that people and tools match on.

use std::fmt::Write as _;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use plimsoll_engine::{Bind, Cause, Converged, Mark, Unread, Why};

use super::check::Source;
use super::types::WatermarkPodAutoscaler;
use crate::condition::Status as Holds;
use crate::selector;

/// A condition's state, reason and message.
pub(crate) type Said = (Holds, &'static str, &'static str);

const STABLE_ONLY: &str = "Converging to Watermark only allowed in stable regime";
const TO_HIGH: &str = "Allow downscaling to converge to the High Watermark";
const TO_LOW: &str = "Allow upscaling to converge to the Low Watermark";
const BETWEEN: &str = "Value between Watermarks";
const UNSTABLE: &str = "Proposal could lead to an unstable regime";

/// What is said about converging; a metric that was not believed says nothing.
pub(crate) fn converging(mark: Mark) -> Option<Said> {
    Some(match mark {
        Mark::Above => (Holds::False, TO_HIGH, STABLE_ONLY),
        Mark::Below => (Holds::False, STABLE_ONLY, STABLE_ONLY),
        Mark::Within => (Holds::False, "Feature not enabled", BETWEEN),
        Mark::Converging(Converged::ToHigh) => (Holds::True, TO_HIGH, BETWEEN),
        Mark::Converging(Converged::ToLow) => (Holds::True, TO_LOW, BETWEEN),
        Mark::Converging(Converged::HighUnstable) => (Holds::False, TO_HIGH, UNSTABLE),
        Mark::Converging(Converged::LowUnstable) => (Holds::False, TO_LOW, UNSTABLE),
        Mark::None | Mark::ZeroIgnored => return None,
    })
}

/// Why the wish was limited, if it was.
pub(crate) fn limited(by: Bind) -> (&'static str, &'static str) {
    match by {
        Bind::Within => ("DesiredWithinRange", "the desired count is within the acceptable range"),
        Bind::RateUp | Bind::ShareUp => {
            ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
        }
        Bind::RateDown | Bind::ShareDown => {
            ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")
        }
        Bind::TooMany => ("TooManyReplicas", "the desired replica count is above the maximum replica count"),
        Bind::TooFew => ("TooFewReplicas", "the desired replica count is below the minimum replica count"),
        Bind::AtLeastOne => ("", ""),
    }
}

/// Why a number was decided on.
pub(crate) fn cause(object: &WatermarkPodAutoscaler, cause: Cause) -> String {
    match cause {
        Cause::Unnamed => String::new(),
        Cause::Above(metric) => format!("{} above target", metric_series(object, metric)),
        Cause::AllBelow => "All metrics below target".to_owned(),
        Cause::PastMax => "Current number of replicas above Spec.MaxReplicas".to_owned(),
        Cause::PastMin => "Current number of replicas below Spec.MinReplicas".to_owned(),
        Cause::PastZero => "Current number of replicas must be greater than 0".to_owned(),
        Cause::Converging => {
            "Metric within watermarks, attempting to scale to converge towards watermark".to_owned()
        }
    }
}

/// A metric by name and labels: `queue{map[env:prod]}`. Nothing, if there is no such metric.
pub(crate) fn metric_series(object: &WatermarkPodAutoscaler, metric: u16) -> String {
    source(object, metric)
        .and_then(|source| source.selector.map(|selector| series(source.name, selector)))
        .unwrap_or_default()
}

/// Where a metric comes from.
pub(crate) fn source(object: &WatermarkPodAutoscaler, metric: u16) -> Option<Source<'_>> {
    object.spec.metrics.get(usize::from(metric)).and_then(|metric| Source::of(metric).ok())
}

/// A metric's name with its labels, as users read it in events: `queue{map[env:prod]}`.
pub(crate) fn series(name: &str, selector: &LabelSelector) -> String {
    let mut text = format!("{name}{{map[");
    for (index, (key, value)) in selector.match_labels.iter().flatten().enumerate() {
        let gap = if index == 0 { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{gap}{key}:{value}");
    }
    text.push_str("]}");
    text
}

/// Why a metric asks for nothing.
pub(crate) fn why(object: &WatermarkPodAutoscaler, pods: &str, source: &Source<'_>, why: &Why) -> String {
    let namespace = object.metadata.namespace.as_deref().unwrap_or_default();
    match why {
        Why::Api(text) => {
            let kind = if source.kind == "External" { "external" } else { "resource" };
            let labels = selector::printed(source.selector);
            format!("unable to get {kind} metric {namespace}/{}/{labels}: {text}", source.name)
        }
        Why::Selector(text) | Why::Spec(text) | Why::Request(text) => text.to_string(),
        Why::NoPods => "no pods returned by selector while calculating replica count".to_owned(),
        Why::NoSamples | Why::NoMatch | Why::Stale { .. } => {
            "did not receive metrics for any ready pods".to_owned()
        }
        Why::NoneReady { of } => {
            let none = format!("among the {of} pods, none is ready. Skipping recommendation");
            if source.kind == "External" {
                let pods = selector::parse(pods).map_or_else(|_| pods.to_owned(), |pods| pods.to_string());
                format!("unable to get the number of ready pods across all namespaces for {pods}: {none}")
            } else {
                none
            }
        }
        Why::TooFewReady { percent } => {
            let target = &object.spec.scale_target_ref.name;
            format!("{percent} % of the pods are unready, will not autoscale {namespace}/{target}")
        }
    }
}

/// Why a sync ended without a decision.
pub(crate) fn failed(source: &Source<'_>, why: &str) -> String {
    if source.kind == "External" {
        format!("failed to compute replicas based on external metric {}: {why}", source.name)
    } else {
        format!("failed to get resource metric {}: {why}", source.name)
    }
}

/// Why the scale could not be read.
pub(crate) fn unread(object: &WatermarkPodAutoscaler, unread: &Unread) -> String {
    match unread {
        Unread::BadVersion(text) => format!("invalid API version in scale target reference: {text}"),
        Unread::UnknownKind(text) => {
            format!("unable to determine resource for scale target reference: {text}")
        }
        Unread::Failed(text) => {
            let version = &object.spec.scale_target_ref.api_version;
            // The version that serves the scale is meant, not the one that was written.
            let version = if version.starts_with("apps/") { "apps/v1" } else { version };
            format!("[could not get scale for the GV {version}, error: {text}, scale not found]")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_printed_in_order() {
        let selector: LabelSelector =
            serde_json::from_value(serde_json::json!({ "matchLabels": { "b": "2", "a": "1" } })).unwrap();
        assert_eq!(series("queue", &selector), "queue{map[a:1 b:2]}");
        assert_eq!(series("queue", &LabelSelector::default()), "queue{map[]}");
    }
}
