//! Our own kind: what an Autoscaler does that an HPA cannot, and what the API server refuses of it.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::daily::surging_deployment;
use super::hpa::{cpu_percent, stays};
use crate::adapter::values::{Load, app, milli, whole};
use crate::context::Context;
use crate::story::Story;

/// The stories about Autoscalers.
pub(super) fn stories() -> Vec<Story> {
    let list = vec![
        Story::new("autoscaler-validation", validation),
        Story::new("autoscaler-target", target),
        Story::new("autoscaler-watermarks", watermarks),
        Story::new("autoscaler-steps", steps),
        Story::new("autoscaler-cooldown", cooldown),
        Story::new("autoscaler-dry-run", dry_run),
        Story::new("autoscaler-surge-cap", surge_cap),
        Story::new("autoscaler-syncs-at-once", syncs_at_once),
    ];
    list.into_iter().map(Story::plimsoll_only).collect()
}

/// An Autoscaler `web` on the Deployment `web`, with more fields in its spec than the bounds and the metrics.
pub(super) fn autoscaler(metrics: &Value, more: Value) -> Value {
    let mut spec = json!({
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "minReplicas": 1, "maxReplicas": 10, "syncPeriodSeconds": 1, "metrics": metrics,
    });
    if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
        spec.extend(more);
    }
    json!({
        "apiVersion": "plimsoll.dev/v1alpha1", "kind": "Autoscaler", "metadata": {"name": "web"}, "spec": spec,
    })
}

/// Shrinking without waiting.
pub(super) fn quick_down() -> Value {
    json!({"behavior": {"scaleDown": {"stabilizationWindowSeconds": 0}}})
}

/// The API server refuses specs that make no sense and names the field.
async fn validation(context: Context) -> Result<()> {
    let cpu = json!([cpu_percent(50)]);
    let both = json!([{"type": "Resource", "resource": {
        "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50},
        "watermarks": {"low": "20%", "high": "80%"},
    }}]);
    let crossed = json!([{"type": "Resource", "resource": {"name": "cpu", "watermarks": {"low": "80%", "high": "20%"}}}]);
    let nothing = json!({"behavior": {}, "constraints": {}});
    let window = json!({"behavior": {"scaleUp": {"stabilizationWindowSeconds": 86_401}}});
    let bad = [
        (autoscaler(&cpu, json!({"maxReplicas": 0})), "spec.maxReplicas"),
        (autoscaler(&cpu, json!({"minReplicas": 11})), "spec.m"),
        (autoscaler(&cpu, json!({"syncPeriodSeconds": 0})), "spec.syncPeriodSeconds"),
        (autoscaler(&cpu, json!({"suspend": "Sideways"})), "spec.suspend"),
        (autoscaler(&cpu, json!({"tolerance": "-1"})), "spec.tolerance"),
        (autoscaler(&cpu, window), "spec.behavior.scaleUp.stabilizationWindowSeconds"),
        (autoscaler(&cpu, nothing), "spec"),
        (autoscaler(&both, json!({})), "spec.metrics[0].resource"),
        (autoscaler(&crossed, json!({})), "spec.metrics[0].resource.watermarks"),
    ];
    for (manifest, field) in bad {
        let output =
            context.try_kubectl(&["apply", "--dry-run=server", "-f", "-"], &manifest.to_string()).await?;
        let refused = output.code != 0 && output.stderr.contains("is invalid");
        ensure!(refused && output.stderr.contains(field), "{field} in {manifest}: {}", output.stderr);
    }
    context.apply(&autoscaler(&cpu, quick_down()).to_string()).await?;
    let table = context.kubectl(&["get", "plim"]).await?;
    ensure!(table.contains("web"), "{table}");
    Ok(())
}

async fn target(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(300)));
    let _controller = context.controller(&[]).await?;
    context.apply(&autoscaler(&json!([cpu_percent(50)]), quick_down()).to_string()).await?;
    context.until_replicas("Deployment", "web", 6, 60).await?;
    context.until_ready("web", 6).await?;
    let table = context.kubectl(&["get", "plim", "web", "--no-headers"]).await?;
    ensure!(table.contains("Deployment/web"), "`kubectl get plim` shows {table}");
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(50)));
    context.until_replicas("Deployment", "web", 1, 60).await
}

/// Between the marks nothing moves; beyond them it does.
async fn watermarks(context: Context) -> Result<()> {
    context.deployment("web", 4).await?;
    context.until_ready("web", 4).await?;
    let metrics = context.metrics();
    metrics.usage("cpu", app("web"), Load::Each(milli(50)));
    let marks = json!([{"type": "Resource", "resource": {
        "name": "cpu", "watermarks": {"low": "30%", "high": "70%"},
    }}]);
    let _controller = context.controller(&[]).await?;
    context.apply(&autoscaler(&marks, quick_down()).to_string()).await?;
    stays(&context, "Deployment", "web", 4, 3).await?;
    metrics.usage("cpu", app("web"), Load::Each(milli(68)));
    stays(&context, "Deployment", "web", 4, 3).await?;
    metrics.usage("cpu", app("web"), Load::Shared(milli(480)));
    context
        .until("growth beyond the high mark", 30, || async {
            Ok(context.replicas("Deployment", "web").await? > 4)
        })
        .await?;
    metrics.usage("cpu", app("web"), Load::Shared(milli(40)));
    context
        .until("shrinking below the low mark", 30, || async {
            Ok(context.replicas("Deployment", "web").await? < 4)
        })
        .await
}

async fn steps(context: Context) -> Result<()> {
    context.deployment("web", 4).await?;
    context.until_ready("web", 4).await?;
    let metrics = context.metrics();
    metrics.external("queue_depth", &[], whole(50));
    let table = json!([
        {"upperBound": "10", "adjustment": {"replicas": -1}},
        {"lowerBound": "100", "upperBound": "1000", "adjustment": {"replicas": 2}},
        {"lowerBound": "1000", "adjustment": {"exact": 10}},
    ]);
    let queue =
        json!([{"type": "External", "external": {"metric": {"name": "queue_depth"}, "steps": table}}]);
    let more = json!({"behavior": {
        "scaleUp": {"cooldownSeconds": 3600},
        "scaleDown": {"stabilizationWindowSeconds": 0, "cooldownSeconds": 3600},
    }});
    let _controller = context.controller(&[]).await?;
    context.apply(&autoscaler(&queue, more).to_string()).await?;
    stays(&context, "Deployment", "web", 4, 3).await?;
    // One step up, and by the cooldown only one.
    metrics.external("queue_depth", &[], whole(200));
    context.until_replicas("Deployment", "web", 6, 30).await?;
    stays(&context, "Deployment", "web", 6, 4).await
}

/// After a change nothing changes in that direction until the cooldown is over.
async fn cooldown(context: Context) -> Result<()> {
    context.deployment("web", 1).await?;
    context.until_ready("web", 1).await?;
    let metrics = context.metrics();
    metrics.external("queue_depth", &[], whole(20));
    let target = json!({"type": "AverageValue", "averageValue": "10"});
    let queue =
        json!([{"type": "External", "external": {"metric": {"name": "queue_depth"}, "target": target}}]);
    let more = json!({"behavior": {"scaleUp": {"cooldownSeconds": 8}}});
    let _controller = context.controller(&[]).await?;
    context.apply(&autoscaler(&queue, more).to_string()).await?;
    context.until_replicas("Deployment", "web", 2, 30).await?;
    let scaled = tokio::time::Instant::now();
    metrics.external("queue_depth", &[], whole(40));
    context.until_replicas("Deployment", "web", 4, 30).await?;
    let waited = scaled.elapsed();
    ensure!(waited >= Duration::from_secs(6), "the cooldown lasted only {waited:?}");
    Ok(())
}

/// A dry run decides and tells, and changes nothing.
async fn dry_run(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Each(milli(150)));
    let _controller = context.controller(&[]).await?;
    let manifest = autoscaler(&json!([cpu_percent(50)]), json!({"mode": "DryRun"}));
    context.apply(&manifest.to_string()).await?;
    context
        .until("the status to tell the wish", 30, || async {
            let object = context.get("plimsoll.dev/v1alpha1", "Autoscaler", "web").await?;
            let wish = object.pointer("/status/desiredReplicas").and_then(Value::as_i64);
            Ok(wish.context("no wish yet")? > 2)
        })
        .await?;
    stays(&context, "Deployment", "web", 2, 3).await?;
    let scales = context.writes()?.into_iter().filter(|entry| entry.object_ref.subresource == "scale");
    ensure!(scales.count() == 0, "the scale was written");
    Ok(())
}

/// The extra pods of a rollout do not make it escalate, as they do with an HPA (daily-rollout-surge-counts).
async fn surge_cap(context: Context) -> Result<()> {
    let metrics = surging_deployment(&context).await?;
    let more = json!({"pods": {"surge": "Cap"}});
    let _controller = context.controller(&[]).await?;
    context.apply(&autoscaler(&metrics, more).to_string()).await?;
    stays(&context, "Deployment", "web", 4, 2).await?;
    context.kubectl(&["set", "image", "deployment/web", "main=example.com/app:2"]).await?;
    let watch = ["rollout", "status", "deployment/web", "--timeout=60s"];
    let (rolled, stayed) = tokio::join!(context.kubectl(&watch), stays(&context, "Deployment", "web", 4, 14));
    rolled?;
    stayed
}

/// A new object and a changed spec are looked at when they come, not when their turn comes.
async fn syncs_at_once(context: Context) -> Result<()> {
    context.deployment("web", 1).await?;
    context.until_ready("web", 1).await?;
    let metrics = context.metrics();
    metrics.external("queue_depth", &[], whole(20));
    let target = json!({"type": "AverageValue", "averageValue": "10"});
    let queue =
        json!([{"type": "External", "external": {"metric": {"name": "queue_depth"}, "target": target}}]);
    let _controller = context.controller(&[]).await?;
    let more = json!({"syncPeriodSeconds": 600});
    context.apply(&autoscaler(&queue, more).to_string()).await?;
    context.until_replicas("Deployment", "web", 2, 20).await?;
    // Its own writes do not wake it, nor does a value that changes.
    metrics.external("queue_depth", &[], whole(30));
    stays(&context, "Deployment", "web", 2, 4).await?;
    context.kubectl(&["patch", "plim/web", "--type=merge", "-p", r#"{"spec":{"minReplicas":4}}"#]).await?;
    context.until_replicas("Deployment", "web", 4, 20).await
}
