//! The metrics backends: the three metric APIs and Prometheus, each behind its gate, with answers shared between
//! autoscalers that ask for the same thing at about the same time.

pub(crate) mod apis;
pub(crate) mod breaker;
pub(crate) mod fetch;
pub(crate) mod gate;
pub(crate) mod prometheus;
pub(crate) mod share;

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use plimsoll_api::observe::lists::{ExternalMetricValueList, MetricValue, MetricValueList, PodMetricsList};

use crate::config::Config;
use crate::metrics::apis::MetricApis;
use crate::metrics::fetch::Trouble;
use crate::metrics::gate::Gate;
use crate::metrics::prometheus::{Login, Servers, Values};
use crate::metrics::share::Share;
use crate::telemetry::Telemetry;

/// The part of a sync period for which an answer is fresh enough to be shared.
const FRESH_SHARE: u32 = 5;

type Answer<T> = Result<Arc<T>, Trouble>;

/// A question about custom metrics of pods.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OfPods {
    /// The namespace.
    pub namespace: String,
    /// The metric.
    pub metric: String,
    /// Which pods.
    pub selector: String,
    /// Which series.
    pub narrowed: Option<String>,
}

/// A question about a custom metric of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OfObject {
    /// The namespace.
    pub namespace: String,
    /// The object's resource and name; `None` is the namespace itself.
    pub object: Option<(String, String)>,
    /// The metric.
    pub metric: String,
    /// Which series.
    pub narrowed: Option<String>,
}

/// A question about an external metric.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OfExternal {
    /// The namespace.
    pub namespace: String,
    /// The metric.
    pub metric: String,
    /// Which series.
    pub selector: Option<String>,
}

/// A question to a Prometheus server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OfPrometheus {
    /// The server.
    pub server: String,
    /// The query.
    pub query: String,
    /// How to log in.
    pub login: Login,
    /// How long it may take.
    pub limit: Duration,
}

/// All backends.
pub(crate) struct Backends {
    apis: Arc<MetricApis>,
    servers: Arc<Servers>,
    resource: Arc<Gate>,
    custom: Arc<Gate>,
    external: Arc<Gate>,
    prometheus: Arc<Gate>,
    pods: Share<(String, Option<String>), Answer<PodMetricsList>>,
    of_pods: Share<OfPods, Answer<MetricValueList>>,
    of_object: Share<OfObject, Answer<MetricValue>>,
    of_external: Share<OfExternal, Answer<ExternalMetricValueList>>,
    of_prometheus: Share<OfPrometheus, Answer<Values>>,
}

impl Backends {
    /// Backends that are asked with this client.
    #[must_use]
    pub(crate) fn new(client: Client, config: &Config, telemetry: &Arc<Telemetry>) -> Self {
        let gate = |name| Arc::new(Gate::new(name, &config.metrics, telemetry.clone()));
        let fresh = config.hpa.sync_period / FRESH_SHARE;
        Backends {
            apis: Arc::new(MetricApis::new(client)),
            servers: Arc::default(),
            resource: gate("resource"),
            custom: gate("custom"),
            external: gate("external"),
            prometheus: gate("prometheus"),
            pods: Share::new(fresh),
            of_pods: Share::new(fresh),
            of_object: Share::new(fresh),
            of_external: Share::new(fresh),
            of_prometheus: Share::new(fresh),
        }
    }

    /// What the pods of a namespace use; those a selector matches, if one is given.
    pub(crate) async fn pods(&self, namespace: &str, selector: Option<&str>) -> Answer<PodMetricsList> {
        let key = (namespace.to_owned(), selector.map(str::to_owned));
        let (apis, gate) = (self.apis.clone(), self.resource.clone());
        self.pods
            .get(key.clone(), || async move {
                let (namespace, selector) = &key;
                gate.pass(namespace, apis.pods(namespace, selector.as_deref())).await.map(Arc::new)
            })
            .await
    }

    /// A custom metric of pods.
    pub(crate) async fn of_pods(&self, ask: OfPods) -> Answer<MetricValueList> {
        let (apis, gate) = (self.apis.clone(), self.custom.clone());
        self.of_pods
            .get(ask.clone(), || async move {
                let circuit = format!("{}/{}", ask.namespace, ask.metric);
                let call = apis.of_pods(&ask.namespace, &ask.metric, &ask.selector, ask.narrowed.as_deref());
                gate.pass(&circuit, call).await.map(Arc::new)
            })
            .await
    }

    /// A custom metric of an object.
    pub(crate) async fn of_object(&self, ask: OfObject) -> Answer<MetricValue> {
        let (apis, gate) = (self.apis.clone(), self.custom.clone());
        self.of_object
            .get(ask.clone(), || async move {
                let circuit = format!("{}/{}", ask.namespace, ask.metric);
                let object = ask.object.as_ref().map(|(resource, name)| (resource.as_str(), name.as_str()));
                let call = apis.of_object(&ask.namespace, object, &ask.metric, ask.narrowed.as_deref());
                gate.pass(&circuit, call).await.map(Arc::new)
            })
            .await
    }

    /// An external metric.
    pub(crate) async fn of_external(&self, ask: OfExternal) -> Answer<ExternalMetricValueList> {
        let (apis, gate) = (self.apis.clone(), self.external.clone());
        self.of_external
            .get(ask.clone(), || async move {
                let circuit = format!("{}/{}", ask.namespace, ask.metric);
                let call = apis.external(&ask.namespace, &ask.metric, ask.selector.as_deref());
                gate.pass(&circuit, call).await.map(Arc::new)
            })
            .await
    }

    /// A query to a Prometheus server.
    pub(crate) async fn of_prometheus(&self, ask: OfPrometheus) -> Answer<Values> {
        let (servers, gate) = (self.servers.clone(), self.prometheus.clone());
        self.of_prometheus
            .get(ask.clone(), || async move {
                let circuit = format!("{} {}", ask.server, ask.query);
                let call = servers.ask(&ask.server, &ask.query, &ask.login, ask.limit);
                gate.pass_to(&ask.server, ask.limit, &circuit, call).await.map(Arc::new)
            })
            .await
    }
}
