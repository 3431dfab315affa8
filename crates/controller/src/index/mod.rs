//! Everything the watches know, projected to what decisions need. Synchronous: watches write, syncs read.

mod table;
mod workload;

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_api::observe::PodView;
use plimsoll_api::selector::Selector;

pub(crate) use table::{Became, Change, Table};
pub(crate) use workload::{Builtin, Workload};

use crate::key::{Key, Kind};
use crate::kinds::Subject;

/// What is known.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pods: Table<Arc<PodView>>,
    workloads: BTreeMap<Builtin, Table<Arc<Workload>>>,
    subjects: BTreeMap<Kind, Table<Arc<Subject>>>,
    /// The selectors of autoscalers' targets, as of their last sync: whoever selects the same pods is in the way.
    selectors: BTreeMap<String, BTreeMap<Key, Selector>>,
}

/// What an object of the index means for the schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Touched {
    /// It is new, or what the user wrote has changed: sync it at once.
    Changed(Key),
    /// It is gone.
    Gone(Key),
}

impl Index {
    /// Takes in what a watch of pods says.
    pub(crate) fn pods(&mut self, scope: Option<&str>, change: Change<Arc<PodView>>) {
        self.pods.take(scope, change);
    }

    /// Takes in what a watch of workloads says.
    pub(crate) fn workloads(&mut self, kind: Builtin, scope: Option<&str>, change: Change<Arc<Workload>>) {
        self.workloads.entry(kind).or_default().take(scope, change);
    }

    /// Takes in what a watch of autoscalers says, and tells which must be synced and which are gone.
    pub(crate) fn subjects(
        &mut self,
        kind: Kind,
        scope: Option<&str>,
        change: Change<Arc<Subject>>,
    ) -> Vec<Touched> {
        let table = self.subjects.entry(kind).or_default();
        // What was known before, to tell a change of the spec from one of the status.
        let before: BTreeMap<Key, Arc<Subject>> = match &change {
            Change::Applied(namespace, name, _) => table
                .get(namespace, name)
                .map(|subject| (subject.key.clone(), subject.clone()))
                .into_iter()
                .collect(),
            Change::ListEnds => {
                table.all().map(|(_, _, subject)| (subject.key.clone(), subject.clone())).collect()
            }
            _ => BTreeMap::new(),
        };
        let mut touched = Vec::new();
        for became in table.take(scope, change) {
            match became {
                Became::Gone(namespace, name) => {
                    touched.push(Touched::Gone(Key { kind, namespace, name }));
                }
                Became::Present(namespace, name) => {
                    let key = Key { kind, namespace, name };
                    let now = table.get(&key.namespace, &key.name);
                    let same = now.zip(before.get(&key)).is_some_and(|(now, before)| now.same_wish(before));
                    if !same {
                        touched.push(Touched::Changed(key));
                    }
                }
            }
        }
        for touch in &touched {
            if let Touched::Gone(key) = touch {
                self.forget_selector(key);
            }
        }
        touched
    }

    /// One autoscaler.
    #[must_use]
    pub(crate) fn subject(&self, key: &Key) -> Option<Arc<Subject>> {
        self.subjects.get(&key.kind)?.get(&key.namespace, &key.name).cloned()
    }

    /// All autoscalers.
    pub(crate) fn all_subjects(&self) -> impl Iterator<Item = &Arc<Subject>> {
        self.subjects.values().flat_map(|table| table.all().map(|(_, _, subject)| subject))
    }

    /// How many autoscalers of a kind there are.
    #[must_use]
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.subjects.get(&kind).map_or(0, |table| table.all().count())
    }

    /// How many autoscalers a namespace has.
    #[must_use]
    pub(crate) fn subjects_in(&self, namespace: &str) -> usize {
        self.subjects.values().map(|table| table.count_of(namespace)).sum()
    }

    /// One workload.
    #[must_use]
    pub(crate) fn workload(&self, kind: Builtin, namespace: &str, name: &str) -> Option<Arc<Workload>> {
        self.workloads.get(&kind)?.get(namespace, name).cloned()
    }

    /// How many pods a namespace has.
    #[must_use]
    pub(crate) fn pods_in(&self, namespace: &str) -> usize {
        self.pods.count_of(namespace)
    }

    /// The pods of a namespace that a selector matches, by name.
    #[must_use]
    pub(crate) fn select(&self, namespace: &str, selector: &Selector) -> Vec<Arc<PodView>> {
        self.pods
            .of(namespace)
            .map(|(_, pod)| pod)
            .filter(|pod| selector.matches(&pod.labels))
            .cloned()
            .collect()
    }

    /// Whether a pod belongs to the workload of this UID: directly, or through a ReplicaSet.
    #[must_use]
    pub(crate) fn owns(&self, namespace: &str, workload_uid: &str, pod: &PodView) -> bool {
        pod.owners.iter().filter(|owner| owner.controls).any(|owner| {
            &*owner.uid == workload_uid
                || (&*owner.kind == "ReplicaSet"
                    && self.workload(Builtin::ReplicaSet, namespace, &owner.name).is_some_and(|set| {
                        set.uid == *owner.uid && set.controlled_by.as_deref() == Some(workload_uid)
                    }))
        })
    }

    /// Notes which pods an autoscaler's target selects, and names the autoscalers of the same kind that select some
    /// of the same pods (itself among them); none if it is alone.
    pub(crate) fn rivals(&mut self, key: &Key, selector: &Selector, pods: &[Arc<PodView>]) -> Vec<String> {
        let all = self.selectors.entry(key.namespace.clone()).or_default();
        all.insert(key.clone(), selector.clone());
        let rivals: Vec<String> = all
            .iter()
            .filter(|(other, _)| other.kind == key.kind)
            .filter(|(other, theirs)| *other == key || pods.iter().any(|pod| theirs.matches(&pod.labels)))
            .map(|(other, _)| format!("{}/{}", other.namespace, other.name))
            .collect();
        if rivals.len() > 1 { rivals } else { Vec::new() }
    }

    fn forget_selector(&mut self, key: &Key) {
        if let Some(all) = self.selectors.get_mut(&key.namespace) {
            all.remove(key);
            if all.is_empty() {
                self.selectors.remove(&key.namespace);
            }
        }
    }
}

#[cfg(test)]
mod tests;
