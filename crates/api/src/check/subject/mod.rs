//! An autoscaler of any kind, defaulted, validated and lowered: what every check looks at.

mod autoscaler;
mod hpa;
mod wpa;

use plimsoll_engine::{Bounds, Limits, Policy, Side};

use super::finding::{Code, Finding};
use crate::explain::Shown;
use crate::field::FieldError;
use crate::hpa::Flags;
use crate::manifest::{Document, Object};
use crate::source::Source;

/// An autoscaler among the documents.
pub(super) struct Subject<'a> {
    pub(super) document: &'a Document,
    pub(super) namespace: Option<&'a str>,
    pub(super) name: &'a str,
    pub(super) target: Target,
    /// What it means, unless it is refused.
    pub(super) lowered: Option<Lowered>,
    /// Why it is refused: field and words.
    pub(super) refusals: Vec<Refusal>,
}

/// Why an object is refused.
pub(super) struct Refusal {
    pub(super) code: Code,
    pub(super) field: String,
    pub(super) message: String,
}

/// What an autoscaler scales.
pub(super) struct Target {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) name: String,
}

/// What an autoscaler means.
pub(super) struct Lowered {
    pub(super) policy: Policy,
    pub(super) metrics: Vec<MetricView>,
    pub(super) written: Written,
    /// Times at which other bounds are in force, in words.
    pub(super) schedules: Vec<String>,
    /// The least and the most that is in force at any time.
    pub(super) widest: Bounds,
}

/// A metric, where it comes from and where in the object it is.
pub(super) struct MetricView {
    pub(super) source: Source,
    pub(super) shown: Shown,
    pub(super) field: String,
}

/// What the user wrote, as far as a default must not be blamed on them.
#[derive(Default)]
pub(super) struct Written {
    /// Windows and cooldowns.
    pub(super) windows: Vec<Window>,
    /// Directions whose policies were written, with the field of the list.
    pub(super) policies: Vec<(Side, String)>,
    /// The field that makes a direction impossible, if one does.
    pub(super) disabled: Vec<(Side, String)>,
    /// The field that asks for multiples.
    pub(super) multiple: Option<String>,
    /// Which pods count, if the kind lets users choose: the field of the choice.
    pub(super) pods: Option<String>,
}

/// A window or a cooldown that was written.
pub(super) struct Window {
    pub(super) side: Side,
    pub(super) field: String,
    pub(super) secs: i64,
}

impl<'a> Subject<'a> {
    /// The autoscaler that a document holds, if it holds one.
    pub(super) fn of(document: &'a Document, flags: &Flags) -> Option<Self> {
        let (target, lowered) = match &document.object {
            Object::Hpa(it) => hpa::of((**it).clone(), flags),
            Object::HpaV1(it) => hpa::of_v1(it, flags),
            Object::Wpa(it) => wpa::of((**it).clone()),
            Object::Autoscaler(it) => autoscaler::of(it, flags),
            _ => return None,
        };
        let metadata = document.object.metadata()?;
        let (lowered, refusals) = match lowered {
            Ok(lowered) => (Some(lowered), Vec::new()),
            Err(refusals) => (None, refusals),
        };
        Some(Subject {
            document,
            namespace: metadata.namespace.as_deref(),
            name: metadata.name.as_deref().unwrap_or_default(),
            target,
            lowered,
            refusals,
        })
    }

    /// A finding about this autoscaler.
    pub(super) fn finding(&self, code: Code, message: impl Into<String>) -> Finding {
        finding(self.document, code, message)
    }
}

/// How an object is named: `Kind/name`.
pub(super) fn label(document: &Document) -> String {
    let name = document.object.metadata().and_then(|it| it.name.as_deref()).unwrap_or("(no name)");
    format!("{}/{name}", document.kind)
}

/// A finding about an object.
pub(super) fn finding(document: &Document, code: Code, message: impl Into<String>) -> Finding {
    Finding {
        code,
        name: code.name(),
        severity: code.severity(),
        file: document.source.to_string(),
        line: document.line,
        object: label(document),
        field: None,
        message: message.into(),
        fix: Vec::new(),
    }
}

/// What it scales, and what it means or why it is refused.
type Made = (Target, Result<Lowered, Vec<Refusal>>);

/// What an API server complains about, as refusals.
fn refused(errors: Vec<FieldError>) -> Vec<Refusal> {
    let refusals = errors.into_iter().map(|error| {
        let message = error.to_string();
        let message = message.strip_prefix(&format!("{}: ", error.field)).unwrap_or(&message).to_owned();
        Refusal { code: Code::Refused, field: error.field, message }
    });
    refusals.collect()
}

/// Whether the policies of a direction are rates per period.
pub(super) fn rate(policy: &Policy, side: Side) -> Option<&plimsoll_engine::Rate> {
    match (&policy.limits, side) {
        (Limits::Rates { up, .. }, Side::Up) => Some(up),
        (Limits::Rates { down, .. }, Side::Down) => Some(down),
        _ => None,
    }
}
