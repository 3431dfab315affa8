//! Vectors of WatermarkPodAutoscalers: an object, the same with its defaults, and what is wrong with it.

use plimsoll_api::wpa::{WatermarkPodAutoscaler, apply_defaults, check};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::report::Report;
use crate::vectors::{Fault, typed};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    id: String,
    input: Value,
    defaulted: Value,
    error: Option<String>,
}

pub(crate) fn run(line: &str, report: &mut Report) -> Result<(), Fault> {
    let Vector { id, input, defaulted, error } = typed(line)?;
    let mut object = object(input)?;
    apply_defaults(&mut object.spec);
    let invalid = check(&object).err().map(|invalid| invalid.text);
    let expected = json!({"defaulted": defaulted, "error": error});
    let got = json!({"defaulted": object, "error": invalid});
    report.check(&id, None, &expected, &got);
    Ok(())
}

/// The object, which must say that it is one and have no field that is not known.
pub(crate) fn object(mut input: Value) -> Result<WatermarkPodAutoscaler, Fault> {
    let fields = input.as_object_mut().ok_or_else(|| Fault::new("the object is no JSON object"))?;
    for (field, wanted) in [("apiVersion", "datadoghq.com/v1alpha1"), ("kind", "WatermarkPodAutoscaler")] {
        match fields.remove(field) {
            Some(Value::String(found)) if found == wanted => {}
            found => {
                return Err(Fault::new(format!("{field} is {}, not {wanted}", found.unwrap_or_default())));
            }
        }
    }
    typed(&input.to_string())
}
