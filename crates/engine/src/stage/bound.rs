//! bound: limits and min/max as one stage. The tightest wins and is named; on a tie it is min/max.

use crate::decision::Cause;
use crate::flow::{Current, Cx};
use crate::memory::changed_since;
use crate::number::{ceil_i32, cut_i32};
use crate::policy::{Amount, AtZero, Limits, Rate, Select};
use crate::stage::combine::Wish;
use crate::stage::enter;
use crate::stage::stabilize::Stable;
use crate::trail::{Bind, Side, Step, Trail};

/// A wish within what is allowed.
#[derive(Clone, Copy)]
pub(crate) struct Bounded {
    pub(crate) to: i32,
    pub(crate) cause: Cause,
    pub(crate) wish: Wish,
}

/// What is allowed, and which rule says so.
struct Allowed {
    low: (i32, Bind),
    high: (i32, Bind),
}

/// Applies limits and bounds, and lifts a target that wakes up to the minimum.
pub(crate) fn bound(cx: &Cx<'_>, current: Current, stable: Stable, trail: &mut Trail) -> Bounded {
    let wish = stable.wish;
    let allowed = allowed(cx, current.replicas, stable);
    let (to, by) = if stable.to < allowed.low.0 {
        allowed.low
    } else if stable.to > allowed.high.0 {
        allowed.high
    } else {
        (stable.to, Bind::Within)
    };
    trail.push(Step::Bounded { from: stable.to, to, low: allowed.low.0, high: allowed.high.0, by });
    let asleep = current.replicas == 0 && cx.bounds.min != 0 && cx.memory.recalled.slept;
    if asleep && enter::wakes(cx) && to < cx.bounds.min {
        trail.push(Step::Lifted { to: cx.bounds.min });
        let cause = if wish.cause == Cause::Unnamed { Cause::PastMin } else { wish.cause };
        return Bounded { to: cx.bounds.min, cause, wish };
    }
    Bounded { to, cause: wish.cause, wish }
}

fn allowed(cx: &Cx<'_>, current: i32, stable: Stable) -> Allowed {
    let (min, max) = (cx.bounds.min, cx.bounds.max);
    match &cx.policy.limits {
        Limits::Doubling => {
            let limit = cut_i32((2.0 * f64::from(current)).max(4.0));
            let high = if max > limit { (limit, Bind::RateUp) } else { (max, Bind::TooMany) };
            Allowed { low: (min, Bind::TooFew), high }
        }
        // Policies look only at the direction that is wished for; the other end is left open.
        Limits::Rates { up, .. } if stable.to > current => {
            let (limit, by) = rate_limit(cx, current, up, Side::Up);
            let limit = limit.max(current);
            let high = if max > limit { (limit, by) } else { (max, Bind::TooMany) };
            Allowed { low: (current, Bind::Within), high }
        }
        Limits::Rates { down, .. } if stable.to < current => {
            let (limit, by) = rate_limit(cx, current, down, Side::Down);
            let limit = limit.min(current);
            let low = if min < limit { (limit, by) } else { (min, Bind::TooFew) };
            Allowed { low, high: (current, Bind::Within) }
        }
        Limits::Rates { .. } => Allowed { low: (current, Bind::Within), high: (current, Bind::Within) },
        Limits::Share { up_milli, down_milli } => {
            share(min, max, current, stable, share_of(*up_milli, current), share_of(*down_milli, current))
        }
    }
}

/// How far the policies let the replicas go in one direction now, and which rule says so.
pub(crate) fn rate_limit(cx: &Cx<'_>, current: i32, rate: &Rate, side: Side) -> (i32, Bind) {
    let (by_rate, by_share, open) = match side {
        Side::Up => (Bind::RateUp, Bind::ShareUp, i32::MAX),
        Side::Down => (Bind::RateDown, Bind::ShareDown, i32::MIN),
    };
    if rate.select == Select::Disabled {
        return (current, by_rate);
    }
    let percent_counts = current != 0 || rate.at_zero == AtZero::Strict;
    let widest_is_largest = (side == Side::Up) == (rate.select == Select::Max);
    let mut limit: Option<i32> = None;
    for policy in &rate.policies {
        if matches!(policy.amount, Amount::Percent(_)) && !percent_counts {
            continue;
        }
        let cutoff = cx.seen.at.minus(policy.period_us);
        let grown = changed_since(&cx.memory.grown, cutoff);
        let shrunk = changed_since(&cx.memory.shrunk, cutoff);
        let start = current.wrapping_sub(grown).wrapping_add(shrunk);
        let one = one_limit(start, policy.amount, side);
        limit = Some(match limit {
            None => one,
            Some(limit) if widest_is_largest => limit.max(one),
            Some(limit) => limit.min(one),
        });
    }
    let limit = limit.unwrap_or(open);
    // No share at all is never, whatever it would be a share of.
    let step_percent = rate.step_percent.filter(|percent| percent_counts || *percent == 0);
    let share = step_percent.map(|percent| share_limit(current, percent, side));
    match (share, side) {
        (Some(share), Side::Up) if share < limit => (share, by_share),
        (Some(share), Side::Down) if share > limit => (share, by_share),
        _ => (limit, by_rate),
    }
}

fn one_limit(start: i32, amount: Amount, side: Side) -> i32 {
    match (amount, side) {
        (Amount::Pods(pods), Side::Up) => start.wrapping_add(pods),
        (Amount::Pods(pods), Side::Down) => start.wrapping_sub(pods),
        // Rounded up, or a small share would never let it grow.
        (Amount::Percent(percent), Side::Up) => {
            ceil_i32(f64::from(start) * (1.0 + f64::from(percent) / 100.0))
        }
        (Amount::Percent(percent), Side::Down) => {
            cut_i32(f64::from(start) * (1.0 - f64::from(percent) / 100.0))
        }
    }
}

/// How far one scaling may go by its share of the current replicas: cut, but at least one; zero is never.
fn share_limit(current: i32, percent: i32, side: Side) -> i32 {
    let share = i64::from(current) * i64::from(percent) / 100;
    let step = if percent == 0 { 0 } else { i32::try_from(share.max(1)).unwrap_or(i32::MAX) };
    match side {
        Side::Up => current.saturating_add(step),
        Side::Down => current.saturating_sub(step),
    }
}

/// How far a share of the current replicas goes: at least one, unless the factor is zero.
fn share_of(milli: i64, current: i32) -> f64 {
    if milli <= 0 { 0.0 } else { (milli as f64 / 1000.0 * f64::from(current) / 100.0).floor().max(1.0) }
}

/// A share of the current replicas at a time. The limit is named even where min/max is tighter.
fn share(min: i32, max: i32, current: i32, stable: Stable, up: f64, down: f64) -> Allowed {
    let up_limit = cut_i32(f64::from(current) + up);
    let down_limit = cut_i32(f64::from(current) - down);
    let low = if min == 0 {
        (1, Bind::AtLeastOne)
    } else if stable.to < down_limit {
        let least = down_limit.max(min);
        let ready = stable.wish.ready;
        // Shrinking to more pods than are ready would not be shrinking.
        (if ready < least && ready > 0 { current } else { least }, Bind::RateDown)
    } else {
        (min, Bind::TooFew)
    };
    let high = if stable.to > up_limit { (up_limit.min(max), Bind::RateUp) } else { (max, Bind::TooMany) };
    Allowed { low, high }
}
