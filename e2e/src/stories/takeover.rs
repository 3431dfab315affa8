//! HPAs have one manager: Plimsoll stops as soon as someone else writes their status.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use super::hpa::{HPAS, cpu_percent, hpa, stays, until_condition};
use crate::adapter::values::{Load, app, milli};
use crate::context::Context;
use crate::controller::{Controller, Subject};
use crate::story::Story;

/// The stories about taking over.
pub(super) fn stories() -> Vec<Story> {
    vec![
        Story::new("takeover-foreign-writer", foreign_writer).plimsoll_only(),
        Story::new("takeover-from-in-tree", from_in_tree).plimsoll_only().alone(),
    ]
}

async fn until_told(context: &Context, controller: &Controller, who: &str) -> Result<()> {
    let words = format!("{who} also writes the status of HorizontalPodAutoscalers");
    context
        .until(&format!("the log to say `{words}`"), 30, || async { Ok(controller.log().contains(&words)) })
        .await
}

/// Someone writes a status: Plimsoll says so loudly and writes no HPA any more, until it is restarted.
async fn foreign_writer(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(100)));
    let controller = context.controller(&["--manage=hpas", "--bind=127.0.0.1:0"]).await?;
    let address = controller.address().await?;
    context.apply(&hpa("Deployment", "web", (1, 8), &json!([cpu_percent(50)])).to_string()).await?;
    until_condition(&context, "web", "ScalingActive", ("True", "ValidMetricFound")).await?;
    let status = r#"{"status": {"desiredReplicas": 7}}"#;
    let patch = ["patch", "hpa/web", "--subresource=status", "--type=merge", "--field-manager=someone", "-p"];
    context.kubectl(&[&patch[..], &[status]].concat()).await?;
    until_told(&context, &controller, "someone").await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(250)));
    stays(&context, "Deployment", "web", 2, 4).await?;
    let before = context.writes()?.len();
    stays(&context, "Deployment", "web", 2, 2).await?;
    ensure!(context.writes()?.len() == before, "it went on writing");
    let object = context.get("autoscaling/v2", "HorizontalPodAutoscaler", "web").await?;
    ensure!(object.pointer("/status/desiredReplicas") == Some(&json!(7)), "the status was written: {object}");
    let events = context.kubectl(&["events", "--for=hpa/web"]).await?;
    ensure!(events.contains("ForeignWriter"), "{events}");
    let metrics = context.http_get(&format!("{address}/metrics")).await?;
    ensure!(metrics.contains("plimsoll_foreign_writer 1"), "{metrics}");
    ensure!(controller.stop().await? == Some(0), "it did not end in good order");
    controller.start_again()?;
    context.until_replicas("Deployment", "web", 5, 60).await
}

/// From the in-tree controller to Plimsoll: while both run, Plimsoll steps back; when the other is off, it manages.
async fn from_in_tree(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    let metrics = context.metrics();
    metrics.usage("cpu", app("web"), Load::Shared(milli(150)));
    let in_tree = Subject::in_tree(context.plane())?;
    context.apply(&hpa("Deployment", "web", (1, 8), &json!([cpu_percent(50)])).to_string()).await?;
    context.until_replicas("Deployment", "web", 3, 60).await?;
    let why = context.plimsoll(&["explain", "hpa/web", "--namespace", context.namespace()]).await?;
    ensure!(why.contains("worked out anew") && why.contains("cpu"), "{why}");
    ensure!(context.writes()?.is_empty(), "explaining has written");

    let controller = context.controller(HPAS).await?;
    metrics.usage("cpu", app("web"), Load::Shared(milli(200)));
    context.until_replicas("Deployment", "web", 4, 60).await?;
    metrics.usage("cpu", app("web"), Load::Shared(milli(250)));
    until_told(&context, &controller, "kube-controller-manager").await?;
    context.until_replicas("Deployment", "web", 5, 60).await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let before = context.writes()?.len();
    metrics.usage("cpu", app("web"), Load::Shared(milli(300)));
    context.until_replicas("Deployment", "web", 6, 60).await?;
    ensure!(context.writes()?.len() == before, "Plimsoll wrote beside the in-tree controller");

    drop(in_tree);
    ensure!(controller.stop().await? == Some(0), "it did not end in good order");
    controller.start_again()?;
    metrics.usage("cpu", app("web"), Load::Shared(milli(350)));
    context.until_replicas("Deployment", "web", 7, 60).await?;
    ensure!(context.writes()?.len() > before, "it was not Plimsoll that scaled");
    Ok(())
}
