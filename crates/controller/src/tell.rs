//! Tells what happened: status, events, and one line in the log for each change.

use plimsoll_api::hpa::Event;
use plimsoll_engine::{Decision, Outcome};
use serde::Deserialize;
use serde_json::Value;

use crate::act::{self, Unwritten};
use crate::checkpoint::place_of;
use crate::clock::{self, Tick};
use crate::context::Context;
use crate::key::Kind;
use crate::kinds::{Plan, Refused, Scene, Status, Subject, Told};
use crate::life::Life;
use crate::observe::Seen;
use crate::takeover::Intrusion;

/// How often a status is written over a version that was there first.
const MOST_ATTEMPTS: usize = 3;

/// What matters of an object that was read or written.
#[derive(Deserialize)]
struct Stored {
    metadata: kube::core::ObjectMeta,
}

/// A status to be written, and the one it follows.
pub(crate) struct News {
    from: (String, Status),
    status: Status,
}

/// Puts into words what came of a decision, and logs it.
pub(crate) fn compose(
    subject: &Subject,
    plan: &Plan,
    life: &mut Life,
    seen: &Seen,
    decision: &Decision,
    outcome: &Outcome,
) -> (Told, News) {
    let from = life.status(subject);
    let mut status = from.1.clone();
    let selector = seen.target.as_ref().map_or("", |(_, target)| target.selector.as_str());
    let scene =
        Scene { gate: &seen.gate, selector, memory: &life.memory, trail: &life.trail, decision, outcome };
    let told = subject.tell(plan, &mut status, &scene);
    log(subject, plan, life, decision, outcome, &told);
    (told, News { from, status })
}

/// Writes the status if it has changed, and tells the events.
pub(crate) async fn send(cx: &Context, subject: &Subject, life: &mut Life, told: &Told, news: News) {
    let News { from: (version, before), status } = news;
    if status.differs(&before, clock::now()) {
        write(cx, subject, life, version, status).await;
    }
    if !told.events.is_empty() && cx.fence.allows(Tick::now()) {
        cx.teller.tell(subject, &told.events).await;
    }
}

/// Tells that an object cannot be managed as it is written.
pub(crate) async fn refused(cx: &Context, subject: &Subject, life: &mut Life, refused: &Refused) -> Told {
    let from = life.status(subject);
    let mut status = from.1.clone();
    let mut told = subject.refuse(refused, &mut status, clock::now());
    if told.error == life.error {
        // Said once, not at every look.
        told.events.clear();
    } else {
        tracing::warn!(object = %subject.key, problem = told.error, "the spec cannot be used");
        life.error.clone_from(&told.error);
    }
    send(cx, subject, life, &told, News { from, status }).await;
    told
}

/// Tells loudly that someone else manages the HPAs.
pub(crate) async fn intruded(cx: &Context, subject: &Subject, intrusion: &Intrusion) {
    let by = &intrusion.by;
    let message = format!(
        "{by} also writes the status of HorizontalPodAutoscalers: Plimsoll has stopped writing all of them. \
         Turn the other controller off (kube-controller-manager: --controllers=*,-horizontal-pod-autoscaler-controller), \
         then restart Plimsoll"
    );
    tracing::error!(object = %subject.key, "{message}");
    cx.telemetry.foreign_writer(true);
    if cx.fence.allows(Tick::now()) {
        cx.teller.tell(subject, &[Event::warning("ForeignWriter", message)]).await;
    }
}

fn log(subject: &Subject, plan: &Plan, life: &mut Life, decision: &Decision, outcome: &Outcome, told: &Told) {
    let (object, target) = (&subject.key, &plan.target);
    let (from, to) = (decision.from, decision.to);
    let why = || told.events.iter().map(|event| event.message.as_str()).collect::<Vec<_>>().join("; ");
    match outcome {
        Outcome::Written => tracing::info!(%object, %target, from, to, why = why(), "scaled"),
        Outcome::DryRun if from != to => tracing::info!(%object, %target, from, to, why = why(), "dry run"),
        Outcome::Refused(error) => tracing::warn!(%object, %target, from, to, %error, "not scaled"),
        Outcome::DryRun | Outcome::NotTried => {}
    }
    if told.error != life.error {
        match &told.error {
            Some(error) => tracing::warn!(%object, %target, %error, "cannot decide fully"),
            None => tracing::info!(%object, %target, "decides again"),
        }
        life.error.clone_from(&told.error);
    }
}

/// Writes a status over the version it was made from; over a newer one if only that is in the way.
async fn write(cx: &Context, subject: &Subject, life: &mut Life, version: String, status: Status) {
    let path = place_of(subject).path("status");
    let mut body = subject.with_status(&status, &version);
    for _ in 0..MOST_ATTEMPTS {
        if !cx.fence.allows(Tick::now()) {
            return;
        }
        let bytes = serde_json::to_vec(&body).unwrap_or_default();
        match act::put::<Stored>(&cx.client, &path, bytes).await {
            Ok(stored) => {
                cx.telemetry.wrote("status", "ok");
                life.told = Some((stored.metadata.resource_version.unwrap_or_default(), status));
                return;
            }
            Err(Unwritten::Conflict(_)) => {
                cx.telemetry.wrote("status", "conflict");
                match newest(cx, subject).await {
                    Some(newest) => body = over(newest, &mut body),
                    None => return,
                }
            }
            Err(Unwritten::Gone(_)) => return,
            Err(Unwritten::Refused(error)) => {
                cx.telemetry.wrote("status", "refused");
                tracing::warn!(object = %subject.key, %error, "the status was not written");
                return;
            }
        }
    }
}

/// The object as it is now, if it is the same one with the same generation.
async fn newest(cx: &Context, subject: &Subject) -> Option<Value> {
    let request = http::Request::get(place_of(subject).path("status")).body(Vec::new()).ok()?;
    let found: Value = act::call(&cx.client, request).await.ok()?;
    let stored = Stored::deserialize(&found).ok()?;
    let same = stored.metadata.uid.as_deref() == Some(&subject.uid)
        && stored.metadata.generation == subject.generation;
    same.then_some(found)
}

/// The newest object with the status of ours. All else stays as it is there: the API server takes labels and
/// annotations from a written status too, so an older copy would undo what someone else has just changed.
fn over(mut newest: Value, ours: &mut Value) -> Value {
    if let (Some(newest), Some(status)) = (newest.as_object_mut(), ours.get_mut("status")) {
        newest.insert("status".to_owned(), status.take());
    }
    newest
}

/// Sees whether anyone else writes an HPA's status, and tells it the first time.
pub(crate) async fn watch_for_others(cx: &Context, subject: &Subject) {
    if subject.key.kind != Kind::Hpa {
        return;
    }
    let intrusion = cx.takeover().see(subject);
    if let Some(intrusion) = intrusion {
        intruded(cx, subject, &intrusion).await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_written_over_a_newer_version_keeps_what_others_changed_there() {
        let there =
            json!({"metadata": {"resourceVersion": "8", "annotations": {"a": "new"}}, "status": {"x": 1}});
        let mut ours =
            json!({"metadata": {"resourceVersion": "7", "annotations": {"a": "old"}}, "status": {"x": 2}});
        assert_eq!(
            over(there, &mut ours),
            json!({"metadata": {"resourceVersion": "8", "annotations": {"a": "new"}}, "status": {"x": 2}})
        );
    }
}
