//! How metrics are asked for: once for all who need the same, and not for more than is needed.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::autoscaler::autoscaler;
use super::hpa::cpu_percent;
use crate::adapter::values::{Load, Surface, app, milli};
use crate::context::Context;
use crate::story::Story;

/// The stories about asking.
pub(super) fn stories() -> Vec<Story> {
    let list = vec![
        Story::new("asking-is-shared", shared),
        Story::new("asking-for-few-of-many", few_of_many).limit_secs(300),
    ];
    list.into_iter().map(Story::plimsoll_only).collect()
}

/// An Autoscaler of this name on the Deployment of this name, synced every so many seconds.
fn on_cpu(name: &str, period_secs: u32) -> Value {
    let mut manifest =
        autoscaler(&json!([cpu_percent(50)]), json!({"minReplicas": 2, "syncPeriodSeconds": period_secs}));
    for place in ["/metadata/name", "/spec/scaleTargetRef/name"] {
        if let Some(field) = manifest.pointer_mut(place) {
            *field = json!(name);
        }
    }
    manifest
}

/// Four autoscalers of one namespace list its pods' metrics once in each period.
async fn shared(context: Context) -> Result<()> {
    let _controller = context.controller(&["--horizontal-pod-autoscaler-sync-period=5s"]).await?;
    for name in ["a", "b", "c", "d"] {
        context.deployment(name, 2).await?;
        context.until_ready(name, 2).await?;
        context.metrics().usage("cpu", app(name), Load::Each(milli(50)));
        context.apply(&on_cpu(name, 5).to_string()).await?;
    }
    // Each is synced at once when it comes; after that they take their turns.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let before = context.metrics().requests(Surface::Resource);
    tokio::time::sleep(Duration::from_secs(15)).await;
    let asked = context.metrics().requests(Surface::Resource) - before;
    // Each for itself would be 12 times. A machine that stalls may have one period's turns too far apart to share.
    ensure!((2..=8).contains(&asked), "4 autoscalers asked {asked} times in 3 periods");
    Ok(())
}

/// Who alone needs the metrics of two pods does not list those of two hundred others.
async fn few_of_many(context: Context) -> Result<()> {
    context.deployment("crowd", 210).await?;
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context
        .until("the crowd to be there", 120, || async { Ok(context.ready_pods("crowd").await? >= 210) })
        .await?;
    let metrics = context.metrics();
    metrics.usage("cpu", app("crowd"), Load::Each(milli(10)));
    metrics.usage("cpu", app("web"), Load::Shared(milli(200)));
    let _controller = context.controller(&[]).await?;
    context.apply(&on_cpu("web", 1).to_string()).await?;
    context.until_replicas("Deployment", "web", 4, 60).await?;
    let (all, narrowed) = (metrics.requests(Surface::Resource), metrics.narrowed_requests());
    ensure!(narrowed == all, "{narrowed} of {all} requests were for its own pods alone");
    Ok(())
}
