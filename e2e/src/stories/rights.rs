//! Looking back at the whole run: it got by with the shipped ClusterRole, and every decision can be made again.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::context::Context;
use crate::story::Story;

/// The stories that come last and look back.
pub(super) fn stories() -> Vec<Story> {
    let list = vec![
        Story::new("rights-nothing-was-forbidden", nothing_was_forbidden),
        Story::new("journal-every-decision-again", every_decision_again),
    ];
    list.into_iter().map(|story| story.plimsoll_only().alone()).collect()
}

async fn nothing_was_forbidden(context: Context) -> Result<()> {
    let entries = context.plane().audit()?;
    ensure!(!entries.is_empty(), "Plimsoll has not asked for anything: run this with other stories");
    let mut refused = Vec::new();
    for entry in entries.iter().filter(|entry| entry.code() == 403) {
        if !context.plane().is_outage(entry.request_received_timestamp.parse()?).await {
            refused.push(format!("{} {}", entry.verb, entry.uri));
        }
    }
    refused.sort();
    refused.dedup();
    ensure!(refused.is_empty(), "the ClusterRole lacks: {}", refused.join(", "));
    Ok(())
}

/// Every decision of the run, of every story, is made again from its record and comes out the same, byte for byte.
async fn every_decision_again(context: Context) -> Result<()> {
    let journals = entries(&context.plane().dir().join("journals"))?;
    ensure!(!journals.is_empty(), "nothing has been decided: run this with other stories");
    let paths: Vec<&str> = journals.iter().filter_map(|path| path.to_str()).collect();
    let told = context.plimsoll(&[&["replay"][..], &paths].concat()).await?;
    let summary = told.lines().last().unwrap_or_default();
    ensure!(summary.ends_with("all came out the same"), "{summary}");
    println!("       {summary}");
    Ok(())
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
