//! What goes wrong around a controller: metric APIs that fail, writers that compete.
//!
//! These hold for the in-tree controller too (`--in-tree` shows it).

use std::time::Duration;

use anyhow::{Result, ensure};
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::json;

use super::hpa::{HPAS, cpu_percent, hpa, stays, until_condition};
use crate::adapter::values::{Fault, Load, Surface, app, milli};
use crate::context::Context;
use crate::story::Story;

/// The stories of trouble.
pub(super) fn stories() -> Vec<Story> {
    vec![
        Story::new("trouble-metrics-down", |context| metrics_fail(context, Fault::Down)),
        Story::new("trouble-metrics-garbage", |context| metrics_fail(context, Fault::Garbage)),
        Story::new("trouble-metrics-slow", metrics_slow),
        Story::new("trouble-conflict-storm", conflict_storm),
        Story::new("trouble-status-conflicts", status_conflicts),
    ]
}

/// Without metrics nothing moves and the condition says why; with them back, scaling goes on.
async fn metrics_fail(context: Context, fault: Fault) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    let metrics = context.metrics();
    metrics.usage("cpu", app("web"), Load::Shared(milli(100)));
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (1, 8), &json!([cpu_percent(50)])).to_string()).await?;
    until_condition(&context, "web", "ScalingActive", ("True", "ValidMetricFound")).await?;
    metrics.fault(Surface::Resource, fault);
    metrics.usage("cpu", app("web"), Load::Shared(milli(200)));
    until_condition(&context, "web", "ScalingActive", ("False", "FailedGetResourceMetric")).await?;
    stays(&context, "Deployment", "web", 2, 4).await?;
    metrics.heal();
    context.until_replicas("Deployment", "web", 4, 60).await?;
    until_condition(&context, "web", "ScalingActive", ("True", "ValidMetricFound")).await
}

/// An answer that takes half a minute holds up this autoscaler, not its neighbour by another metric.
async fn metrics_slow(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.deployment("queue", 2).await?;
    context.until_ready("web", 2).await?;
    context.until_ready("queue", 2).await?;
    let metrics = context.metrics();
    metrics.usage("cpu", app("web"), Load::Shared(milli(100)));
    metrics.fault(Surface::Resource, Fault::Slow(Duration::from_secs(30)));
    metrics.pods("jobs", app("queue"), Load::Shared(milli(4000)));
    let target = json!({"type": "AverageValue", "averageValue": "1"});
    let jobs = json!({"type": "Pods", "pods": {"metric": {"name": "jobs"}, "target": target}});
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (1, 8), &json!([cpu_percent(50)])).to_string()).await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    context.apply(&hpa("Deployment", "queue", (1, 8), &json!([jobs])).to_string()).await?;
    context.until_replicas("Deployment", "queue", 4, 20).await?;
    stays(&context, "Deployment", "web", 2, 3).await?;
    metrics.usage("cpu", app("web"), Load::Shared(milli(200)));
    metrics.heal();
    context.until_replicas("Deployment", "web", 4, 90).await
}

/// Someone else changes the target ten times a second: scaling still arrives.
async fn conflict_storm(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(200)));
    let _controller = context.controller(HPAS).await?;
    let storm = tokio::spawn({
        let context = context.clone();
        async move { blow(&context).await }
    });
    context.apply(&hpa("Deployment", "web", (1, 8), &json!([cpu_percent(50)])).to_string()).await?;
    let grown = context.until_replicas("Deployment", "web", 4, 60).await;
    let shrunk = match grown {
        Ok(()) => {
            context.metrics().usage("cpu", app("web"), Load::Shared(milli(50)));
            context.until_replicas("Deployment", "web", 1, 60).await
        }
        failed => failed,
    };
    ensure!(!storm.is_finished(), "the storm ended early");
    storm.abort();
    shrunk
}

/// Someone else changes the HPA itself while its status is written: none of those changes is undone.
async fn status_conflicts(context: Context) -> Result<()> {
    use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    let metrics = context.metrics();
    let _controller =
        context.controller(&[HPAS, &["--horizontal-pod-autoscaler-sync-period=100ms"]].concat()).await?;
    context.apply(&hpa("Deployment", "web", (2, 8), &json!([cpu_percent(50)])).to_string()).await?;
    metrics.usage("cpu", app("web"), Load::Each(milli(10)));
    until_condition(&context, "web", "ScalingActive", ("True", "ValidMetricFound")).await?;
    let hpas: Api<HorizontalPodAutoscaler> = Api::namespaced(context.client(), context.namespace());
    for number in 0_u32..150 {
        // Another value each time, so that there is a status to write.
        metrics.usage("cpu", app("web"), Load::Each(milli(10 + i64::from(number % 30))));
        let patch = json!({"metadata": {"annotations": {"e2e.plimsoll.dev/number": number.to_string()}}});
        hpas.patch("web", &PatchParams::default(), &Patch::Merge(&patch)).await?;
        tokio::time::sleep(Duration::from_millis(40)).await;
        let now = hpas.get("web").await?.metadata.annotations.unwrap_or_default();
        let found = now.get("e2e.plimsoll.dev/number");
        ensure!(found == Some(&number.to_string()), "{number} was written, {found:?} is there");
    }
    Ok(())
}

/// Writes an annotation of the Deployment every 100 ms, which gives it a new resourceVersion each time.
async fn blow(context: &Context) -> Result<()> {
    use k8s_openapi::api::apps::v1::Deployment;
    let deployments: Api<Deployment> = Api::namespaced(context.client(), context.namespace());
    for gust in 0_u32.. {
        let patch = json!({"metadata": {"annotations": {"e2e.plimsoll.dev/gust": gust.to_string()}}});
        deployments.patch("web", &PatchParams::default(), &Patch::Merge(&patch)).await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}
