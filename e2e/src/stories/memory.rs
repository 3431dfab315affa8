//! What is remembered: checkpoints, what a crash costs, and what a quiet fleet does not write.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::hpa::{HPAS, cpu_percent, hpa, stays};
use crate::adapter::values::{Load, app, milli, whole};
use crate::context::Context;
use crate::controller::Controller;
use crate::story::Story;

/// The stories about memory.
pub(super) fn stories() -> Vec<Story> {
    let list = vec![
        Story::new("memory-checkpoint", checkpoint),
        Story::new("memory-killed", killed),
        Story::new("memory-lost", lost),
    ];
    list.into_iter().map(Story::plimsoll_only).collect()
}

async fn checkpoints(context: &Context) -> Result<Vec<Value>> {
    let text = context.kubectl(&["get", "autoscalercheckpoints", "-o", "json"]).await?;
    let list: Value = serde_json::from_str(&text)?;
    list.pointer("/items").and_then(Value::as_array).cloned().context("no list")
}

/// A checkpoint is written with the scaling, belongs to the HPA and goes with it; a steady HPA writes nothing.
async fn checkpoint(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(200)));
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (1, 8), &json!([cpu_percent(50)])).to_string()).await?;
    context.until_replicas("Deployment", "web", 4, 60).await?;
    let hpa = context.get("autoscaling/v2", "HorizontalPodAutoscaler", "web").await?;
    context
        .until("the checkpoint that the HPA owns", 10, || async {
            let all = checkpoints(&context).await?;
            let [one] = all.as_slice() else { return Ok(false) };
            let owner = one.pointer("/metadata/ownerReferences/0/uid");
            ensure!(owner.is_some() && owner == hpa.pointer("/metadata/uid"), "{one}");
            Ok(true)
        })
        .await?;
    // A changed recommendation may be written for half a minute; then there is nothing left to write.
    tokio::time::sleep(Duration::from_secs(35)).await;
    let before = context.writes()?.len();
    stays(&context, "Deployment", "web", 4, 10).await?;
    let writes = context.writes()?;
    let new: Vec<&str> = writes.iter().skip(before).map(|entry| entry.uri.as_str()).collect();
    ensure!(new.is_empty(), "a steady HPA was written: {new:?}");
    context.kubectl(&["delete", "hpa", "web"]).await?;
    context
        .until("the checkpoint to go with the HPA", 60, || async {
            Ok(checkpoints(&context).await?.is_empty())
        })
        .await
}

/// An HPA that has grown `web` to 6 and is about to shrink it, held back by a window of 15 s.
async fn about_to_shrink(context: &Context) -> Result<Controller> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().external("queue_depth", &[], whole(60));
    let target = json!({"type": "AverageValue", "averageValue": "10"});
    let queue =
        json!([{"type": "External", "external": {"metric": {"name": "queue_depth"}, "target": target}}]);
    let mut manifest = hpa("Deployment", "web", (1, 8), &queue);
    if let Some(window) = manifest.pointer_mut("/spec/behavior/scaleDown/stabilizationWindowSeconds") {
        *window = json!(15);
    }
    let controller = context.controller(HPAS).await?;
    context.apply(&manifest.to_string()).await?;
    context.until_replicas("Deployment", "web", 6, 60).await?;
    context.metrics().external("queue_depth", &[], whole(10));
    Ok(controller)
}

/// A killed controller has lost at most half a minute, and that can only delay shrinking.
async fn killed(context: Context) -> Result<()> {
    let controller = about_to_shrink(&context).await?;
    let calm = tokio::time::Instant::now();
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_secs(3)).await;
        controller.kill().await?;
        controller.start_again()?;
    }
    stays(&context, "Deployment", "web", 6, 5).await?;
    context.until_replicas("Deployment", "web", 1, 90).await?;
    let held = calm.elapsed().as_secs();
    ensure!((13..=60).contains(&held), "shrinking was held for {held} s");
    Ok(())
}

/// Without its checkpoint, a controller holds shrinking for the whole window again.
async fn lost(context: Context) -> Result<()> {
    let controller = about_to_shrink(&context).await?;
    controller.kill().await?;
    context.kubectl(&["delete", "autoscalercheckpoints", "--all"]).await?;
    controller.start_again()?;
    let started = tokio::time::Instant::now();
    context.until_replicas("Deployment", "web", 1, 60).await?;
    let held = started.elapsed().as_secs();
    ensure!((14..=40).contains(&held), "shrinking was held for {held} s");
    Ok(())
}
