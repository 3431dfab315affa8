//! hold: cooldowns, delays and suspension. What was seen is remembered even when nothing may change.

use crate::decision::{Cause, Decision, Notes};
use crate::flow::{Current, Cx};
use crate::policy::{First, Hold, Suspend};
use crate::stage::bound::Bounded;
use crate::time::{At, SECOND_US, seconds};
use crate::trail::{Side, Step, Trail, Waiting};

/// Decides whether the change may happen now.
pub(crate) fn hold(
    cx: &Cx<'_>,
    current: Current,
    bounded: Bounded,
    notes: Notes,
    trail: &mut Trail,
) -> Decision {
    let (from, to) = (current.replicas, bounded.to);
    let cause = if bounded.wish.steady && to != from { Cause::Converging } else { bounded.cause };
    if let Some(hold) = cx.policy.hold {
        let first = cx.memory.recalled.last_scale.is_none() && hold.first == First::Free;
        if first {
            return cx.write(from, to, cause, notes);
        }
        if must_wait(cx, &hold, from, &bounded, trail) {
            return Decision { to, ..cx.keep(from, cause, notes) };
        }
    }
    if to == from {
        return cx.keep(from, cause, notes);
    }
    if suspended(cx, from, to, trail) {
        Decision { to, ..cx.keep(from, cause, notes) }
    } else {
        cx.write(from, to, cause, notes)
    }
}

/// Whether this direction is suspended; says so.
pub(crate) fn suspended(cx: &Cx<'_>, from: i32, to: i32, trail: &mut Trail) -> bool {
    let side = match cx.policy.suspend {
        Suspend::Up | Suspend::All if to > from => Side::Up,
        Suspend::Down | Suspend::All if to < from => Side::Down,
        _ => return false,
    };
    trail.push(Step::Waits { on: Waiting::Suspended(side), until: None });
    true
}

/// Whether a cooldown or a delay keeps the change from happening; says which.
fn must_wait(cx: &Cx<'_>, hold: &Hold, from: i32, bounded: &Bounded, trail: &mut Trail) -> bool {
    let at = cx.seen.at;
    let ends = |cooldown_us: i64| {
        cx.memory.recalled.last_scale.map(|last| last.plus(cooldown_us)).filter(|ends| *ends > at)
    };
    let (up, down) = (ends(hold.up_us), ends(hold.down_us));
    if up.is_some() || down.is_some() {
        trail.push(Step::Cooling { up, down });
    }
    let recalled = &cx.memory.recalled;
    let breach = bounded.wish.breach;
    let (side, cooldown, delay_secs, breached, since) = if bounded.to > from {
        (Side::Up, up, hold.up_delay_secs, breach.above, recalled.above_since)
    } else if bounded.to < from {
        (Side::Down, down, hold.down_delay_secs, breach.below, recalled.below_since)
    } else {
        return false;
    };
    if delay_secs != 0 && !bounded.wish.steady {
        let since = since.unwrap_or(at);
        let lasted_secs = at.since(since) / SECOND_US;
        if !breached || lasted_secs < i64::from(delay_secs) {
            let until: Option<At> = breached.then(|| since.plus(seconds(i64::from(delay_secs))));
            trail.push(Step::Waits { on: Waiting::Delay(side), until });
            return true;
        }
    }
    if cooldown.is_some() {
        trail.push(Step::Waits { on: Waiting::Cooldown(side), until: cooldown });
        return true;
    }
    false
}
