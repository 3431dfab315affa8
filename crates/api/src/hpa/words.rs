//! The reference's words for a HorizontalPodAutoscaler's metrics: what they are called, and how each failure is told.

use std::sync::Arc;

use plimsoll_engine::{Absent, Text, Why};

use crate::source::Source;

/// The words of one autoscaler.
#[derive(Debug, Clone, PartialEq)]
pub struct Words {
    /// `Kind/namespace/name` of the target.
    pub reference: Text,
    /// Its namespace.
    pub namespace: Text,
    /// One for each metric of the policy.
    pub metrics: Vec<Arc<MetricWords>>,
    /// What is said when fewer replicas are asked for than the minimum.
    pub too_few: &'static str,
}

/// What is said when fewer replicas are asked for than a minimum that was given.
pub(crate) const TOO_FEW: &str = "the desired replica count is less than the minimum replica count";

/// The words of one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricWords {
    /// Where it comes from.
    pub source: Source,
    /// What it is held to.
    pub goal: Goal,
    /// What it is called in conditions and events.
    pub described: Text,
    /// What is wrong with its target, if anything.
    pub bad_target: Option<Text>,
}

/// What kind of goal a metric is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// A percentage of the request.
    Utilization,
    /// An average over the pods.
    AverageValue,
    /// One value.
    Value,
}

impl MetricWords {
    /// Why there is no point in asking for it.
    #[must_use]
    pub fn refused(&self) -> Option<Absent> {
        let target = || self.bad_target.clone().map(Absent::Spec);
        match self.source {
            Source::External { .. } => target().or_else(|| self.source.refused()),
            _ => self.source.refused().or_else(target),
        }
    }

    /// The reason of the condition and the event when it cannot be had.
    #[must_use]
    pub fn failure_reason(&self) -> &'static str {
        match self.source {
            Source::Resource { container: None, .. } => "FailedGetResourceMetric",
            Source::Resource { container: Some(_), .. } => "FailedGetContainerResourceMetric",
            Source::Pods { .. } => "FailedGetPodsMetric",
            Source::Object { .. } => "FailedGetObjectMetric",
            Source::External { .. } => "FailedGetExternalMetric",
            Source::Prometheus { .. } => "FailedGetPrometheusMetric",
        }
    }

    /// Why it cannot be had, as the event and the condition say it.
    #[must_use]
    pub fn failure(&self, namespace: &str, why: &Why) -> String {
        let inner = self.cause(namespace, why);
        match (&self.source, why) {
            (Source::Resource { .. }, Why::Spec(_)) => inner,
            (Source::Resource { name, .. }, _) => match self.goal {
                Goal::Utilization => format!("failed to get {name} utilization: {inner}"),
                _ => format!("failed to get {name} usage: {inner}"),
            },
            _ => inner,
        }
    }

    /// Why it cannot be had, as the error that ends the sync says it.
    #[must_use]
    pub fn error(&self, namespace: &str, why: &Why) -> String {
        let failure = self.failure(namespace, why);
        match &self.source {
            Source::Resource { container: Some(container), .. } => {
                format!("failed to get {container} container metric value: {failure}")
            }
            Source::Resource { name, .. } => format!("failed to get {name} resource metric value: {failure}"),
            Source::Pods { .. } => format!("failed to get pods metric value: {failure}"),
            Source::Object { name, .. } => match (self.goal, why) {
                (Goal::AverageValue, Why::Spec(_) | Why::Selector(_))
                | (Goal::Utilization | Goal::Value, _) => {
                    format!("failed to get object metric value: {failure}")
                }
                (Goal::AverageValue, _) => {
                    format!(
                        "failed to get object metric value: failed to get {name} object metric: {failure}"
                    )
                }
            },
            Source::External { name, .. } => match (self.goal, why) {
                (_, Why::Spec(_)) => format!("failed to get {name} external metric value: {failure}"),
                (Goal::AverageValue, _) => {
                    format!(
                        "failed to get {name} external metric value: failed to get {name} external metric: {failure}"
                    )
                }
                _ => format!(
                    "failed to get {name} external metric value: failed to get external metric {name}: {failure}"
                ),
            },
            Source::Prometheus { .. } => format!("failed to get prometheus metric value: {failure}"),
        }
    }

    fn cause(&self, namespace: &str, why: &Why) -> String {
        match why {
            Why::Api(text) => match &self.source {
                Source::Resource { name, .. } => format!("unable to get metrics for resource {name}: {text}"),
                Source::Pods { name, .. } => format!("unable to get metric {name}: {text}"),
                Source::Object { name, object, .. } => {
                    format!(
                        "unable to get metric {name} on {} {namespace}/{}: {text}",
                        object.kind, object.name
                    )
                }
                Source::External { name, selector } => {
                    format!("unable to get external metric {namespace}/{name}/{}: {text}", selector.printed)
                }
                Source::Prometheus { query, .. } => format!("unable to get prometheus query {query}: {text}"),
            },
            Why::Selector(text) | Why::Spec(text) | Why::Request(text) => text.to_string(),
            Why::NoPods => {
                let no_pods = "no pods returned by selector while calculating replica count";
                match self.source {
                    Source::Object { .. } | Source::External { .. } | Source::Prometheus { .. } => {
                        format!("unable to calculate ready pods: {no_pods}")
                    }
                    _ => no_pods.to_owned(),
                }
            }
            Why::NoSamples => "did not receive metrics for targeted pods (pods might be unready)".to_owned(),
            Why::NoMatch => "no metrics returned matched known pods".to_owned(),
            Why::Stale { secs } => {
                format!("the newest measurement is {secs} s old, which is older than maxAgeSeconds")
            }
            Why::NoneReady { of } => format!("among the {of} pods, none is ready"),
            Why::TooFewReady { percent } => format!("only {percent} % of the pods are ready"),
        }
    }
}
