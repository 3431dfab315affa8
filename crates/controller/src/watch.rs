//! The watches: what the API server says, projected and put into the index.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{Pod, ReplicationController};
use kube::runtime::WatchStreamExt;
use kube::runtime::utils::Backoff;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use plimsoll_api::autoscaler::Autoscaler;
use plimsoll_api::hpa::Hpa;
use plimsoll_api::observe::PodView;
use plimsoll_api::wpa::WatermarkPodAutoscaler;
use serde::de::DeserializeOwned;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::context::Context;
use crate::index::{Builtin, Change, Workload};
use crate::key::Kind;
use crate::kinds::Subject;
use crate::tell;

/// Says when every watch has listed once.
pub(crate) struct Readiness {
    left: watch::Sender<usize>,
}

impl Readiness {
    fn new() -> Self {
        Readiness { left: watch::channel(0).0 }
    }

    fn expect_one_more(&self) {
        self.left.send_modify(|left| *left += 1);
    }

    /// Whether everything has been listed.
    pub(crate) fn ready(&self) -> bool {
        *self.left.borrow() == 0
    }

    /// Waits until everything has been listed.
    pub(crate) async fn wait(&self) {
        let mut left = self.left.subscribe();
        let _ = left.wait_for(|left| *left == 0).await;
    }
}

/// One watch's first listing.
struct Listing<'a> {
    of: &'a Readiness,
    done: bool,
}

impl Listing<'_> {
    fn done(&mut self) {
        if !std::mem::replace(&mut self.done, true) {
            self.of.left.send_modify(|left| *left = left.saturating_sub(1));
        }
    }
}

/// Starts every watch that is needed.
pub(crate) fn start(cx: &Arc<Context>, client: &Client, tasks: &mut JoinSet<()>) -> Arc<Readiness> {
    let ready = Arc::new(Readiness::new());
    let scopes: Vec<Option<String>> = match cx.config.namespaces.as_slice() {
        [] => vec![None],
        some => some.iter().cloned().map(Some).collect(),
    };
    for scope in scopes {
        let watches = Watches { cx: cx.clone(), client: client.clone(), ready: ready.clone(), scope };
        watches.pods(tasks);
        watches.workload::<Deployment>(tasks, Builtin::Deployment);
        watches.workload::<StatefulSet>(tasks, Builtin::StatefulSet);
        watches.workload::<ReplicaSet>(tasks, Builtin::ReplicaSet);
        watches.workload::<ReplicationController>(tasks, Builtin::ReplicationController);
        if cx.config.manage.contains(&Kind::Hpa) {
            watches.subjects::<Hpa>(tasks, Kind::Hpa, Subject::hpa);
        }
        if cx.config.manage.contains(&Kind::Autoscaler) {
            watches.subjects::<Autoscaler>(tasks, Kind::Autoscaler, Subject::autoscaler);
        }
        if cx.config.manage.contains(&Kind::Wpa) {
            watches.subjects::<WatermarkPodAutoscaler>(tasks, Kind::Wpa, Subject::wpa);
        }
    }
    ready
}

/// The watches of one namespace, or of all.
struct Watches {
    cx: Arc<Context>,
    client: Client,
    ready: Arc<Readiness>,
    scope: Option<String>,
}

impl Watches {
    fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        match &self.scope {
            None => Api::all(self.client.clone()),
            Some(namespace) => Api::namespaced(self.client.clone(), namespace),
        }
    }

    fn pods(&self, tasks: &mut JoinSet<()>) {
        let (cx, scope) = (self.cx.clone(), self.scope.clone());
        let stream = watcher(self.api::<Pod>(), watcher::Config::default());
        follow(tasks, "pods", self.ready.clone(), stream, move |event| {
            cx.index().pods(scope.as_deref(), change(event, |pod| Arc::new(PodView::from(&pod))));
            std::future::ready(())
        });
    }

    fn workload<K>(&self, tasks: &mut JoinSet<()>, kind: Builtin)
    where
        K: Resource<Scope = NamespaceResourceScope> + Clone + DeserializeOwned + Debug + Send + 'static,
        K::DynamicType: Default,
        for<'a> Workload: From<&'a K>,
    {
        let (cx, scope) = (self.cx.clone(), self.scope.clone());
        let stream = watcher(self.api::<K>(), watcher::Config::default());
        follow(tasks, kind.path().1, self.ready.clone(), stream, move |event| {
            let change = change(event, |object| Arc::new(Workload::from(&object)));
            cx.index().workloads(kind, scope.as_deref(), change);
            std::future::ready(())
        });
    }

    fn subjects<K>(
        &self,
        tasks: &mut JoinSet<()>,
        kind: Kind,
        project: fn(K, &crate::config::Config) -> Subject,
    ) where
        K: Resource<Scope = NamespaceResourceScope> + Clone + DeserializeOwned + Debug + Send + 'static,
        K::DynamicType: Default,
    {
        let (cx, scope) = (self.cx.clone(), self.scope.clone());
        let mut config = watcher::Config::default();
        if let Some(selector) = &cx.config.selector {
            config = config.labels(selector);
        }
        let stream = watcher(self.api::<K>(), config);
        follow(tasks, kind.name(), self.ready.clone(), stream, move |event| {
            let (cx, scope) = (cx.clone(), scope.clone());
            let change = change(event, |object| Arc::new(project(object, &cx.config)));
            async move {
                let seen = match &change {
                    Change::Listed(_, _, subject) | Change::Applied(_, _, subject) => Some(subject.clone()),
                    _ => None,
                };
                let touched = cx.index().subjects(kind, scope.as_deref(), change);
                cx.touch(touched);
                if let Some(subject) = seen {
                    tell::watch_for_others(&cx, &subject).await;
                }
            }
        });
    }
}

/// Follows a watch for good: whatever goes wrong, it lists again after a pause.
fn follow<K, F>(
    tasks: &mut JoinSet<()>,
    what: &'static str,
    ready: Arc<Readiness>,
    stream: impl Stream<Item = Result<Event<K>, watcher::Error>> + Send + 'static,
    mut take: impl FnMut(Event<K>) -> F + Send + 'static,
) where
    K: Resource + Clone + Debug + Send + 'static,
    F: Future<Output = ()> + Send,
{
    // Counted before the task runs, so that nobody finds everything ready before it has begun.
    ready.expect_one_more();
    tasks.spawn(async move {
        let mut listing = Listing { of: &ready, done: false };
        let mut stream = std::pin::pin!(stream.backoff(Pause::default()));
        while let Some(event) = stream.next().await {
            match event {
                Ok(event) => {
                    let listed = matches!(event, Event::InitDone);
                    take(event).await;
                    if listed {
                        listing.done();
                    }
                }
                Err(error) if not_served(&error) => {
                    // Nothing of the kind can exist, so there is nothing to wait for.
                    if !listing.done {
                        tracing::warn!(
                            what,
                            "the API server does not serve this kind; it is looked for again"
                        );
                    }
                    listing.done();
                }
                Err(error) => tracing::warn!(%error, what, "the watch was interrupted; it goes on by itself"),
            }
        }
    });
}

/// Whether the kind itself is not there, as before its definition is installed.
fn not_served(error: &watcher::Error) -> bool {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status)) => status.code == 404,
        _ => false,
    }
}

/// How long to wait before a watch begins again: longer each time, but never so long that a cluster which is back
/// stays unseen for a whole sync period.
#[derive(Debug, Default)]
struct Pause {
    failures: u32,
}

impl Pause {
    const FIRST: Duration = Duration::from_millis(500);
    const LONGEST: Duration = Duration::from_secs(8);
}

impl Iterator for Pause {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let pause = Pause::FIRST.saturating_mul(1 << self.failures.min(10)).min(Pause::LONGEST);
        self.failures = self.failures.saturating_add(1);
        Some(pause)
    }
}

impl Backoff for Pause {
    fn reset(&mut self) {
        self.failures = 0;
    }
}

/// What an event means for a table.
fn change<K: Resource, V>(event: Event<K>, project: impl FnOnce(K) -> V) -> Change<V> {
    let place = |object: &K| (object.namespace().unwrap_or_default(), object.name_any());
    match event {
        Event::Init => Change::ListBegins,
        Event::InitDone => Change::ListEnds,
        Event::InitApply(object) => {
            let (namespace, name) = place(&object);
            Change::Listed(namespace, name, project(object))
        }
        Event::Apply(object) => {
            let (namespace, name) = place(&object);
            Change::Applied(namespace, name, project(object))
        }
        Event::Delete(object) => {
            let (namespace, name) = place(&object);
            Change::Deleted(namespace, name)
        }
    }
}
