//! WatermarkPodAutoscalers: the object of another project, managed by Plimsoll.

use anyhow::{Context as _, Result, ensure};
use kube::CustomResourceExt as _;
use plimsoll_api::wpa::WatermarkPodAutoscaler;
use serde_json::{Value, json};

use super::hpa::stays;
use crate::adapter::values::whole;
use crate::context::Context;
use crate::controller::Controller;
use crate::story::Story;

/// The stories about WatermarkPodAutoscalers.
pub(super) fn stories() -> Vec<Story> {
    let list = vec![Story::new("wpa-external-metric", external_metric), Story::new("wpa-monitor", monitor)];
    list.into_iter().map(Story::plimsoll_only).collect()
}

/// Above the high mark it grows, between the marks it stays, below the low one it shrinks by its limit.
async fn external_metric(context: Context) -> Result<()> {
    install(&context).await?;
    context.deployment("web", 4).await?;
    context.until_ready("web", 4).await?;
    let metrics = context.metrics();
    metrics.external("queue_depth", &[("queue", "mail")], whole(60));
    let _controller = context.controller(&["--manage=wpas"]).await?;
    context.apply(&wpa(json!({})).to_string()).await?;
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

/// The kind, as its own project would install it.
async fn install(context: &Context) -> Result<()> {
    let crd = serde_json::to_string(&WatermarkPodAutoscaler::crd())?;
    context.install_crd(&crd, "watermarkpodautoscalers.datadoghq.com").await
}

/// The WatermarkPodAutoscaler `web` between 5 and 10 of a queue for each pod of the Deployment `web`.
fn wpa(annotations: Value) -> Value {
    let external = json!({
        "metricName": "queue_depth", "metricSelector": {"matchLabels": {"queue": "mail"}},
        "highWatermark": "10", "lowWatermark": "5",
    });
    json!({
        "apiVersion": "datadoghq.com/v1alpha1", "kind": "WatermarkPodAutoscaler",
        "metadata": {"name": "web", "annotations": annotations, "labels": {"team": "mail"}},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1, "maxReplicas": 10, "algorithm": "average", "tolerance": "10m",
            "upscaleForbiddenWindowSeconds": 1, "downscaleForbiddenWindowSeconds": 1,
            "metrics": [{"type": "External", "external": external}],
        },
    })
}

/// A kind of monitor as far as it matters here; its own project installs it.
const MONITORS: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: datadogmonitors.datadoghq.com}
spec:
  group: datadoghq.com
  scope: Namespaced
  names: {kind: DatadogMonitor, plural: datadogmonitors, singular: datadogmonitor}
  versions:
    - name: v1alpha1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"#;

/// While its monitor alerts, nothing is scaled; when that is over, it is. Both can be read from the metrics.
async fn monitor(context: Context) -> Result<()> {
    install(&context).await?;
    context.install_crd(MONITORS, "datadogmonitors.datadoghq.com").await?;
    context.deployment("web", 4).await?;
    context.until_ready("web", 4).await?;
    context.metrics().external("queue_depth", &[("queue", "mail")], whole(60));
    let monitor =
        r#"{"apiVersion": "datadoghq.com/v1alpha1", "kind": "DatadogMonitor", "metadata": {"name": "web"}}"#;
    context.apply(monitor).await?;
    monitor_is(&context, "Alert").await?;
    let controller =
        context.controller(&["--manage=wpas", "--labels-as-tags=team", "--bind=127.0.0.1:0"]).await?;
    let guarded = |round: &str| {
        wpa(json!({"wpa.datadoghq.com/lifecycle-control.enabled": "true", "e2e.plimsoll.dev/round": round}))
    };
    context.apply(&guarded("1").to_string()).await?;
    shows(&context, &controller, "lifecycle_control_status", &["lifecycle_status=\"blocked\""], "1.0")
        .await?;
    stays(&context, "Deployment", "web", 4, 3).await?;
    monitor_is(&context, "OK").await?;
    // It looks at the monitor once a minute; a changed annotation has it look now.
    context.apply(&guarded("2").to_string()).await?;
    context.until_replicas("Deployment", "web", 6, 60).await?;
    shows(&context, &controller, "lifecycle_control_status", &["monitor_name=\"web\""], "0.0").await?;
    shows(&context, &controller, "labels_info", &["wpa_name=\"web\"", "team=\"mail\""], "1.0").await?;
    shows(&context, &controller, "restricted_scaling", &["reason=\"upscale_capping\""], "").await?;
    shows(&context, &controller, "transition_countdown", &["transition=\"downscale\""], "").await?;
    shows(&context, &controller, "upscale_replicas_total", &["target_name=\"web\""], "2").await
}

async fn monitor_is(context: &Context, state: &str) -> Result<()> {
    let status = json!({"status": {"monitorState": state}}).to_string();
    let patch = ["patch", "datadogmonitor", "web", "--subresource=status", "--type=merge", "-p", &status];
    context.kubectl(&patch).await.map(drop)
}

/// Waits until a metric of WPAs with these labels is served with this value (any, if it is empty).
async fn shows(
    context: &Context,
    controller: &Controller,
    metric: &str,
    labels: &[&str],
    value: &str,
) -> Result<()> {
    let name = format!("wpa_controller_{metric}{{");
    context
        .until(&format!("{metric} to be {value}"), 30, || async {
            let served = context.http_get(&format!("{}/metrics", controller.address().await?)).await?;
            let line = served
                .lines()
                .find(|line| line.starts_with(&name) && labels.iter().all(|label| line.contains(label)));
            let line = line.with_context(|| format!("no {metric} with {labels:?} in:\n{served}"))?;
            ensure!(value.is_empty() || line.ends_with(&format!(" {value}")), "{line}");
            Ok(true)
        })
        .await
}
