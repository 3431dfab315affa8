//! What a live page is told while a run goes on: small pieces that its script adds to the charts.
//!
//! A page made by [`crate::html::Document`] holds the runs as they were when it was asked for; the server then sends
//! [`Delta`]s (one JSON text each, for example as server-sent events) to `view.append(...)`.

use plimsoll_sim::record::{Change, Comparison, Incident, Point, Run, TrailWords};
use serde_json::{Value, json};

use crate::{score, wire};

/// What is new in one run since the last time.
#[derive(Debug, Clone, Copy)]
pub struct Delta<'a> {
    /// Position of the run in the page.
    pub run: usize,
    /// New points in time order.
    pub points: &'a [Point],
    /// New changes in time order.
    pub changes: &'a [Change],
    /// All incidents so far; an open one may have ended since.
    pub incidents: &'a [Incident],
    /// Position of the first of `trails` among all words of the run.
    pub trails_from: u32,
    /// New words; [`Point::trail`] of the new points is a position among all words of the run.
    pub trails: &'a [TrailWords],
    /// The whole run as it is now, for its score, or nothing when the score has not changed.
    pub scored: Option<&'a Run>,
}

impl Delta<'_> {
    /// The JSON text for `view.append`.
    pub fn json(&self) -> String {
        let metrics = self.points.iter().map(|point| point.metrics.len()).max().unwrap_or(0);
        let mut out = json!({
            "run": self.run,
            "points": wire::columns(self.points, metrics),
            "changes": self.changes,
            "incidents": self.incidents,
            "trailsFrom": self.trails_from,
            "trails": wire::trails(self.trails),
        });
        if let (Some(run), Value::Object(map)) = (self.scored, &mut out) {
            map.insert("score".to_owned(), json!(score::rows(run)));
        }
        out.to_string()
    }
}

/// The JSON text for `view.update`: the table and the words of a comparison, when they have changed.
pub fn table_json(comparison: &Comparison) -> String {
    json!({ "columns": wire::table(comparison), "words": comparison.words }).to_string()
}
