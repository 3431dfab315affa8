//! What the adapter answers: values and faults per namespace, set by the stories while the adapter runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Thousandths: the unit of every value here. `milli(250)` of cpu is a quarter of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub i64);

/// So many thousandths.
pub fn milli(thousandths: i64) -> Millis {
    Millis(thousandths)
}

/// So many wholes.
pub fn whole(wholes: i64) -> Millis {
    Millis(wholes.saturating_mul(1000))
}

impl std::fmt::Display for Millis {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 % 1000 == 0 { write!(out, "{}", self.0 / 1000) } else { write!(out, "{}m", self.0) }
    }
}

/// Which pods of the namespace a value is for.
#[derive(Clone, Debug)]
pub enum Pods {
    /// All of them.
    All,
    /// Those labelled `app: NAME`.
    App(String),
    /// The one with this name.
    Named(String),
}

/// Those labelled `app: NAME`.
pub fn app(name: &str) -> Pods {
    Pods::App(name.to_owned())
}

/// How much each pod shows.
#[derive(Clone, Copy, Debug)]
pub enum Load {
    /// Every pod shows this much, ready or not.
    Each(Millis),
    /// The ready pods share this much evenly, as they would share requests; unready pods show nothing of it.
    Shared(Millis),
    /// No values for these pods at all.
    Absent,
}

/// The metric APIs, for faults and counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surface {
    /// metrics.k8s.io
    Resource,
    /// custom.metrics.k8s.io
    Custom,
    /// external.metrics.k8s.io
    External,
    /// Prometheus' own query API, over plain HTTP.
    Prometheus,
}

/// What goes wrong with a metric API.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// It answers 503.
    Down,
    /// It answers, but only after this long.
    Slow(Duration),
    /// It answers 200 with something that is not what was asked for.
    Garbage,
}

/// A value for pods: of a resource's usage or of a custom metric.
#[derive(Clone, Debug)]
pub(super) struct PodRule {
    pub metric: String,
    pub pods: Pods,
    pub container: Option<String>,
    pub load: Load,
}

/// A value of an object or from outside the cluster.
#[derive(Clone, Debug)]
pub(super) struct Series {
    /// `services/web` for an object; empty for an external metric.
    pub object: String,
    pub metric: String,
    pub labels: BTreeMap<String, String>,
    pub value: Millis,
}

/// Everything set for one namespace.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelf {
    pub usage: Vec<PodRule>,
    pub custom: Vec<PodRule>,
    pub series: Vec<Series>,
    pub prometheus: BTreeMap<String, f64>,
    pub prometheus_login: Option<String>,
    pub faults: BTreeMap<Surface, Fault>,
    pub requests: BTreeMap<Surface, u64>,
    pub narrowed_requests: u64,
    pub window_secs: u32,
    pub age_secs: u32,
}

/// All namespaces' values, shared between the stories and the server.
#[derive(Clone, Default)]
pub struct Values(Arc<Mutex<BTreeMap<String, Shelf>>>);

impl Values {
    /// The part of one namespace.
    pub fn namespace(&self, namespace: &str) -> Metrics {
        Metrics { values: self.clone(), namespace: namespace.to_owned() }
    }

    pub(super) fn change<T>(&self, namespace: &str, change: impl FnOnce(&mut Shelf) -> T) -> T {
        let mut shelves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(shelves.entry(namespace.to_owned()).or_default())
    }

    pub(super) fn look(&self, namespace: &str) -> Shelf {
        self.change(namespace, |shelf| shelf.clone())
    }

    /// The value set for a Prometheus query, in whichever namespace it was set.
    pub(super) fn prometheus(&self, query: &str) -> Option<(String, f64)> {
        let shelves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shelves.iter().find_map(|(name, shelf)| Some((name.clone(), *shelf.prometheus.get(query)?)))
    }
}

/// Sets what the metric APIs say about one namespace. What is set later wins over what was set earlier.
#[derive(Clone)]
pub struct Metrics {
    values: Values,
    namespace: String,
}

impl Metrics {
    /// The usage of a resource (`cpu`, `memory`), spread evenly over each pod's containers.
    pub fn usage(&self, resource: &str, pods: Pods, load: Load) {
        self.rule(|shelf| &mut shelf.usage, resource, pods, None, load);
    }

    /// The usage of a resource by one container of each pod.
    pub fn container_usage(&self, resource: &str, pods: Pods, container: &str, load: Load) {
        self.rule(|shelf| &mut shelf.usage, resource, pods, Some(container.to_owned()), load);
    }

    /// A custom metric of pods.
    pub fn pods(&self, metric: &str, pods: Pods, load: Load) {
        self.rule(|shelf| &mut shelf.custom, metric, pods, None, load);
    }

    /// A custom metric of an object, `services/web` or `ingresses.networking.k8s.io/web`.
    pub fn object(&self, object: &str, metric: &str, value: Millis) {
        self.series(object, metric, &[], value);
    }

    /// An external metric, one series per set of labels.
    pub fn external(&self, metric: &str, labels: &[(&str, &str)], value: Millis) {
        self.series("", metric, labels, value);
    }

    /// The answer to a Prometheus query.
    pub fn prometheus(&self, query: &str, value: f64) {
        self.values.change(&self.namespace, |shelf| shelf.prometheus.insert(query.to_owned(), value));
    }

    /// From now on Prometheus answers this namespace's queries only to who sends this `Authorization` header.
    pub fn prometheus_login(&self, header: &str) {
        self.values.change(&self.namespace, |shelf| shelf.prometheus_login = Some(header.to_owned()));
    }

    /// From now on, until [`Metrics::heal`], requests for this namespace go wrong.
    pub fn fault(&self, surface: Surface, fault: Fault) {
        self.values.change(&self.namespace, |shelf| shelf.faults.insert(surface, fault));
    }

    /// Everything answers as it should again.
    pub fn heal(&self) {
        self.values.change(&self.namespace, |shelf| shelf.faults.clear());
    }

    /// How old samples are (`age_secs`) and over how long they were taken; both 0 at first.
    pub fn timing(&self, age_secs: u32, window_secs: u32) {
        self.values.change(&self.namespace, |shelf| {
            shelf.age_secs = age_secs;
            shelf.window_secs = window_secs;
        });
    }

    /// How many requests for this namespace have come so far, faults included.
    pub fn requests(&self, surface: Surface) -> u64 {
        self.values.look(&self.namespace).requests.get(&surface).copied().unwrap_or(0)
    }

    /// How many of the requests for the usage of pods came with a label selector.
    pub fn narrowed_requests(&self) -> u64 {
        self.values.look(&self.namespace).narrowed_requests
    }

    fn rule(
        &self,
        part: impl FnOnce(&mut Shelf) -> &mut Vec<PodRule>,
        metric: &str,
        pods: Pods,
        container: Option<String>,
        load: Load,
    ) {
        let rule = PodRule { metric: metric.to_owned(), pods, container, load };
        self.values.change(&self.namespace, |shelf| part(shelf).push(rule));
    }

    fn series(&self, object: &str, metric: &str, labels: &[(&str, &str)], value: Millis) {
        let labels = labels.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect();
        let series = Series { object: object.to_owned(), metric: metric.to_owned(), labels, value };
        self.values.change(&self.namespace, |shelf| {
            shelf.series.retain(|old| {
                old.object != series.object || old.metric != series.metric || old.labels != series.labels
            });
            shelf.series.push(series);
        });
    }
}
