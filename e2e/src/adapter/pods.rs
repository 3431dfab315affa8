//! Which pods exist, and how much of a load each of them shows.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube::runtime::reflector::Store;

use super::values::{Load, Millis, PodRule, Pods};

/// What the adapter knows of a pod.
#[derive(Clone, Debug)]
pub(super) struct PodView {
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub containers: Vec<String>,
    pub ready: bool,
}

/// The running pods of a namespace, by name.
pub(super) fn running(store: &Store<Pod>, namespace: &str) -> Vec<PodView> {
    let mut pods: Vec<PodView> = store
        .state()
        .iter()
        .filter(|pod| pod.namespace().as_deref() == Some(namespace))
        .filter_map(|pod| view(pod))
        .collect();
    pods.sort_by(|one, other| one.name.cmp(&other.name));
    pods
}

fn view(pod: &Pod) -> Option<PodView> {
    let status = pod.status.as_ref()?;
    if status.phase.as_deref() != Some("Running") || pod.metadata.deletion_timestamp.is_some() {
        return None;
    }
    let ready = status.conditions.iter().flatten().any(|one| one.type_ == "Ready" && one.status == "True");
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers).map(|one| one.name.clone()).collect();
    Some(PodView { name: pod.name_any(), labels: pod.labels().clone(), containers, ready })
}

impl Pods {
    fn holds(&self, pod: &PodView) -> bool {
        match self {
            Pods::All => true,
            Pods::App(name) => pod.labels.get("app") == Some(name),
            Pods::Named(name) => *name == pod.name,
        }
    }
}

/// What one pod shows under one rule; `None` when it shows no value.
fn share(rule: &PodRule, pod: &PodView, pods: &[PodView]) -> Option<Millis> {
    match rule.load {
        Load::Each(value) => Some(value),
        Load::Absent => None,
        Load::Shared(_) if !pod.ready => Some(Millis(0)),
        Load::Shared(Millis(total)) => {
            let ready = pods.iter().filter(|other| other.ready && rule.pods.holds(other)).count();
            Some(Millis(total / i64::try_from(ready).unwrap_or(1).max(1)))
        }
    }
}

/// A metric of a pod by the rule set last for it.
pub(super) fn value(rules: &[PodRule], metric: &str, pod: &PodView, pods: &[PodView]) -> Option<Millis> {
    let rule = rules.iter().rev().find(|rule| rule.metric == metric && rule.pods.holds(pod))?;
    share(rule, pod, pods)
}

/// The usage of every container of a pod: container, resource, value. Pods for which nothing is set use nothing.
pub(super) fn usage(
    rules: &[PodRule],
    pod: &PodView,
    pods: &[PodView],
) -> Option<BTreeMap<String, BTreeMap<String, Millis>>> {
    let mut all: BTreeMap<String, BTreeMap<String, Millis>> = BTreeMap::new();
    for container in &pod.containers {
        let zero = ["cpu", "memory"].map(|resource| (resource.to_owned(), Millis(0)));
        all.insert(container.clone(), BTreeMap::from(zero));
    }
    for rule in rules.iter().filter(|rule| rule.pods.holds(pod)) {
        let shown = share(rule, pod, pods);
        let count = i64::try_from(pod.containers.len()).unwrap_or(1).max(1);
        for (container, usage) in &mut all {
            let amount = match &rule.container {
                None => shown.map(|Millis(total)| Millis(total / count)),
                Some(only) if only == container => shown,
                Some(_) => continue,
            };
            match amount {
                Some(amount) => drop(usage.insert(rule.metric.clone(), amount)),
                None => drop(usage.remove(&rule.metric)),
            }
        }
    }
    // A pod without any usage at all is not in the list, as with metrics-server.
    all.values().any(|usage| !usage.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::values::{app, milli};

    fn pod(name: &str, ready: bool) -> PodView {
        let labels = BTreeMap::from([("app".to_owned(), "web".to_owned())]);
        PodView { name: name.to_owned(), labels, containers: vec!["main".to_owned()], ready }
    }

    fn rule(pods: Pods, load: Load) -> PodRule {
        PodRule { metric: "qps".to_owned(), pods, container: None, load }
    }

    #[test]
    fn ready_pods_share_a_load() {
        let pods = [pod("a", true), pod("b", true), pod("c", false)];
        let rules = [rule(app("web"), Load::Shared(milli(900)))];
        let shown: Vec<_> = pods.iter().map(|one| value(&rules, "qps", one, &pods)).collect();
        assert_eq!(shown, [Some(Millis(450)), Some(Millis(450)), Some(Millis(0))]);
    }

    #[test]
    fn the_rule_set_last_wins() {
        let pods = [pod("a", true), pod("b", true)];
        let rules = [rule(Pods::All, Load::Each(milli(1))), rule(Pods::Named("b".to_owned()), Load::Absent)];
        assert_eq!(value(&rules, "qps", &pods[0], &pods), Some(Millis(1)));
        assert_eq!(value(&rules, "qps", &pods[1], &pods), None);
    }
}
