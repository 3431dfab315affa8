//! The outlook: when the next change up and down is possible at the earliest, and what it waits for.
//!
//! Asked for when someone wants to know; never part of a decision.

use serde::{Deserialize, Serialize};

use crate::flow::Cx;
use crate::memory::Memory;
use crate::observation::Observation;
use crate::policy::{Bounds, Limits, Policy, Rate, Select, Stabilize, Suspend};
use crate::stage::bound;
use crate::time::{At, seconds};
use crate::trail::Side;

/// When the next change is possible in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outlook {
    /// Growing.
    pub up: Next,
    /// Shrinking.
    pub down: Next,
}

/// When something is possible at the earliest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Next {
    /// At the next sync, as soon as the metrics ask for it.
    Now,
    /// Not before this moment.
    At {
        /// The moment.
        at: At,
        /// What is waited for.
        for_what: Barrier,
    },
    /// Not while the policy and the bounds stay as they are.
    Never(Barrier),
}

/// What stands in the way of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Barrier {
    /// Scaling in this direction is suspended.
    Suspended,
    /// The replicas are at the bound.
    Bound,
    /// The policies never allow this direction.
    Disabled,
    /// The policies allow nothing more in their period.
    Rate,
    /// Earlier proposals in the window.
    Stabilization,
    /// The cooldown after the last scaling.
    Cooldown,
    /// The wish must last.
    Delay,
}

/// When the next change is possible, seen from `at` with `current` replicas.
#[must_use]
pub fn outlook(policy: &Policy, bounds: Bounds, memory: &Memory, current: i32, at: At) -> Outlook {
    Outlook {
        up: next(policy, bounds, memory, current, at, Side::Up),
        down: next(policy, bounds, memory, current, at, Side::Down),
    }
}

fn next(policy: &Policy, bounds: Bounds, memory: &Memory, current: i32, at: At, side: Side) -> Next {
    if let Some(barrier) = closed(policy, bounds, current, side) {
        return Next::Never(barrier);
    }
    let rate = match rate_opens(policy, bounds, memory, current, at, side) {
        Some(opens) => opens,
        None => return Next::Never(Barrier::Disabled),
    };
    let waits = [
        (rate, Barrier::Rate),
        (stabilization_ends(policy, memory, current, at, side), Barrier::Stabilization),
        (cooldown_ends(policy, memory, side).unwrap_or(at), Barrier::Cooldown),
        (delay_ends(policy, memory, at, side), Barrier::Delay),
    ];
    let (when, barrier) = waits.into_iter().max_by_key(|(when, _)| *when).unwrap_or((at, Barrier::Rate));
    if when <= at { Next::Now } else { Next::At { at: when, for_what: barrier } }
}

/// What keeps this direction closed for good.
fn closed(policy: &Policy, bounds: Bounds, current: i32, side: Side) -> Option<Barrier> {
    match (policy.suspend, side) {
        (Suspend::All, _) | (Suspend::Up, Side::Up) | (Suspend::Down, Side::Down) => {
            return Some(Barrier::Suspended);
        }
        _ => {}
    }
    match side {
        Side::Up if current >= bounds.max => Some(Barrier::Bound),
        Side::Down if current <= bounds.min => Some(Barrier::Bound),
        _ => None,
    }
}

/// When the policies next allow at least one replica of change; `None` if they never do.
fn rate_opens(
    policy: &Policy,
    bounds: Bounds,
    memory: &Memory,
    current: i32,
    at: At,
    side: Side,
) -> Option<At> {
    let rate: &Rate = match (&policy.limits, side) {
        (Limits::Doubling, _) => return Some(at),
        (Limits::Share { up_milli, .. }, Side::Up) => return (*up_milli > 0).then_some(at),
        (Limits::Share { down_milli, .. }, Side::Down) => return (*down_milli > 0).then_some(at),
        (Limits::Rates { up, .. }, Side::Up) => up,
        (Limits::Rates { down, .. }, Side::Down) => down,
    };
    if rate.select == Select::Disabled {
        return None;
    }
    let allows = |when: At| {
        let seen = Observation::at(when);
        let cx = Cx { policy, seen: &seen, memory, bounds };
        let (limit, _) = bound::rate_limit(&cx, current, rate, side);
        match side {
            Side::Up => limit > current,
            Side::Down => limit < current,
        }
    };
    if allows(at) {
        return Some(at);
    }
    // The allowance only changes when a scaling leaves a period.
    let mut moments: Vec<At> = memory
        .grown
        .iter()
        .chain(&memory.shrunk)
        .flat_map(|change| rate.policies.iter().map(|policy| change.at.plus(policy.period_us)))
        .filter(|moment| *moment > at)
        .collect();
    moments.sort();
    moments.into_iter().find(|moment| allows(*moment))
}

/// When no proposal in the window stands against this direction any more.
fn stabilization_ends(policy: &Policy, memory: &Memory, current: i32, at: At, side: Side) -> At {
    let window_us = match (policy.stabilize, side) {
        (None, _) | (Some(Stabilize::Highest { .. }), Side::Up) => return at,
        (Some(Stabilize::Highest { window_us }), Side::Down) => window_us,
        (Some(Stabilize::Band { up_us, .. }), Side::Up) => up_us,
        (Some(Stabilize::Band { down_us, .. }), Side::Down) => down_us,
    };
    let against = |replicas: i32| match side {
        Side::Up => replicas <= current,
        Side::Down => replicas >= current,
    };
    memory
        .history
        .proposals()
        .filter(|(_, replicas)| against(*replicas))
        .map(|(taken, _)| taken.plus(window_us))
        .max()
        .unwrap_or(at)
}

fn cooldown_ends(policy: &Policy, memory: &Memory, side: Side) -> Option<At> {
    let hold = policy.hold?;
    let cooldown_us = match side {
        Side::Up => hold.up_us,
        Side::Down => hold.down_us,
    };
    Some(memory.recalled.last_scale?.plus(cooldown_us))
}

fn delay_ends(policy: &Policy, memory: &Memory, at: At, side: Side) -> At {
    let Some(hold) = policy.hold else { return at };
    let (delay_secs, since) = match side {
        Side::Up => (hold.up_delay_secs, memory.recalled.above_since),
        Side::Down => (hold.down_delay_secs, memory.recalled.below_since),
    };
    if delay_secs == 0 { at } else { since.unwrap_or(at).plus(seconds(i64::from(delay_secs))) }
}
