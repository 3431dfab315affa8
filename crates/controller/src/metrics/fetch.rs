//! One GET of JSON, with failures told in the words that clients of the Kubernetes API use.
//!
//! Those words end up in conditions and events, where people and tools look for them.

use std::sync::Arc;

use http::{Request, StatusCode};
use kube::Client;
use kube::client::Body;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::act;

/// The largest answer that is read, in bytes: a hundred thousand pods fit.
const LARGEST_ANSWER: usize = 256 << 20;

/// Why a request gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// What went wrong, in words.
    pub text: Arc<str>,
    /// Whose fault it is.
    pub blame: Blame,
}

/// Whose fault a failed request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blame {
    /// The backend's: it is down, slow or confused, and should be left alone for a while.
    Backend,
    /// The request's: the backend works, but there is no such thing or it may not be seen.
    Request,
    /// The request's: the path itself is not served, so perhaps another version is.
    Path,
}

impl Trouble {
    /// Trouble with a backend.
    #[must_use]
    pub(crate) fn backend(text: impl Into<Arc<str>>) -> Self {
        Trouble { text: text.into(), blame: Blame::Backend }
    }

    /// Trouble with a request.
    #[must_use]
    pub(crate) fn request(text: impl Into<Arc<str>>) -> Self {
        Trouble { text: text.into(), blame: Blame::Request }
    }
}

/// The part of a Kubernetes Status that matters here.
#[derive(Deserialize)]
struct Status {
    kind: Option<String>,
    message: Option<String>,
}

/// Sends a request and reads the answer as JSON. `what` names what is asked for, as in "pods.metrics.k8s.io".
pub(crate) async fn json<T: DeserializeOwned>(
    client: &Client,
    request: Request<Vec<u8>>,
    what: &str,
) -> Result<T, Trouble> {
    let (code, body) = send(client, request).await?;
    if !code.is_success() {
        return Err(refused(code, &body, what));
    }
    serde_json::from_slice(&body)
        .map_err(|error| Trouble::backend(format!("the answer for {what} makes no sense: {error}")))
}

/// Sends a request and reads the whole answer, whatever it is.
pub(crate) async fn send(
    client: &Client,
    request: Request<Vec<u8>>,
) -> Result<(StatusCode, Vec<u8>), Trouble> {
    let answer = client.send(request.map(Body::from)).await.map_err(|error| unsent(&error))?;
    let code = answer.status();
    let body = answer.into_body().collect_bytes().await.map_err(|error| unsent(&error))?;
    if body.len() > LARGEST_ANSWER {
        return Err(Trouble::backend(format!("the answer is too large: {} bytes", body.len())));
    }
    Ok((code, body.to_vec()))
}

/// A request for a path of the API server.
pub(crate) fn get(path: &str) -> Result<Request<Vec<u8>>, Trouble> {
    Request::get(path)
        .header(http::header::ACCEPT, "application/json")
        .body(Vec::new())
        .map_err(|error| Trouble::request(format!("cannot ask for {path}: {error}")))
}

fn unsent(error: &kube::Error) -> Trouble {
    Trouble::backend(act::words(error))
}

/// What a refusal means. An answer that is a Status speaks for itself; any other is worded by its code.
fn refused(code: StatusCode, body: &[u8], what: &str) -> Trouble {
    let status: Option<Status> = serde_json::from_slice(body).ok();
    let message = status
        .filter(|status| status.kind.as_deref() == Some("Status"))
        .and_then(|status| status.message)
        .filter(|message| !message.is_empty());
    let spoken = message.is_some();
    let text = message.unwrap_or_else(|| format!("{} (get {what})", words(code, body)));
    let blame = match code {
        StatusCode::NOT_FOUND if !spoken => Blame::Path,
        StatusCode::TOO_MANY_REQUESTS => Blame::Backend,
        code if code.is_server_error() => Blame::Backend,
        _ => Blame::Request,
    };
    Trouble { text: text.into(), blame }
}

fn words(code: StatusCode, body: &[u8]) -> String {
    let plain = match code {
        StatusCode::UNAUTHORIZED => "the server has asked for the client to provide credentials",
        StatusCode::FORBIDDEN => "forbidden: this identity may not read it",
        StatusCode::NOT_FOUND => "the server could not find the requested resource",
        StatusCode::METHOD_NOT_ALLOWED => "the server does not allow this method on the requested resource",
        StatusCode::TOO_MANY_REQUESTS => {
            "the server has received too many requests and has asked us to try again later"
        }
        StatusCode::SERVICE_UNAVAILABLE => "the server is currently unable to handle the request",
        StatusCode::GATEWAY_TIMEOUT => {
            "the server was unable to return a response in the time allotted, but may still be processing the request"
        }
        code if code.is_server_error() => {
            let body = String::from_utf8_lossy(body.get(..512).unwrap_or(body));
            return format!(
                "an error on the server ({:?}) has prevented the request from succeeding",
                body.trim()
            );
        }
        code => return format!("the server responded with the status code {}", code.as_u16()),
    };
    plain.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_speaks_for_itself() {
        let body = br#"{"kind":"Status","message":"the adapter is down for this test","code":503}"#;
        let trouble = refused(StatusCode::SERVICE_UNAVAILABLE, body, "pods.metrics.k8s.io");
        assert_eq!(&*trouble.text, "the adapter is down for this test");
        assert_eq!(trouble.blame, Blame::Backend);
    }

    #[test]
    fn anything_else_is_worded_by_its_code() {
        let gone = refused(StatusCode::NOT_FOUND, b"404 page not found\n", "pods.metrics.k8s.io");
        assert_eq!(&*gone.text, "the server could not find the requested resource (get pods.metrics.k8s.io)");
        assert_eq!(gone.blame, Blame::Path);
        let down = refused(StatusCode::SERVICE_UNAVAILABLE, b"service unavailable", "pods.metrics.k8s.io");
        assert_eq!(
            &*down.text,
            "the server is currently unable to handle the request (get pods.metrics.k8s.io)"
        );
        let broken = refused(StatusCode::INTERNAL_SERVER_ERROR, b"oops\n", "q.external.metrics.k8s.io");
        assert_eq!(
            &*broken.text,
            "an error on the server (\"oops\") has prevented the request from succeeding (get q.external.metrics.k8s.io)"
        );
    }
}
