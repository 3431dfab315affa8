//! The reference of every field, made from the CustomResourceDefinition: what the API server checks is what it says.

use std::collections::BTreeMap;

use serde_json::Value;

use super::crd::crd;

/// The reference as a Markdown page.
#[must_use]
pub fn reference() -> String {
    let crd = crd();
    let mut page = Page::default();
    page.text.push_str(
        "# Autoscaler (plimsoll.dev/v1alpha1): every field\n\n\
         Made from the CustomResourceDefinition that `plimsoll crd` prints; a test keeps it current. An autoscaling/v2 spec is a \
         valid Autoscaler spec and decides the same; every further field is absent by default and then changes nothing.\n",
    );
    if let Some(schema) = crd.pointer("/spec/versions/0/schema/openAPIV3Schema/properties") {
        for part in ["spec", "status"] {
            if let Some(node) = schema.get(part) {
                page.object(part, node);
            }
        }
    }
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
    /// Where each shape was described first.
    known: BTreeMap<String, String>,
}

impl Page {
    /// One section for an object, then one for each object inside it.
    fn object(&mut self, path: &str, node: &Value) {
        let Some(fields) = node.get("properties").and_then(Value::as_object) else { return };
        let shape = shape(node);
        if self.known.contains_key(&shape) {
            return;
        }
        self.known.insert(shape, path.to_owned());
        self.text.push_str(&format!("\n## {path}\n\n"));
        if let Some(text) = described(node) {
            self.text.push_str(&format!("{text}\n\n"));
        }
        self.text.push_str("| field | type | meaning |\n|---|---|---|\n");
        let required: Vec<&str> = node
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, field) in fields {
            let must = if required.contains(&name.as_str()) { " **Required.**" } else { "" };
            let text = described(field).unwrap_or_default().replace('|', "\\|").replace('\n', " ");
            let seen = self.seen(field);
            self.text.push_str(&format!("| `{name}` | {} | {text}{must}{seen} |\n", kind(field)));
        }
        self.rules(node);
        for (name, field) in fields {
            let inside = field.get("items").unwrap_or(field);
            let more = if field.get("items").is_some() { "[]" } else { "" };
            self.object(&format!("{path}.{name}{more}"), inside);
        }
    }

    /// Where an object of the same shape is described already.
    fn seen(&self, field: &Value) -> String {
        let inside = field.get("items").unwrap_or(field);
        if inside.get("properties").is_none() {
            return String::new();
        }
        self.known
            .get(&shape(inside))
            .map_or_else(String::new, |at| format!(" Fields as in [{at}](#{}).", anchor(at)))
    }

    fn rules(&mut self, node: &Value) {
        let rules = node.get("x-kubernetes-validations").and_then(Value::as_array);
        let messages: Vec<&str> = rules
            .into_iter()
            .flatten()
            .filter_map(|rule| rule.get("message").and_then(Value::as_str))
            .collect();
        if !messages.is_empty() {
            self.text.push_str("\nChecked when it is applied:\n\n");
            for message in messages {
                self.text.push_str(&format!("- {message}\n"));
            }
        }
    }
}

fn described(node: &Value) -> Option<&str> {
    node.get("description").and_then(Value::as_str)
}

/// The fields of an object and what they hold, whatever is said about the object itself.
fn shape(node: &Value) -> String {
    node.get("properties").map(ToString::to_string).unwrap_or_default()
}

/// As the headings of a rendered page are linked to.
fn anchor(path: &str) -> String {
    path.to_lowercase().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

/// What a field holds: its type, its words, its bounds.
fn kind(field: &Value) -> String {
    let number = |key: &str| field.get(key).and_then(Value::as_f64);
    let mut kind = match field.get("type").and_then(Value::as_str) {
        Some("array") => {
            let of = field.get("items").map_or_else(String::new, kind);
            let most = number("maxItems").map_or_else(String::new, |most| format!(", at most {most}"));
            return format!("list of {of}{most}");
        }
        Some(name) => name.to_owned(),
        None if field.get("x-kubernetes-int-or-string").is_some() => "number or text".to_owned(),
        None => "any".to_owned(),
    };
    if let Some(words) = field.get("enum").and_then(Value::as_array) {
        let words: Vec<String> =
            words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
        kind = words.join(", ");
    }
    let bounds = match (number("minimum"), number("maximum")) {
        (Some(least), Some(most)) => format!(", {least} to {most}"),
        (Some(least), None) => format!(", at least {least}"),
        (None, Some(most)) => format!(", at most {most}"),
        (None, None) => String::new(),
    };
    format!("{kind}{bounds}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/autoscaler.md");

    #[test]
    fn the_checked_in_reference_is_current() {
        let current = reference();
        if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
            std::fs::create_dir_all(std::path::Path::new(FILE).parent().unwrap()).unwrap();
            std::fs::write(FILE, &current).unwrap();
        }
        let stored = std::fs::read_to_string(FILE).unwrap_or_default();
        assert!(stored == current, "run `PLIMSOLL_UPDATE=1 cargo test -p plimsoll-api reference`");
    }

    #[test]
    fn every_field_of_the_spec_is_in_it() {
        let page = reference();
        for field in
            ["scaleTargetRef", "limitPercent", "breachDelaySeconds", "timeZone", "lastDecision", "fallback"]
        {
            assert!(page.contains(&format!("| `{field}` |")), "{field}");
        }
        assert!(page.contains("\n## spec.metrics[].containerResource.watermarks\n"));
        assert!(page.contains("Fields as in [spec.metrics[].containerResource.watermarks](#"));
        assert!(page.contains("list of object, at most 32"));
        assert!(page.contains("| `syncPeriodSeconds` | integer, 1 to 3600 |"));
    }
}
