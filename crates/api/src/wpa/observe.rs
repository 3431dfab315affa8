//! What a WatermarkPodAutoscaler looks at: its metrics, and the pods that are its target's own.

use plimsoll_engine::Pod;

use super::check;
use super::gate::skips_owner_check;
use super::types::WatermarkPodAutoscaler;
use crate::observe::{Owner, PodView};
use crate::source::{MetricSelector, Source};

/// What to ask for, one for each metric. Each asks with its own selector.
#[must_use]
pub fn sources(object: &WatermarkPodAutoscaler) -> Vec<Source> {
    let sources = object.spec.metrics.iter().filter_map(|metric| check::Source::of(metric).ok());
    sources
        .map(|source| {
            let selector = MetricSelector::new(source.selector);
            if source.kind == "External" {
                Source::External { name: source.name.into(), selector }
            } else {
                Source::Resource { name: source.name.into(), container: None, selector: Some(selector) }
            }
        })
        .collect()
}

/// The selected pods as the engine sees them. Labels may match too much, so the owner says which pods are the target's.
#[must_use]
pub fn pods(object: &WatermarkPodAutoscaler, selected: &[&PodView]) -> Vec<Pod> {
    let any_owner = skips_owner_check(object);
    let target = object.spec.scale_target_ref.name.as_str();
    selected
        .iter()
        .map(|pod| Pod { owned: any_owner || pod.owners.iter().any(|it| owned_by(it, target)), ..pod.facts })
        .collect()
}

/// Whether an owner is the target, or a ReplicaSet that by its name belongs to it.
fn owned_by(owner: &Owner, target: &str) -> bool {
    match &*owner.kind {
        "StatefulSet" => &*owner.name == target,
        "ReplicaSet" => {
            owner.name.rsplit_once('-').map_or(&*owner.name, |(deployment, _)| deployment) == target
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_told_by_name() {
        let owner = |kind: &str, name: &str| Owner {
            kind: kind.into(),
            name: name.into(),
            uid: "".into(),
            controls: true,
        };
        assert!(owned_by(&owner("ReplicaSet", "web-7d8f9c5b6d"), "web"));
        assert!(owned_by(&owner("ReplicaSet", "web"), "web"));
        assert!(!owned_by(&owner("ReplicaSet", "web-api-7d8f9c5b6d"), "web"));
        assert!(owned_by(&owner("StatefulSet", "web"), "web"));
        assert!(!owned_by(&owner("Job", "web"), "web"));
    }
}
