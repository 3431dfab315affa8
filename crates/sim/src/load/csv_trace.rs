//! Reads a recorded load from CSV: time and value, with or without a header.

use super::trace::{Epoch, Holes, MOST_POINTS, RawPoint, Trace, Unit};
use crate::error::{BadInput, one_line};
use crate::time::SECOND;

/// Epoch seconds begin here (1973); smaller numbers are seconds since the start of the recording.
const EPOCH_SECONDS: f64 = 1e8;
/// Epoch milliseconds begin here.
const EPOCH_MILLIS: f64 = 1e11;

const FORM: &str =
    "each line is `time,value` with time as RFC 3339, epoch or seconds, and value in requests/s";

struct Row {
    line: u64,
    time: String,
    value: String,
}

/// Reads the file's text.
pub(crate) fn read(file: &str, text: &str, holes: Holes) -> Result<Trace, BadInput> {
    let mut rows = rows(file, text)?;
    if rows.first().is_some_and(is_header) {
        let header = rows.remove(0);
        if swapped_header(&header) {
            let what = format!("the columns are `{},{}`", one_line(&header.time), one_line(&header.value));
            return Err(BadInput::at_line(file, header.line, what, "swap them: time first, then the value"));
        }
    }
    if rows.is_empty() {
        return Err(BadInput::new(file, "the file has no data", FORM));
    }
    if look_swapped(&rows) {
        let line = rows.first().map_or(1, |r| r.line);
        let what = "the second column looks like time and the first does not";
        return Err(BadInput::at_line(file, line, what, "swap the columns: time first, then the value"));
    }
    let mut points = Vec::with_capacity(rows.len());
    let mut epoch = None;
    for row in &rows {
        let (at_us, kind) = time_of(&row.time).ok_or_else(|| not_time(file, row))?;
        if *epoch.get_or_insert(kind) != kind {
            let what = format!("time `{}` is of another kind than on the first line", one_line(&row.time));
            return Err(BadInput::at_line(file, row.line, what, "use one form of time in the whole file"));
        }
        points.push(RawPoint { at_us, rate: value_of(file, row)?, line: row.line });
    }
    Trace::build(file, Unit::Line, &points, holes, epoch.unwrap_or(Epoch::Start))
}

fn rows(file: &str, text: &str) -> Result<Vec<Row>, BadInput> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let mut out = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| BadInput::new(file, format!("not readable as CSV: {e}"), FORM))?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != 2 {
            let what = format!("{} columns where there should be 2", record.len());
            return Err(BadInput::at_line(file, line, what, FORM));
        }
        let cell = |i| record.get(i).unwrap_or_default().to_string();
        out.push(Row { line, time: cell(0), value: cell(1) });
        if out.len() > MOST_POINTS {
            let what = format!("more than the {MOST_POINTS} points that are accepted");
            return Err(BadInput::at_line(file, line, what, "record with a longer step"));
        }
    }
    Ok(out)
}

fn delimiter(text: &str) -> u8 {
    let line = text.lines().find(|l| !l.trim().is_empty() && !l.starts_with('#')).unwrap_or("");
    if line.contains(',') {
        b','
    } else if line.contains(';') {
        b';'
    } else if line.contains('\t') {
        b'\t'
    } else {
        b','
    }
}

/// A first line of which neither cell is a time or a number.
fn is_header(row: &Row) -> bool {
    let word = |s: &str| time_of(s).is_none() && s.parse::<f64>().is_err() && !s.is_empty();
    word(&row.time) && word(&row.value)
}

fn swapped_header(row: &Row) -> bool {
    let timely = |s: &str| {
        let s = s.to_ascii_lowercase();
        ["time", "date", "timestamp", "ts", "t", "seconds", "secs", "epoch", "at"].contains(&s.as_str())
    };
    timely(&row.value) && !timely(&row.time)
}

/// The second column is dates or an epoch that only grows, or even steps, and the first goes back and forth.
fn look_swapped(rows: &[Row]) -> bool {
    let dates = |pick: fn(&Row) -> &str| {
        let all: Option<Vec<i64>> = rows
            .iter()
            .map(|r| time_of(pick(r)).filter(|(_, epoch)| *epoch == Epoch::Unix).map(|(at, _)| at))
            .collect();
        all.is_some_and(|at| at.len() > 1 && at.is_sorted_by(|a, b| a < b))
    };
    if dates(|r| &r.value) {
        return !dates(|r| &r.time);
    }
    let numbers =
        |pick: fn(&Row) -> &str| rows.iter().map(|r| pick(r).parse::<f64>().ok()).collect::<Option<Vec<_>>>();
    let (Some(first), Some(second)) = (numbers(|r| &r.time), numbers(|r| &r.value)) else { return false };
    let steps = |all: &[f64]| all.windows(2).filter_map(|w| Some(w.get(1)? - w.first()?)).collect::<Vec<_>>();
    let (first, second) = (steps(&first), steps(&second));
    let even = second.first().is_some_and(|one| *one > 0.0 && second.iter().all(|s| s == one));
    // One step back may be a slip of the clock; several are no clock at all.
    even && first.iter().filter(|s| **s <= 0.0).count() >= 2
}

fn time_of(text: &str) -> Option<(i64, Epoch)> {
    if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
        return Some((stamp.as_microsecond(), Epoch::Unix));
    }
    let number: f64 = text.parse().ok()?;
    // Beyond these a microsecond would not fit, and nobody has recorded there.
    if !(-EPOCH_MILLIS..=1e15).contains(&number) {
        return None;
    }
    Some(if number >= EPOCH_MILLIS {
        (libm::round(number * 1e3) as i64, Epoch::Unix)
    } else if number >= EPOCH_SECONDS {
        (libm::round(number * SECOND as f64) as i64, Epoch::Unix)
    } else {
        (libm::round(number * SECOND as f64) as i64, Epoch::Start)
    })
}

fn not_time(file: &str, row: &Row) -> BadInput {
    let what = format!("`{}` is not a time", one_line(&row.time));
    BadInput::at_line(file, row.line, what, "write RFC 3339 (2026-01-05T12:00:00Z), epoch or seconds")
}

fn value_of(file: &str, row: &Row) -> Result<f64, BadInput> {
    if row.value.is_empty() {
        let help = "write what the load was, or take the line out";
        return Err(BadInput::at_line(file, row.line, "a hole: there is no value", help));
    }
    row.value.parse().map_err(|_| {
        let what = format!("`{}` is not a number of requests/s", one_line(&row.value));
        BadInput::at_line(file, row.line, what, "write a number like 50 or 12.5")
    })
}
