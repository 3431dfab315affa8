//! WatermarkPodAutoscalers: the object of another project, managed by Plimsoll.

use anyhow::{Context as _, Result, ensure};
use kube::CustomResourceExt as _;
use plimsoll_api::wpa::WatermarkPodAutoscaler;
use serde_json::{Value, json};

use super::hpa::stays;
use crate::adapter::values::whole;
use crate::context::Context;
use crate::story::Story;

/// The stories about WatermarkPodAutoscalers.
pub(super) fn stories() -> Vec<Story> {
    vec![Story::new("wpa-external-metric", external_metric).plimsoll_only()]
}

/// Above the high mark it grows, between the marks it stays, below the low one it shrinks by its limit.
async fn external_metric(context: Context) -> Result<()> {
    // The kind, as its own project would install it.
    let crd = serde_json::to_string(&WatermarkPodAutoscaler::crd())?;
    context.install_crd(&crd, "watermarkpodautoscalers.datadoghq.com").await?;
    context.deployment("web", 4).await?;
    context.until_ready("web", 4).await?;
    let metrics = context.metrics();
    metrics.external("queue_depth", &[("queue", "mail")], whole(60));
    let external = json!({
        "metricName": "queue_depth", "metricSelector": {"matchLabels": {"queue": "mail"}},
        "highWatermark": "10", "lowWatermark": "5",
    });
    let wpa = json!({
        "apiVersion": "datadoghq.com/v1alpha1", "kind": "WatermarkPodAutoscaler", "metadata": {"name": "web"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1, "maxReplicas": 10, "algorithm": "average", "tolerance": "10m",
            "upscaleForbiddenWindowSeconds": 1, "downscaleForbiddenWindowSeconds": 1,
            "metrics": [{"type": "External", "external": external}],
        },
    });
    let _controller = context.controller(&["--manage=wpas"]).await?;
    context.apply(&wpa.to_string()).await?;
    // 15 for each of 4 pods: 6 pods bring it to the mark, and half as many again is the most at once.
    context.until_replicas("Deployment", "web", 6, 60).await?;
    context.until_ready("web", 6).await?;
    stays(&context, "Deployment", "web", 6, 17).await?;
    let wpa = context.get("datadoghq.com/v1alpha1", "WatermarkPodAutoscaler", "web").await?;
    let conditions = wpa.pointer("/status/conditions").and_then(Value::as_array).context("no conditions")?;
    let active = conditions.iter().find(|one| one.pointer("/type") == Some(&json!("ScalingActive")));
    ensure!(active.and_then(|one| one.pointer("/status")) == Some(&json!("True")), "{wpa}");
    ensure!(context.kubectl(&["get", "wpa", "web", "--no-headers"]).await?.contains("True"), "`get wpa`");
    metrics.external("queue_depth", &[("queue", "mail")], whole(12));
    // 2 for each of 6 pods: a fifth of them is the most that goes at once.
    context.until_replicas("Deployment", "web", 5, 60).await?;
    let why = context.plimsoll(&["explain", "wpa/web", "--namespace", context.namespace()]).await?;
    ensure!(why.contains("queue_depth"), "{why}");
    Ok(())
}
