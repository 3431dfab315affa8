//! What people do to a cluster with HPAs in it: kubectl, maintenance, rollouts, handing over `spec.replicas`.
//!
//! These hold for the in-tree controller too (`--in-tree` shows it).

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::hpa::{HPAS, cpu_percent, hpa, stays, until_condition};
use crate::adapter::values::{Load, app, milli, whole};
use crate::context::{Context, workload};
use crate::story::Story;

/// The stories of daily life.
pub(super) fn stories() -> Vec<Story> {
    vec![
        Story::new("daily-kubectl", kubectl),
        Story::new("daily-rollout-deployment", |context| rollout(context, "Deployment")),
        Story::new("daily-rollout-stateful-set", |context| rollout(context, "StatefulSet")),
        Story::new("daily-rollout-surge-counts", surge_counts),
        Story::new("daily-replicas-edit-last-applied", replicas_by_last_applied),
        Story::new("daily-replicas-server-side", replicas_by_server_side_apply),
        Story::new("daily-maintenance", maintenance),
        Story::new("daily-zero-and-min-replicas", zero_and_min_replicas),
    ]
}

async fn kubectl(context: Context) -> Result<()> {
    context.apply(&workload("ReplicaSet", "foo", 1).to_string()).await?;
    context.until_ready("foo", 1).await?;
    context.metrics().usage("cpu", app("foo"), Load::Each(milli(80)));
    let _controller = context.controller(HPAS).await?;
    context.kubectl(&["autoscale", "rs", "foo", "--min=2", "--max=5", "--cpu-percent=80"]).await?;
    context.until_replicas("ReplicaSet", "foo", 2, 60).await?;
    context.until_ready("foo", 2).await?;
    context
        .until("the TARGETS column to be filled", 30, || async {
            let table = context.kubectl(&["get", "hpa", "foo", "--no-headers"]).await?;
            ensure!(table.contains("ReplicaSet/foo") && table.contains("cpu: 80%/80%"), "{table}");
            Ok(true)
        })
        .await?;
    let text = context.kubectl(&["describe", "hpa", "foo"]).await?;
    for part in [
        "80% (80m) / 80%",
        "AbleToScale",
        "ReadyForNewScale",
        "ValidMetricFound",
        "ScalingLimited",
        "SuccessfulRescale",
        "New size: 2; reason: Current number of replicas below Spec.MinReplicas",
    ] {
        ensure!(text.contains(part), "`describe hpa` does not say `{part}`:\n{text}");
    }
    context.kubectl(&["delete", "hpa", "foo"]).await?;
    context.metrics().usage("cpu", app("foo"), Load::Each(milli(400)));
    stays(&context, "ReplicaSet", "foo", 2, 4).await
}

/// A rollout under steady load changes nothing.
async fn rollout(context: Context, kind: &'static str) -> Result<()> {
    context.apply(&workload(kind, "web", 4).to_string()).await?;
    context.until_ready("web", 4).await?;
    context.metrics().usage("cpu", app("web"), Load::Each(milli(50)));
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa(kind, "web", (1, 12), &json!([cpu_percent(50)])).to_string()).await?;
    until_condition(&context, "web", "ScalingActive", ("True", "ValidMetricFound")).await?;
    let target = format!("{}/web", kind.to_lowercase());
    context.kubectl(&["set", "image", &target, "main=example.com/app:2"]).await?;
    let watch = ["rollout", "status", &target, "--timeout=60s"];
    let (rolled, stayed) = tokio::join!(context.kubectl(&watch), stays(&context, kind, "web", 4, 8));
    rolled?;
    stayed?;
    let images = context.pods("web").await?;
    let new = images.iter().filter(|pod| {
        let container = pod.spec.as_ref().and_then(|spec| spec.containers.first());
        container.and_then(|one| one.image.as_deref()) == Some("example.com/app:2")
    });
    ensure!(new.count() == 4, "not all pods are new");
    Ok(())
}

/// A Deployment `web` of 4 whose rollouts have one pod more for some seconds, and the metric by which it is just within
/// the tolerance with 4 pods: with 5 it is beyond, and five pods at that load are more than four.
pub(super) async fn surging_deployment(context: &Context) -> Result<Value> {
    let mut manifest = workload("Deployment", "web", 4);
    if let Some(spec) = manifest.pointer_mut("/spec").and_then(Value::as_object_mut) {
        spec.insert("minReadySeconds".to_owned(), json!(3));
        let surge = json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}});
        spec.insert("strategy".to_owned(), surge);
    }
    context.apply(&manifest.to_string()).await?;
    context.until_ready("web", 4).await?;
    context.metrics().pods("busy", app("web"), Load::Shared(milli(4360)));
    let target = json!({"type": "AverageValue", "averageValue": "1"});
    Ok(json!([{"type": "Pods", "pods": {"metric": {"name": "busy"}, "target": target}}]))
}

/// The extra pod of a rollout counts, so that an HPA grows in the middle of it.
async fn surge_counts(context: Context) -> Result<()> {
    let metrics = surging_deployment(&context).await?;
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (1, 12), &metrics).to_string()).await?;
    until_condition(&context, "web", "ScalingActive", ("True", "ValidMetricFound")).await?;
    stays(&context, "Deployment", "web", 4, 3).await?;
    context.kubectl(&["set", "image", "deployment/web", "main=example.com/app:2"]).await?;
    context.until_replicas("Deployment", "web", 5, 30).await
}

fn without_replicas(kind: &str, name: &str) -> Value {
    let mut manifest = workload(kind, name, 0);
    if let Some(spec) = manifest.pointer_mut("/spec").and_then(Value::as_object_mut) {
        spec.shift_remove("replicas");
    }
    manifest
}

/// An applied manifest with `spec.replicas`, under an HPA that has grown the Deployment to 5.
async fn grown(context: &Context, apply: &[&str]) -> Result<crate::controller::Controller> {
    context.kubectl_with(apply, &workload("Deployment", "web", 2).to_string()).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(250)));
    let controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (1, 8), &json!([cpu_percent(50)])).to_string()).await?;
    context.until_replicas("Deployment", "web", 5, 60).await?;
    context.until_ready("web", 5).await?;
    Ok(controller)
}

/// The names of the pods must be the same after the manifest without `spec.replicas` is applied.
async fn apply_without_losing_a_pod(context: &Context, apply: &[&str]) -> Result<()> {
    let names = || async {
        let pods = context.pods("web").await?;
        anyhow::Ok(pods.into_iter().filter_map(|pod| pod.metadata.name).collect::<Vec<_>>())
    };
    let before = names().await?;
    context.kubectl_with(apply, &without_replicas("Deployment", "web").to_string()).await?;
    stays(context, "Deployment", "web", 5, 3).await?;
    let after = names().await?;
    ensure!(before == after, "pods changed from {before:?} to {after:?}");
    Ok(())
}

async fn replicas_by_last_applied(context: Context) -> Result<()> {
    let apply = ["apply", "-f", "-"];
    let _controller = grown(&context, &apply).await?;
    let manifest = without_replicas("Deployment", "web").to_string();
    context.kubectl_with(&["apply", "set-last-applied", "-f", "-"], &manifest).await?;
    apply_without_losing_a_pod(&context, &apply).await
}

async fn replicas_by_server_side_apply(context: Context) -> Result<()> {
    let apply = ["apply", "--server-side", "-f", "-"];
    let _controller = grown(&context, &apply).await?;
    apply_without_losing_a_pod(&context, &apply).await?;
    let web = context.get("apps/v1", "Deployment", "web").await?;
    let managers = web.pointer("/metadata/managedFields").and_then(Value::as_array).context("no managers")?;
    let owners: Vec<&Value> = managers
        .iter()
        .filter(|one| one.pointer("/fieldsV1/f:spec/f:replicas").is_some())
        .filter_map(|one| one.pointer("/subresource"))
        .collect();
    ensure!(owners == [&json!("scale")], "spec.replicas is owned through {owners:?}");
    Ok(())
}

/// Scaled to zero by hand means hands off, until someone scales it up again.
async fn maintenance(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(150)));
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (2, 8), &json!([cpu_percent(50)])).to_string()).await?;
    context.until_replicas("Deployment", "web", 3, 60).await?;
    context.kubectl(&["scale", "deployment/web", "--replicas=0"]).await?;
    until_condition(&context, "web", "ScalingActive", ("False", "ScalingDisabled")).await?;
    stays(&context, "Deployment", "web", 0, 4).await?;
    context.kubectl(&["scale", "deployment/web", "--replicas=1"]).await?;
    context.until_replicas("Deployment", "web", 3, 60).await?;
    until_condition(&context, "web", "ScalingActive", ("True", "ValidMetricFound")).await
}

/// At zero by its own doing, an HPA comes back when its minimum is raised.
async fn zero_and_min_replicas(context: Context) -> Result<()> {
    context.deployment("web", 1).await?;
    context.until_ready("web", 1).await?;
    context.metrics().external("queue_depth", &[], whole(0));
    let target = json!({"type": "AverageValue", "averageValue": "10"});
    let queue =
        json!({"type": "External", "external": {"metric": {"name": "queue_depth"}, "target": target}});
    let _controller = context.controller(HPAS).await?;
    context.apply(&hpa("Deployment", "web", (0, 5), &json!([queue])).to_string()).await?;
    context.until_replicas("Deployment", "web", 0, 60).await?;
    stays(&context, "Deployment", "web", 0, 2).await?;
    context.kubectl(&["patch", "hpa/web", "--type=merge", "-p", r#"{"spec":{"minReplicas":2}}"#]).await?;
    context.until_replicas("Deployment", "web", 2, 60).await
}
