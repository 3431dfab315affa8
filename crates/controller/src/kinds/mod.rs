//! The kinds of autoscaler behind one face: what a user wrote becomes a plan, what happened becomes a status.

mod autoscaler;
mod hpa;
mod status;
mod wpa;
mod writers;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use plimsoll_api::autoscaler::Autoscaler;
use plimsoll_api::autoscaler::metrics::PrometheusAuth;
use plimsoll_api::explain::Shown;
use plimsoll_api::field::FieldError;
use plimsoll_api::hpa::{Event, Hpa};
use plimsoll_api::observe::PodView;
use plimsoll_api::source::Source;
use plimsoll_api::wpa::{Asked, Gate, Monitor, WatermarkPodAutoscaler};
use plimsoll_engine::{Absent, At, Bounds, Pod, Policy, Strangers};
use serde_json::Value;

use crate::config::Config;
use crate::key::{Key, Kind};
use crate::record::About;

pub(crate) use status::{Scene, Status, Told};
pub(crate) use wpa::tag;
use writers::writers;
pub(crate) use writers::{Foreign, Writers};

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
    pub plan: Result<Plan, Refused>,
    object: Object,
}

/// The object itself.
#[derive(Debug, Clone, PartialEq)]
enum Object {
    Hpa(Box<Hpa>),
    Wpa(Box<WatermarkPodAutoscaler>),
    Autoscaler(Box<Autoscaler>),
}

/// Why an object means nothing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Refused {
    /// In words alone.
    Plainly(String),
    /// A WPA that makes no sense.
    Wpa(Box<plimsoll_api::wpa::Refusal>),
    /// An Autoscaler that makes no sense.
    Autoscaler(Vec<FieldError>),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Plainly(text) => f.write_str(text),
            Refused::Wpa(refusal) => refusal.fmt(f),
            Refused::Autoscaler(errors) => {
                let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&all.join("; "))
            }
        }
    }
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
    /// Each metric as people read it.
    pub shown: Arc<Vec<Shown>>,
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
    Wpa,
    Autoscaler(Box<plimsoll_api::autoscaler::Lowered>),
}

impl Subject {
    /// From an HPA as a watch gives it.
    #[must_use]
    pub(crate) fn hpa(mut hpa: Hpa, config: &Config) -> Subject {
        let writers = writers(hpa.metadata.managed_fields.take());
        let plan = hpa::plan(&hpa, config).map_err(Refused::Plainly);
        Subject::new(Kind::Hpa, &hpa.metadata.clone(), writers, plan, Object::Hpa(Box::new(hpa)))
    }

    /// From a WPA as a watch gives it.
    #[must_use]
    pub(crate) fn wpa(mut wpa: WatermarkPodAutoscaler, _config: &Config) -> Subject {
        wpa.metadata.managed_fields = None;
        plimsoll_api::wpa::apply_defaults(&mut wpa.spec);
        let plan = wpa::plan(&wpa).map_err(|refusal| Refused::Wpa(Box::new(refusal)));
        Subject::new(Kind::Wpa, &wpa.metadata.clone(), Writers::default(), plan, Object::Wpa(Box::new(wpa)))
    }

    /// From an Autoscaler as a watch gives it.
    #[must_use]
    pub(crate) fn autoscaler(mut object: Autoscaler, config: &Config) -> Subject {
        object.metadata.managed_fields = None;
        let plan = autoscaler::plan(&object, config).map_err(Refused::Autoscaler);
        let metadata = object.metadata.clone();
        Subject::new(
            Kind::Autoscaler,
            &metadata,
            Writers::default(),
            plan,
            Object::Autoscaler(Box::new(object)),
        )
    }

    fn new(
        kind: Kind,
        metadata: &ObjectMeta,
        writers: Writers,
        plan: Result<Plan, Refused>,
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
            (Object::Wpa(now), Object::Wpa(then)) => {
                // Two of its annotations are wishes too.
                now.spec == then.spec && now.metadata.annotations == then.metadata.annotations
            }
            (Object::Autoscaler(now), Object::Autoscaler(then)) => now.spec == then.spec,
            _ => false,
        }
    }

    /// Its status as the API server has it.
    #[must_use]
    pub(crate) fn status(&self) -> Status {
        match &self.object {
            Object::Hpa(hpa) => Status::Hpa(
                hpa.status.as_ref().map(plimsoll_api::hpa::Status::from_object).unwrap_or_default(),
            ),
            Object::Wpa(wpa) => Status::Wpa(wpa.status.clone().unwrap_or_default()),
            Object::Autoscaler(object) => {
                let status = object.status.as_ref().map(plimsoll_api::autoscaler::Status::from_object);
                Status::Autoscaler(Box::new(status.unwrap_or_default()))
            }
        }
    }

    /// The object with another status, to be written over the version `resource_version`.
    #[must_use]
    pub(crate) fn with_status(&self, status: &Status, resource_version: &str) -> Value {
        let version = Some(resource_version.to_owned());
        match (&self.object, status) {
            (Object::Hpa(hpa), Status::Hpa(status)) => {
                let mut hpa = hpa.clone();
                hpa.metadata.resource_version = version;
                hpa.status = Some(status.to_object());
                serde_json::to_value(&hpa).unwrap_or_default()
            }
            (Object::Wpa(wpa), Status::Wpa(status)) => {
                let mut wpa = wpa.clone();
                wpa.metadata.resource_version = version;
                wpa.status = Some(status.clone());
                serde_json::to_value(&wpa).unwrap_or_default()
            }
            (Object::Autoscaler(object), Status::Autoscaler(status)) => {
                let mut object = object.clone();
                object.metadata.resource_version = version;
                object.status = Some(status.to_object());
                serde_json::to_value(&object).unwrap_or_default()
            }
            _ => Value::Null,
        }
    }

    /// Rewrites the status by what happened.
    pub(crate) fn tell(&self, plan: &Plan, status: &mut Status, scene: &Scene<'_>) -> Told {
        let Scene { trail, decision, outcome, .. } = *scene;
        match (&self.object, &plan.voice, status) {
            (_, Voice::Hpa(lowered), Status::Hpa(status)) => {
                let told =
                    plimsoll_api::hpa::tell(status, lowered, self.generation, trail, decision, outcome);
                Told { events: told.events, error: told.error, again_secs: None }
            }
            (Object::Wpa(object), Voice::Wpa, Status::Wpa(status)) => {
                let asked = Asked { object, gate: scene.gate, selector: scene.selector };
                wpa::told(status, plimsoll_api::wpa::tell(asked, status, trail, decision, outcome))
            }
            (_, Voice::Autoscaler(lowered), Status::Autoscaler(status)) => {
                autoscaler::told(status, lowered, self.generation, scene)
            }
            _ => Told::default(),
        }
    }

    /// Rewrites the status of an object that means nothing, and says why.
    pub(crate) fn refuse(&self, refused: &Refused, status: &mut Status, at: At) -> Told {
        match (refused, status) {
            (Refused::Wpa(refusal), Status::Wpa(status)) => {
                let told = wpa::told(status, plimsoll_api::wpa::refused(refusal, status, at));
                Told { error: Some(refusal.to_string()), ..told }
            }
            (Refused::Wpa(refusal), _) => Told { error: Some(refusal.to_string()), ..Told::default() },
            (Refused::Autoscaler(errors), Status::Autoscaler(status)) => {
                let told = plimsoll_api::autoscaler::refuse(status, self.generation, errors, at);
                Told { events: told.events, error: told.error, again_secs: None }
            }
            (Refused::Autoscaler(_), _) => Told { error: Some(refused.to_string()), ..Told::default() },
            (Refused::Plainly(text), _) => Told {
                events: vec![Event::warning("InvalidSpec", text.clone())],
                error: Some(text.clone()),
                again_secs: None,
            },
        }
    }

    /// Whose decisions these are, for their records.
    #[must_use]
    pub(crate) fn about(&self, plan: &Plan) -> About {
        About {
            key: self.key.clone(),
            uid: self.uid.clone(),
            target: plan.target.to_string(),
            metrics: plan.asks.iter().map(|ask| ask.name.clone()).collect(),
            shown: plan.shown.clone(),
        }
    }

    /// Those of its labels that are shown beside its numbers, under names that Prometheus takes.
    #[must_use]
    pub(crate) fn tags(&self, labels: &[String]) -> Vec<(String, String)> {
        match &self.object {
            Object::Wpa(wpa) => wpa::tags(wpa, labels),
            Object::Hpa(_) | Object::Autoscaler(_) => Vec::new(),
        }
    }

    /// Which monitor must be OK before anything is scaled, if one must.
    #[must_use]
    pub(crate) fn monitored(&self) -> bool {
        match &self.object {
            Object::Wpa(wpa) => plimsoll_api::wpa::gate::control(wpa) == plimsoll_api::wpa::gate::Control::On,
            Object::Hpa(_) | Object::Autoscaler(_) => false,
        }
    }

    /// The gate in front of it, given what its monitor says.
    #[must_use]
    pub(crate) fn gate(&self, monitor: Option<Monitor>) -> Gate {
        match &self.object {
            Object::Wpa(wpa) => Gate::of(wpa, || monitor.unwrap_or(Monitor::Stateless)),
            Object::Hpa(_) | Object::Autoscaler(_) => Gate::None,
        }
    }

    /// The selected pods as this kind sees them, if it has its own way of telling which are the target's.
    #[must_use]
    pub(crate) fn own_pods(&self, selected: &[&PodView]) -> Option<Vec<Pod>> {
        match &self.object {
            Object::Wpa(wpa) => Some(plimsoll_api::wpa::observe::pods(wpa, selected)),
            Object::Hpa(_) | Object::Autoscaler(_) => None,
        }
    }
}

impl Plan {
    /// The bounds in force, when they are not the policy's own.
    #[must_use]
    pub(crate) fn bounds_at(&self, at: At) -> Option<Bounds> {
        match &self.voice {
            Voice::Hpa(_) | Voice::Wpa => None,
            Voice::Autoscaler(lowered) => Some(lowered.calendar.at(at).bounds),
        }
    }

    /// Whether nothing is decided while another autoscaler of the kind selects some of the same pods.
    #[must_use]
    pub(crate) fn refuses_rivals(&self) -> bool {
        match &self.voice {
            Voice::Hpa(_) => true,
            Voice::Wpa => false,
            // Who selects by owner shares labels with others on purpose.
            Voice::Autoscaler(_) => self.policy.roster.strangers == Strangers::Count,
        }
    }

    /// Whether a target without a selector is an error; else it selects every pod.
    #[must_use]
    pub(crate) fn needs_selector(&self) -> bool {
        match &self.voice {
            Voice::Hpa(_) | Voice::Autoscaler(_) => true,
            Voice::Wpa => false,
        }
    }

    /// Whether this kind's history is kept in a checkpoint.
    #[must_use]
    pub(crate) fn checkpointed(&self) -> bool {
        match &self.voice {
            Voice::Hpa(_) | Voice::Autoscaler(_) => true,
            Voice::Wpa => false,
        }
    }
}
