//! History that survives a restart: one AutoscalerCheckpoint per autoscaler, written when it matters and read once.
//!
//! A scaling is persisted in the sync that makes it, a changed recommendation within half a minute, and a steady fleet
//! writes nothing. What a crash loses counts as the current replicas, which can only delay shrinking.

mod wire;

use kube::Client;
use kube::core::ObjectMeta;
use plimsoll_engine::{At, History, Memory, seconds};
use serde::{Deserialize, Serialize};

use crate::act::{self, Place, Unwritten};
use crate::kinds::Subject;
use crate::metrics::apis::segment;

/// The group and version of the checkpoint's kind.
pub(crate) const API_VERSION: &str = "plimsoll.dev/v1alpha1";
/// The checkpoint's kind.
pub(crate) const KIND: &str = "AutoscalerCheckpoint";
/// How long a change that is no scaling may stay unwritten.
const LONGEST_UNWRITTEN_US: i64 = seconds(30);

/// The object as the API server stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AutoscalerCheckpoint {
    /// Always [`API_VERSION`].
    pub api_version: String,
    /// Always [`KIND`].
    pub kind: String,
    /// Its name is made from the autoscaler's kind and UID.
    pub metadata: ObjectMeta,
    /// What is kept.
    pub data: Data,
}

/// What is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Data {
    /// The autoscaler, for people who look at it.
    pub autoscaler: String,
    /// The UID of the target whose history this is.
    #[serde(rename = "targetUID")]
    pub target_uid: String,
    /// The last sync that is in it, in microseconds since 1970.
    pub at: i64,
    /// Whether the controller ended in good order after writing it, so that nothing is missing.
    pub clean: bool,
    /// The memory: at most 64 KiB.
    pub memory: String,
}

/// What was written last, to tell whether it must be written again.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// The version that is stored; `None` if nothing is.
    resource_version: Option<String>,
    /// What mattered of it.
    gist: Option<Gist>,
    /// Since when something unwritten has been waiting.
    waiting_since: Option<At>,
}

/// What of a memory is worth a write when it changes.
#[derive(Debug, Clone, PartialEq)]
struct Gist {
    scalings: (usize, Option<At>),
    slow: Slow,
}

/// What may wait for half a minute.
#[derive(Debug, Clone, PartialEq)]
struct Slow {
    proposal: Option<i32>,
    breach: (Option<At>, Option<At>),
    failing: Vec<Option<At>>,
}

impl Gist {
    fn of(memory: &Memory) -> Gist {
        let changes = || memory.grown.iter().chain(&memory.shrunk);
        Gist {
            scalings: (changes().count(), changes().map(|change| change.at).max()),
            slow: Slow {
                proposal: memory.history.proposals().max_by_key(|(at, _)| *at).map(|(_, replicas)| replicas),
                breach: (memory.recalled.above_since, memory.recalled.below_since),
                failing: memory.metrics.iter().map(|metric| metric.failing_since).collect(),
            },
        }
    }
}

impl Kept {
    /// Whether the memory must be written now, if the next chance is at `next`.
    pub(crate) fn due(&mut self, memory: &Memory, now: At, next: At) -> Due {
        let gist = Gist::of(memory);
        let Some(kept) = &self.gist else {
            return Due::Now;
        };
        if kept.scalings != gist.scalings {
            return Due::Now;
        }
        if kept.slow == gist.slow {
            self.waiting_since = None;
            return Due::Never;
        }
        let since = *self.waiting_since.get_or_insert(now);
        if next.since(since) >= LONGEST_UNWRITTEN_US { Due::Now } else { Due::Later }
    }

    fn written(&mut self, memory: &Memory, resource_version: Option<String>) {
        self.resource_version = resource_version;
        self.gist = Some(Gist::of(memory));
        self.waiting_since = None;
    }

    /// Starts over: what is stored belongs to another target, or is to be replaced.
    pub(crate) fn forget(&mut self) {
        self.gist = None;
        self.waiting_since = None;
    }
}

/// When a memory must be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// Now.
    Now,
    /// Later, but not yet.
    Later,
    /// Nothing has changed.
    Never,
}

/// What a checkpoint is worth after a restart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Restored {
    /// There is none, or it is of no use: start with an empty memory.
    Nothing,
    /// Everything is there.
    Whole(Memory),
    /// The end is missing, and counts as the current replicas.
    Cut(Memory),
}

/// What a checkpoint says about this target, as it stands there.
#[must_use]
pub(crate) fn stored(data: &Data, target_uid: &str) -> Option<Memory> {
    (data.target_uid == target_uid).then(|| wire::read(&data.memory)).flatten()
}

/// Judges a checkpoint that was found after a restart.
#[must_use]
pub(crate) fn judge(data: &Data, target_uid: &str, current: i32, now: At) -> Restored {
    let Some(mut memory) = stored(data, target_uid) else { return Restored::Nothing };
    if data.clean {
        return Restored::Whole(memory);
    }
    let mut proposals: Vec<(At, i32)> = memory.history.proposals().collect();
    proposals.push((now, current));
    memory.history = History::Slots(proposals);
    Restored::Cut(memory)
}

/// Whether a checkpoint is the last word of a controller that ends in good order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It is: nothing comes after it.
    Clean,
    /// More is to come.
    Open,
}

/// Where checkpoints are kept.
#[derive(Clone)]
pub(crate) struct Store {
    client: Client,
}

impl Store {
    /// Kept through this client.
    #[must_use]
    pub(crate) fn new(client: Client) -> Self {
        Store { client }
    }

    /// Reads the checkpoint of an autoscaler, if there is one.
    pub(crate) async fn read(&self, subject: &Subject, kept: &mut Kept) -> Result<Option<Data>, String> {
        let request =
            http::Request::get(path(subject)).body(Vec::new()).map_err(|error| error.to_string())?;
        match act::call::<AutoscalerCheckpoint>(&self.client, request).await {
            Ok(found) => {
                kept.resource_version = found.metadata.resource_version;
                Ok(Some(found.data))
            }
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
            Err(error) => Err(act::words(&error)),
        }
    }

    /// Writes the checkpoint of an autoscaler.
    pub(crate) async fn write(
        &self,
        subject: &Subject,
        kept: &mut Kept,
        memory: &Memory,
        target_uid: &str,
        at: At,
        ending: Ending,
    ) -> Result<(), String> {
        let data = Data {
            autoscaler: format!("{}/{}", subject.key.kind.name(), subject.key.name),
            target_uid: target_uid.to_owned(),
            at: at.0,
            clean: ending == Ending::Clean,
            memory: wire::write(memory),
        };
        let mut retried = false;
        loop {
            match self.send(subject, kept.resource_version.clone(), &data).await {
                Ok(written) => {
                    kept.written(memory, written.metadata.resource_version);
                    return Ok(());
                }
                // Written or deleted by someone else meanwhile. We are fenced, so ours is the one that counts.
                Err(Unwritten::Conflict(_) | Unwritten::Gone(_)) if !retried => {
                    retried = true;
                    kept.resource_version = None;
                    self.read(subject, kept).await?;
                }
                Err(Unwritten::Conflict(text) | Unwritten::Gone(text) | Unwritten::Refused(text)) => {
                    return Err(text.to_string());
                }
            }
        }
    }

    async fn send(
        &self,
        subject: &Subject,
        resource_version: Option<String>,
        data: &Data,
    ) -> Result<AutoscalerCheckpoint, Unwritten> {
        let create = resource_version.is_none();
        let checkpoint = AutoscalerCheckpoint {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            metadata: ObjectMeta { resource_version, ..metadata(subject) },
            data: data.clone(),
        };
        let body =
            serde_json::to_vec(&checkpoint).map_err(|error| Unwritten::Refused(error.to_string().into()))?;
        if !create {
            return act::put(&self.client, &path(subject), body).await;
        }
        let request =
            http::Request::post(format!("{}?fieldManager={}", collection(subject), crate::FIELD_MANAGER))
                .header(http::header::CONTENT_TYPE, "application/json")
                .body(body)
                .map_err(|error| Unwritten::Refused(error.to_string().into()))?;
        act::call(&self.client, request).await.map_err(|error| act::unwritten(&error))
    }
}

/// The name of an autoscaler's checkpoint.
#[must_use]
pub(crate) fn name(subject: &Subject) -> String {
    format!("{}-{}", subject.key.kind.short(), subject.uid)
}

fn collection(subject: &Subject) -> String {
    format!("/apis/{API_VERSION}/namespaces/{}/autoscalercheckpoints", subject.key.namespace)
}

fn path(subject: &Subject) -> String {
    format!("{}/{}", collection(subject), segment(&name(subject)))
}

/// Owned by the autoscaler, so that it goes with it.
fn metadata(subject: &Subject) -> ObjectMeta {
    let owner = k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference {
        api_version: subject.key.kind.api_version().to_owned(),
        kind: subject.key.kind.name().to_owned(),
        name: subject.key.name.clone(),
        uid: subject.uid.clone(),
        controller: Some(true),
        block_owner_deletion: None,
    };
    ObjectMeta {
        name: Some(name(subject)),
        namespace: Some(subject.key.namespace.clone()),
        owner_references: Some(vec![owner]),
        ..ObjectMeta::default()
    }
}

/// Where an object's subresources are, for writing its status.
pub(crate) fn place_of(subject: &Subject) -> Place {
    let kind = subject.key.kind;
    Place {
        base: format!("/apis/{}", kind.api_version()),
        plural: format!("{}s", kind.name().to_ascii_lowercase()),
        namespace: subject.key.namespace.clone(),
        name: subject.key.name.clone(),
    }
}

#[cfg(test)]
mod tests;
