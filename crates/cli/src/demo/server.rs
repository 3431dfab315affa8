//! The page and its wires: one document, one stream of events, one door for the knobs. Only for this machine.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use axum::Router;
use axum::extract::{Json, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use futures::stream::{self, Stream};
use tokio::net::TcpListener;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::control::Control;
use super::theater::Theater;

/// What every request may need.
#[derive(Clone)]
struct House {
    theater: Arc<Theater>,
    page: Arc<str>,
}

/// Takes the port; says in one line what to do when someone else has it.
pub(crate) async fn bind(port: u16) -> Result<TcpListener> {
    TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.map_err(|error| {
        match error.kind() {
            ErrorKind::AddrInUse => anyhow!(
                "port {port} of 127.0.0.1 is taken; choose another with --port, or any that is free with --port 0"
            ),
            ErrorKind::PermissionDenied => {
                anyhow!("port {port} of 127.0.0.1 is not allowed; choose one above 1023 with --port")
            }
            _ => anyhow!("port {port} of 127.0.0.1: {error}; choose another with --port"),
        }
    })
}

/// Serves until something goes wrong.
pub(crate) async fn serve(listener: TcpListener, theater: Arc<Theater>, page: String) -> Result<()> {
    let house = House { theater, page: page.into() };
    let router = Router::new()
        .route("/", get(page_of))
        .route("/events", get(events))
        .route("/control", post(control))
        .layer(middleware::from_fn(only_here))
        .with_state(house);
    Ok(axum::serve(listener, router).await?)
}

/// Refuses requests that came by another name than this machine's own: a page elsewhere on the web that has its name
/// point here must not turn our knobs.
async fn only_here(request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |it| it.0);
    if !matches!(name, "127.0.0.1" | "localhost" | "[::1]") {
        return (StatusCode::FORBIDDEN, "open this page as 127.0.0.1 or localhost\n").into_response();
    }
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn page_of(State(house): State<House>) -> Html<String> {
    Html(house.page.to_string())
}

/// Only JSON: a form on a foreign page cannot send it.
async fn control(State(house): State<House>, Json(control): Json<Control>) -> Response {
    match house.theater.turn(control) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(why) => (StatusCode::BAD_REQUEST, format!("{why}\n")).into_response(),
    }
}

async fn events(State(house): State<House>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    Sse::new(watch(house.theater)).keep_alive(KeepAlive::default())
}

/// First everything so far, then what is new. Who has fallen too far behind is told everything again.
fn watch(theater: Arc<Theater>) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold((theater, None::<Receiver<Arc<str>>>), |(theater, ear)| async move {
        if let Some(mut ear) = ear {
            match ear.recv().await {
                Ok(news) => return Some((event("news", &news), (theater, Some(ear)))),
                Err(RecvError::Closed) => return None,
                Err(RecvError::Lagged(_)) => {}
            }
        }
        let (ear, hello) = theater.enter();
        Some((event("hello", &hello), (theater, Some(ear))))
    })
}

fn event(kind: &str, message: &str) -> Result<Event, Infallible> {
    Ok(Event::default().event(kind).data(message))
}
