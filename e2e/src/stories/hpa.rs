//! HorizontalPodAutoscalers: targets of every kind grow and shrink, by every type of metric.
//!
//! These hold for the in-tree controller too (`--in-tree` shows it).

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::adapter::values::{Load, app, milli, whole};
use crate::context::{Context, workload};
use crate::story::Story;

/// Plimsoll manages HPAs.
pub(super) const HPAS: &[&str] = &["--manage=hpas"];

/// The stories about HPAs.
pub(super) fn stories() -> Vec<Story> {
    vec![
        Story::new("hpa-deployment", |context| resource_utilization(context, "Deployment")),
        Story::new("hpa-stateful-set", |context| resource_utilization(context, "StatefulSet")),
        Story::new("hpa-custom-scale", custom_scale),
        Story::new("hpa-resource-average", resource_average),
        Story::new("hpa-container-resource", container_resource),
        Story::new("hpa-pods-metric", pods_metric),
        Story::new("hpa-object-metric", object_metric),
        Story::new("hpa-external-metric", external_metric),
        Story::new("hpa-several-metrics", several_metrics),
        Story::new("hpa-scale-to-zero", scale_to_zero),
        Story::new("hpa-v1", version_one),
    ]
}

/// An HPA on a workload of the same name that shrinks without waiting.
pub(super) fn hpa(kind: &str, name: &str, (min, max): (u32, u32), metrics: &Value) -> Value {
    json!({
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": kind, "name": name},
            "minReplicas": min, "maxReplicas": max, "metrics": metrics,
            "behavior": {"scaleDown": {"stabilizationWindowSeconds": 0}},
        },
    })
}

/// A metric that holds the cpu at this share of the request.
pub(super) fn cpu_percent(percent: u32) -> Value {
    let target = json!({"type": "Utilization", "averageUtilization": percent});
    json!({"type": "Resource", "resource": {"name": "cpu", "target": target}})
}

/// A condition of an HPA: its status and reason.
pub(super) async fn condition(context: &Context, name: &str, kind: &str) -> Result<(String, String)> {
    let hpa = context.get("autoscaling/v2", "HorizontalPodAutoscaler", name).await?;
    let conditions = hpa.pointer("/status/conditions").and_then(Value::as_array).context("no conditions")?;
    let one = conditions
        .iter()
        .find(|one| one.pointer("/type") == Some(&json!(kind)))
        .with_context(|| format!("no condition {kind}"))?;
    let text =
        |field: &str| one.pointer(field).and_then(Value::as_str).map(str::to_owned).unwrap_or_default();
    Ok((text("/status"), text("/reason")))
}

/// Waits until a condition of an HPA has this status and reason.
pub(super) async fn until_condition(
    context: &Context,
    name: &str,
    kind: &str,
    (status, reason): (&str, &str),
) -> Result<()> {
    context
        .until(&format!("{kind} to be {status} because of {reason}"), 45, || async {
            let now = condition(context, name, kind).await?;
            ensure!(now == (status.to_owned(), reason.to_owned()), "it is {now:?}");
            Ok(true)
        })
        .await
}

/// Scaling must not only arrive but stay: looks for some seconds.
pub(super) async fn stays(context: &Context, kind: &str, name: &str, count: i64, secs: u64) -> Result<()> {
    for _ in 0..secs * 2 {
        let now = context.replicas(kind, name).await?;
        ensure!(now == count, "{kind} {name} did not stay at {count} replicas: it has {now}");
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    }
    context.step().await
}

async fn resource_utilization(context: Context, kind: &'static str) -> Result<()> {
    context.apply(&workload(kind, "web", 2).to_string()).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(300)));
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa(kind, "web", (1, 8), &json!([cpu_percent(50)])).to_string()).await?;
    context.until_replicas(kind, "web", 6, 60).await?;
    context.until_ready("web", 6).await?;
    stays(&context, kind, "web", 6, 3).await?;
    let (status, reason) = condition(&context, "web", "ScalingActive").await?;
    ensure!(status == "True" && reason == "ValidMetricFound", "ScalingActive is {status}, {reason}");
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(50)));
    context.until_replicas(kind, "web", 1, 60).await?;
    context.until_ready("web", 1).await
}

const FLEET: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: fleets.e2e.plimsoll.dev}
spec:
  group: e2e.plimsoll.dev
  names: {kind: Fleet, plural: fleets, singular: fleet}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.ships, statusReplicasPath: .status.ships, labelSelectorPath: .status.selector}
"#;

/// A kind of someone's own, scaled through its /scale alone; the story is its operator.
async fn custom_scale(context: Context) -> Result<()> {
    context.install_crd(FLEET, "fleets.e2e.plimsoll.dev").await?;
    let fleet = json!({
        "apiVersion": "e2e.plimsoll.dev/v1", "kind": "Fleet", "metadata": {"name": "armada"},
        "spec": {"ships": 2},
    });
    context.apply(&fleet.to_string()).await?;
    context.deployment("armada", 2).await?;
    let sail = |ships: i64| {
        let context = context.clone();
        async move {
            let status = json!({"status": {"ships": ships, "selector": "app=armada"}}).to_string();
            let patch = ["patch", "fleet/armada", "--subresource=status", "--type=merge", "-p", &status];
            context.kubectl(&patch).await?;
            context.kubectl(&["scale", "deployment/armada", &format!("--replicas={ships}")]).await
        }
    };
    sail(2).await?;
    context.until_ready("armada", 2).await?;
    context.metrics().usage("cpu", app("armada"), Load::Shared(milli(250)));
    let _controller = context.controller(HPAS).await?;
    let mut hpa = hpa("Fleet", "armada", (1, 9), &json!([cpu_percent(50)]));
    if let Some(target) = hpa.pointer_mut("/spec/scaleTargetRef/apiVersion") {
        *target = json!("e2e.plimsoll.dev/v1");
    }
    context.apply(&hpa.to_string()).await?;
    for (load, ships) in [(250, 5), (100, 2)] {
        context.metrics().usage("cpu", app("armada"), Load::Shared(milli(load)));
        context
            .until(&format!("the fleet to have {ships} ships"), 60, || async {
                let fleet = context.get("e2e.plimsoll.dev/v1", "Fleet", "armada").await?;
                let wanted = fleet.pointer("/spec/ships").and_then(Value::as_i64).unwrap_or_default();
                if Some(wanted) != fleet.pointer("/status/ships").and_then(Value::as_i64) {
                    sail(wanted).await?;
                }
                ensure!(wanted == ships, "it has {wanted}");
                Ok(true)
            })
            .await?;
        context.until_ready("armada", usize::try_from(ships)?).await?;
    }
    Ok(())
}

/// One Deployment under one metric: grows to `counts.0` by what `grow` sets, then shrinks to `counts.1` by `shrink`.
async fn grows_and_shrinks(
    context: &Context,
    metric: &Value,
    counts: (i64, i64),
    set: impl Fn(&Context, i64),
) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    set(context, counts.0);
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (1, 8), &json!([metric])).to_string()).await?;
    context.until_replicas("Deployment", "web", counts.0, 60).await?;
    stays(context, "Deployment", "web", counts.0, 2).await?;
    set(context, counts.1);
    context.until_replicas("Deployment", "web", counts.1, 60).await?;
    let hpa = context.get("autoscaling/v2", "HorizontalPodAutoscaler", "web").await?;
    let shown = hpa.pointer("/status/currentMetrics/0/type").cloned();
    ensure!(shown.as_ref() == metric.pointer("/type"), "the status shows {shown:?}");
    Ok(())
}

async fn resource_average(context: Context) -> Result<()> {
    let target = json!({"type": "AverageValue", "averageValue": "10Mi"});
    let metric = json!({"type": "Resource", "resource": {"name": "memory", "target": target}});
    grows_and_shrinks(&context, &metric, (5, 3), |context, count| {
        context.metrics().usage("memory", app("web"), Load::Shared(whole(count * (10 << 20))));
    })
    .await
}

async fn container_resource(context: Context) -> Result<()> {
    let target = json!({"type": "Utilization", "averageUtilization": 100});
    let resource = json!({"name": "cpu", "container": "main", "target": target});
    let metric = json!({"type": "ContainerResource", "containerResource": resource});
    grows_and_shrinks(&context, &metric, (4, 1), |context, count| {
        context.metrics().container_usage("cpu", app("web"), "main", Load::Shared(milli(count * 100)));
    })
    .await
}

async fn pods_metric(context: Context) -> Result<()> {
    let target = json!({"type": "AverageValue", "averageValue": "12500m"});
    let metric =
        json!({"type": "Pods", "pods": {"metric": {"name": "requests_per_second"}, "target": target}});
    grows_and_shrinks(&context, &metric, (5, 2), |context, count| {
        context.metrics().pods("requests_per_second", app("web"), Load::Shared(milli(count * 12_500)));
    })
    .await
}

async fn object_metric(context: Context) -> Result<()> {
    let service = json!({"apiVersion": "v1", "kind": "Service", "name": "web"});
    let object = json!({
        "metric": {"name": "queue_depth"}, "describedObject": service,
        "target": {"type": "AverageValue", "averageValue": "20"},
    });
    let metric = json!({"type": "Object", "object": object});
    grows_and_shrinks(&context, &metric, (6, 3), |context, count| {
        context.metrics().object("services/web", "queue_depth", whole(count * 20));
    })
    .await
}

async fn external_metric(context: Context) -> Result<()> {
    let selector = json!({"matchLabels": {"queue": "mail"}});
    let external = json!({
        "metric": {"name": "queue_depth", "selector": selector},
        "target": {"type": "AverageValue", "averageValue": "100"},
    });
    let metric = json!({"type": "External", "external": external});
    context.metrics().external("queue_depth", &[("queue", "print")], whole(10_000));
    grows_and_shrinks(&context, &metric, (6, 1), |context, count| {
        // Two series of the same queue count together.
        let metrics = context.metrics();
        metrics.external("queue_depth", &[("queue", "mail"), ("shard", "a")], whole(count * 60));
        metrics.external("queue_depth", &[("queue", "mail"), ("shard", "b")], whole(count * 40));
    })
    .await
}

/// The metric that wants the most pods wins; one that cannot be read does not keep the others from growing.
async fn several_metrics(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    let metrics = context.metrics();
    metrics.usage("cpu", app("web"), Load::Shared(milli(150)));
    metrics.external("queue_depth", &[], whole(50));
    let queue = |name: &str| {
        let target = json!({"type": "AverageValue", "averageValue": "10"});
        json!({"type": "External", "external": {"metric": {"name": name}, "target": target}})
    };
    let wanted = json!([cpu_percent(50), queue("queue_depth"), queue("nobody_knows")]);
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (1, 9), &wanted).to_string()).await?;
    context.until_replicas("Deployment", "web", 5, 60).await?;
    // With one metric unknown, it may grow but must not shrink.
    metrics.external("queue_depth", &[], whole(10));
    metrics.usage("cpu", app("web"), Load::Shared(milli(50)));
    stays(&context, "Deployment", "web", 5, 5).await?;
    metrics.external("nobody_knows", &[], whole(10));
    context.until_replicas("Deployment", "web", 1, 60).await
}

async fn scale_to_zero(context: Context) -> Result<()> {
    context.deployment("web", 1).await?;
    context.until_ready("web", 1).await?;
    let metrics = context.metrics();
    metrics.external("queue_depth", &[], whole(0));
    let target = json!({"type": "AverageValue", "averageValue": "10"});
    let queue =
        json!({"type": "External", "external": {"metric": {"name": "queue_depth"}, "target": target}});
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (0, 5), &json!([queue])).to_string()).await?;
    context.until_replicas("Deployment", "web", 0, 60).await?;
    context.until_ready("web", 0).await?;
    stays(&context, "Deployment", "web", 0, 3).await?;
    metrics.external("queue_depth", &[], whole(25));
    context.until_replicas("Deployment", "web", 3, 60).await?;
    context.until_ready("web", 3).await
}

async fn version_one(context: Context) -> Result<()> {
    context.deployment("web", 1).await?;
    context.until_ready("web", 1).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(240)));
    let _controller = context.controller(HPAS).await?;
    let hpa = json!({
        "apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1, "maxReplicas": 5, "targetCPUUtilizationPercentage": 80,
        },
    });
    context.apply(&hpa.to_string()).await?;
    context.until_replicas("Deployment", "web", 3, 60).await?;
    context
        .until("the version 1 status to tell the utilization", 30, || async {
            let hpa = context.get("autoscaling/v1", "HorizontalPodAutoscaler", "web").await?;
            let percent = hpa.pointer("/status/currentCPUUtilizationPercentage").and_then(Value::as_i64);
            ensure!(percent == Some(80), "it says {percent:?}");
            Ok(true)
        })
        .await
}
