//! Events on events.k8s.io. The same news about the same object is one event that counts, not many.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::{Event as ApiEvent, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{Patch, PatchParams, PostParams};
use kube::core::ObjectMeta;
use kube::{Api, Client};
use plimsoll_api::hpa::Event;
use plimsoll_engine::{At, seconds};
use serde_json::json;

use crate::FIELD_MANAGER;
use crate::act;
use crate::clock;
use crate::kinds::Subject;

/// Who tells, as events say it.
const REPORTER: &str = "plimsoll.dev/controller";
/// The longest note that the API server takes, in bytes.
const LONGEST_NOTE: usize = 1024;
/// For how long the same news is one event.
const SERIES_US: i64 = seconds(360);
/// How often a series is written at most; what is counted between is written with the next.
const SERIES_WRITE_US: i64 = seconds(60);

/// What makes news the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct News {
    uid: String,
    reason: String,
    note: String,
}

/// What was told before.
#[derive(Debug, Clone, PartialEq)]
struct Before {
    name: String,
    count: i32,
    last: At,
    written: At,
}

/// What is to be sent.
#[derive(Debug, Clone, PartialEq)]
enum Send {
    New(String),
    Series { name: String, count: i32 },
    Nothing,
}

/// Tells events.
pub(crate) struct Teller {
    client: Client,
    instance: String,
    before: Mutex<BTreeMap<News, Before>>,
}

impl Teller {
    /// Tells through this client, as this replica.
    #[must_use]
    pub(crate) fn new(client: Client, instance: String) -> Self {
        Teller { client, instance, before: Mutex::default() }
    }

    /// Tells events about an autoscaler. An event that cannot be told is only logged: it must not stop anything.
    pub(crate) async fn tell(&self, subject: &Subject, events: &[Event]) {
        for event in events {
            let at = clock::now();
            let news = News {
                uid: subject.uid.clone(),
                reason: event.reason.to_string(),
                note: cut(&event.message).to_owned(),
            };
            let send = {
                let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
                weigh(&mut before, &news, &subject.key.name, at)
            };
            if let Err(error) = act::within_limit(self.send(subject, event, &news, at, send)).await {
                tracing::debug!(%error, object = %subject.key, reason = %news.reason, "an event was not told");
            }
        }
    }

    async fn send(
        &self,
        subject: &Subject,
        event: &Event,
        news: &News,
        at: At,
        send: Send,
    ) -> Result<(), kube::Error> {
        let api: Api<ApiEvent> = Api::namespaced(self.client.clone(), &subject.key.namespace);
        let time = MicroTime(clock::timestamp(at));
        match send {
            Send::Nothing => {}
            Send::New(name) => {
                let told = self.event(subject, event, news, name, time);
                let params = PostParams { dry_run: false, field_manager: Some(FIELD_MANAGER.to_owned()) };
                api.create(&params, &told).await?;
            }
            Send::Series { name, count } => {
                let series = EventSeries { count, last_observed_time: time };
                let patch = Patch::Merge(json!({ "series": series }));
                let params =
                    PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PatchParams::default() };
                match api.patch(&name, &params, &patch).await {
                    // It has expired: the next time it is new again.
                    Err(kube::Error::Api(status)) if status.code == 404 => {
                        self.before.lock().unwrap_or_else(PoisonError::into_inner).remove(news);
                    }
                    other => drop(other?),
                }
            }
        }
        Ok(())
    }

    fn event(
        &self,
        subject: &Subject,
        event: &Event,
        news: &News,
        name: String,
        time: MicroTime,
    ) -> ApiEvent {
        let key = &subject.key;
        ApiEvent {
            metadata: ObjectMeta {
                name: Some(name),
                namespace: Some(key.namespace.clone()),
                ..ObjectMeta::default()
            },
            action: Some(action(&news.reason).to_owned()),
            event_time: Some(time),
            note: Some(news.note.clone()),
            reason: Some(news.reason.clone()),
            regarding: Some(ObjectReference {
                api_version: Some(key.kind.api_version().to_owned()),
                kind: Some(key.kind.name().to_owned()),
                name: Some(key.name.clone()),
                namespace: Some(key.namespace.clone()),
                uid: Some(subject.uid.clone()),
                resource_version: Some(subject.resource_version.clone()),
                field_path: None,
            }),
            reporting_controller: Some(REPORTER.to_owned()),
            reporting_instance: Some(self.instance.chars().take(128).collect()),
            type_: Some(event.kind.as_str().to_owned()),
            ..ApiEvent::default()
        }
    }
}

/// Decides how news is told, given what was told before.
fn weigh(before: &mut BTreeMap<News, Before>, news: &News, object: &str, at: At) -> Send {
    before.retain(|_, told| at.since(told.last) < SERIES_US);
    match before.get_mut(news) {
        None => {
            let name = format!("{object}.{:x}", at.0);
            let told = Before { name: name.clone(), count: 1, last: at, written: at };
            before.insert(news.clone(), told);
            Send::New(name)
        }
        Some(told) => {
            told.count = told.count.saturating_add(1);
            told.last = at;
            // The second one is written at once, so that one sees that it goes on.
            if told.count > 2 && at.since(told.written) < SERIES_WRITE_US {
                return Send::Nothing;
            }
            told.written = at;
            Send::Series { name: told.name.clone(), count: told.count }
        }
    }
}

fn action(reason: &str) -> &'static str {
    if reason.contains("Rescale") { "Rescale" } else { "Sync" }
}

/// The part of a note that the API server takes, cut between characters.
fn cut(note: &str) -> &str {
    let mut end = note.len().min(LONGEST_NOTE);
    while !note.is_char_boundary(end) {
        end -= 1;
    }
    note.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(note: &str) -> News {
        News { uid: "u".to_owned(), reason: "FailedGetScale".to_owned(), note: note.to_owned() }
    }

    #[test]
    fn the_same_news_is_one_event_that_counts() {
        let mut before = BTreeMap::new();
        let at = At::from_secs;
        let Send::New(name) = weigh(&mut before, &news("a"), "web", at(100)) else { panic!() };
        assert_eq!(
            weigh(&mut before, &news("a"), "web", at(115)),
            Send::Series { name: name.clone(), count: 2 }
        );
        assert_eq!(weigh(&mut before, &news("a"), "web", at(130)), Send::Nothing);
        assert_eq!(weigh(&mut before, &news("a"), "web", at(175)), Send::Series { name, count: 4 });
        assert!(
            matches!(weigh(&mut before, &news("b"), "web", at(176)), Send::New(_)),
            "other words are news"
        );
        assert!(
            matches!(weigh(&mut before, &news("a"), "web", at(600)), Send::New(_)),
            "after a while it is new again"
        );
    }

    #[test]
    fn a_long_note_is_cut_between_characters() {
        let long = "é".repeat(1000);
        assert_eq!(cut(&long).len(), 1024);
        assert_eq!(cut("short"), "short");
    }
}
