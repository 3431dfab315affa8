//! What is served: health, readiness, metrics, and the record of each object's last decision.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::explain::Origin;
use crate::key::{Key, Kind};
use crate::watch::Readiness;

#[derive(Clone)]
struct Served {
    cx: Arc<Context>,
    ready: Arc<Readiness>,
}

/// Serves until told to stop.
pub(crate) async fn serve(
    cx: Arc<Context>,
    ready: Arc<Readiness>,
    listener: TcpListener,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let routes = Router::new()
        .route("/healthz", get(async || "ok"))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .route("/explain/{kind}/{namespace}/{name}", get(explain))
        .with_state(Served { cx, ready });
    axum::serve(listener, routes).with_graceful_shutdown(stop.cancelled_owned()).await
}

/// Listens on an address.
pub(crate) async fn listen(bind: SocketAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind(bind).await
}

async fn readyz(State(served): State<Served>) -> Response {
    // A replica that waits for the leader to go is ready too: it has listed everything and can take over.
    if served.ready.ready() {
        "ok".into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not everything has been listed yet").into_response()
    }
}

async fn metrics(State(served): State<Served>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], served.cx.telemetry.text()).into_response()
}

async fn explain(
    State(served): State<Served>,
    Path((kind, namespace, name)): Path<(String, String, String)>,
) -> Response {
    let Ok(kind) = kind.parse::<Kind>() else {
        return not_found("no such kind");
    };
    match served.cx.record(&Key { kind, namespace, name }) {
        Some(record) => axum::Json(record.explained(Origin::Controller)).into_response(),
        None => not_found("it has made no decision about this object"),
    }
}

/// As the API server says such a thing, so that whoever asks through it sees one kind of answer.
fn not_found(message: &str) -> Response {
    let status =
        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404, "message": message});
    (StatusCode::NOT_FOUND, axum::Json(status)).into_response()
}
