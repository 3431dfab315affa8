//! Which type an object is, by apiVersion and kind.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{Pod, ReplicationController};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::decode;
use super::error::ManifestError;
use super::node::Node;
use super::place::Place;
use crate::autoscaler::Autoscaler;
use crate::hpa::Hpa;
use crate::hpa::v1::HpaV1;
use crate::wpa::WatermarkPodAutoscaler;

/// An object as its own type.
#[derive(Clone, Debug)]
pub enum Object {
    /// autoscaling/v2.
    Hpa(Box<Hpa>),
    /// autoscaling/v1.
    HpaV1(Box<HpaV1>),
    /// datadoghq.com/v1alpha1.
    Wpa(Box<WatermarkPodAutoscaler>),
    /// plimsoll.dev/v1alpha1.
    Autoscaler(Box<Autoscaler>),
    /// apps/v1.
    Deployment(Box<Deployment>),
    /// apps/v1.
    StatefulSet(Box<StatefulSet>),
    /// apps/v1.
    ReplicaSet(Box<ReplicaSet>),
    /// v1.
    ReplicationController(Box<ReplicationController>),
    /// apps/v1; cannot be scaled.
    DaemonSet(Box<DaemonSet>),
    /// batch/v1; cannot be scaled.
    Job(Box<Job>),
    /// batch/v1; cannot be scaled.
    CronJob(Box<CronJob>),
    /// v1; cannot be scaled.
    Pod(Box<Pod>),
    /// Anything else, as it was written.
    Other(Value),
}

impl Object {
    /// The metadata, unless the object is of a kind that is not known here.
    pub fn metadata(&self) -> Option<&ObjectMeta> {
        Some(match self {
            Self::Hpa(it) => &it.metadata,
            Self::HpaV1(it) => &it.metadata,
            Self::Wpa(it) => &it.metadata,
            Self::Autoscaler(it) => &it.metadata,
            Self::Deployment(it) => &it.metadata,
            Self::StatefulSet(it) => &it.metadata,
            Self::ReplicaSet(it) => &it.metadata,
            Self::ReplicationController(it) => &it.metadata,
            Self::DaemonSet(it) => &it.metadata,
            Self::Job(it) => &it.metadata,
            Self::CronJob(it) => &it.metadata,
            Self::Pod(it) => &it.metadata,
            Self::Other(_) => return None,
        })
    }
}

pub(super) fn decode(
    api_version: &str,
    kind: &str,
    root: &Node,
    place: &Place<'_>,
) -> Result<Object, ManifestError> {
    fn boxed<T: DeserializeOwned>(root: &Node, place: &Place<'_>) -> Result<Box<T>, ManifestError> {
        decode::decode(root, place).map(Box::new)
    }
    Ok(match (api_version, kind) {
        ("autoscaling/v2", "HorizontalPodAutoscaler") => Object::Hpa(boxed(root, place)?),
        ("autoscaling/v1", "HorizontalPodAutoscaler") => Object::HpaV1(boxed(root, place)?),
        ("datadoghq.com/v1alpha1", "WatermarkPodAutoscaler") => Object::Wpa(boxed(root, place)?),
        ("plimsoll.dev/v1alpha1", "Autoscaler") => Object::Autoscaler(boxed(root, place)?),
        ("apps/v1", "Deployment") => Object::Deployment(boxed(root, place)?),
        ("apps/v1", "StatefulSet") => Object::StatefulSet(boxed(root, place)?),
        ("apps/v1", "ReplicaSet") => Object::ReplicaSet(boxed(root, place)?),
        ("v1", "ReplicationController") => Object::ReplicationController(boxed(root, place)?),
        ("apps/v1", "DaemonSet") => Object::DaemonSet(boxed(root, place)?),
        ("batch/v1", "Job") => Object::Job(boxed(root, place)?),
        ("batch/v1", "CronJob") => Object::CronJob(boxed(root, place)?),
        ("v1", "Pod") => Object::Pod(boxed(root, place)?),
        (_, "HorizontalPodAutoscaler") => {
            return Err(unknown_version(root, place, "autoscaling/v2 and autoscaling/v1"));
        }
        (_, "WatermarkPodAutoscaler") => return Err(unknown_version(root, place, "datadoghq.com/v1alpha1")),
        (version, "Autoscaler") if version.starts_with("plimsoll.dev/") => {
            return Err(unknown_version(root, place, "plimsoll.dev/v1alpha1"));
        }
        _ => Object::Other(root.to_json()),
    })
}

/// An autoscaler that would be left aside silently is worse than an error.
fn unknown_version(root: &Node, place: &Place<'_>, known: &str) -> ManifestError {
    let node = root.field("apiVersion").unwrap_or(root);
    place
        .key("apiVersion")
        .error(node, &format!("no known version of this kind, got {}: use {known}", node.content))
}
