//! The kinds of autoscaler behind one face: what a user wrote becomes a plan, what happened becomes a status.

mod hpa;

use std::fmt;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta};
use plimsoll_api::autoscaler::metrics::PrometheusAuth;
use plimsoll_api::hpa::{Event, Hpa};
use plimsoll_api::source::Source;
use plimsoll_engine::{Absent, At, Bounds, Decision, Memory, Outcome, Policy, Trail};
use serde_json::Value;

use crate::FIELD_MANAGER;
use crate::config::Config;
use crate::key::{Key, Kind};

/// One autoscaler, as far as it is kept.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// Which it is.
    pub key: Key,
    /// Its UID.
    pub uid: String,
    /// The version of it that this is.
    pub resource_version: String,
    /// How often its spec has changed, if the API server counts that.
    pub generation: Option<i64>,
    /// Who wrote its status, and when.
    pub writers: Writers,
    /// What it means; or why it means nothing.
    pub plan: Result<Plan, String>,
    object: Object,
}

/// Who wrote a status.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Writers {
    /// When we wrote it last.
    pub ours: Option<At>,
    /// Who else wrote it last.
    pub foreign: Option<Foreign>,
}

/// A write of the status by someone else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// Who.
    pub manager: String,
    /// When.
    pub at: At,
}

/// The object itself.
#[derive(Debug, Clone, PartialEq)]
enum Object {
    Hpa(Box<Hpa>),
}

/// What an autoscaler means.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// What the engine follows.
    pub policy: Policy,
    /// What is scaled.
    pub target: Target,
    /// What must be asked for each metric of the policy.
    pub asks: Vec<Ask>,
    voice: Voice,
}

/// What is scaled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Its API version.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

/// What must be asked for a metric.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ask {
    /// Of whom, and what.
    pub source: Source,
    /// Why there is no point in asking.
    pub refused: Option<Absent>,
    /// What the metric is called in logs and metrics.
    pub name: String,
    /// The metric's type, as the spec spells it.
    pub(crate) kind: &'static str,
    /// How to log in to Prometheus.
    pub(crate) auth: Option<PrometheusAuth>,
    /// How long Prometheus may take, if the metric says so.
    pub(crate) limit: Option<Duration>,
}

impl Ask {
    /// A question to a source.
    #[must_use]
    pub(crate) fn new(source: &Source, refused: Option<Absent>) -> Self {
        let (kind, name) = match source {
            Source::Resource { name, container: None, .. } => ("Resource", name.to_string()),
            Source::Resource { name, container: Some(container), .. } => {
                ("ContainerResource", format!("{container}/{name}"))
            }
            Source::Pods { name, .. } => ("Pods", name.to_string()),
            Source::Object { name, object, .. } => {
                ("Object", format!("{}/{}/{name}", object.kind, object.name))
            }
            Source::External { name, .. } => ("External", name.to_string()),
            Source::Prometheus { query, .. } => ("Prometheus", query.to_string()),
        };
        Ask { source: source.clone(), refused, name, kind, auth: None, limit: None }
    }
}

/// How a kind tells what happened.
#[derive(Debug, Clone)]
enum Voice {
    Hpa(Box<plimsoll_api::hpa::Lowered>),
}

/// An autoscaler's status, to be rewritten.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Status {
    /// Of an HPA.
    Hpa(plimsoll_api::hpa::Status),
}

/// What was told besides the status.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Told {
    /// Events, in order.
    pub events: Vec<Event>,
    /// How the sync failed, if it did.
    pub error: Option<String>,
}

impl Subject {
    /// From an HPA as a watch gives it.
    #[must_use]
    pub(crate) fn hpa(mut hpa: Hpa, config: &Config) -> Subject {
        let writers = writers(hpa.metadata.managed_fields.take());
        let plan = hpa::plan(&hpa, config);
        Subject::new(Kind::Hpa, &hpa.metadata.clone(), writers, plan, Object::Hpa(Box::new(hpa)))
    }

    fn new(
        kind: Kind,
        metadata: &ObjectMeta,
        writers: Writers,
        plan: Result<Plan, String>,
        object: Object,
    ) -> Subject {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Subject {
            key: Key { kind, namespace: text(&metadata.namespace), name: text(&metadata.name) },
            uid: text(&metadata.uid),
            resource_version: text(&metadata.resource_version),
            generation: metadata.generation,
            writers,
            plan,
            object,
        }
    }

    /// Whether the user still wants the same of the same object. Seen by the spec itself: not every API server counts
    /// generations.
    #[must_use]
    pub(crate) fn same_wish(&self, before: &Subject) -> bool {
        if self.uid != before.uid {
            return false;
        }
        match (&self.object, &before.object) {
            (Object::Hpa(now), Object::Hpa(then)) => now.spec == then.spec,
        }
    }

    /// Its status as the API server has it.
    #[must_use]
    pub(crate) fn status(&self) -> Status {
        match &self.object {
            Object::Hpa(hpa) => Status::Hpa(
                hpa.status.as_ref().map(plimsoll_api::hpa::Status::from_object).unwrap_or_default(),
            ),
        }
    }

    /// The object with another status, to be written over the version `resource_version`.
    #[must_use]
    pub(crate) fn with_status(&self, status: &Status, resource_version: &str) -> Value {
        match (&self.object, status) {
            (Object::Hpa(hpa), Status::Hpa(status)) => {
                let mut hpa = hpa.clone();
                hpa.metadata.resource_version = Some(resource_version.to_owned());
                hpa.status = Some(status.to_object());
                serde_json::to_value(&hpa).unwrap_or_default()
            }
        }
    }

    /// Rewrites the status by what happened.
    pub(crate) fn tell(
        &self,
        plan: &Plan,
        status: &mut Status,
        trail: &Trail,
        decision: &Decision,
        outcome: &Outcome,
    ) -> Told {
        match (&plan.voice, status) {
            (Voice::Hpa(lowered), Status::Hpa(status)) => {
                let told =
                    plimsoll_api::hpa::tell(status, lowered, self.generation, trail, decision, outcome);
                Told { events: told.events, error: told.error }
            }
        }
    }
}

impl Plan {
    /// The bounds in force, when they are not the policy's own.
    #[must_use]
    pub(crate) fn bounds_at(&self, _at: At) -> Option<Bounds> {
        match &self.voice {
            Voice::Hpa(_) => None,
        }
    }

    /// Whether nothing is decided while another autoscaler of the kind selects some of the same pods.
    #[must_use]
    pub(crate) fn refuses_rivals(&self) -> bool {
        match &self.voice {
            Voice::Hpa(_) => true,
        }
    }

    /// Whether this kind's history is kept in a checkpoint.
    #[must_use]
    pub(crate) fn checkpointed(&self) -> bool {
        match &self.voice {
            Voice::Hpa(_) => true,
        }
    }
}

impl Status {
    /// Puts into the memory what lives in the status.
    pub(crate) fn recall(&self, memory: &mut Memory) {
        match self {
            Status::Hpa(status) => memory.recalled = status.recalled(),
        }
    }

    /// Whether writing it would change anything, seen from `before`.
    #[must_use]
    pub(crate) fn differs(&self, before: &Status) -> bool {
        match (self, before) {
            // Compared as the API server stores them: whole seconds, and no difference between none and empty.
            (Status::Hpa(now), Status::Hpa(then)) => now.to_object() != then.to_object(),
        }
    }
}

/// Who wrote the status, as the object itself records it.
fn writers(fields: Option<Vec<ManagedFieldsEntry>>) -> Writers {
    let mut writers = Writers::default();
    for entry in fields.into_iter().flatten().filter(|entry| entry.subresource.as_deref() == Some("status")) {
        let (Some(manager), Some(time)) = (entry.manager, entry.time) else { continue };
        let at = plimsoll_api::condition::from_time(&time);
        if manager == FIELD_MANAGER {
            writers.ours = writers.ours.max(Some(at));
        } else if writers.foreign.as_ref().is_none_or(|foreign| foreign.at < at) {
            writers.foreign = Some(Foreign { manager, at });
        }
    }
    writers
}
