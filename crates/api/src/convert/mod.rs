//! From one kind of autoscaler to another, with everything named that will not be the same.

mod from_hpa;
mod from_wpa;
mod to_hpa;
mod write;

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::field::FieldError;
use crate::wpa::Refusal;

pub use from_hpa::hpa_to_autoscaler;
pub use from_wpa::wpa_to_autoscaler;
pub use to_hpa::autoscaler_to_hpa;
pub use write::to_yaml;

/// An object of the other kind, and what will not be the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted<T> {
    /// The object.
    pub object: T,
    /// What differs, in the order of the fields.
    pub differences: Vec<Difference>,
}

/// One thing that will not be the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What kind of difference it is.
    pub kind: Kind,
    /// The field that it comes from.
    pub field: String,
    /// What differs, in one line.
    pub text: String,
}

impl Difference {
    fn new(kind: Kind, field: &str, text: impl Into<String>) -> Self {
        Difference { kind, field: field.to_owned(), text: text.into() }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.text)
    }
}

/// What kind of difference it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Zero replicas and min/max are looked at before the metrics, not after everything else.
    BoundsFirst,
    /// The first look writes only a change, and delays hold at it.
    FirstSync,
    /// The metric was compared as a raw sum.
    RawSum,
    /// The metric had a selector of its own.
    OwnSelector,
    /// A monitor could stop everything.
    MonitorGate,
    /// A measured zero is believed.
    ZeroBelieved,
    /// Other pods count.
    Pods,
    /// A missing metric blocked growing too.
    AnyFailure,
    /// Dry run counted as scaling.
    DryRunCounts,
    /// Delays count by the wish, not by the marks.
    Delays,
    /// A number had to be rounded.
    Rounded,
    /// There was no metric at all.
    NoMetrics,
    /// Zero replicas meant at least one.
    AtLeastOne,
    /// Percentages do not keep a target asleep.
    Waking,
    /// The other kind cannot say it, so it is left out.
    LeftOut,
    /// The other kind can only say something close to it.
    Close,
}

/// Why an object cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// It makes no sense as it is, or wants what is not supported.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// What would come out makes no sense.
    #[error("cannot be said as the other kind: {0}")]
    Invalid(FieldError),
}

/// What of the metadata belongs to the user, and so to the new object too.
fn metadata(old: &ObjectMeta) -> ObjectMeta {
    let mut annotations = old.annotations.clone().unwrap_or_default();
    annotations.retain(|key, _| {
        key != "kubectl.kubernetes.io/last-applied-configuration"
            && !key.starts_with("autoscaling.alpha.kubernetes.io/")
            && !key.starts_with("wpa.datadoghq.com/")
    });
    ObjectMeta {
        name: old.name.clone(),
        namespace: old.namespace.clone(),
        labels: old.labels.clone(),
        annotations: (!annotations.is_empty()).then_some(annotations),
        ..ObjectMeta::default()
    }
}

#[cfg(test)]
mod tests;
