//! Where a metric comes from: what must be asked of which API. Shared by every kind of autoscaler.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use plimsoll_engine::{Absent, Text};

use crate::selector::{Selector, SelectorError};

/// What to ask for to read a metric.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// metrics.k8s.io: what each pod, or one container of each, uses.
    Resource {
        /// `cpu`, `memory`, ...
        name: Text,
        /// One container; `None` is the whole pod.
        container: Option<Text>,
        /// Asks with this selector instead of the target's.
        selector: Option<MetricSelector>,
    },
    /// custom.metrics.k8s.io: one value for each pod.
    Pods {
        /// The metric's name.
        name: Text,
        /// Narrows the metric down.
        selector: MetricSelector,
    },
    /// custom.metrics.k8s.io: one value of one object.
    Object {
        /// The metric's name.
        name: Text,
        /// Narrows the metric down.
        selector: MetricSelector,
        /// The object.
        object: ObjectRef,
    },
    /// external.metrics.k8s.io: a list of values.
    External {
        /// The metric's name.
        name: Text,
        /// Narrows the metric down.
        selector: MetricSelector,
    },
    /// A Prometheus server: the result of a query.
    Prometheus {
        /// The query.
        query: Text,
        /// The server; `None` is the controller's own.
        server: Option<Text>,
    },
}

/// An object that a metric describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectRef {
    /// Its API version.
    pub api_version: Text,
    /// Its kind.
    pub kind: Text,
    /// Its name.
    pub name: Text,
}

/// A metric's own selector, with how the reference prints it.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricSelector {
    /// The selector, or why it cannot be used.
    pub parsed: Result<Selector, SelectorError>,
    /// As the reference prints it.
    pub printed: Text,
    /// As the user wrote it.
    pub written: Option<LabelSelector>,
}

impl MetricSelector {
    /// From what the user wrote.
    #[must_use]
    pub fn new(written: Option<&LabelSelector>) -> Self {
        MetricSelector {
            parsed: Selector::from_object(written),
            printed: crate::selector::printed(written).into(),
            written: written.cloned(),
        }
    }
}

impl Source {
    /// Why asking is pointless, if it is.
    #[must_use]
    pub fn refused(&self) -> Option<Absent> {
        let selector = match self {
            Source::Resource { selector: Some(selector), .. }
            | Source::Pods { selector, .. }
            | Source::Object { selector, .. }
            | Source::External { selector, .. } => selector,
            Source::Resource { selector: None, .. } | Source::Prometheus { .. } => return None,
        };
        selector.parsed.as_ref().err().map(|error| Absent::Selector(error.to_string().into()))
    }

    /// Which API it is read from, as messages name it.
    #[must_use]
    pub fn api(&self) -> &'static str {
        match self {
            Source::Resource { .. } => "resource metrics API",
            Source::Pods { .. } | Source::Object { .. } => "custom metrics API",
            Source::External { .. } => "external metrics API",
            Source::Prometheus { .. } => "Prometheus",
        }
    }

    /// What a failed call means.
    #[must_use]
    pub fn call_failed(&self, error: &str) -> Absent {
        Absent::Api(format!("unable to fetch metrics from {}: {error}", self.api()).into())
    }

    /// What an empty answer means.
    #[must_use]
    pub fn nothing_returned(&self) -> Absent {
        Absent::Api(format!("no metrics returned from {}", self.api()).into())
    }
}
