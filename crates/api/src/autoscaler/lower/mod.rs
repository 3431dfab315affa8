//! From an Autoscaler to the policy that the engine follows, and the words to tell it with.

mod metrics;
mod velocity;

use std::sync::Arc;

use plimsoll_engine::{
    Bounds, Combine, DryRun, HistoryKind, Policy, Roster, Strangers, Surge, Suspend, Terminal, Text, seconds,
};

use super::calendar::Calendar;
use super::scalars::Choice;
use super::spec::{self, Autoscaler, AutoscalerSpec};
use super::validate::validate;
use crate::explain::Shown;
use crate::field::FieldError;
use crate::hpa::words::TOO_FEW;
use crate::hpa::{self, Flags, Words};
use crate::source::Source;

/// What is said when no replicas are asked for and no minimum was given.
const ZERO: &str = "the desired replica count is zero";

/// A policy, the schedules that change its bounds, and the words to tell it with.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowered {
    /// The policy and the words that a HorizontalPodAutoscaler would have too.
    pub base: hpa::Lowered,
    /// Which bounds are in force when.
    pub calendar: Calendar,
    /// What is scaled, as `Kind/name`.
    pub target: String,
    /// Each metric as people read it.
    pub shown: Vec<Shown>,
}

impl Lowered {
    /// What the engine follows.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.base.policy
    }

    /// The words of the target and its metrics.
    #[must_use]
    pub fn words(&self) -> &Words {
        &self.base.words
    }
}

/// Checks and lowers an Autoscaler.
///
/// # Errors
/// Everything that is wrong with it, in the order of its fields.
pub fn admit(object: &Autoscaler, flags: &Flags) -> Result<Lowered, Vec<FieldError>> {
    let errors = validate(&object.spec);
    if errors.is_empty() { lower(object, flags).map_err(|error| vec![error]) } else { Err(errors) }
}

/// Lowers a valid Autoscaler; [`admit`] checks it first.
///
/// # Errors
/// Only what no policy can be made of.
pub fn lower(object: &Autoscaler, flags: &Flags) -> Result<Lowered, FieldError> {
    let spec = &object.spec;
    let namespace: Text = object.metadata.namespace.as_deref().unwrap_or("default").into();
    let (metrics, words) = metrics::lower(spec, flags)?;
    let (stabilize, limits, hold) = velocity::lower(spec, flags);
    let policy = Policy {
        bounds: Bounds { min: spec.min_replicas.unwrap_or(1), max: spec.max_replicas },
        wakes_from_zero: words.iter().any(|words| read_without_pods(&words.source)),
        combine: match chosen(spec.combine.as_ref()) {
            Some(spec::Combine::Min) => Combine::Min,
            _ => Combine::Max,
        },
        roster: roster(spec),
        stabilize: Some(stabilize),
        history: HistoryKind::Skylines,
        limits,
        hold,
        suspend: match chosen(spec.suspend.as_ref()) {
            Some(spec::Suspend::Up) => Suspend::Up,
            Some(spec::Suspend::Down) => Suspend::Down,
            Some(spec::Suspend::All) => Suspend::All,
            Some(spec::Suspend::None) | None => Suspend::None,
        },
        dry_run: match chosen(spec.mode.as_ref()) {
            Some(spec::Mode::DryRun) => DryRun::Silent,
            _ => DryRun::Off,
        },
        cadence_us: seconds(spec.sync_period_seconds.map_or(flags.sync_period_secs, i64::from)),
        metrics,
        ..Policy::plain()
    };
    let shown = words.iter().zip(&policy.metrics).map(|(words, metric)| Shown::new(&words.source, metric));
    let target = &spec.scale_target_ref;
    Ok(Lowered {
        shown: shown.collect(),
        calendar: Calendar::new(spec),
        target: format!("{}/{}", target.kind, target.name),
        base: hpa::Lowered {
            policy,
            words: Words {
                reference: format!("{}/{namespace}/{}", target.kind, target.name).into(),
                namespace,
                metrics: words.into_iter().map(Arc::new).collect(),
                too_few: if spec.min_replicas.is_some() { TOO_FEW } else { ZERO },
            },
        },
    })
}

/// The meaning of a word that was given and is known.
fn chosen<W: super::scalars::Word>(choice: Option<&Choice<W>>) -> Option<W> {
    choice.and_then(Choice::known)
}

fn read_without_pods(source: &Source) -> bool {
    matches!(source, Source::Object { .. } | Source::External { .. } | Source::Prometheus { .. })
}

fn roster(spec: &AutoscalerSpec) -> Roster {
    let pods = spec.pods.as_ref();
    Roster {
        strangers: match chosen(pods.and_then(|pods| pods.select_by.as_ref())) {
            Some(spec::SelectBy::Owner) => Strangers::Ignore,
            _ => Strangers::Count,
        },
        terminal: match chosen(pods.and_then(|pods| pods.terminal.as_ref())) {
            Some(spec::Terminal::Ignore) => Terminal::Ignore,
            _ => Terminal::Count,
        },
        surge: match chosen(pods.and_then(|pods| pods.surge.as_ref())) {
            Some(spec::Surge::Cap) => Surge::Cap,
            _ => Surge::Count,
        },
        min_available_percent: spec.min_available_percent.unwrap_or(0),
    }
}
