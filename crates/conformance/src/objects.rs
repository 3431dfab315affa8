//! Vectors of HorizontalPodAutoscaler objects: defaults, errors, and the way to autoscaling/v1 and back.

use plimsoll_api::autoscaler::{self, AutoscalerSpec};
use plimsoll_api::hpa::{self, Hpa};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::report::Report;
use crate::vectors::{Fault, typed};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Vector {
    id: String,
    input: Hpa,
    defaulted: Value,
    errors: Value,
    v1: Option<Value>,
    v2_from_v1: Option<Value>,
}

pub(crate) fn run(line: &str, report: &mut Report) -> Result<(), Fault> {
    let vector: Vector = typed(line)?;
    let mut object = vector.input;
    hpa::default(&mut object);
    let errors = hpa::validate(&object);
    let (v1, v2_from_v1) = if errors.is_empty() {
        let v1 = hpa::v1::to_v1(&object);
        let back = hpa::v1::from_v1(&v1);
        (without_type(written(&v1)?), without_type(written(&back)?))
    } else {
        (Value::Null, Value::Null)
    };
    let errors: Vec<Value> = errors
        .iter()
        .map(|it| {
            json!({"type": it.kind.code(), "field": it.field, "detail": it.detail, "message": it.to_string()})
        })
        .collect();
    let got = json!({
        "defaulted": written(&object)?,
        "errors": errors,
        "v1": v1,
        "v2FromV1": v2_from_v1,
    });
    let expected = json!({
        "defaulted": vector.defaulted,
        "errors": vector.errors,
        "v1": vector.v1,
        "v2FromV1": vector.v2_from_v1,
    });
    report.check(&vector.id, None, &expected, &got);
    Ok(())
}

/// A valid HorizontalPodAutoscaler's spec must be a valid Autoscaler's; the others are left alone.
pub(crate) fn run_as_autoscaler(line: &str, report: &mut Report) -> Result<(), Fault> {
    let vector: Vector = typed(line)?;
    if vector.errors.as_array().is_some_and(|errors| !errors.is_empty()) {
        return Ok(());
    }
    let spec: AutoscalerSpec = typed(&written(&vector.input.spec)?.to_string())?;
    let errors: Vec<String> = autoscaler::validate::validate(&spec).iter().map(ToString::to_string).collect();
    report.check(&vector.id, None, &json!([]), &json!(errors));
    Ok(())
}

fn written(object: &impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(object).map_err(Fault::new)
}

/// The recorded conversions carry no apiVersion and kind: the reference's functions leave them to the server.
fn without_type(mut object: Value) -> Value {
    let fields: Option<&mut Map<String, Value>> = object.as_object_mut();
    if let Some(fields) = fields {
        fields.retain(|key, _| key != "apiVersion" && key != "kind");
    }
    object
}
