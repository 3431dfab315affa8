//! What is kept of a workload: its scale, and who owns it.

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::autoscaling::v1::Scale as ApiScale;
use k8s_openapi::api::core::v1::ReplicationController;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use plimsoll_api::selector::Selector;
use plimsoll_engine::Scale;

/// The kinds whose scale is read from a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Builtin {
    /// apps/v1 Deployment.
    Deployment,
    /// apps/v1 StatefulSet.
    StatefulSet,
    /// apps/v1 ReplicaSet.
    ReplicaSet,
    /// v1 ReplicationController.
    ReplicationController,
}

impl Builtin {
    /// The kind of a reference, if its scale is read from a watch.
    #[must_use]
    pub(crate) fn find(group: &str, kind: &str) -> Option<Builtin> {
        match (group, kind) {
            ("apps", "Deployment") => Some(Builtin::Deployment),
            ("apps", "StatefulSet") => Some(Builtin::StatefulSet),
            ("apps", "ReplicaSet") => Some(Builtin::ReplicaSet),
            ("", "ReplicationController") => Some(Builtin::ReplicationController),
            _ => None,
        }
    }

    /// Where the API serves it.
    #[must_use]
    pub(crate) fn path(self) -> (&'static str, &'static str) {
        match self {
            Builtin::Deployment => ("/apis/apps/v1", "deployments"),
            Builtin::StatefulSet => ("/apis/apps/v1", "statefulsets"),
            Builtin::ReplicaSet => ("/apis/apps/v1", "replicasets"),
            Builtin::ReplicationController => ("/api/v1", "replicationcontrollers"),
        }
    }
}

/// What is kept of a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Workload {
    /// Its UID.
    pub uid: String,
    /// The version of it that this is.
    pub resource_version: String,
    /// Its scale.
    pub scale: Scale,
    /// Which pods are its own, as the scale subresource says it.
    pub selector: String,
    /// The UID of the object that controls it, if one does.
    pub controlled_by: Option<String>,
}

impl Workload {
    fn new(metadata: &ObjectMeta, replicas: Option<i32>, status: Option<i32>, selector: String) -> Self {
        let owner = metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true));
        Workload {
            uid: metadata.uid.clone().unwrap_or_default(),
            resource_version: metadata.resource_version.clone().unwrap_or_default(),
            scale: Scale { spec: replicas.unwrap_or(1), status: status.unwrap_or(0) },
            selector,
            controlled_by: owner.map(|owner| owner.uid.clone()),
        }
    }
}

fn words(selector: &LabelSelector) -> String {
    // One that cannot be used would have been refused by the API server.
    Selector::from_object(Some(selector)).map(|selector| selector.to_string()).unwrap_or_default()
}

impl From<&Deployment> for Workload {
    fn from(it: &Deployment) -> Self {
        Workload::new(
            &it.metadata,
            it.spec.replicas,
            it.status.as_ref().and_then(|status| status.replicas),
            words(&it.spec.selector),
        )
    }
}

impl From<&StatefulSet> for Workload {
    fn from(it: &StatefulSet) -> Self {
        Workload::new(
            &it.metadata,
            it.spec.replicas,
            it.status.as_ref().map(|status| status.replicas),
            words(&it.spec.selector),
        )
    }
}

impl From<&ReplicaSet> for Workload {
    fn from(it: &ReplicaSet) -> Self {
        Workload::new(
            &it.metadata,
            it.spec.replicas,
            it.status.as_ref().map(|status| status.replicas),
            words(&it.spec.selector),
        )
    }
}

impl From<&ReplicationController> for Workload {
    fn from(it: &ReplicationController) -> Self {
        let spec = it.spec.as_ref();
        let labels = spec.and_then(|spec| spec.selector.clone());
        let selector = LabelSelector { match_labels: labels, match_expressions: None };
        Workload::new(
            &it.metadata,
            spec.and_then(|spec| spec.replicas),
            it.status.as_ref().map(|status| status.replicas),
            words(&selector),
        )
    }
}

impl From<&ApiScale> for Workload {
    fn from(it: &ApiScale) -> Self {
        let replicas = it.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(0);
        let status = it.status.as_ref();
        Workload::new(
            &it.metadata,
            Some(replicas),
            status.map(|status| status.replicas),
            status.and_then(|status| status.selector.clone()).unwrap_or_default(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_deployment_says_what_its_scale_would() {
        let deployment: Deployment = serde_json::from_value(json!({
            "metadata": {"name": "web", "uid": "u", "resourceVersion": "7"},
            "spec": {"selector": {"matchLabels": {"app": "web", "a": "b"}}, "template": {}},
            "status": {"replicas": 3},
        }))
        .unwrap();
        let workload = Workload::from(&deployment);
        assert_eq!(workload.scale, Scale { spec: 1, status: 3 });
        assert_eq!(workload.selector, "a=b,app=web");
        assert_eq!(workload.resource_version, "7");
    }
}
