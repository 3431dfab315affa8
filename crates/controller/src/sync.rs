//! One sync: observe, ask the engine, act, remember, tell.

use plimsoll_engine::{Act, At, Decision, DryRun, Memory, Outcome, decide, seconds};

use crate::act::{self, Unwritten};
use crate::checkpoint::{self, Due, Ending, Restored};
use crate::clock::{self, Tick};
use crate::context::Context;
use crate::index::Workload;
use crate::key::{Key, Kind};
use crate::kinds::{Plan, Subject, Told};
use crate::life::Life;
use crate::measure::{Took, measure};
use crate::observe::{Freshness, Seen, look};
use crate::record::{About, Record, look_ahead};
use crate::schedule::{next_turn, phase};
use crate::takeover::Stance;
use crate::tell;

/// How often a decision is made afresh when someone else keeps writing the target.
const MOST_ATTEMPTS: usize = 8;
/// How soon an object is looked at again that could not be synced at all.
const RETRY_US: i64 = 5_000_000;

/// Syncs one autoscaler and says when its next turn is; `None` if it is gone.
pub(crate) async fn sync(cx: &Context, key: &Key) -> Option<At> {
    let subject = cx.index().subject(key)?;
    let period_us =
        subject.plan.as_ref().map_or(clock::micros(cx.config.hpa.sync_period), |plan| plan.policy.cadence_us);
    let turn = |now: At| next_turn(now, phase(&key.namespace, &subject.uid, period_us), period_us);
    if key.kind == Kind::Hpa {
        match cx.takeover().stance(clock::now()) {
            Stance::Manage => {}
            Stance::Look { until } => return Some(until),
            Stance::Stop => return Some(turn(clock::now())),
        }
    }
    let life = cx.life(key);
    let mut life = life.lock().await;
    life.follow(&subject);
    let start = Tick::now();
    let told = match &subject.plan {
        Err(refused) => tell::refused(cx, &subject, &mut life, refused).await,
        Ok(plan) => match one(cx, &subject, plan, &mut life, turn(clock::now())).await {
            Ok(done) => finish(cx, &subject, plan, &mut life, done, start).await,
            Err(problem) => {
                tracing::warn!(object = %key, %problem, "cannot be synced now; trying again");
                return Some(clock::now().plus(RETRY_US));
            }
        },
    };
    if cx.index().subject(key).is_none() {
        // It went while it was synced: nothing of it may stay.
        cx.forget(key);
        return None;
    }
    let now = clock::now();
    Some(match told.again_secs {
        // It is looked at again when it changes; once an hour all the same, in case that is missed.
        Some(0) => now.plus(seconds(3600)),
        Some(secs) if seconds(secs) != period_us => now.plus(seconds(secs)),
        _ => turn(now),
    })
}

/// What one sync came to.
struct Done {
    seen: Seen,
    before: Memory,
    decision: Decision,
    outcome: Outcome,
}

/// Observes, decides, acts and remembers; afresh as long as someone else wrote the target meanwhile.
async fn one(
    cx: &Context,
    subject: &Subject,
    plan: &Plan,
    life: &mut Life,
    next: At,
) -> Result<Done, String> {
    let mut seen = look(cx, subject, plan, Freshness::Watched(life.scaled.as_deref())).await;
    let _acting = cx.acting.acquire().await;
    for attempt in 1.. {
        if let Some((_, target)) = &seen.target {
            restore(cx, subject, plan, life, target, seen.observation.at).await?;
        }
        life.status(subject).1.recall(&mut life.memory);
        let decision = decide(&plan.policy, &seen.observation, &life.memory, &mut life.trail);
        let outcome = match carry_out(cx, plan, life, &seen, &decision).await {
            Ok(outcome) => outcome,
            Err(Unwritten::Conflict(_)) if attempt < MOST_ATTEMPTS => {
                cx.telemetry.wrote("scale", "conflict");
                seen = look(cx, subject, plan, Freshness::Live).await;
                continue;
            }
            Err(Unwritten::Conflict(text) | Unwritten::Gone(text) | Unwritten::Refused(text)) => {
                cx.telemetry.wrote("scale", "refused");
                Outcome::Refused(text)
            }
        };
        let before = life.memory.clone();
        life.memory.settle(&plan.policy, &life.trail, &decision, &outcome);
        persist(cx, subject, plan, life, decision.at, next).await;
        return Ok(Done { seen, before, decision, outcome });
    }
    Err("someone else keeps writing the target".to_owned())
}

/// Brings back what was remembered of this target before this replica managed it.
async fn restore(
    cx: &Context,
    subject: &Subject,
    plan: &Plan,
    life: &mut Life,
    target: &Workload,
    now: At,
) -> Result<(), String> {
    match &life.target_uid {
        Some(uid) if *uid == target.uid => return Ok(()),
        Some(_) => {
            // Another target of the same name: its history is not this one's.
            life.memory = Memory::new(&plan.policy);
            life.scaled = None;
            life.kept.forget();
        }
        None => {
            life.memory = Memory::new(&plan.policy);
            if plan.checkpointed()
                && let Some(data) = cx.store.read(subject, &mut life.kept).await?
            {
                match checkpoint::judge(&data, &target.uid, target.scale.spec, now) {
                    Restored::Nothing => {}
                    Restored::Whole(memory) | Restored::Cut(memory) => life.memory = memory,
                }
            }
        }
    }
    life.target_uid = Some(target.uid.clone());
    Ok(())
}

/// Does what was decided.
async fn carry_out(
    cx: &Context,
    plan: &Plan,
    life: &mut Life,
    seen: &Seen,
    decision: &Decision,
) -> Result<Outcome, Unwritten> {
    let Some((place, target)) = seen.target.as_ref().filter(|_| decision.act == Act::Write) else {
        return Ok(Outcome::NotTried);
    };
    if plan.policy.dry_run != DryRun::Off {
        return Ok(Outcome::DryRun);
    }
    if !cx.fence.allows(Tick::now()) {
        return Err(Unwritten::Refused("this replica is no longer the leader".into()));
    }
    let version = act::write_scale(&cx.client, place, &target.resource_version, decision.to).await?;
    life.scaled = Some(version);
    cx.telemetry.wrote("scale", "ok");
    Ok(Outcome::Written)
}

/// Stores what is remembered, when that is due.
async fn persist(cx: &Context, subject: &Subject, plan: &Plan, life: &mut Life, now: At, next: At) {
    let Some(target_uid) = life.target_uid.clone().filter(|_| plan.checkpointed()) else { return };
    if life.kept.due(&life.memory, now, next) == Due::Now {
        store(cx, subject, life, &target_uid, now, Ending::Open).await;
    }
}

async fn store(cx: &Context, subject: &Subject, life: &mut Life, target_uid: &str, now: At, ending: Ending) {
    if !cx.fence.allows(Tick::now()) {
        return;
    }
    let written = cx.store.write(subject, &mut life.kept, &life.memory, target_uid, now, ending).await;
    match written {
        Ok(()) => {
            cx.telemetry.wrote("checkpoint", "ok");
            life.unstored = None;
        }
        Err(error) => {
            cx.telemetry.wrote("checkpoint", "refused");
            if life.unstored.as_ref() != Some(&error) {
                tracing::warn!(object = %subject.key, %error, "the checkpoint was not written: a restart would delay shrinking");
                life.unstored = Some(error);
            }
        }
    }
}

/// Stores what is remembered for good, because this controller ends.
pub(crate) async fn store_for_good(cx: &Context, key: &Key, life: &mut Life) {
    let Some(subject) = cx.index().subject(key).filter(|subject| subject.uid == life.uid) else { return };
    let checkpointed = subject.plan.as_ref().is_ok_and(Plan::checkpointed);
    if let (Some(target_uid), Some(synced), true) = (life.target_uid.clone(), life.synced, checkpointed) {
        store(cx, &subject, life, &target_uid, synced, Ending::Clean).await;
    }
}

/// Tells what happened, in every way it is told.
async fn finish(
    cx: &Context,
    subject: &Subject,
    plan: &Plan,
    life: &mut Life,
    done: Done,
    start: Tick,
) -> Told {
    let Done { seen, before, decision, outcome } = done;
    let (told, news) = tell::compose(subject, plan, life, &seen, &decision, &outcome);
    let About { key, uid, target, metrics, shown } = subject.about(plan);
    let record = Record {
        key,
        uid,
        target,
        metrics,
        shown,
        policy: plan.policy.clone(),
        outlook: look_ahead(&plan.policy, &seen.observation, &life.memory, &decision),
        seen: seen.observation,
        before,
        trail: life.trail.clone(),
        decision,
        outcome,
        after: life.memory.clone(),
        error: told.error.clone(),
    };
    // Before anything more is sent: whoever kills it now finds the decision in the journal.
    let record = cx.keep(record);
    tell::send(cx, subject, life, &told, news).await;
    let took = Took { all: Tick::now().since(start), metrics: seen.took };
    measure(cx, subject, plan, life, &seen.gate, &record, &took);
    life.synced = Some(record.decision.at);
    told
}
