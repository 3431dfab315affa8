//! Reads a recorded load from the JSON of a Prometheus range query: `promtool` or the HTTP API.

use super::trace::{Epoch, Holes, RawPoint, Trace, Unit};
use crate::error::{BadInput, one_line};
use crate::time::SECOND;
use serde::Deserialize;
use serde_json::Value;

const HOW: &str = "use `promtool query range -o json` or the answer of /api/v1/query_range";

/// The HTTP API's answer.
#[derive(Deserialize)]
struct Answer {
    status: String,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(rename = "resultType")]
    result_type: String,
    result: Value,
}

#[derive(Deserialize)]
struct Series {
    #[serde(default)]
    metric: serde_json::Map<String, Value>,
    #[serde(default)]
    values: Option<Vec<(f64, Value)>>,
}

/// Reads the file's text.
pub(crate) fn read(file: &str, text: &str, holes: Holes) -> Result<Trace, BadInput> {
    let broken = |e: serde_json::Error| {
        let what = format!("not the JSON of a range query: {}", short(&e));
        BadInput::at_line(file, e.line().max(1) as u64, what, HOW)
    };
    let result = if text.trim_start().starts_with('[') {
        serde_json::from_str::<Value>(text).map_err(broken)?
    } else {
        let answer: Answer = serde_json::from_str(text).map_err(broken)?;
        unpack(file, answer)?
    };
    let series: Vec<Series> = serde_json::from_value(result).map_err(broken)?;
    let one = match series.as_slice() {
        [one] => one,
        [] => {
            return Err(BadInput::new(
                file,
                "the query found no series",
                "check its name and its time range",
            ));
        }
        [a, b, ..] => {
            let what = format!("{} series, among them {} and {}", series.len(), labels(a), labels(b));
            return Err(BadInput::new(file, what, "a load is one series: wrap the query in sum(...)"));
        }
    };
    let Some(values) = &one.values else {
        return Err(BadInput::new(file, "one moment only, not a range", HOW));
    };
    let mut points = Vec::with_capacity(values.len());
    for (n, (at, value)) in values.iter().enumerate() {
        points.push(point(file, n as u64 + 1, *at, value)?);
    }
    Trace::build(file, Unit::Sample, &points, holes, Epoch::Unix)
}

fn unpack(file: &str, answer: Answer) -> Result<Value, BadInput> {
    if answer.status != "success" {
        let error = answer.error.unwrap_or_else(|| answer.status.clone());
        let what = format!("it holds an error instead of data: {}", one_line(&error));
        return Err(BadInput::new(file, what, "correct the query and save its answer again"));
    }
    match answer.data {
        Some(data) if data.result_type == "matrix" => Ok(data.result),
        Some(data) => {
            let what = format!("the result is a {}, not a range", one_line(&data.result_type));
            Err(BadInput::new(file, what, HOW))
        }
        None => Err(BadInput::new(file, "it has no data", HOW)),
    }
}

fn point(file: &str, n: u64, at: f64, value: &Value) -> Result<RawPoint, BadInput> {
    let place = || format!("{file}: sample {n}");
    let rate = match value {
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f64::NAN),
            "+Inf" => Some(f64::INFINITY),
            "-Inf" => Some(f64::NEG_INFINITY),
            other => other.parse().ok(),
        },
        other => other.as_f64(),
    };
    let rate = rate.ok_or_else(|| {
        BadInput::new(place(), format!("`{}` is not a number", one_line(&value.to_string())), HOW)
    })?;
    if !at.is_finite() || at.abs() > 1e11 {
        return Err(BadInput::new(place(), format!("{at} is not a time in epoch seconds"), HOW));
    }
    Ok(RawPoint { at_us: libm::round(at * SECOND as f64) as i64, rate, line: n })
}

fn labels(series: &Series) -> String {
    one_line(&Value::Object(series.metric.clone()).to_string())
}

/// serde_json's message without its own place, which stands in front already.
fn short(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_string()
}
