//! A converted object as YAML, with what differs as comments above it.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Difference;

/// The object as one YAML document; each difference is a comment at its beginning.
#[must_use]
pub fn to_yaml(object: &impl Serialize, differences: &[Difference]) -> String {
    let mut text = String::new();
    if !differences.is_empty() {
        text.push_str("# Not the same as before:\n");
    }
    for difference in differences {
        text.push_str(&format!("# - {difference}\n"));
    }
    let value = serde_json::to_value(object).map(tidy).unwrap_or(Value::Null);
    text.push_str(&serde_saphyr::to_string(&value).unwrap_or_default());
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Leaves out what says nothing: empty metadata fields and the status, and puts the identity first.
fn tidy(value: Value) -> Value {
    let Value::Object(mut fields) = value else { return value };
    let mut out = Map::new();
    for key in ["apiVersion", "kind", "metadata", "spec"] {
        if let Some(value) = fields.remove(key) {
            out.insert(key.to_owned(), value);
        }
    }
    Value::Object(out)
}
