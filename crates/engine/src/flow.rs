//! The order of the stages: the only place that knows it.

use std::ops::ControlFlow;

use crate::decision::{Act, Cause, Decision, Notes};
use crate::memory::Memory;
use crate::observation::{Observation, Scale};
use crate::policy::{Bounds, Counted, Entry, Policy};
use crate::stage::{admit, bound, combine, enter, hold, stabilize};
use crate::trail::Trail;

/// Goes on with the next stage, or ends with a decision.
pub(crate) type Flow<T> = ControlFlow<Decision, T>;

/// What every stage may look at.
pub(crate) struct Cx<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) seen: &'a Observation,
    pub(crate) memory: &'a Memory,
    pub(crate) bounds: Bounds,
}

/// The scale as it was read, with the number that counts as current.
#[derive(Clone, Copy)]
pub(crate) struct Current {
    pub(crate) scale: Scale,
    pub(crate) replicas: i32,
}

impl Cx<'_> {
    pub(crate) fn current(&self, scale: Scale) -> Current {
        let replicas = match self.policy.counted {
            Counted::Spec => scale.spec,
            Counted::Status => scale.status,
        };
        Current { scale, replicas }
    }

    pub(crate) fn write(&self, from: i32, to: i32, cause: Cause, notes: Notes) -> Decision {
        Decision { at: self.seen.at, from, to, act: Act::Write, cause, notes }
    }

    pub(crate) fn keep(&self, from: i32, cause: Cause, notes: Notes) -> Decision {
        Decision { at: self.seen.at, from, to: from, act: Act::Keep, cause, notes }
    }

    pub(crate) fn abort(&self, from: i32, notes: Notes) -> Decision {
        Decision { at: self.seen.at, from, to: from, act: Act::Abort, cause: Cause::Unnamed, notes }
    }
}

/// Decides how many replicas the target should have now.
///
/// Reads the memory but never changes it: [`Memory::settle`] does that, once the outcome is known. The trail is
/// emptied first and then holds what each stage did, in order.
#[must_use]
pub fn decide(policy: &Policy, seen: &Observation, memory: &Memory, trail: &mut Trail) -> Decision {
    trail.steps.clear();
    let bounds = seen.bounds.unwrap_or(policy.bounds);
    let cx = Cx { policy, seen, memory, bounds };
    match flow(&cx, trail) {
        ControlFlow::Break(decision) | ControlFlow::Continue(decision) => decision,
    }
}

fn flow(cx: &Cx<'_>, trail: &mut Trail) -> Flow<Decision> {
    let (current, notes) = admit::admit(cx, trail)?;
    if cx.policy.entry == Entry::BoundsFirst {
        enter::bounds_first(cx, current, notes, trail)?;
    }
    let (wish, notes) = combine::combine(cx, current, notes, trail)?;
    let (stable, notes) = stabilize::stabilize(cx, current, wish, notes, trail);
    let bounded = bound::bound(cx, current, stable, trail);
    let decision = hold::hold(cx, current, bounded, notes, trail);
    if cx.policy.entry == Entry::BoundsLast {
        enter::bounds_last(cx, current, &decision, trail)?;
    }
    ControlFlow::Continue(decision)
}
