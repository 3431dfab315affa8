//! Prometheus, asked directly by an Autoscaler: whom it may ask, and how it logs in.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::autoscaler::{autoscaler, quick_down};
use crate::adapter::values::Surface;
use crate::context::Context;
use crate::plane::parts::repository;
use crate::story::Story;

/// The stories about Prometheus.
pub(super) fn stories() -> Vec<Story> {
    let list = vec![
        Story::new("prometheus-server-of-flag", server_of_flag),
        Story::new("prometheus-server-of-spec", server_of_spec),
        Story::new("prometheus-login", login),
    ];
    list.into_iter().map(Story::plimsoll_only).collect()
}

/// The Autoscaler `web` on ten of a backlog for each pod, with more fields in the metric.
fn on_backlog(context: &Context, more: Value) -> Value {
    let target = json!({"type": "AverageValue", "averageValue": "10"});
    let mut metric = json!({"query": backlog(context), "target": target});
    if let (Some(metric), Value::Object(more)) = (metric.as_object_mut(), more) {
        metric.extend(more);
    }
    autoscaler(&json!([{"type": "Prometheus", "prometheus": metric}]), quick_down())
}

fn backlog(context: &Context) -> String {
    format!("sum(backlog{{namespace=\"{}\"}})", context.namespace())
}

async fn server_of_flag(context: Context) -> Result<()> {
    context.deployment("web", 1).await?;
    context.until_ready("web", 1).await?;
    context.metrics().prometheus(&backlog(&context), 50.0);
    let server = format!("--prometheus-server={}", context.prometheus_url());
    let _controller = context.controller(&[&server]).await?;
    context.apply(&on_backlog(&context, json!({})).to_string()).await?;
    context.until_replicas("Deployment", "web", 5, 45).await?;
    context.metrics().prometheus(&backlog(&context), 20.0);
    context.until_replicas("Deployment", "web", 2, 30).await
}

/// A server that a spec names is asked only if it is on the list.
async fn server_of_spec(context: Context) -> Result<()> {
    context.deployment("web", 1).await?;
    context.until_ready("web", 1).await?;
    let metrics = context.metrics();
    metrics.prometheus(&backlog(&context), 30.0);
    let named = on_backlog(&context, json!({"server": context.prometheus_url()}));
    let strict = context.controller(&["--prometheus-allow=http://elsewhere:9090"]).await?;
    context.apply(&named.to_string()).await?;
    until_inactive(&context, "may not be asked: allow it with --prometheus-allow").await?;
    ensure!(metrics.requests(Surface::Prometheus) == 0, "it was asked all the same");
    ensure!(strict.stop().await? == Some(0), "it did not end in good order");
    let allow = format!("--prometheus-allow=http://elsewhere:9090,{}", context.prometheus_url());
    let _controller = context.controller(&[&allow]).await?;
    context.until_replicas("Deployment", "web", 3, 45).await
}

/// With a token and with a password from a Secret that it may read by the Role of docs/running/install.md.
async fn login(context: Context) -> Result<()> {
    context.deployment("web", 1).await?;
    context.until_ready("web", 1).await?;
    let metrics = context.metrics();
    metrics.prometheus(&backlog(&context), 30.0);
    metrics.prometheus_login("Bearer open-sesame");
    let literals =
        ["token=open-sesame", "username=ali", "password=baba"].map(|one| format!("--from-literal={one}"));
    let create = ["create", "secret", "generic", "prometheus"];
    context
        .kubectl(&create.into_iter().chain(literals.iter().map(String::as_str)).collect::<Vec<_>>())
        .await?;
    context.apply(&documented_role(&context)?).await?;
    let server = format!("--prometheus-server={}", context.prometheus_url());
    let _controller = context.controller(&[&server]).await?;
    let bearer = json!({"auth": {"bearer": {"secretName": "prometheus"}}});
    context.apply(&on_backlog(&context, bearer).to_string()).await?;
    context.until_replicas("Deployment", "web", 3, 45).await?;

    metrics.prometheus_login("Basic YWxpOmJhYmE=");
    until_inactive(&context, "code 401").await?;
    let basic = json!({"auth": {"basic": {"secretName": "prometheus"}}});
    context.apply(&on_backlog(&context, basic).to_string()).await?;
    metrics.prometheus(&backlog(&context), 50.0);
    context.until_replicas("Deployment", "web", 5, 45).await
}

/// The Role and its binding as the documentation shows them, for the story's namespace.
fn documented_role(context: &Context) -> Result<String> {
    let page = std::fs::read_to_string(repository().join("docs/running/install.md"))?;
    let manifest = page
        .split("```yaml\n")
        .filter_map(|part| part.split("```").next())
        .find(|block| block.contains("resources: [secrets]"))
        .context("docs/running/install.md shows no Role for Secrets")?;
    Ok(manifest.replace("namespace: shop", &format!("namespace: {}", context.namespace())))
}

/// Waits until the Autoscaler says that it cannot read its metric, with these words.
async fn until_inactive(context: &Context, words: &str) -> Result<()> {
    context
        .until(&format!("ScalingActive to say `{words}`"), 45, || async {
            let object = context.get("plimsoll.dev/v1alpha1", "Autoscaler", "web").await?;
            let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
            let active = conditions.into_iter().flatten().find(|one| one["type"] == "ScalingActive");
            let active = active.context("no ScalingActive")?;
            ensure!(active["status"] == "False" && active["message"].to_string().contains(words), "{active}");
            Ok(true)
        })
        .await
}
