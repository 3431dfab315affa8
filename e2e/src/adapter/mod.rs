//! A metrics adapter under the stories' control: metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io,
//! registered as real APIServices, and Prometheus' query API beside them.
//!
//! Pod metrics follow the pods that really exist, so a story can close the loop: set a load that the ready pods share,
//! and more pods mean less load on each.

mod answers;
mod pods;
mod register;
mod selector;
mod tls;
pub mod values;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::reflector::Store;
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use self::answers::{Answer, Ask, Selectors};
use self::selector::Selector;
use self::tls::TlsListener;
use self::values::{Fault, Surface, Values};
use crate::plane::Plane;

/// The running adapter. Dropping it ends its servers.
pub struct Adapter {
    values: Values,
    prometheus_url: String,
    _tasks: JoinSet<()>,
}

#[derive(Clone)]
struct Served {
    values: Values,
    pods: Store<Pod>,
}

impl Adapter {
    /// Starts the adapter, registers its APIs and waits until the API server passes requests on to it.
    pub async fn start(plane: &Plane) -> Result<Adapter> {
        let mut tasks = JoinSet::new();
        let values = Values::default();
        let pods = watch_pods(plane.client(), &mut tasks).await?;
        let served = Served { values: values.clone(), pods };

        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let signed = plane.authority().server(&register::hosts())?;
        let tls = TlsListener::new(listener, &signed)?;
        let apis = Router::new().fallback(answer_api).with_state(served.clone());
        tasks.spawn(async move { drop(axum::serve(tls, apis).await) });

        let plain = TcpListener::bind("127.0.0.1:0").await?;
        let prometheus_url = format!("http://{}", plain.local_addr()?);
        let queries = Router::new().fallback(answer_prometheus).with_state(served);
        tasks.spawn(async move { drop(axum::serve(plain, queries).await) });

        register::register(&plane.client(), plane.authority().pem(), port).await?;
        Ok(Adapter { values, prometheus_url, _tasks: tasks })
    }

    /// What the adapter says, to be set.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The base address of the Prometheus query API.
    pub fn prometheus_url(&self) -> &str {
        &self.prometheus_url
    }
}

async fn watch_pods(client: Client, tasks: &mut JoinSet<()>) -> Result<Store<Pod>> {
    let (reader, writer) = reflector::store();
    let stream = watcher(Api::<Pod>::all(client), watcher::Config::default())
        .default_backoff()
        .modify(|pod: &mut Pod| pod.metadata.managed_fields = None)
        .reflect(writer);
    tasks.spawn(stream.for_each(|_| std::future::ready(())));
    reader.wait_until_ready().await.context("watching pods")?;
    Ok(reader)
}

/// Notes the request and returns what is to go wrong with it.
fn note(values: &Values, namespace: &str, surface: Surface) -> Option<Fault> {
    values.change(namespace, |shelf| {
        *shelf.requests.entry(surface).or_default() += 1;
        shelf.faults.get(&surface).copied()
    })
}

/// What a fault makes of an answer: an answer of its own, or nothing (then the right one follows).
async fn suffer(fault: Option<Fault>) -> Option<Response> {
    match fault? {
        Fault::Down => {
            let down = answers::status(
                StatusCode::SERVICE_UNAVAILABLE,
                "ServiceUnavailable",
                "the adapter is down for this test",
            );
            Some(to_response(down))
        }
        Fault::Garbage => {
            Some(([(header::CONTENT_TYPE, "application/json")], "<html>{\"items\": 7").into_response())
        }
        Fault::Slow(delay) => {
            tokio::time::sleep(delay).await;
            None
        }
    }
}

fn to_response((code, body): Answer) -> Response {
    (code, axum::Json(body)).into_response()
}

async fn answer_api(
    State(served): State<Served>,
    uri: Uri,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    if matches!(uri.path(), "/healthz" | "/livez" | "/readyz") {
        return "ok".into_response();
    }
    let path = uri.path().replace("%2A", "*").replace("%2a", "*");
    let ask = Ask::parse(&path);
    let Some((namespace, surface)) = ask.subject() else {
        return to_response(match ask {
            Ask::NodeUsage { version } => answers::node_usage(version, Timestamp::now()),
            ask => answers::discovery(&ask),
        });
    };
    if let Some(bad) = suffer(note(&served.values, namespace, surface)).await {
        return bad;
    }
    let selectors = match selectors(&query) {
        Ok(selectors) => selectors,
        Err(error) => {
            let bad = answers::status(StatusCode::BAD_REQUEST, "BadRequest", &format!("{error:#}"));
            return to_response(bad);
        }
    };
    if surface == Surface::Resource && query.contains_key("labelSelector") {
        served.values.change(namespace, |shelf| shelf.narrowed_requests += 1);
    }
    let shelf = served.values.look(namespace);
    let all = pods::running(&served.pods, namespace);
    let now = Timestamp::now();
    to_response(match ask {
        Ask::PodUsage { version, namespace, name } => {
            answers::pod_usage((version, name), (namespace, &shelf), &all, &selectors, now)
        }
        Ask::External { metric, .. } => answers::external(metric, &shelf, &selectors, now),
        custom => answers::custom(&custom, &shelf, &all, &selectors, now),
    })
}

fn selectors(query: &BTreeMap<String, String>) -> Result<Selectors> {
    let parse = |key: &str| query.get(key).map_or(Ok(Selector::default()), |text| Selector::parse(text));
    Ok(Selectors { objects: parse("labelSelector")?, series: parse("metricLabelSelector")? })
}

async fn answer_prometheus(
    State(served): State<Served>,
    uri: Uri,
    Query(mut query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if uri.path() != "/api/v1/query" {
        return StatusCode::NOT_FOUND.into_response();
    }
    if !query.contains_key("query") {
        // The same, sent as a form.
        let form: Option<Uri> =
            std::str::from_utf8(&body).ok().and_then(|text| format!("/?{text}").parse().ok());
        if let Some(Query(more)) = form.and_then(|uri| Query::try_from_uri(&uri).ok()) {
            query = more;
        }
    }
    let asked = query.get("query").map_or("", String::as_str);
    let found = served.values.prometheus(asked);
    if let Some((namespace, _)) = &found
        && let Some(bad) = suffer(note(&served.values, namespace, Surface::Prometheus)).await
    {
        return bad;
    }
    let login = found.as_ref().and_then(|(namespace, _)| served.values.look(namespace).prometheus_login);
    let sent = headers.get(header::AUTHORIZATION).and_then(|login| login.to_str().ok());
    if login.is_some() && login.as_deref() != sent {
        return (StatusCode::UNAUTHORIZED, "Unauthorized").into_response();
    }
    let at = Timestamp::now().as_second();
    let result: Vec<_> =
        found.iter().map(|(_, value)| json!({"metric": {}, "value": [at, value.to_string()]})).collect();
    let data = json!({"resultType": "vector", "result": result});
    axum::Json(json!({"status": "success", "data": data})).into_response()
}
