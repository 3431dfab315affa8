//! The live page: the report's charts with knobs above them and a script that listens.

use plimsoll_report::html::{Document, Reach};
use plimsoll_sim::record::Comparison;
use serde_json::json;

use super::window::KEEP_SECS;

/// How much of the past is on show at first.
const FOLLOW_SECS: u32 = 3 * 3_600;

/// The page, the same for everyone: what has happened comes by the stream.
pub(crate) fn render(blank: &Comparison) -> String {
    let options = json!({ "followSecs": FOLLOW_SECS, "keepSecs": KEEP_SECS, "mode": "overlaid" }).to_string();
    Document {
        title: "A web shop and four autoscalers",
        above: include_str!("page.html"),
        style: include_str!("page.css"),
        script: include_str!("page.js"),
        options: &options,
        reach: Reach::Home,
        ..Document::new(blank.into())
    }
    .render()
}
