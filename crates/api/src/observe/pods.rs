//! A pod, projected to the few facts that matter.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, Pod as ApiPod, PodSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as ApiQuantity;
use plimsoll_engine::{At, Phase, Pod, Ready, Text};

use crate::condition::from_time;
use crate::quantity;

/// What is kept of a pod.
#[derive(Debug, Clone, PartialEq)]
pub struct PodView {
    /// Its name.
    pub name: Text,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// What the engine sees of it; `owned` is false until an owner was looked for.
    pub facts: Pod,
    /// Who owns it.
    pub owners: Vec<Owner>,
    /// What each container requests that stays for the pod's life.
    pub containers: Vec<ContainerRequests>,
    /// What the pod as a whole requests, if it says so itself.
    pub whole: Option<BTreeMap<String, i64>>,
}

/// The owner of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Its kind.
    pub kind: Text,
    /// Its name.
    pub name: Text,
    /// Its UID.
    pub uid: Text,
    /// Whether it is the one that controls the pod.
    pub controls: bool,
}

/// What one container requests, in milli-units by resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerRequests {
    /// Its name.
    pub name: Text,
    /// By resource.
    pub requests: BTreeMap<String, i64>,
}

impl From<&ApiPod> for PodView {
    fn from(pod: &ApiPod) -> Self {
        let empty = PodSpec::default();
        let spec = pod.spec.as_ref().unwrap_or(&empty);
        let restartable = spec
            .init_containers
            .iter()
            .flatten()
            .filter(|init| init.restart_policy.as_deref() == Some("Always"));
        let containers = spec.containers.iter().chain(restartable).map(|container| ContainerRequests {
            name: container.name.as_str().into(),
            requests: requests(container),
        });
        let owners = pod.metadata.owner_references.iter().flatten().map(|owner| Owner {
            kind: owner.kind.as_str().into(),
            name: owner.name.as_str().into(),
            uid: owner.uid.as_str().into(),
            controls: owner.controller == Some(true),
        });
        PodView {
            name: pod.metadata.name.clone().unwrap_or_default().into(),
            labels: pod.metadata.labels.clone().unwrap_or_default(),
            facts: facts(pod),
            owners: owners.collect(),
            containers: containers.collect(),
            whole: whole_pod(spec),
        }
    }
}

impl PodView {
    /// What the pod, or one container of it, requests of a resource; or why that is not known.
    pub fn request(&self, resource: &str, container: Option<&str>) -> Result<i64, String> {
        let Some(container) = container else {
            return self.whole_request(resource);
        };
        let found = self.containers.iter().find(|one| &*one.name == container);
        let found = found.ok_or_else(|| format!("container {container} not found in Pod {}", self.name))?;
        self.container_request(found, resource)
    }

    fn whole_request(&self, resource: &str) -> Result<i64, String> {
        if let Some(whole) = &self.whole {
            let missing = || format!("missing pod-level request for {resource} in Pod {}", self.name);
            return whole.get(resource).copied().ok_or_else(missing);
        }
        let mut sum = 0i64;
        for container in &self.containers {
            sum = sum.wrapping_add(self.container_request(container, resource)?);
        }
        Ok(sum)
    }

    fn container_request(&self, container: &ContainerRequests, resource: &str) -> Result<i64, String> {
        container.requests.get(resource).copied().ok_or_else(|| {
            format!("missing request for {resource} in container {} of Pod {}", container.name, self.name)
        })
    }
}

fn facts(pod: &ApiPod) -> Pod {
    let status = pod.status.as_ref();
    let phase = match status.and_then(|status| status.phase.as_deref()) {
        Some("Pending") => Phase::Pending,
        Some("Running") => Phase::Running,
        Some("Succeeded") => Phase::Succeeded,
        Some("Failed") => Phase::Failed,
        _ => Phase::Unknown,
    };
    let conditions = status.and_then(|status| status.conditions.as_ref());
    let ready = conditions.and_then(|all| all.iter().find(|condition| condition.type_ == "Ready"));
    Pod {
        phase,
        ready: match ready.map(|condition| condition.status.as_str()) {
            None => Ready::Unsaid,
            Some("True") => Ready::True,
            Some("False") => Ready::False,
            Some(_) => Ready::Unknown,
        },
        ready_since: ready
            .and_then(|condition| condition.last_transition_time.as_ref())
            .map_or(At::YEAR_ONE, from_time),
        start: status.and_then(|status| status.start_time.as_ref()).map(from_time),
        deleted: pod.metadata.deletion_timestamp.is_some(),
        owned: false,
    }
}

fn requests(container: &Container) -> BTreeMap<String, i64> {
    milli(container.resources.as_ref().and_then(|resources| resources.requests.as_ref()))
}

fn milli(list: Option<&BTreeMap<String, ApiQuantity>>) -> BTreeMap<String, i64> {
    let known = |text: &str| quantity::parse(text).ok().map(|quantity| quantity.milli_value());
    list.into_iter().flatten().filter_map(|(name, text)| Some((name.clone(), known(&text.0)?))).collect()
}

/// What a pod requests as a whole, if it names requests of its own: those, and for the rest what its containers add
/// up to, and what running it costs on top.
fn whole_pod(spec: &PodSpec) -> Option<BTreeMap<String, i64>> {
    let own = milli(spec.resources.as_ref().and_then(|resources| resources.requests.as_ref()));
    let counts = |name: &str| name == "cpu" || name == "memory" || name.starts_with("hugepages-");
    if !own.keys().any(|name| counts(name)) {
        return None;
    }
    let mut whole = containers_together(spec);
    whole.extend(own.into_iter().filter(|(name, _)| counts(name)));
    add(&mut whole, &milli(spec.overhead.as_ref()));
    Some(whole)
}

/// What the containers need at the same time: all that stay, or one init container at a time beside those that
/// started before it, whichever is more.
fn containers_together(spec: &PodSpec) -> BTreeMap<String, i64> {
    let mut together = BTreeMap::new();
    for container in &spec.containers {
        add(&mut together, &requests(container));
    }
    let (mut staying, mut most) = (BTreeMap::new(), BTreeMap::new());
    for init in spec.init_containers.iter().flatten() {
        let own = requests(init);
        let mut now = staying.clone();
        add(&mut now, &own);
        if init.restart_policy.as_deref() == Some("Always") {
            add(&mut together, &own);
            staying = now.clone();
        }
        raise(&mut most, now);
    }
    raise(&mut together, most);
    together
}

fn add(sum: &mut BTreeMap<String, i64>, more: &BTreeMap<String, i64>) {
    for (name, milli) in more {
        let entry = sum.entry(name.clone()).or_default();
        *entry = entry.saturating_add(*milli);
    }
}

fn raise(most: &mut BTreeMap<String, i64>, other: BTreeMap<String, i64>) {
    for (name, milli) in other {
        let entry = most.entry(name).or_insert(milli);
        *entry = (*entry).max(milli);
    }
}
