//! Why? Asked of the running controller, through kubectl, and with nobody there to ask.

use std::net::IpAddr;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::autoscaler::autoscaler;
use super::hpa::{cpu_percent, hpa};
use crate::adapter::values::{Load, app, milli};
use crate::context::Context;
use crate::plane::parts::repository;
use crate::story::Story;

/// The stories about explanations.
pub(super) fn stories() -> Vec<Story> {
    let metrics = || json!([cpu_percent(50)]);
    let list = vec![
        Story::new("explain-hpa", move |context| {
            explain(context, "hpa", hpa("Deployment", "web", (1, 8), &metrics()))
        }),
        Story::new("explain-autoscaler", move |context| {
            explain(context, "autoscaler", autoscaler(&metrics(), json!({})))
        }),
    ];
    let through = Story::new("explain-through-api-server", through_api_server);
    list.into_iter().chain([through]).map(Story::plimsoll_only).collect()
}

/// As in a cluster: the Lease names the leader's pod, and the API server passes the question on to it.
async fn through_api_server(context: Context) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(100)));
    // The Lease may be written where Plimsoll is installed; here that is the story's own namespace.
    let role = std::fs::read_to_string(repository().join("deploy/role.yaml"))?;
    context.apply(&role).await?;
    let here = own_address()?;
    pod_at(&context, "plimsoll-0", here).await?;
    let namespace = context.namespace();
    let flags = [
        "--leader-elect".to_owned(),
        format!("--leader-elect-resource-namespace={namespace}"),
        "--identity=plimsoll-0".to_owned(),
        format!("--bind={here}:0"),
    ];
    let _controller = context.controller(&flags.each_ref().map(String::as_str)).await?;
    context.apply(&autoscaler(&json!([cpu_percent(50)]), json!({})).to_string()).await?;
    let ask = ["explain", "plim/web", "--namespace", namespace, "--controller-namespace", namespace];
    context
        .until("the leader's own record", 30, || async {
            let text = context.plimsoll(&ask).await?;
            ensure!(text.contains("controller's own record") && text.contains("stays at 2"), "{text}");
            Ok(true)
        })
        .await
}

/// An address of this machine that the API server agrees to pass questions on to: not one of its loopback.
fn own_address() -> Result<IpAddr> {
    // Nothing is sent: this only looks up from where one would.
    let socket = std::net::UdpSocket::bind("0.0.0.0:0")?;
    socket.connect("192.0.2.1:9").context("this machine has no address but its loopback")?;
    Ok(socket.local_addr()?.ip())
}

/// A pod of which the API server believes that it runs at this address: on a node that nobody looks after.
async fn pod_at(context: &Context, name: &str, address: IpAddr) -> Result<()> {
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"nodeName": "elsewhere", "containers": [{"name": "plimsoll", "image": "plimsoll"}]},
    });
    context.apply(&pod.to_string()).await?;
    let status =
        json!({"status": {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}]}}).to_string();
    context.kubectl(&["patch", "pod", name, "--subresource=status", "-p", &status]).await.map(drop)
}

async fn explain(context: Context, kind: &'static str, manifest: Value) -> Result<()> {
    context.deployment("web", 2).await?;
    context.until_ready("web", 2).await?;
    context.metrics().usage("cpu", app("web"), Load::Shared(milli(300)));
    let controller = context.controller(&["--manage=hpas,autoscalers", "--bind=127.0.0.1:0"]).await?;
    let address = controller.address().await?;
    context.apply(&manifest.to_string()).await?;
    context.until_replicas("Deployment", "web", 6, 60).await?;
    context.until_ready("web", 6).await?;
    serves(&context, &address, kind).await?;

    let object = format!("{kind}/web");
    let ask = ["explain", &object, "--namespace", context.namespace()];
    let of_controller = [&ask[..], &["--controller", &address]].concat();
    context
        .until("the controller's record of a fleet at rest", 20, || async {
            let text = context.plimsoll(&of_controller).await?;
            ensure!(text.contains("controller's own record") && text.contains("stays at 6"), "{text}");
            ensure!(text.contains("cpu") && text.contains("next:"), "{text}");
            Ok(true)
        })
        .await?;
    let plugin = context.kubectl_plimsoll(&of_controller).await?;
    ensure!(plugin.contains("stays at 6"), "{plugin}");
    let record: Value =
        serde_json::from_str(&context.plimsoll(&[&of_controller[..], &["-o", "json"]].concat()).await?)?;
    ensure!(record.pointer("/origin") == Some(&json!("controller")), "{record}");
    ensure!(record.pointer("/record/decision/to") == Some(&json!(6)), "{record}");
    follows(&context, &[&of_controller[..], &["-w", "-o", "json"]].concat()).await?;

    // Nobody to ask: worked out anew, with what was stored and without it. Nothing is written.
    ensure!(controller.stop().await? == Some(0), "it did not end in good order");
    let writes = context.writes()?.len();
    let text = context.plimsoll(&ask).await?;
    ensure!(text.contains("anew from live data and the checkpoint") && text.contains("stays at 6"), "{text}");
    context.kubectl(&["delete", "autoscalercheckpoints", "--all"]).await?;
    let text = context.plimsoll(&ask).await?;
    ensure!(text.contains("what happened before is not known"), "{text}");
    ensure!(context.writes()?.len() == writes, "explaining has written");
    Ok(())
}

/// Health, readiness and metrics are served.
async fn serves(context: &Context, address: &str, kind: &str) -> Result<()> {
    for path in ["healthz", "readyz"] {
        let answer = context.http_get(&format!("{address}/{path}")).await?;
        ensure!(answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.0 200"), "{path}: {answer}");
    }
    let metrics = context.http_get(&format!("{address}/metrics")).await?;
    let namespace = context.namespace();
    let replicas =
        format!("plimsoll_desired_replicas{{kind=\"{kind}\",namespace=\"{namespace}\",name=\"web\"}} 6");
    ensure!(metrics.contains(&replicas), "no {replicas} in:\n{metrics}");
    if kind == "hpa" {
        let upstream = "horizontal_pod_autoscaler_controller_reconciliations_total";
        ensure!(metrics.contains(upstream), "no {upstream} in:\n{metrics}");
    }
    Ok(())
}

/// `--watch` tells one decision after the other.
async fn follows(context: &Context, arguments: &[&str]) -> Result<()> {
    let mut command = context.plimsoll_command(arguments)?;
    let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let mut last = 0;
    for _ in 0..3 {
        let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await??;
        let told: Value = serde_json::from_str(&line.context("it ended")?)?;
        let at = told.pointer("/record/decision/at").and_then(Value::as_i64).context("no time")?;
        ensure!(at > last, "the same decision twice");
        last = at;
    }
    child.kill().await?;
    Ok(())
}
