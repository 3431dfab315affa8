//! The fake node all pods run on, and a scheduler that puts every pod there.

use std::time::Duration;

use anyhow::{Context, Result};
use futures::StreamExt;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::PostParams;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use crate::wait::until;

/// The name of the fake node.
pub const NODE: &str = "quay";

/// How many pods are bound at the same time.
const BINDS_AT_ONCE: usize = 16;

/// Creates the node and waits until kwok has made it ready.
pub async fn create_node(client: &Client) -> Result<()> {
    let nodes: Api<Node> = Api::all(client.clone());
    let node = serde_json::from_value(json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": NODE, "labels": {"kubernetes.io/hostname": NODE}},
    }))?;
    nodes.create(&PostParams::default(), &node).await.context("creating the fake node")?;
    until("the fake node to be ready", Duration::from_secs(30), || async {
        let conditions = nodes.get_status(NODE).await?.status.and_then(|status| status.conditions);
        let ready = conditions.into_iter().flatten().any(|one| one.type_ == "Ready" && one.status == "True");
        Ok(ready)
    })
    .await
}

/// Binds every pod without a node to the fake node, for as long as it is polled.
pub async fn schedule_pods(client: Client) {
    let pods: Api<Pod> = Api::all(client.clone());
    watcher(pods, watcher::Config::default().fields("spec.nodeName="))
        .default_backoff()
        .applied_objects()
        .filter_map(|seen| async { seen.ok() })
        .for_each_concurrent(BINDS_AT_ONCE, |pod| {
            let client = client.clone();
            async move {
                if let Err(error) = bind(client, &pod).await {
                    tracing::debug!(pod = pod.name_any(), %error, "not bound");
                }
            }
        })
        .await;
}

async fn bind(client: Client, pod: &Pod) -> Result<()> {
    let (name, namespace) = (pod.name_any(), pod.namespace().unwrap_or_default());
    let pods: Api<Pod> = Api::namespaced(client, &namespace);
    let binding = json!({
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, "namespace": namespace},
        "target": {"apiVersion": "v1", "kind": "Node", "name": NODE},
    });
    let _: serde_json::Value =
        pods.create_subresource("binding", &name, &PostParams::default(), &binding).await?;
    Ok(())
}
