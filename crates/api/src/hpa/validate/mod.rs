//! Whether an API server would take the object: the same complaints, in the same order.

mod behavior;
mod metadata;
mod metrics;

use std::collections::BTreeSet;

use super::{CrossVersionObjectReference, Hpa};
use crate::field::{FieldError, FieldPath};
use crate::names;

/// What is wrong with a defaulted object that is to be created; nothing when it is fine.
pub fn validate(hpa: &Hpa) -> Vec<FieldError> {
    let mut errors = metadata::check(&hpa.metadata, &FieldPath::root("metadata"));
    let (spec, path) = (&hpa.spec, FieldPath::root("spec"));
    let max_path = path.child("maxReplicas");
    if let Some(min) = spec.min_replicas.filter(|min| *min < 0) {
        errors.push(path.child("minReplicas").invalid(min, "must be greater than or equal to 0"));
    }
    match spec.max_replicas {
        0 => errors.push(max_path.required("must be set and greater than 0")),
        max if max < 0 => errors.push(max_path.invalid(max, "must be greater than or equal to 1")),
        _ => {}
    }
    if spec.min_replicas.is_some_and(|min| spec.max_replicas < min) {
        errors.push(max_path.invalid(spec.max_replicas, "must be greater than or equal to `minReplicas`"));
    }
    // The only scalable kind of the core group, which has no name.
    let groups =
        if spec.scale_target_ref.kind == "ReplicationController" { Group::Optional } else { Group::Named };
    reference(&spec.scale_target_ref, &path.child("scaleTargetRef"), groups, &mut errors);
    metrics::check(spec, &path.child("metrics"), &mut errors);
    if let Some(behavior) = &spec.behavior {
        behavior::check(behavior, &path.child("behavior"), &mut errors);
    }
    // A complaint that two rules have in common is told once.
    let mut told = BTreeSet::new();
    errors.retain(|error| told.insert(error.to_string()));
    errors
}

/// Whether an apiVersion must name its group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Named,
    Optional,
}

fn reference(
    reference: &CrossVersionObjectReference,
    path: &FieldPath,
    group: Group,
    errors: &mut Vec<FieldError>,
) {
    for (field, value) in [("kind", &reference.kind), ("name", &reference.name)] {
        let path = path.child(field);
        if value.is_empty() {
            errors.push(path.required(""));
        }
        errors.extend(names::path_segment(value).iter().map(|it| path.invalid(value.as_str(), it)));
    }
    let version = reference.api_version.as_deref().unwrap_or_default();
    let named = version.split_once('/').is_some_and(|(group, _)| !group.is_empty());
    let complaint = if version.matches('/').count() > 1 {
        format!("unexpected GroupVersion string: {version}")
    } else if group == Group::Named && !named {
        "apiVersion must specify API group".to_owned()
    } else {
        return;
    };
    errors.push(path.child("apiVersion").invalid(version, &complaint));
}
