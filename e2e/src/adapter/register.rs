//! Registers the adapter with the API server.

use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Namespace, Service};
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService;
use kube::api::PostParams;
use kube::{Api, Client};
use serde_json::json;

use super::answers::GROUPS;
use crate::wait::until;

/// The name of the adapter's namespace and Service.
const NAME: &str = "metrics-adapter";

/// The names the adapter's certificate must be good for.
pub(super) fn hosts() -> [&'static str; 2] {
    ["metrics-adapter.metrics-adapter.svc", "localhost"]
}

/// Creates the namespace, the Service and an APIService per version, and waits until all are available.
///
/// The Service is an external name: the API server then connects to that name and the APIService's port, and that may
/// be loopback, which addresses of endpoints may not.
pub(super) async fn register(client: &Client, authority: &str, port: u16) -> Result<()> {
    let create = PostParams::default();
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = serde_json::from_value(json!({"metadata": {"name": NAME}}))?;
    namespaces.create(&create, &namespace).await.context("creating the adapter's namespace")?;

    let services: Api<Service> = Api::namespaced(client.clone(), NAME);
    let service = serde_json::from_value(json!({
        "metadata": {"name": NAME},
        "spec": {"type": "ExternalName", "externalName": "localhost"},
    }))?;
    services.create(&create, &service).await.context("creating the adapter's Service")?;

    let registrations: Api<APIService> = Api::all(client.clone());
    let authority = ByteString(authority.as_bytes().to_vec());
    let mut names = Vec::new();
    for (group, versions) in GROUPS {
        for (place, version) in versions.iter().enumerate() {
            let name = format!("{version}.{group}");
            let registration = serde_json::from_value(json!({
                "metadata": {"name": name},
                "spec": {
                    "group": group, "version": version, "caBundle": authority,
                    "groupPriorityMinimum": 100, "versionPriority": 100 - place,
                    "service": {"namespace": NAME, "name": NAME, "port": port},
                },
            }))?;
            registrations.create(&create, &registration).await.with_context(|| format!("creating {name}"))?;
            names.push(name);
        }
    }
    for name in names {
        until(&format!("the API {name} to be available"), Duration::from_secs(60), || async {
            let status = registrations.get_status(&name).await?.status;
            let conditions = status.and_then(|status| status.conditions).unwrap_or_default();
            Ok(conditions.iter().any(|one| one.type_ == "Available" && one.status == "True"))
        })
        .await?;
    }
    Ok(())
}
