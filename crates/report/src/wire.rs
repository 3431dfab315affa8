//! Records in the compact form that the page's script reads: columns instead of rows, each sentence once.

use std::collections::BTreeMap;

use plimsoll_sim::record::{Comparison, Point, Run, TrailWords};
use serde_json::{Map, Value, json};

use crate::{Subject, score};

/// Everything the script needs to draw the subject.
pub(crate) fn subject(subject: Subject<'_>) -> Value {
    let runs: Vec<Value> = subject.runs().iter().map(run).collect();
    let mut out = Map::new();
    out.insert("runs".to_owned(), Value::Array(runs));
    if let Subject::Comparison(comparison) = subject {
        out.insert("columns".to_owned(), table(comparison));
        out.insert("words".to_owned(), json!(comparison.words));
    }
    Value::Object(out)
}

/// The table of a comparison.
pub(crate) fn table(comparison: &Comparison) -> Value {
    json!(comparison.columns)
}

fn run(run: &Run) -> Value {
    json!({
        "name": run.name,
        "kind": run.kind,
        "config": run.config,
        "load": run.load,
        "world": run.world,
        "seed": run.seed.to_string(),
        "start": run.start,
        "durationSecs": number(run.duration_secs),
        "syncPeriodSecs": number(run.sync_period_secs),
        "decisions": run.decisions,
        "metrics": run.metrics,
        "points": columns(&run.points, run.metrics.len()),
        "changes": run.changes,
        "changesLeftOut": run.changes_left_out,
        "incidents": run.incidents,
        "trails": trails(&run.trails),
        "score": score::rows(run),
    })
}

/// Points as one list per field.
pub(crate) fn columns(points: &[Point], metrics: usize) -> Value {
    let floats = |field: fn(&Point) -> f64| -> Value { points.iter().map(|p| number(field(p))).collect() };
    let counts =
        |field: fn(&Point) -> Option<i32>| -> Value { points.iter().map(|p| json!(field(p))).collect() };
    let metric = |index: usize| -> Value {
        points.iter().map(|p| p.metrics.get(index).copied().flatten().map_or(Value::Null, number)).collect()
    };
    json!({
        "t": points.iter().map(|p| exact(p.t)).collect::<Value>(),
        "load": floats(|p| p.load),
        "loadPeak": floats(|p| p.load_peak),
        "capacity": floats(|p| p.capacity),
        "unmet": floats(|p| p.unmet),
        "queue": floats(|p| p.queue),
        "spec": counts(|p| Some(p.spec)),
        "status": counts(|p| Some(p.status)),
        "ready": counts(|p| Some(p.ready)),
        "proposed": counts(|p| p.proposed),
        "stabilized": counts(|p| p.stabilized),
        "allowedLow": counts(|p| Some(p.allowed_low)),
        "allowedHigh": counts(|p| Some(p.allowed_high)),
        "min": counts(|p| Some(p.min)),
        "max": counts(|p| Some(p.max)),
        "trail": points.iter().map(|p| json!(p.trail)).collect::<Value>(),
        "metrics": (0..metrics).map(metric).collect::<Value>(),
    })
}

/// Words of decisions as rows of positions in a list of distinct sentences; the first of a row is the reason.
pub(crate) fn trails(trails: &[TrailWords]) -> Value {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sentences: Vec<&str> = Vec::new();
    let mut rows: Vec<Vec<usize>> = Vec::with_capacity(trails.len());
    for trail in trails {
        let said = std::iter::once(&trail.why).chain(&trail.steps);
        let row = said.map(|sentence| {
            *places.entry(sentence).or_insert_with(|| {
                sentences.push(sentence);
                sentences.len() - 1
            })
        });
        rows.push(row.collect());
    }
    json!({ "sentences": sentences, "rows": rows })
}

/// Five significant digits are more than a picture shows.
fn number(value: f64) -> Value {
    let rounded: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    exact(if value.abs() < 100_000.0 { rounded } else { value.round() })
}

/// A whole number without `.0`; what is no number is null.
fn exact(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}
