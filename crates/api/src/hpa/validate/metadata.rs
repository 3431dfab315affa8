//! The rules for the metadata of any namespaced object that is to be created.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, ObjectMeta, OwnerReference};
use serde_json::{Value, json};

use crate::field::{BadValue, FieldError, FieldPath};
use crate::names;

/// All annotations together, keys and values.
const ANNOTATIONS_LIMIT_BYTES: usize = 256 << 10;
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

pub(super) fn check(meta: &ObjectMeta, path: &FieldPath) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(prefix) = meta.generate_name.as_deref().filter(|it| !it.is_empty()) {
        let path = path.child("generateName");
        let complaints = names::dns_subdomain(&with_trailing_dash_masked(prefix));
        errors.extend(complaints.iter().map(|it| path.invalid(prefix, it)));
    }
    match meta.name.as_deref().unwrap_or_default() {
        "" => errors.push(path.child("name").required("name or generateName is required")),
        name => {
            errors.extend(names::dns_subdomain(name).iter().map(|it| path.child("name").invalid(name, it)))
        }
    }
    let namespace_path = path.child("namespace");
    match meta.namespace.as_deref().unwrap_or_default() {
        "" => errors.push(namespace_path.required("")),
        name => errors.extend(names::dns_label(name).iter().map(|it| namespace_path.invalid(name, it))),
    }
    if let Some(generation) = meta.generation.filter(|it| *it < 0) {
        errors.push(path.child("generation").invalid(generation, "must be greater than or equal to 0"));
    }
    let labels = path.child("labels");
    for (key, value) in meta.labels.iter().flatten() {
        errors.extend(names::qualified(key).iter().map(|it| labels.invalid(key.as_str(), it)));
        errors.extend(names::label_value(value).iter().map(|it| labels.invalid(value.as_str(), it)));
    }
    let annotations = path.child("annotations");
    for key in meta.annotations.iter().flatten().map(|(key, _)| key) {
        let complaints = names::qualified(&key.to_lowercase());
        errors.extend(complaints.iter().map(|it| annotations.invalid(key.as_str(), it)));
    }
    let bytes: usize = meta.annotations.iter().flatten().map(|(key, value)| key.len() + value.len()).sum();
    if bytes > ANNOTATIONS_LIMIT_BYTES {
        errors.push(annotations.too_long(ANNOTATIONS_LIMIT_BYTES));
    }
    owners(meta.owner_references.as_deref().unwrap_or_default(), &path.child("ownerReferences"), &mut errors);
    let names = meta.finalizers.as_deref().unwrap_or_default();
    finalizers(names, &path.child("finalizers"), &mut errors);
    for (index, entry) in meta.managed_fields.iter().flatten().enumerate() {
        managed_fields(entry, &path.child("managedFields").index(index), &mut errors);
    }
    for (index, name) in names.iter().enumerate() {
        if !name.contains('/') && !STANDARD_FINALIZERS.contains(&name.as_str()) {
            let complaint = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(path.child("finalizers").index(index).invalid(name.as_str(), complaint));
        }
    }
    errors
}

/// A dash at the end is fine in a name that will be appended to; the reference then looks at one character less.
fn with_trailing_dash_masked(name: &str) -> String {
    match name.strip_suffix('-').and_then(|it| it.char_indices().next_back().map(|(at, _)| it.split_at(at).0))
    {
        Some(start) => format!("{start}a"),
        None => name.to_owned(),
    }
}

fn owners(references: &[OwnerReference], path: &FieldPath, errors: &mut Vec<FieldError>) {
    let mut controller: Option<String> = None;
    for (index, reference) in references.iter().enumerate() {
        owner(reference, &path.index(index), errors);
        if reference.controller != Some(true) {
            continue;
        }
        let name = format!("{}/{}", reference.kind, reference.name);
        match &controller {
            None => controller = Some(name),
            Some(first) => {
                let complaint = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and \
                     {name}"
                );
                let shown: Vec<Value> = references.iter().map(shown).collect();
                errors.push(path.invalid(BadValue::json(&shown), &complaint));
            }
        }
    }
}

fn owner(reference: &OwnerReference, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let version = reference.api_version.as_str();
    if version.is_empty() {
        errors.push(path.child("apiVersion").required("must not be empty"));
    } else if version.ends_with('/') || version.matches('/').count() > 1 {
        let complaint = "must be <group>/<version> or <version>";
        errors.push(path.child("apiVersion").invalid(version, complaint));
    }
    for (field, value) in [("kind", &reference.kind), ("name", &reference.name), ("uid", &reference.uid)] {
        if value.is_empty() {
            errors.push(path.child(field).required("must not be empty"));
        }
    }
    if (version == "v1" || version == "/v1") && reference.kind == "Event" {
        let complaint = "/v1, Kind=Event is disallowed from being an owner";
        errors.push(path.invalid(BadValue::json(&shown(reference)), complaint));
    }
}

/// In the reference's order of fields.
fn shown(reference: &OwnerReference) -> Value {
    let mut shown = json!({
        "apiVersion": reference.api_version,
        "kind": reference.kind,
        "name": reference.name,
        "uid": reference.uid,
    });
    let flags =
        [("controller", reference.controller), ("blockOwnerDeletion", reference.block_owner_deletion)];
    if let Some(fields) = shown.as_object_mut() {
        fields.extend(flags.into_iter().filter_map(|(name, flag)| Some((name.to_owned(), json!(flag?)))));
    }
    shown
}

fn finalizers(finalizers: &[String], path: &FieldPath, errors: &mut Vec<FieldError>) {
    for name in finalizers {
        errors.extend(names::qualified(name).iter().map(|it| path.invalid(name.as_str(), it)));
    }
    let has = |name: &str| finalizers.iter().any(|it| it == name);
    if has("orphan") && has("foregroundDeletion") {
        let complaint = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(path.invalid(BadValue::json(&finalizers), complaint));
    }
}

fn managed_fields(entry: &ManagedFieldsEntry, path: &FieldPath, errors: &mut Vec<FieldError>) {
    match entry.operation.as_deref().unwrap_or_default() {
        "" => errors.push(path.child("operation").required("must not be empty")),
        "Apply" | "Update" => {}
        other => errors.push(path.child("operation").not_supported(other, &["Apply", "Update"])),
    }
    if let Some(kind) = entry.fields_type.as_deref().filter(|it| !it.is_empty() && *it != "FieldsV1") {
        errors.push(path.child("fieldsType").invalid(kind, "must be `FieldsV1`"));
    }
    if entry.manager.as_deref().is_some_and(|it| it.len() > 128) {
        errors.push(path.child("manager").too_long(128));
    }
    if entry.subresource.as_deref().is_some_and(|it| it.len() > 256) {
        errors.push(path.child("subresource").too_long(256));
    }
}
