//! The series of a run as comma-separated values, one row per point, for a spreadsheet or a script.

use std::fmt::Write as _;

use plimsoll_sim::record::{Point, Run};

const COLUMNS: &str = "seconds,load,load_peak,capacity,unmet,queue,spec,status,ready,proposed,stabilized,\
allowed_low,allowed_high,min,max";

/// All points with a header; an absent number is an empty cell.
pub fn table(run: &Run) -> String {
    let mut out = String::with_capacity(96 * (run.points.len() + 1));
    out.push_str(COLUMNS);
    for metric in &run.metrics {
        out.push(',');
        out.push_str(&quoted(&metric.name));
    }
    out.push('\n');
    for point in &run.points {
        row(&mut out, point);
    }
    out
}

fn row(out: &mut String, p: &Point) {
    let Point { t, load, load_peak, capacity, unmet, queue, spec, status, ready, .. } = p;
    // Writing to a String cannot fail.
    let _ = write!(out, "{t},{load},{load_peak},{capacity},{unmet},{queue},{spec},{status},{ready}");
    for count in
        [p.proposed, p.stabilized, Some(p.allowed_low), Some(p.allowed_high), Some(p.min), Some(p.max)]
    {
        out.push(',');
        if let Some(count) = count {
            let _ = write!(out, "{count}");
        }
    }
    for value in &p.metrics {
        out.push(',');
        if let Some(value) = value {
            let _ = write!(out, "{value}");
        }
    }
    out.push('\n');
}

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
