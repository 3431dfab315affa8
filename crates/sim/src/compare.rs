//! Several autoscalers under the same load: one table with the best marked, and the differences in sentences.

use crate::assertion::Figure;
use crate::record::{Column, Comparison, Run};
use crate::time::SECOND;
use plimsoll_api::explain::{lasting, number, percent};

const COLUMNS: [(&str, Figure); 7] = [
    ("unmet", Figure::Unmet),
    ("under capacity", Figure::Under),
    ("pod-hours", Figure::PodHours),
    ("changes", Figure::Changes),
    ("flaps", Figure::Flaps),
    ("recovery", Figure::Recover),
    ("peak", Figure::Peak),
];

/// Two figures closer than this are called equal.
const SAME: f64 = 0.005;

impl Comparison {
    /// Puts runs side by side.
    pub fn new(runs: Vec<Run>) -> Self {
        let columns = COLUMNS.iter().map(|(label, figure)| column(label, *figure, &runs)).collect();
        let words = match runs.split_first() {
            Some((first, others)) => others.iter().map(|other| differences(first, other)).collect(),
            None => Vec::new(),
        };
        Self { runs, columns, words }
    }
}

fn column(label: &str, figure: Figure, runs: &[Run]) -> Column {
    let values: Vec<f64> = runs.iter().map(|r| figure.of(&r.score).unwrap_or(0.0)).collect();
    let cells: Vec<String> = runs.iter().map(|r| figure.words(&r.score)).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    // What reads the same is equally good.
    let shown = values.iter().zip(&cells).find(|(v, _)| **v == least).map(|(_, c)| c.clone());
    let best = cells.iter().enumerate().filter(|(_, c)| Some(*c) == shown.as_ref()).map(|(i, _)| i).collect();
    Column { label: label.to_string(), cells, best }
}

/// How `b` differs from `a`, in one sentence.
fn differences(a: &Run, b: &Run) -> String {
    let mut parts = Vec::new();
    parts.extend(arrival(a, b));
    let (x, y) = (a.score.unmet_percent, b.score.unmet_percent);
    if (x - y).abs() >= SAME {
        let verb = if y < x { "leaves less unmet" } else { "leaves more unmet" };
        parts.push(format!("{verb} ({} against {})", percent(y), percent(x)));
    }
    let (x, y) = (a.score.pod_hours, b.score.pod_hours);
    if x > 0.0 && (y / x - 1.0).abs() >= SAME {
        let share = libm::round((y / x - 1.0).abs() * 100.0).max(1.0);
        parts.push(format!("costs {} {} pod-hours", percent(share), if y > x { "more" } else { "fewer" }));
    }
    for (name, x, y) in
        [("changes", a.score.changes, b.score.changes), ("flaps", a.score.flaps, b.score.flaps)]
    {
        if y != x {
            let word = if y < x { "fewer" } else { "more" };
            parts.push(format!("has {word} {name} ({y} against {x})"));
        }
    }
    match parts.split_last() {
        None => format!("{} does the same as {}.", b.name, a.name),
        Some((only, [])) => format!("Compared with {}, {} {only}.", a.name, b.name),
        Some((last, rest)) => format!("Compared with {}, {} {} and {last}.", a.name, b.name, rest.join(", ")),
    }
}

/// When each first had the capacity for the highest load.
fn arrival(a: &Run, b: &Run) -> Option<String> {
    let peak = a.points.iter().map(|p| p.load).fold(0.0, f64::max);
    let reached = |run: &Run| {
        // From the moment the load was first that high: before, spare capacity is no merit.
        let due = run.points.iter().position(|p| p.load >= peak * 0.99)?;
        run.points.iter().skip(due).find(|p| p.capacity >= peak * 0.99).map(|p| p.t)
    };
    let load = number(peak);
    match (reached(a), reached(b)) {
        (Some(x), Some(y)) if (x - y).abs() >= 1.0 => {
            let gap = lasting(libm::round((x - y).abs() * SECOND as f64) as i64);
            let word = if y < x { "earlier" } else { "later" };
            Some(format!("reaches {load} requests/s {gap} {word}"))
        }
        (Some(_), None) => Some(format!("never reaches {load} requests/s")),
        (None, Some(_)) => Some(format!("reaches {load} requests/s, which {} never does", a.name)),
        _ => None,
    }
}
