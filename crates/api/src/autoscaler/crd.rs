//! The CustomResourceDefinition of the Autoscaler: the schema of its types, tidied for Kubernetes, with its rules.

use kube::CustomResourceExt;
use serde_json::{Map, Value, json};

use super::Autoscaler;
use super::cel;

/// Fields that must be given, by place. (In Rust they have an empty value, so that validation can name them.)
const REQUIRED: &[(&str, &[&str])] = &[
    ("", &["spec"]),
    ("spec", &["scaleTargetRef", "maxReplicas"]),
    ("spec.scaleTargetRef", &["kind", "name"]),
    ("spec.metrics[].resource", &["name"]),
    ("spec.metrics[].containerResource", &["name", "container"]),
    ("spec.metrics[].pods", &["metric"]),
    ("spec.metrics[].pods.metric", &["name"]),
    ("spec.metrics[].object", &["describedObject", "metric"]),
    ("spec.metrics[].object.describedObject", &["kind", "name"]),
    ("spec.metrics[].object.metric", &["name"]),
    ("spec.metrics[].external", &["metric"]),
    ("spec.metrics[].external.metric", &["name"]),
    ("spec.metrics[].prometheus", &["query"]),
    ("spec.metrics[].prometheus.auth.bearer", &["secretName"]),
    ("spec.metrics[].prometheus.auth.basic", &["secretName"]),
    ("spec.schedules[]", &["name", "cron", "durationSeconds"]),
];

/// Lists that are merged by a key; all others are replaced as a whole.
const KEYED: &[(&str, &str)] = &[("spec.schedules", "name"), ("status.conditions", "type")];

/// What `kubectl get` shows: name, type, where it comes from, what it means.
const COLUMNS: &[[&str; 4]] = &[
    ["Reference", "string", ".status.reference", "What is scaled."],
    ["Targets", "string", ".status.targets", "Each metric's value and what holds it."],
    ["Min", "integer", ".status.minReplicas", "The fewest replicas now in force."],
    ["Max", "integer", ".status.maxReplicas", "The most replicas now in force."],
    ["Replicas", "integer", ".status.currentReplicas", "Replicas of the target."],
    ["Why", "string", ".status.why", "The last decision in one line."],
    ["Age", "date", ".metadata.creationTimestamp", "Time since the object was made."],
];

/// The sources whose step tables need an adjustment in each step.
const STEPPED: &[&str] = &["resource", "containerResource", "pods", "object", "external", "prometheus"];

/// The CustomResourceDefinition as the API server takes it.
pub fn crd() -> Value {
    let mut crd = serde_json::to_value(Autoscaler::crd()).unwrap_or(Value::Null);
    if let Some(version) = crd.pointer_mut("/spec/versions/0").and_then(Value::as_object_mut) {
        let columns = COLUMNS.iter().map(|[name, kind, path, text]| {
            json!({ "name": name, "type": kind, "jsonPath": path, "description": text })
        });
        version.insert("additionalPrinterColumns".into(), columns.collect());
    }
    if let Some(schema) = crd.pointer_mut("/spec/versions/0/schema/openAPIV3Schema") {
        tidy(schema);
        decorate(schema);
    }
    crd
}

/// The CustomResourceDefinition as a YAML document.
pub fn crd_yaml() -> String {
    serde_saphyr::to_string(&crd()).unwrap_or_default()
}

/// Takes out what would fill in fields or allow nulls, and unwraps the lines of descriptions.
fn tidy(node: &mut Value) {
    if let Some(map) = node.as_object_mut() {
        tidy_schema(map);
        for (key, child) in map.iter_mut() {
            match (key.as_str(), child) {
                ("properties", Value::Object(properties)) => properties.values_mut().for_each(tidy),
                ("items" | "additionalProperties", child) => tidy(child),
                _ => {}
            }
        }
    }
}

fn tidy_schema(map: &mut Map<String, Value>) {
    map.remove("default");
    map.remove("nullable");
    if let Some(Value::Array(words)) = map.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if map.get("x-kubernetes-int-or-string").is_some() && map.get("pattern").is_none() {
        map.insert("description".into(), json!("A quantity, such as `150m`."));
    }
    if map.get("type") == Some(&json!("array")) && map.get("x-kubernetes-list-type").is_none() {
        map.insert("x-kubernetes-list-type".into(), json!("atomic"));
    }
    if let Some(Value::String(text)) = map.get_mut("description") {
        let paragraphs: Vec<String> = text.split("\n\n").map(|it| it.replace('\n', " ")).collect();
        *text = paragraphs.join("\n\n");
    }
}

fn decorate(schema: &mut Value) {
    for (at, fields) in REQUIRED {
        require(schema, at, fields);
    }
    for source in STEPPED {
        require(schema, &format!("spec.metrics[].{source}.steps[]"), &["adjustment"]);
    }
    for (at, key) in KEYED {
        if let Some(list) = place(schema, at) {
            list.insert("x-kubernetes-list-type".into(), json!("map"));
            list.insert("x-kubernetes-list-map-keys".into(), json!([key]));
        }
    }
    if let Some(limit) = place(schema, "spec.behavior.scaleDown.limitPercent") {
        limit.insert("maximum".into(), json!(100));
    }
    for rule in cel::rules() {
        if let Some(target) = place(schema, &rule.at) {
            let rules = target.entry("x-kubernetes-validations").or_insert_with(|| json!([]));
            let mut entry = json!({ "rule": rule.rule, "message": rule.message });
            if let (Some(field), Some(entry)) = (rule.field, entry.as_object_mut()) {
                entry.insert("fieldPath".into(), json!(format!(".{field}")));
            }
            if let Some(rules) = rules.as_array_mut() {
                rules.push(entry);
            }
        }
    }
}

fn require(schema: &mut Value, at: &str, fields: &[&str]) {
    if let Some(target) = place(schema, at) {
        let required = target.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.extend(fields.iter().filter(|it| !it.is_empty()).map(|it| json!(it)));
            required.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            required.dedup();
        }
    }
}

/// The schema at a place such as `spec.metrics[].resource`; the empty place is the root.
pub(super) fn place<'a>(schema: &'a mut Value, at: &str) -> Option<&'a mut Map<String, Value>> {
    let mut node = schema;
    for part in at.split('.').filter(|part| !part.is_empty()) {
        let name = part.strip_suffix("[]").unwrap_or(part);
        node = node.get_mut("properties")?.get_mut(name)?;
        if name != part {
            node = node.get_mut("items")?;
        }
    }
    node.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checked-in CustomResourceDefinition.
    const FILE: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/crds/autoscalers.plimsoll.dev.yaml");

    #[test]
    fn the_checked_in_definition_is_current() {
        let current = crd_yaml();
        if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
            std::fs::write(FILE, &current).unwrap();
        }
        let stored = std::fs::read_to_string(FILE).unwrap();
        assert!(
            stored == current,
            "run `PLIMSOLL_UPDATE=1 cargo test -p plimsoll-api crd` and commit {FILE}"
        );
    }

    #[test]
    fn every_rule_and_requirement_has_a_place() {
        let mut crd = crd();
        let schema = crd.pointer_mut("/spec/versions/0/schema/openAPIV3Schema").unwrap();
        for rule in cel::rules() {
            let place = place(schema, &rule.at).unwrap_or_else(|| panic!("no place {}", rule.at));
            if let Some(field) = rule.field {
                assert!(place["properties"].get(field).is_some(), "{} has no {field}", rule.at);
            }
        }
        for (at, fields) in REQUIRED {
            let place = place(schema, at).unwrap_or_else(|| panic!("no place {at}"));
            for field in *fields {
                assert!(place["properties"].get(field).is_some(), "{at} has no {field}");
            }
        }
        for (at, _) in KEYED {
            assert!(place(schema, at).is_some(), "no place {at}");
        }
    }

    /// Walks every schema node below the spec.
    fn walk(at: &str, node: &Value, see: &mut dyn FnMut(&str, &Value)) {
        see(at, node);
        if let Some(properties) = node.get("properties").and_then(Value::as_object) {
            for (name, child) in properties {
                walk(&format!("{at}.{name}"), child, see);
            }
        }
        if let Some(items) = node.get("items") {
            walk(&format!("{at}[]"), items, see);
        }
    }

    #[test]
    fn every_field_is_described_bounded_and_never_filled_in() {
        let crd = crd();
        let spec = crd.pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec").unwrap();
        let mut seen = 0;
        walk("spec", spec, &mut |at, node| {
            seen += 1;
            assert!(node.get("default").is_none(), "{at} fills in a default");
            assert!(node.get("nullable").is_none(), "{at} allows null");
            if !at.ends_with("[]") && !at.contains(".selector.") {
                let text = node["description"].as_str().unwrap_or_default();
                assert!(text.len() > 10 && text.ends_with(['.', '`']), "{at}: {text:?} is no description");
            }
            if at.contains(".selector") {
                return;
            }
            match node.get("type").and_then(Value::as_str) {
                Some("array") => assert!(node.get("maxItems").is_some(), "{at} has no maxItems"),
                Some("string") => {
                    let bounded = node.get("enum").is_some() || node.get("maxLength").is_some();
                    assert!(bounded, "{at} has neither an enum nor a maxLength");
                }
                Some("integer") => assert!(node.get("minimum").is_some(), "{at} has no minimum"),
                _ => {}
            }
        });
        assert!(seen > 100, "only {seen} fields");
    }

    #[test]
    fn it_has_a_status_but_no_scale_subresource() {
        let crd = crd();
        let version = &crd["spec"]["versions"][0];
        assert_eq!(version["subresources"], json!({ "status": {} }));
        assert_eq!(crd["spec"]["names"]["shortNames"], json!(["plim"]));
        let columns: Vec<&str> = version["additionalPrinterColumns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        assert_eq!(columns, ["Reference", "Targets", "Min", "Max", "Replicas", "Why", "Age"]);
    }
}
