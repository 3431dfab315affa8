//! What a workload's manifest says of its pods: replicas, requests, limits, the readiness probe.

use crate::subject::{ContainerGiven, Given};
use k8s_openapi::api::core::v1::{Container, PodSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use plimsoll_api::manifest::{Document, Object};
use std::collections::BTreeMap;

/// The workload of this kind and name among the documents, as far as it says anything.
pub(super) fn find(documents: &[Document], kind: &str, name: &str) -> Given {
    let fits =
        |d: &&Document| d.kind == kind && d.object.metadata().and_then(|m| m.name.as_deref()) == Some(name);
    documents.iter().find(fits).and_then(|d| read(&d.object)).unwrap_or_default()
}

fn read(object: &Object) -> Option<Given> {
    let (replicas, pod) = match object {
        Object::Deployment(it) => {
            let spec = &it.spec;
            (spec.replicas, spec.template.spec.as_ref())
        }
        Object::StatefulSet(it) => {
            let spec = &it.spec;
            (spec.replicas, spec.template.spec.as_ref())
        }
        Object::ReplicaSet(it) => {
            let spec = &it.spec;
            (spec.replicas, spec.template.as_ref().and_then(|t| t.spec.as_ref()))
        }
        Object::ReplicationController(it) => {
            let spec = it.spec.as_ref()?;
            (spec.replicas, spec.template.as_ref().and_then(|t| t.spec.as_ref()))
        }
        _ => return None,
    };
    Some(pod.map_or_else(|| Given { replicas, ..Given::default() }, |pod| of_pod(replicas, pod)))
}

fn of_pod(replicas: Option<i32>, pod: &PodSpec) -> Given {
    let containers: Vec<ContainerGiven> = pod.containers.iter().map(of_container).collect();
    let probes = pod.containers.iter().filter_map(|c| c.readiness_probe.as_ref());
    Given {
        replicas,
        probe_delay_secs: probes.clone().map(|p| p.initial_delay_seconds.unwrap_or(0)).max(),
        probe_period_secs: probes.map(|p| p.period_seconds.unwrap_or(10)).max(),
        containers: Some(containers),
    }
}

fn of_container(container: &Container) -> ContainerGiven {
    let resources = container.resources.as_ref();
    let requests = resources.and_then(|r| r.requests.as_ref());
    let limits = resources.and_then(|r| r.limits.as_ref());
    ContainerGiven {
        name: container.name.clone(),
        // A limit without a request is also the request.
        cpu_request_milli: milli(requests, "cpu").or(milli(limits, "cpu")),
        cpu_limit_milli: milli(limits, "cpu"),
        memory_request_milli: milli(requests, "memory").or(milli(limits, "memory")),
    }
}

fn milli(amounts: Option<&BTreeMap<String, Quantity>>, name: &str) -> Option<i64> {
    let amount = amounts?.get(name)?;
    plimsoll_api::quantity::parse(&amount.0).ok().map(|q| q.milli_value()).filter(|m| *m > 0)
}
