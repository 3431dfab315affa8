//! The voice of an Autoscaler: everything a HorizontalPodAutoscaler tells, in the same words, and the last decision.

mod columns;
mod decision;
mod due;

use plimsoll_engine::{Act, At, Decision, DryRun, Memory, Outcome, Recalled, Side, Step, Trail, Waiting};

use super::calendar::InForce;
use super::lower::Lowered;
use super::status::{AutoscalerStatus, FallbackStatus};
use crate::condition::Status::{False, True};
use crate::condition::{Conditions, Status as Holds, to_time};
use crate::explain;
use crate::field::FieldError;
use crate::hpa::tell::{ABLE, ACTIVE, rescale_reason};
use crate::hpa::{self, Event, Told};

pub use due::is_due;

/// The condition that says whether the spec makes sense.
const SPEC_VALID: &str = "SpecValid";

/// What the status says: what a HorizontalPodAutoscaler's says, and more.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Status {
    /// What a HorizontalPodAutoscaler's status says.
    pub base: hpa::Status,
    /// Everything else; the fields of `base` are empty in it.
    pub more: AutoscalerStatus,
}

impl Status {
    /// As the API server has it.
    #[must_use]
    pub fn from_object(object: &AutoscalerStatus) -> Self {
        let mut more = object.clone();
        let base = hpa::Status::from_object(&hpa::HorizontalPodAutoscalerStatus {
            observed_generation: more.observed_generation.take(),
            last_scale_time: more.last_scale_time.take(),
            current_replicas: more.current_replicas.take(),
            desired_replicas: more.desired_replicas.take().unwrap_or_default(),
            current_metrics: more.current_metrics.take(),
            conditions: more.conditions.take(),
        });
        Status { base, more }
    }

    /// As the API server takes it.
    #[must_use]
    pub fn to_object(&self) -> AutoscalerStatus {
        let base = self.base.to_object();
        AutoscalerStatus {
            observed_generation: base.observed_generation,
            last_scale_time: base.last_scale_time,
            current_replicas: Some(self.base.current_replicas),
            desired_replicas: Some(base.desired_replicas),
            current_metrics: base.current_metrics,
            conditions: base.conditions,
            ..self.more.clone()
        }
    }

    /// Puts into the memory what only the status knows; how long wishes have lasted stays as remembered.
    pub fn recall(&self, memory: &mut Memory) {
        let Recalled { last_scale, slept, .. } = self.base.recalled();
        memory.recalled = Recalled { last_scale, slept, ..memory.recalled };
    }
}

/// What happened at one sync.
#[derive(Debug, Clone, Copy)]
pub struct Sync<'a> {
    /// The generation of the object.
    pub generation: Option<i64>,
    /// The bounds in force.
    pub in_force: &'a InForce,
    /// What is remembered, this sync included.
    pub memory: &'a Memory,
    /// What each stage did.
    pub trail: &'a Trail,
    /// What was decided.
    pub decision: &'a Decision,
    /// What became of it.
    pub outcome: &'a Outcome,
}

/// Rewrites `status` (the previous one) by what happened.
pub fn tell(status: &mut Status, lowered: &Lowered, sync: &Sync<'_>) -> Told {
    let Sync { generation, in_force, trail, decision, outcome, .. } = *sync;
    let at = decision.at;
    let known = status.base.current_replicas;
    let before = status.base.conditions.clone();
    let desired_before = status.base.desired_replicas;
    let mut told = match blocked(trail) {
        Some(by) => {
            let text = format!("scaling is blocked: {by}");
            set(&mut status.base.conditions, &before, at, ABLE, False, "ScalingBlocked", &text);
            Told::default()
        }
        None => hpa::tell(&mut status.base, &lowered.base, generation, trail, decision, outcome),
    };
    waits(&mut status.base.conditions, &before, sync);
    let stand_in = stand_in(lowered, trail);
    if let Some(text) = stand_in.as_ref().filter(|_| decision.act != Act::Abort) {
        set(&mut status.base.conditions, &before, at, ACTIVE, True, "StandInUsed", text);
    }
    if *outcome == Outcome::DryRun {
        dry_run(status, &before, lowered, sync, desired_before, &mut told);
    }
    set(&mut status.base.conditions, &before, at, SPEC_VALID, True, "Valid", "the spec makes sense");
    // Where the scale was not read, what was known of it before is still the best to tell.
    let unread = Decision { from: known, to: known, ..decision.clone() };
    let read = trail.steps.iter().any(|step| matches!(step, Step::Read(_)));
    let sync = &Sync { decision: if read { decision } else { &unread }, ..*sync };
    status.more = AutoscalerStatus {
        reference: Some(lowered.target.clone()),
        min_replicas: Some(in_force.bounds.min),
        max_replicas: Some(in_force.bounds.max),
        targets: Some(columns::targets(lowered, trail)),
        why: Some(columns::why(lowered, trail, sync.decision, outcome)),
        mode: Some(mode(lowered).to_owned()),
        active_schedule: (!in_force.active.is_empty()).then(|| in_force.active.join(",")),
        fallback: fallback(lowered, trail),
        last_decision: Some(decision::last(lowered, sync)),
        ..AutoscalerStatus::default()
    };
    told
}

/// Rewrites `status` for a spec that makes no sense: nothing is scaled until it does.
pub fn refuse(status: &mut Status, generation: Option<i64>, errors: &[FieldError], at: At) -> Told {
    let first = errors.first().map_or_else(String::new, ToString::to_string);
    let text = match errors.len() {
        0 | 1 => first,
        more => format!("{first} (and {} more)", more - 1),
    };
    let before = status.base.conditions.clone();
    let known = before.get(SPEC_VALID).is_some_and(|it| it.status == False.as_str() && it.message == text);
    let conditions = &mut status.base.conditions;
    set(conditions, &before, at, SPEC_VALID, False, "InvalidSpec", &text);
    let stopped = format!("nothing is scaled until the spec is corrected: {text}");
    set(conditions, &before, at, ACTIVE, False, "InvalidSpec", &stopped);
    status.base.observed_generation = generation;
    status.more.why = Some(columns::short(&format!("invalid spec: {text}")));
    let mut told = Told { events: Vec::new(), error: Some(format!("invalid spec: {text}")) };
    // Said once, not at every look.
    if !known {
        told.events.push(Event::warning("InvalidSpec", text));
    }
    told
}

fn mode(lowered: &Lowered) -> &'static str {
    if lowered.policy().dry_run == DryRun::Off { "Active" } else { "DryRun" }
}

fn blocked(trail: &Trail) -> Option<&str> {
    trail.steps.iter().find_map(|step| match step {
        Step::Blocked(blocked) => Some(&*blocked.by),
        _ => None,
    })
}

/// Writes a condition whose time only moves when it differs from before this sync.
fn set(
    conditions: &mut Conditions,
    before: &Conditions,
    at: At,
    kind: &'static str,
    holds: Holds,
    reason: &'static str,
    message: &str,
) {
    conditions.set(at, kind, holds, reason, format_args!("{message}"));
    let since = before.get(kind).filter(|it| it.status == holds.as_str()).map(|it| it.since);
    if let (Some(since), Some(now)) = (since, conditions.0.iter_mut().find(|it| it.kind == kind)) {
        now.since = since;
    }
}

/// Why a change has to wait, as the reason and the message of `AbleToScale`.
pub(super) fn waiting(on: Waiting) -> (&'static str, &'static str) {
    match on {
        Waiting::Cooldown(Side::Up) => {
            ("BackoffUpscale", "the time since the last scaling is still within scaleUp.cooldownSeconds")
        }
        Waiting::Cooldown(Side::Down) => {
            ("BackoffDownscale", "the time since the last scaling is still within scaleDown.cooldownSeconds")
        }
        Waiting::Delay(Side::Up) => {
            ("ScaleUpDelayed", "the wish to grow has not lasted for scaleUp.breachDelaySeconds yet")
        }
        Waiting::Delay(Side::Down) => {
            ("ScaleDownDelayed", "the wish to shrink has not lasted for scaleDown.breachDelaySeconds yet")
        }
        Waiting::Suspended(Side::Up) => ("ScaleUpSuspended", "growing is suspended"),
        Waiting::Suspended(Side::Down) => ("ScaleDownSuspended", "shrinking is suspended"),
        Waiting::Availability => {
            ("TooFewAvailable", "fewer pods are ready than minAvailablePercent asks for")
        }
    }
}

fn waits(conditions: &mut Conditions, before: &Conditions, sync: &Sync<'_>) {
    for step in &sync.trail.steps {
        if let Step::Waits { on, .. } = step {
            let (reason, message) = waiting(*on);
            set(conditions, before, sync.decision.at, ABLE, False, reason, message);
        }
    }
}

/// What is said when the chosen proposal is one that stands in for a missing metric.
fn stand_in(lowered: &Lowered, trail: &Trail) -> Option<String> {
    let winner = trail.steps.iter().find_map(|step| match step {
        Step::Combined { winner, .. } => Some(*winner),
        _ => None,
    })?;
    trail.steps.iter().find_map(|step| match step {
        Step::StandIn { index, to: Some(to), .. } if *index == winner => {
            let name = lowered.shown.get(usize::from(*index)).map_or("the metric", |it| &it.name);
            Some(format!("{name} cannot be read, and its onMissing proposes {to} replicas"))
        }
        _ => None,
    })
}

fn fallback(lowered: &Lowered, trail: &Trail) -> Option<FallbackStatus> {
    trail.steps.iter().find_map(|step| match step {
        Step::StandIn { index, to: Some(to), since } => Some(FallbackStatus {
            metric: columns::short(lowered.shown.get(usize::from(*index)).map_or("", |it| &it.name)),
            since: Some(to_time(*since)),
            replicas: *to,
        }),
        _ => None,
    })
}

fn dry_run(
    status: &mut Status,
    before: &Conditions,
    lowered: &Lowered,
    sync: &Sync<'_>,
    desired_before: i32,
    told: &mut Told,
) {
    let to = sync.decision.to;
    let text = format!("the mode is DryRun: the target scale would have been updated to {to}");
    set(&mut status.base.conditions, before, sync.decision.at, ABLE, True, "DryRun", &text);
    status.base.desired_replicas = to;
    // The same wish at every sync is no news.
    if desired_before != to {
        let reason = rescale_reason(lowered.words(), sync.decision.cause);
        told.events.push(Event::normal("DryRun", format!("Would be new size: {to}; reason: {reason}")));
    }
}

/// The one sentence about a decision.
fn sentence(lowered: &Lowered, trail: &Trail, decision: &Decision) -> String {
    explain::why(trail, decision, &lowered.shown)
}

#[cfg(test)]
mod tests;
