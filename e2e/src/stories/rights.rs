//! Plimsoll's rights: the whole run got by with the shipped ClusterRole.

use anyhow::{Result, ensure};

use crate::context::Context;
use crate::story::Story;

/// The story about rights; it comes last and looks back.
pub(super) fn stories() -> Vec<Story> {
    vec![Story::new("rights-nothing-was-forbidden", nothing_was_forbidden).plimsoll_only().alone()]
}

async fn nothing_was_forbidden(context: Context) -> Result<()> {
    let entries = context.plane().audit()?;
    ensure!(!entries.is_empty(), "Plimsoll has not asked for anything: run this with other stories");
    let mut refused: Vec<String> = entries
        .iter()
        .filter(|entry| entry.code() == 403)
        .map(|entry| format!("{} {}", entry.verb, entry.uri))
        .collect();
    refused.sort();
    refused.dedup();
    ensure!(refused.is_empty(), "the ClusterRole lacks: {}", refused.join(", "));
    Ok(())
}
