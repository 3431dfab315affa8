//! What can be scaled: workloads among the documents, and what their pods request.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, Pod, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};

use crate::manifest::{Document, Object};
use crate::observe::PodView;
use crate::quantity;
use crate::selector::Selector;

/// A workload as far as autoscaling cares.
pub(super) struct Workload<'a> {
    pub(super) document: &'a Document,
    pub(super) metadata: &'a ObjectMeta,
    /// `spec.replicas`, if it is written.
    pub(super) replicas: Option<i32>,
    /// Which pods it counts as its own.
    selector: Option<Selector>,
    /// The labels its pods get.
    labels: BTreeMap<String, String>,
    /// A pod of it, with what the API server fills in.
    pub(super) pod: Option<TemplatePod>,
}

/// A pod made from a template.
pub(super) struct TemplatePod {
    pub(super) view: PodView,
    spec: PodSpec,
}

impl<'a> Workload<'a> {
    /// The workload that a document holds, if it holds one that can be scaled.
    pub(super) fn of(document: &'a Document) -> Option<Self> {
        let (replicas, selector, template) = match &document.object {
            Object::Deployment(it) => (it.spec.replicas, Some(&it.spec.selector), Some(&it.spec.template)),
            Object::StatefulSet(it) => (it.spec.replicas, Some(&it.spec.selector), Some(&it.spec.template)),
            Object::ReplicaSet(it) => (it.spec.replicas, Some(&it.spec.selector), it.spec.template.as_ref()),
            Object::ReplicationController(it) => {
                let spec = it.spec.as_ref()?;
                return Some(Self::new(
                    document,
                    spec.replicas,
                    spec.selector.as_ref().and_then(|labels| {
                        let match_labels = Some(labels.clone());
                        Selector::from_object(Some(&LabelSelector {
                            match_labels,
                            ..LabelSelector::default()
                        }))
                        .ok()
                    }),
                    spec.template.as_ref(),
                ));
            }
            _ => return None,
        };
        Some(Self::new(document, replicas, Selector::from_object(selector).ok(), template))
    }

    fn new(
        document: &'a Document,
        replicas: Option<i32>,
        selector: Option<Selector>,
        template: Option<&PodTemplateSpec>,
    ) -> Self {
        static NOTHING: std::sync::LazyLock<ObjectMeta> = std::sync::LazyLock::new(ObjectMeta::default);
        let labels =
            template.and_then(|it| it.metadata.as_ref()).and_then(|it| it.labels.clone()).unwrap_or_default();
        Workload {
            document,
            metadata: document.object.metadata().unwrap_or(&NOTHING),
            replicas,
            selector,
            labels,
            pod: template.and_then(|it| it.spec.as_ref()).map(TemplatePod::new),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.metadata.name.as_deref().unwrap_or_default()
    }

    /// Whether its selector matches the pods of another workload.
    pub(super) fn catches(&self, other: &Workload<'_>) -> bool {
        self.selector.as_ref().is_some_and(|it| it.matches(&other.labels))
    }
}

impl TemplatePod {
    fn new(spec: &PodSpec) -> Self {
        let mut spec = spec.clone();
        for container in spec.containers.iter_mut().chain(spec.init_containers.iter_mut().flatten()) {
            fill_in_requests(container);
        }
        let pod = Pod { spec: Some(spec.clone()), ..Pod::default() };
        TemplatePod { view: PodView::from(&pod), spec }
    }

    /// The names of the containers that stay for the pod's life.
    pub(super) fn containers(&self) -> Vec<&str> {
        self.view.containers.iter().map(|it| &*it.name).collect()
    }

    /// The containers that do not say what they request of a resource.
    pub(super) fn without_request(&self, resource: &str) -> Vec<&str> {
        let lacking = self.view.containers.iter().filter(|it| !it.requests.contains_key(resource));
        lacking.map(|it| &*it.name).collect()
    }

    /// Where in the workload's object a container is.
    pub(super) fn field_of(&self, container: &str) -> String {
        let place = |containers: &[Container]| containers.iter().position(|it| it.name == container);
        let inits = self.spec.init_containers.as_deref().unwrap_or_default();
        match (place(&self.spec.containers), place(inits)) {
            (Some(index), _) => format!("spec.template.spec.containers[{index}]"),
            (None, Some(index)) => format!("spec.template.spec.initContainers[{index}]"),
            (None, None) => "spec.template.spec.containers".to_owned(),
        }
    }

    /// The most that the pod, or one container of it, may use of a resource, in milli-units, if that is limited.
    pub(super) fn limit(&self, resource: &str, container: Option<&str>) -> Option<i64> {
        if let Some(name) = container {
            let found = self.staying().find(|it| it.name == name)?;
            return limit_of(found, resource);
        }
        let whole = self.spec.resources.as_ref().and_then(|it| it.limits.as_ref());
        if let Some(limit) = whole.and_then(|it| it.get(resource)) {
            return milli(limit);
        }
        self.staying().try_fold(0i64, |sum, it| Some(sum.saturating_add(limit_of(it, resource)?)))
    }

    fn staying(&self) -> impl Iterator<Item = &Container> {
        let inits = self.spec.init_containers.iter().flatten();
        self.spec.containers.iter().chain(inits.filter(|it| it.restart_policy.as_deref() == Some("Always")))
    }
}

fn limit_of(container: &Container, resource: &str) -> Option<i64> {
    milli(container.resources.as_ref()?.limits.as_ref()?.get(resource)?)
}

fn milli(written: &Quantity) -> Option<i64> {
    quantity::parse(&written.0).ok().map(|it| it.milli_value())
}

/// A limit without a request is also the request: the API server writes it down.
fn fill_in_requests(container: &mut Container) {
    let Some(resources) = &mut container.resources else { return };
    let Some(limits) = &resources.limits else { return };
    let requests = resources.requests.get_or_insert_default();
    for (resource, limit) in limits {
        requests.entry(resource.clone()).or_insert_with(|| limit.clone());
    }
}
