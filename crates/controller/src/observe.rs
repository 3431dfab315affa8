//! Observes: from the index and the metrics backends to what the engine sees.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use plimsoll_api::observe::{self, PodView};
use plimsoll_api::selector::{self, Selector};
use plimsoll_api::source::{MetricSelector, Source};
use plimsoll_api::wpa::{Gate, Monitor};
use plimsoll_engine::{BadSelector, Observation, Reading, Text, Unread};

use crate::act::{self, Place};
use crate::clock::{self, Tick};
use crate::context::Context;
use crate::discovery::{Unfound, group_of};
use crate::index::{Builtin, Workload};
use crate::key::Key;
use crate::kinds::{Ask, Plan, Subject};
use crate::life::newer;
use crate::metrics::apis::segment;
use crate::metrics::{OfExternal, OfObject, OfPods};
use crate::prometheus;

/// A namespace with fewer pods is always listed as a whole.
const LARGE_NAMESPACE: usize = 200;
/// A selector is used when it selects less than this part of a large namespace.
const FEW_PODS_SHARE: usize = 4;

/// How a scale is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness<'a> {
    /// From the watch, where there is one that has seen at least this version: that of our own last write.
    Watched(Option<&'a str>),
    /// From the API server: the watch has proved to be behind.
    Live,
}

/// What was seen, and where to write.
pub(crate) struct Seen {
    /// What the engine sees.
    pub observation: Observation,
    /// The target, if it could be read.
    pub target: Option<(Place, Arc<Workload>)>,
    /// What stood in front of a WPA.
    pub gate: Gate,
    /// How long each metric took to read.
    pub took: Vec<Duration>,
}

/// The pods that a metric is about, and what selects them.
struct Selected {
    namespace: String,
    selector: Selector,
    pods: Vec<Arc<PodView>>,
    /// How the namespace's resource metrics are asked for.
    narrowed: Option<String>,
}

/// Looks at everything one autoscaler needs.
pub(crate) async fn look(cx: &Context, subject: &Subject, plan: &Plan, freshness: Freshness<'_>) -> Seen {
    let mut observation = Observation::at(clock::now());
    let gate = subject.gate(monitor(cx, subject).await);
    observation.permit = gate.permit();
    let target = match read_target(cx, subject, plan, freshness).await {
        Ok(target) => target,
        Err(unread) => {
            observation.scale = Err(unread);
            return Seen { observation, target: None, gate, took: Vec::new() };
        }
    };
    observation.scale = Ok(target.1.scale);
    let mut took = Vec::new();
    match select(cx, subject, plan, &target.1) {
        Err(bad) => observation.selection = Err(bad),
        Ok(selected) => {
            observation.pods = selected.pods.iter().map(|pod| pod.facts).collect();
            mark_owned(cx, subject, &selected, &target.1, &mut observation);
            let reads = plan.asks.iter().map(|ask| timed(read(cx, ask, &selected)));
            (observation.readings, took) = join_all(reads).await.into_iter().unzip();
        }
    }
    observation.at = clock::now();
    observation.bounds = plan.bounds_at(observation.at);
    Seen { observation, target: Some(target), gate, took }
}

async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let start = Tick::now();
    let done = work.await;
    (done, Tick::now().since(start))
}

/// What the monitor of a WPA says, if it has one.
async fn monitor(cx: &Context, subject: &Subject) -> Option<Monitor> {
    if !subject.monitored() {
        return None;
    }
    let Key { namespace, name, .. } = &subject.key;
    let path =
        format!("/apis/datadoghq.com/v1alpha1/namespaces/{namespace}/datadogmonitors/{}", segment(name));
    let request = http::Request::get(path).body(Vec::new()).ok()?;
    Some(match act::call::<serde_json::Value>(&cx.client, request).await {
        Ok(found) => match found.pointer("/status/monitorState").and_then(serde_json::Value::as_str) {
            Some(state) if !state.is_empty() => Monitor::State(state.to_owned()),
            _ => Monitor::Stateless,
        },
        Err(kube::Error::Api(status)) if status.code == 404 => Monitor::not_found(name),
        Err(error) => Monitor::Absent(act::words(&error)),
    })
}

async fn read_target(
    cx: &Context,
    subject: &Subject,
    plan: &Plan,
    freshness: Freshness<'_>,
) -> Result<(Place, Arc<Workload>), Unread> {
    let target = &plan.target;
    let group = group_of(&target.api_version).map_err(|error| Unread::BadVersion(error.into()))?;
    let namespace = subject.key.namespace.clone();
    let builtin = Builtin::find(group, &target.kind);
    let (base, plural) = match builtin {
        Some(builtin) => {
            let (base, plural) = builtin.path();
            (base.to_owned(), plural.to_owned())
        }
        None => {
            let served = cx.discovery.find(group, &target.kind).await.map_err(|unfound| match unfound {
                Unfound::NoMatch(text) => Unread::UnknownKind(text.into()),
                Unfound::Failed(text) => Unread::Failed(text.into()),
            })?;
            (served.base, served.plural)
        }
    };
    let place = Place { base, plural, namespace, name: target.name.clone() };
    if let (Some(builtin), Freshness::Watched(at_least)) = (builtin, freshness) {
        let watched = cx.index().workload(builtin, &place.namespace, &place.name);
        let behind =
            |workload: &Workload| at_least.is_some_and(|least| newer(least, &workload.resource_version));
        if let Some(workload) = watched.filter(|workload| !behind(workload)) {
            return Ok((place, workload));
        }
        // Not seen by the watch: it may be younger than that, so the API server has the last word.
    }
    let workload = act::read_scale(&cx.client, &place).await.map_err(Unread::Failed)?;
    Ok((place, Arc::new(workload)))
}

fn select(cx: &Context, subject: &Subject, plan: &Plan, target: &Workload) -> Result<Selected, BadSelector> {
    if target.selector.is_empty() && plan.needs_selector() {
        return Err(BadSelector::Missing);
    }
    let parsed = selector::parse(&target.selector);
    let selector = parsed.map_err(|error| BadSelector::Invalid(error.to_string().into()))?;
    let namespace = subject.key.namespace.clone();
    let mut index = cx.index();
    let pods = index.select(&namespace, &selector);
    if plan.refuses_rivals() {
        let rivals = index.rivals(&subject.key, &selector, &pods);
        if !rivals.is_empty() {
            let names = rivals.iter().take(2).map(String::as_str).collect::<Vec<_>>().join(" ");
            let text = &target.selector;
            let message =
                format!("pods by selector {text} are controlled by more than one HPA (e.g. [{names}])");
            return Err(BadSelector::Ambiguous(message.into()));
        }
    }
    let all = index.pods_in(&namespace);
    let alone = index.subjects_in(&namespace) == 1;
    let few = alone && all >= LARGE_NAMESPACE && pods.len() * FEW_PODS_SHARE < all;
    let narrowed = few.then(|| target.selector.clone());
    Ok(Selected { namespace, selector, pods, narrowed })
}

/// Marks which of the pods belong to the target itself, not only by their labels.
fn mark_owned(
    cx: &Context,
    subject: &Subject,
    selected: &Selected,
    target: &Workload,
    observation: &mut Observation,
) {
    let pods: Vec<&PodView> = selected.pods.iter().map(|pod| &**pod).collect();
    if let Some(own) = subject.own_pods(&pods) {
        observation.pods = own;
        return;
    }
    let index = cx.index();
    for (pod, facts) in selected.pods.iter().zip(&mut observation.pods) {
        facts.owned = index.owns(&selected.namespace, &target.uid, pod);
    }
}

/// Reads one metric.
async fn read(cx: &Context, ask: &Ask, selected: &Selected) -> Reading {
    if let Some(absent) = &ask.refused {
        return Reading::Missing(absent.clone());
    }
    let source = &ask.source;
    let pods: Vec<&PodView> = selected.pods.iter().map(|pod| &**pod).collect();
    let namespace = selected.namespace.clone();
    let failed = |text: &str| Reading::Missing(source.call_failed(text));
    match source {
        Source::Resource { name, container, selector } => {
            let own = selector.as_ref().and_then(|selector| selector.parsed.as_ref().ok());
            let narrowed = selected.narrowed.as_deref().filter(|_| own.is_none());
            match cx.backends.pods(&namespace, narrowed).await {
                Err(trouble) => failed(&trouble.text),
                Ok(list) => {
                    let selector = own.unwrap_or(&selected.selector);
                    let asked = list.items.iter().filter(|item| {
                        let labels = &item.metadata.labels;
                        // Some servers leave the labels out; then the pod itself is asked.
                        let unlabelled = labels.is_empty()
                            && pods
                                .iter()
                                .any(|pod| *pod.name == item.metadata.name && selector.matches(&pod.labels));
                        unlabelled || selector.matches(labels)
                    });
                    observe::resource(source, asked, &pods, name, container.as_deref())
                }
            }
        }
        Source::Pods { name, selector } => {
            let ask = OfPods {
                namespace,
                metric: name.to_string(),
                selector: selected.selector.to_string(),
                narrowed: printed(selector),
            };
            match cx.backends.of_pods(ask).await {
                Err(trouble) => failed(&trouble.text),
                Ok(list) => observe::per_pod_custom(source, &list, &pods),
            }
        }
        Source::Object { name, selector, object } => {
            let found = object_path(cx, object).await;
            let object = match found {
                Ok(object) => object,
                Err(text) => return failed(&text),
            };
            let ask = OfObject { namespace, object, metric: name.to_string(), narrowed: printed(selector) };
            match cx.backends.of_object(ask).await {
                Err(trouble) => failed(&trouble.text),
                Ok(value) => observe::object(&value),
            }
        }
        Source::External { name, selector } => {
            let ask = OfExternal { namespace, metric: name.to_string(), selector: printed(selector) };
            match cx.backends.of_external(ask).await {
                Err(trouble) => failed(&trouble.text),
                Ok(list) => observe::external(source, &list),
            }
        }
        Source::Prometheus { .. } => prometheus::read(cx, ask, &namespace).await,
    }
}

/// The metric's own selector as the API takes it; one that selects everything need not be sent.
fn printed(selector: &MetricSelector) -> Option<String> {
    let text = selector.parsed.as_ref().ok()?.to_string();
    (!text.is_empty()).then_some(text)
}

/// The resource and name of a described object; `None` is the namespace itself.
async fn object_path(
    cx: &Context,
    object: &plimsoll_api::source::ObjectRef,
) -> Result<Option<(String, String)>, Text> {
    let group = group_of(&object.api_version).map_err(Text::from)?;
    if group.is_empty() && &*object.kind == "Namespace" {
        return Ok(None);
    }
    match cx.discovery.find(group, &object.kind).await {
        Ok(served) => Ok(Some((served.qualified(), object.name.to_string()))),
        Err(Unfound::NoMatch(text) | Unfound::Failed(text)) => {
            let dot = if group.is_empty() { "" } else { "." };
            Err(format!("unable to map kind {}{dot}{group} to resource: {text}", object.kind).into())
        }
    }
}
