//! The controller and its API server go and come back: restarts, outages, a flood of events, two replicas.

use std::time::Duration;

use anyhow::{Result, ensure};
use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use super::hpa::{HPAS, cpu_percent, hpa, stays};
use crate::adapter::values::{Load, app, milli, whole};
use crate::context::Context;
use crate::controller::Controller;
use crate::story::Story;

/// The stories about going and coming back.
pub(super) fn stories() -> Vec<Story> {
    vec![
        Story::new("outage-restart-between-steps", restart_between_steps).plimsoll_only(),
        Story::new("outage-stopped-while-starting", stopped_while_starting).plimsoll_only(),
        Story::new("outage-event-flood", event_flood).plimsoll_only().limit_secs(400),
        Story::new("outage-two-replicas", two_replicas).plimsoll_only().limit_secs(240),
        Story::new("outage-api-server", api_server).alone().limit_secs(300),
        Story::new("outage-older-api-server", older_api_server).plimsoll_only().alone(),
    ]
}

fn queue(kind: &str) -> serde_json::Value {
    let target = json!({"type": "AverageValue", "averageValue": "10"});
    json!([{"type": "External", "external": {"metric": {"name": kind}, "target": target}}])
}

/// A clean restart loses nothing: the window that holds shrinking goes on where it was.
async fn restart_between_steps(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    let metrics = context.metrics();
    metrics.external("queue_depth", &[], whole(60));
    let mut manifest = hpa("Deployment", "web", (1, 8), &queue("queue_depth"));
    if let Some(window) = manifest.pointer_mut("/spec/behavior/scaleDown/stabilizationWindowSeconds") {
        *window = json!(15);
    }
    let controller = context.controller(HPAS).await?;
    context.apply(&manifest.to_string()).await?;
    context.until_replicas("Deployment", "web", 6, 60).await?;
    // The load is gone, but the wish for 6 is remembered for 15 s: across two restarts, neither more nor less.
    let calm = tokio::time::Instant::now();
    metrics.external("queue_depth", &[], whole(10));
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_secs(3)).await;
        let code = controller.stop().await?;
        ensure!(code == Some(0), "plimsoll ended with {code:?} on SIGTERM");
        controller.start_again()?;
        stays(&context, "Deployment", "web", 6, 2).await?;
    }
    context.until_replicas("Deployment", "web", 1, 40).await?;
    let held = calm.elapsed();
    ensure!((13..=25).contains(&held.as_secs()), "shrinking was held for {held:?}, not for 15 s");
    Ok(())
}

/// A controller that has hardly begun ends in good order too.
async fn stopped_while_starting(context: Context) -> Result<()> {
    let controller = context.controller(HPAS).await?;
    for _ in 0..5 {
        let code = controller.stop().await?;
        ensure!(code == Some(0), "plimsoll ended with {code:?} on SIGTERM");
        controller.start_again()?;
    }
    Ok(())
}

/// Before 1.37 the API server did not count the generations of HPAs: a changed spec is seen all the same, at once.
async fn older_api_server(context: Context) -> Result<()> {
    let plane = context.plane();
    plane.stop_api_server().await?;
    plane.start_api_server_with(&["--feature-gates=HPAGeneration=false"]).await?;
    let told = without_generations(&context).await;
    plane.stop_api_server().await?;
    plane.start_api_server().await?;
    told
}

async fn without_generations(context: &Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().external("queue_depth", &[], whole(60));
    let manifest = hpa("Deployment", "web", (1, 4), &queue("queue_depth"));
    context.apply(&manifest.to_string()).await?;
    let object = context.get("autoscaling/v2", "HorizontalPodAutoscaler", "web").await?;
    ensure!(object.pointer("/metadata/generation").is_none(), "generations are counted: {object}");
    let quick = context.controller(HPAS).await?;
    context.until_replicas("Deployment", "web", 4, 60).await?;
    ensure!(quick.stop().await? == Some(0), "it did not end in good order");
    // With ten minutes between turns, only the change itself can bring the next one.
    let slow = [HPAS, &["--horizontal-pod-autoscaler-sync-period=600s"]].concat();
    let slow = context.controller(&slow).await?;
    context.until("everything to be listed", 30, || async { Ok(slow.log().contains("is listed")) }).await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    context.kubectl(&["patch", "hpa/web", "--type=merge", "-p", r#"{"spec": {"maxReplicas": 6}}"#]).await?;
    context.until_replicas("Deployment", "web", 6, 20).await
}

/// While the controller sleeps, 10,000 events pass: its watches are too old when it wakes, and it starts them anew.
async fn event_flood(context: Context) -> Result<()> {
    context.deployment("web", 20).await?;
    context.until_ready("web", 20).await?;
    context.metrics().usage("cpu", app("web"), Load::Each(milli(50)));
    let controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (1, 40), &json!([cpu_percent(50)])).to_string()).await?;
    stays(&context, "Deployment", "web", 20, 3).await?;
    controller.pause()?;
    let pods: Api<Pod> = Api::namespaced(context.client(), context.namespace());
    let names: Vec<String> = context.pods("web").await?.iter().map(ResourceExt::name_any).collect();
    let failures = futures::stream::iter(0..10_000_usize)
        .map(|number| {
            let patch = json!({"metadata": {"annotations": {"e2e.plimsoll.dev/event": number.to_string()}}});
            let name = names.get(number % names.len()).cloned().unwrap_or_default();
            let pods = pods.clone();
            async move { pods.patch_metadata(&name, &PatchParams::default(), &Patch::Merge(patch)).await }
        })
        .buffer_unordered(32)
        .filter(|result| std::future::ready(result.is_err()))
        .count()
        .await;
    ensure!(failures == 0, "{failures} events failed");
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(1250)));
    controller.unpause()?;
    context.until_replicas("Deployment", "web", 25, 60).await
}

/// Who, by token, has changed something in the story's namespace, in order and without repetition.
fn writers(context: &Context) -> Result<Vec<String>> {
    let mut order: Vec<String> = Vec::new();
    for entry in context.writes()? {
        if order.last().map(String::as_str) != Some(entry.credential()) {
            order.push(entry.credential().to_owned());
        }
    }
    Ok(order)
}

/// One of two replicas leads. When it is killed or paused the other takes over in under 20 s; a paused one that wakes
/// up writes nothing. So each change of writer is a takeover and nobody comes back.
async fn two_replicas(context: Context) -> Result<()> {
    context.deployment("web", 1).await?;
    context.until_ready("web", 1).await?;
    let metrics = context.metrics();
    metrics.external("queue_depth", &[], whole(20));
    let flags = ["--manage=hpas", "--leader-elect", "--leader-elect-resource-namespace=plimsoll-system"];
    let first = context.controller(&flags).await?;
    context.apply(&hpa("Deployment", "web", (1, 8), &queue("queue_depth")).to_string()).await?;
    context.until_replicas("Deployment", "web", 2, 45).await?;
    let second = context.controller(&flags).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    ensure!(writers(&context)?.len() == 1, "the second replica wrote while the first was leading");

    first.kill().await?;
    takes_over(&context, 3).await?;
    let third = context.controller(&flags).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    second.pause()?;
    takes_over(&context, 5).await?;
    second.unpause()?;
    for load in [70, 60, 40] {
        metrics.external("queue_depth", &[], whole(load));
        context.until_replicas("Deployment", "web", load / 10, 30).await?;
    }
    let order = writers(&context)?;
    ensure!(order.len() == 3, "writers took turns: {order:?}");
    drop::<[Controller; 2]>([second, third]);
    Ok(())
}

async fn takes_over(context: &Context, count: i64) -> Result<()> {
    let lost = tokio::time::Instant::now();
    context.metrics().external("queue_depth", &[], whole(count * 10));
    context.until_replicas("Deployment", "web", count, 40).await?;
    let took = lost.elapsed();
    ensure!(took < Duration::from_secs(20), "the takeover took {took:?}");
    Ok(())
}

/// The API server is gone for a minute. Nothing is lost and nothing is overdone when it comes back.
async fn api_server(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(100)));
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (1, 8), &json!([cpu_percent(50)])).to_string()).await?;
    stays(&context, "Deployment", "web", 2, 3).await?;
    context.plane().stop_api_server().await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(250)));
    tokio::time::sleep(Duration::from_secs(60)).await;
    context.plane().start_api_server().await?;
    context.until_replicas("Deployment", "web", 5, 60).await?;
    // The other parts of the plane pause for up to half a minute before each new attempt, and the pods need several.
    let back = || async { Ok(context.ready_pods("web").await? == 5) };
    context.until("the rest of the plane to make the pods", 150, back).await?;
    stays(&context, "Deployment", "web", 5, 3).await
}
