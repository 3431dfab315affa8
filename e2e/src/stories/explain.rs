//! Why? Asked of the running controller, through kubectl, and with nobody there to ask.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::autoscaler::autoscaler;
use super::hpa::{cpu_percent, hpa};
use crate::adapter::values::{Load, app, milli};
use crate::context::Context;
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
    list.into_iter().map(Story::plimsoll_only).collect()
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
