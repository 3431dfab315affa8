//! A decision worked out anew, from live data and the checkpoint, without a running controller and without writing.

use std::sync::Arc;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube::api::ListParams;
use kube::{Api, Client, Resource, ResourceExt};
use plimsoll_api::autoscaler::Autoscaler;
use plimsoll_api::hpa::Hpa;
use plimsoll_api::observe::PodView;
use plimsoll_api::wpa::WatermarkPodAutoscaler;
use plimsoll_engine::{Memory, Outcome};
use serde::de::DeserializeOwned;

use crate::act;
use crate::checkpoint;
use crate::config::Config;
use crate::context::Context;
use crate::explain::{Explained, Origin};
use crate::index::{Builtin, Change, Workload};
use crate::key::{Key, Kind};
use crate::kinds::Subject;
use crate::lease::Fence;
use crate::observe::{Freshness, Seen, look};
use crate::record::Record;

/// Works out what would be decided about an object now.
///
/// # Errors
/// In words, when the object cannot be read or makes no sense.
pub async fn anew(client: Client, config: Config, key: &Key) -> Result<Explained, String> {
    // The fence stays closed: nothing can be written.
    let cx = Context::new(client, config, Fence::default(), None, "explain".to_owned());
    let subject = Arc::new(read(&cx, key).await?);
    let plan = subject.plan.as_ref().map_err(|refused| format!("{key}: {refused}"))?;
    fill(&cx, &subject).await?;
    let seen = look(&cx, &subject, plan, Freshness::Live).await;
    let (mut before, origin) = recall(&cx, &subject, &seen).await;
    subject.status().recall(&mut before);
    let record =
        Record::made(subject.about(plan), plan.policy.clone(), seen.observation, before, Outcome::NotTried);
    Ok(record.explained(origin))
}

async fn read(cx: &Context, key: &Key) -> Result<Subject, String> {
    Ok(match key.kind {
        Kind::Hpa => Subject::hpa(get::<Hpa>(cx, key).await?, &cx.config),
        Kind::Wpa => Subject::wpa(get::<WatermarkPodAutoscaler>(cx, key).await?, &cx.config),
        Kind::Autoscaler => Subject::autoscaler(get::<Autoscaler>(cx, key).await?, &cx.config),
    })
}

async fn get<K>(cx: &Context, key: &Key) -> Result<K, String>
where
    K: Resource<Scope = NamespaceResourceScope> + Clone + DeserializeOwned + std::fmt::Debug,
    K::DynamicType: Default,
{
    let api: Api<K> = Api::namespaced(cx.client.clone(), &key.namespace);
    act::within_limit(api.get(&key.name)).await.map_err(|error| act::words(&error))
}

/// Puts into the index what the watches would have.
async fn fill(cx: &Context, subject: &Arc<Subject>) -> Result<(), String> {
    let namespace = &subject.key.namespace;
    let change = Change::Applied(namespace.clone(), subject.key.name.clone(), subject.clone());
    cx.index().subjects(subject.key.kind, None, change);
    let pods: Api<Pod> = Api::namespaced(cx.client.clone(), namespace);
    let pods = act::within_limit(pods.list(&ListParams::default())).await;
    let pods = pods.map_err(|error| format!("pods: {}", act::words(&error)))?;
    for pod in &pods.items {
        cx.index()
            .pods(None, Change::Applied(namespace.clone(), pod.name_any(), Arc::new(PodView::from(pod))));
    }
    // Only to tell whose a pod is; who may not read them sees the rest all the same.
    let sets: Api<ReplicaSet> = Api::namespaced(cx.client.clone(), namespace);
    let sets = act::within_limit(sets.list(&ListParams::default())).await;
    for set in sets.map(|list| list.items).unwrap_or_default() {
        let change = Change::Applied(namespace.clone(), set.name_any(), Arc::new(Workload::from(&set)));
        cx.index().workloads(Builtin::ReplicaSet, None, change);
    }
    Ok(())
}

/// What the controller remembered last, if it has left a checkpoint. One that still runs remembers about the same: no
/// change may stay unwritten for long.
async fn recall(cx: &Context, subject: &Subject, seen: &Seen) -> (Memory, Origin) {
    if let Some((_, target)) = &seen.target {
        let found = cx.store.read(subject, &mut checkpoint::Kept::default()).await.ok().flatten();
        if let Some(memory) = found.and_then(|data| checkpoint::stored(&data, &target.uid)) {
            return (memory, Origin::AnewWithCheckpoint);
        }
    }
    (Memory::default(), Origin::AnewWithoutHistory)
}
