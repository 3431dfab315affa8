//! The stage itself: the control plane and the adapter do what the other stories take for granted.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::adapter::values::{Fault, Load, Pods, Surface, app, milli, whole};
use crate::context::{Context, workload};
use crate::story::Story;

/// The stories about the stage.
pub(super) fn stories() -> Vec<Story> {
    vec![
        Story::new("parts-pods-come-to-life", pods_come_to_life),
        Story::new("parts-slow-pods", slow_pods),
        Story::new("parts-resource-metrics", resource_metrics),
        Story::new("parts-custom-metrics", custom_metrics),
        Story::new("parts-external-metrics", external_metrics),
        Story::new("parts-faults", faults),
        Story::new("parts-no-hpa-controller", no_hpa_controller).plimsoll_only(),
        Story::new("parts-api-server-restart", api_server_restart).alone(),
    ]
}

async fn pods_come_to_life(context: Context) -> Result<()> {
    context.deployment("web", 3).await?;
    context.until_ready("web", 3).await?;
    context.stateful_set("db", 2).await?;
    context.until_ready("db", 2).await?;
    context.kubectl(&["scale", "deployment/web", "--replicas=1"]).await?;
    context.until_ready("web", 1).await?;
    context.until("the old pods to be gone", 30, || async { Ok(context.pods("web").await?.len() == 1) }).await
}

async fn slow_pods(context: Context) -> Result<()> {
    let mut manifest = workload("Deployment", "slow", 1);
    let annotate = |manifest: &mut Value, after: &str| {
        let annotations = json!({"e2e.plimsoll.dev/ready-after": after});
        if let Some(metadata) = manifest.pointer_mut("/spec/template/metadata").and_then(Value::as_object_mut)
        {
            metadata.insert("annotations".to_owned(), annotations);
        }
    };
    annotate(&mut manifest, "3s");
    context.apply(&manifest.to_string()).await?;
    context
        .until("the pod to run", 30, || async {
            let pods = context.pods("slow").await?;
            Ok(pods
                .iter()
                .any(|pod| pod.status.as_ref().and_then(|status| status.phase.as_deref()) == Some("Running")))
        })
        .await?;
    ensure!(context.ready_pods("slow").await? == 0, "the pod was ready at once");
    context.until_ready("slow", 1).await
}

async fn raw(context: &Context, path: &str) -> Result<Value> {
    let text = context.kubectl(&["get", "--raw", path]).await?;
    serde_json::from_str(&text).with_context(|| format!("{path} answered {text}"))
}

async fn resource_metrics(context: Context) -> Result<()> {
    context.deployment("web", 3).await?;
    context.until_ready("web", 3).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(600)));
    context.metrics().usage("memory", app("web"), Load::Each(whole(32 << 20)));
    let namespace = context.namespace();
    for version in ["v1", "v1beta1"] {
        let path =
            format!("/apis/metrics.k8s.io/{version}/namespaces/{namespace}/pods?labelSelector=app%3Dweb");
        context
            .until("each pod to show a third of the load", 10, || async {
                let list = raw(&context, &path).await?;
                let items = list.pointer("/items").and_then(Value::as_array).cloned().unwrap_or_default();
                let cpu = |item: &Value| item.pointer("/containers/0/usage/cpu").cloned();
                ensure!(items.iter().all(|item| cpu(item) == Some(json!("200m"))), "{list}");
                Ok(items.len() == 3)
            })
            .await?;
    }
    let top = context.kubectl(&["top", "pods", "--no-headers"]).await?;
    ensure!(top.lines().count() == 3, "kubectl top pods shows:\n{top}");
    ensure!(top.lines().all(|line| line.contains("200m") && line.contains("32Mi")), "{top}");
    Ok(())
}

async fn custom_metrics(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().pods("requests_per_second", app("web"), Load::Each(milli(12_500)));
    context.metrics().object("services/web", "queue_depth", whole(40));
    let namespace = context.namespace();
    let base = format!("/apis/custom.metrics.k8s.io/v1beta2/namespaces/{namespace}");
    context
        .until("a value for each pod", 10, || async {
            let list =
                raw(&context, &format!("{base}/pods/*/requests_per_second?labelSelector=app%3Dweb")).await?;
            let items = list.pointer("/items").and_then(Value::as_array).cloned().unwrap_or_default();
            ensure!(items.iter().all(|item| item.pointer("/value") == Some(&json!("12500m"))), "{list}");
            Ok(items.len() == 2)
        })
        .await?;
    let object = raw(&context, &format!("{base}/services/web/queue_depth")).await?;
    ensure!(object.pointer("/items/0/value") == Some(&json!("40")), "{object}");
    let missing = context.try_kubectl(&["get", "--raw", &format!("{base}/services/web/unknown")], "").await?;
    ensure!(missing.code != 0 && missing.stderr.contains("NotFound"), "{}", missing.stderr);
    Ok(())
}

async fn external_metrics(context: Context) -> Result<()> {
    let metrics = context.metrics();
    metrics.external("queue_depth", &[("queue", "mail")], whole(7));
    metrics.external("queue_depth", &[("queue", "print")], whole(9));
    let namespace = context.namespace();
    let base = format!("/apis/external.metrics.k8s.io/v1beta1/namespaces/{namespace}/queue_depth");
    let all = raw(&context, &base).await?;
    ensure!(all.pointer("/items").and_then(Value::as_array).map(Vec::len) == Some(2), "{all}");
    let one = raw(&context, &format!("{base}?labelSelector=queue%3Dprint")).await?;
    ensure!(one.pointer("/items/0/value") == Some(&json!("9")), "{one}");
    ensure!(one.pointer("/items/1").is_none(), "{one}");
    Ok(())
}

async fn faults(context: Context) -> Result<()> {
    let metrics = context.metrics();
    metrics.usage("cpu", Pods::All, Load::Each(milli(1)));
    let path = format!("/apis/metrics.k8s.io/v1beta1/namespaces/{}/pods", context.namespace());
    raw(&context, &path).await?;
    metrics.fault(Surface::Resource, Fault::Down);
    let down = context.try_kubectl(&["get", "--raw", &path], "").await?;
    ensure!(down.code != 0 && down.stderr.contains("ServiceUnavailable"), "{}", down.stderr);
    metrics.fault(Surface::Resource, Fault::Garbage);
    let garbage = context.kubectl(&["get", "--raw", &path]).await?;
    ensure!(serde_json::from_str::<Value>(&garbage).is_err(), "{garbage}");
    metrics.fault(Surface::Resource, Fault::Slow(std::time::Duration::from_secs(2)));
    let started = tokio::time::Instant::now();
    raw(&context, &path).await?;
    ensure!(started.elapsed().as_secs() >= 2, "the slow answer came at once");
    metrics.heal();
    raw(&context, &path).await?;
    ensure!(metrics.requests(Surface::Resource) == 5, "{} requests", metrics.requests(Surface::Resource));
    Ok(())
}

async fn no_hpa_controller(context: Context) -> Result<()> {
    context.deployment("web", 1).await?;
    context.until_ready("web", 1).await?;
    context.metrics().usage("cpu", app("web"), Load::Each(milli(1000)));
    context.kubectl(&["autoscale", "deployment/web", "--min=2", "--max=5", "--cpu=50%"]).await?;
    // The in-tree controller looks at a new HPA at once and raises the target to the minimum.
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    let hpa = context.get("autoscaling/v2", "HorizontalPodAutoscaler", "web").await?;
    ensure!(hpa.pointer("/status/conditions").is_none(), "someone wrote the status: {hpa}");
    ensure!(context.replicas("Deployment", "web").await? == 1, "someone scaled the Deployment");
    Ok(())
}

async fn api_server_restart(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.plane().stop_api_server().await?;
    let down = context.try_kubectl(&["get", "pods"], "").await?;
    ensure!(down.code != 0, "the API server still answers");
    context.plane().start_api_server().await?;
    context.kubectl(&["scale", "deployment/web", "--replicas=4"]).await?;
    context.until_ready("web", 4).await?;
    // The aggregated APIs come back with it.
    let path = format!("/apis/metrics.k8s.io/v1beta1/namespaces/{}/pods", context.namespace());
    context
        .until("the metrics API to answer", 60, || async { raw(&context, &path).await.map(|_| true) })
        .await
}
