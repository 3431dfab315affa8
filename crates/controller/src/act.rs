//! Reads and writes a target's scale.

use std::time::Duration;

use k8s_openapi::api::autoscaling::v1::{Scale, ScaleSpec};
use kube::Client;
use kube::core::ObjectMeta;
use plimsoll_engine::Text;
use serde::de::DeserializeOwned;

use crate::FIELD_MANAGER;
use crate::index::Workload;
use crate::metrics::apis::segment;

/// How long one request to the API server may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// Where a target is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The path of its group and version, as in `/apis/apps/v1`.
    pub base: String,
    /// The plural, as in `deployments`.
    pub plural: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Place {
    /// The path of a subresource.
    #[must_use]
    pub(crate) fn path(&self, subresource: &str) -> String {
        let Place { base, plural, namespace, name } = self;
        format!("{base}/namespaces/{namespace}/{plural}/{}/{subresource}", segment(name))
    }
}

/// Why a write did not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unwritten {
    /// Someone else wrote first: look again.
    Conflict(Text),
    /// The object is gone.
    Gone(Text),
    /// It was refused or failed.
    Refused(Text),
}

/// Reads a scale.
///
/// # Errors
/// In the API server's words.
pub(crate) async fn read_scale(client: &Client, place: &Place) -> Result<Workload, Text> {
    let request = http::Request::get(place.path("scale"))
        .body(Vec::new())
        .map_err(|error| Text::from(error.to_string()))?;
    match call::<Scale>(client, request).await {
        Ok(scale) => Ok(Workload::from(&scale)),
        Err(error) => Err(words(&error).into()),
    }
}

/// Writes a scale over the version that was read, and gives the version that made.
///
/// # Errors
/// When another version is there by now, or the API server refuses.
pub(crate) async fn write_scale(
    client: &Client,
    place: &Place,
    resource_version: &str,
    replicas: i32,
) -> Result<String, Unwritten> {
    let scale = Scale {
        metadata: ObjectMeta {
            name: Some(place.name.clone()),
            namespace: Some(place.namespace.clone()),
            resource_version: Some(resource_version.to_owned()),
            ..ObjectMeta::default()
        },
        spec: Some(ScaleSpec { replicas: Some(replicas) }),
        status: None,
    };
    let body = serde_json::to_vec(&scale).map_err(|error| Unwritten::Refused(error.to_string().into()))?;
    let written = put::<Scale>(client, &place.path("scale"), body).await?;
    Ok(written.metadata.resource_version.unwrap_or_default())
}

/// Replaces an object, in our name.
pub(crate) async fn put<T: DeserializeOwned>(
    client: &Client,
    path: &str,
    body: Vec<u8>,
) -> Result<T, Unwritten> {
    let request = http::Request::put(format!("{path}?fieldManager={FIELD_MANAGER}"))
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(body)
        .map_err(|error| Unwritten::Refused(error.to_string().into()))?;
    call(client, request).await.map_err(|error| unwritten(&error))
}

/// What a failed write means.
pub(crate) fn unwritten(error: &kube::Error) -> Unwritten {
    match error {
        kube::Error::Api(status) if status.code == 409 => Unwritten::Conflict(status.message.as_str().into()),
        kube::Error::Api(status) if status.code == 404 => Unwritten::Gone(status.message.as_str().into()),
        other => Unwritten::Refused(words(other).into()),
    }
}

/// One request to the API server, with a limit on its time.
pub(crate) async fn call<T: DeserializeOwned>(
    client: &Client,
    request: http::Request<Vec<u8>>,
) -> Result<T, kube::Error> {
    within_limit(client.request(request)).await
}

/// Any other call to the API server, with the same limit.
pub(crate) async fn within_limit<T>(
    call: impl Future<Output = Result<T, kube::Error>>,
) -> Result<T, kube::Error> {
    match tokio::time::timeout(LIMIT, call).await {
        Ok(answer) => answer,
        Err(_) => Err(kube::Error::Service("no answer from the API server within 10 s".into())),
    }
}

/// An error in the API server's own words, or with all its causes when there was no answer.
pub(crate) fn words(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) if !status.message.is_empty() => status.message.clone(),
        kube::Error::Service(inner) => with_causes(&**inner),
        other => with_causes(other),
    }
}

/// An error and what caused it, each said once.
pub(crate) fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_is_told_from_a_refusal() {
        let error = |code: u16| {
            let status = kube::core::Status::failure("no", "Reason").with_code(code);
            kube::Error::Api(status.boxed())
        };
        assert_eq!(unwritten(&error(409)), Unwritten::Conflict("no".into()));
        assert_eq!(unwritten(&error(404)), Unwritten::Gone("no".into()));
        assert_eq!(unwritten(&error(422)), Unwritten::Refused("no".into()));
    }
}
