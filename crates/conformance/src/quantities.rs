//! Vectors of quantities: a string, whether it parses, and what it is.

use plimsoll_api::quantity;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::report::Report;
use crate::vectors::{Fault, typed};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Vector {
    r#in: String,
    ok: bool,
    canonical: Option<String>,
    approx: Option<f64>,
    milli_value: Option<i64>,
    value: Option<i64>,
}

pub(crate) fn run(line: &str, report: &mut Report) -> Result<(), Fault> {
    let vector: Vector = typed(line)?;
    let expected = json!({
        "ok": vector.ok,
        "canonical": vector.canonical,
        "approx": vector.approx,
        "milliValue": vector.milli_value,
        "value": vector.value,
    });
    let got = match quantity::parse(&vector.r#in) {
        Err(_) => json!({"ok": false}),
        Ok(quantity) => json!({
            "ok": true,
            "canonical": quantity.to_string(),
            "approx": quantity.approximate(),
            // The reference is not consistent about negative ones, so it says nothing.
            "milliValue": known(quantity.milli_value(), quantity),
            "value": known(quantity.value(), quantity),
        }),
    };
    report.check(&format!("{:?}", vector.r#in), None, &expected, &got);
    Ok(())
}

fn known(number: i64, of: quantity::Quantity) -> Value {
    if of.sign() < 0 { Value::Null } else { json!(number) }
}
