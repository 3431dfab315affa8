//! Targets: one goal per metric, and replicas in proportion to how far the value is from it.

use std::cmp::Ordering;

use crate::metric::Overflow;
use crate::number::{ceil_i32, ceil_i32_capped, cut_i64};
use crate::observation::PerPod;
use crate::rule::Ask;
use crate::stage::roll::Tally;
use crate::trail::{Bid, Mark, Why};

fn bid(to: i32, ready: i64, percent: i32, milli: i64) -> Bid {
    Bid { to, ready: i32::try_from(ready).unwrap_or(i32::MAX), percent, mark: Mark::None, milli }
}

/// Keeps the pods' use at `goal` percent of what they request.
pub(crate) fn utilization(ask: &Ask, goal: i32, tally: &Tally, per_pod: &PerPod) -> Result<Bid, Why> {
    if let Err(text) = &per_pod.requests {
        return Err(Why::Request(text.clone()));
    }
    let percent_of = |milli: i64, requests: i64| -> Result<i32, Why> {
        match milli.wrapping_mul(100).checked_div(requests) {
            Some(percent) => Ok(percent as i32),
            // The one quotient that overflows wraps, as the reference's does.
            None if requests != 0 => Ok(i64::MIN as i32),
            None => Err(Why::NoMatch),
        }
    };
    let percent = percent_of(tally.ready.milli, tally.ready.requests)?;
    let average = tally.ready.milli.checked_div(tally.ready.count).ok_or(Why::NoMatch)?;
    let goal = f64::from(goal);
    let ratio = f64::from(percent) / goal;
    let filled = Filled::from(tally, ratio);
    let to = match filled {
        None => settled(ask, ratio, tally.ready.count),
        Some(filled) => {
            let fallback = if ratio < 1.0 { tally.missing_fallback } else { 0 };
            let milli = tally.ready.milli.wrapping_add(fallback);
            let requests = tally.ready.requests.wrapping_add(filled.requests);
            filled.settled(ask, ratio, f64::from(percent_of(milli, requests)?) / goal)
        }
    };
    Ok(bid(ask.in_multiples(to), tally.ready.count, percent, average))
}

/// Keeps the pods' average at `goal`.
pub(crate) fn average(ask: &Ask, goal: i64, tally: &Tally) -> Bid {
    let total = tally.ready.milli.wrapping_add(tally.others.milli);
    let known = tally.ready.count + tally.others.count;
    let mean = total.wrapping_div(known.max(1));
    let ratio = mean as f64 / goal as f64;
    let to = match Filled::from(tally, ratio) {
        None => settled(ask, ratio, tally.ready.count),
        Some(filled) => {
            let fallback = if ratio < 1.0 { goal.wrapping_mul(tally.missing.count) } else { 0 };
            let mean = total.wrapping_add(fallback).wrapping_div(filled.count.max(1));
            filled.settled(ask, ratio, mean as f64 / goal as f64)
        }
    };
    bid(ask.in_multiples(to), tally.ready.count, 0, mean)
}

/// Every pod's use is known.
fn settled(ask: &Ask, ratio: f64, ready: i64) -> i32 {
    if ask.tolerance.covers(ratio) { ask.current } else { ceil_i32(ratio * ask.pods(ready) as f64) }
}

/// The pods whose use is not known, filled in so that they damp the change.
#[derive(Clone, Copy)]
struct Filled {
    count: i64,
    requests: i64,
}

impl Filled {
    /// Which pods are filled in at this ratio; `None` if all that matters is known.
    fn from(tally: &Tally, ratio: f64) -> Option<Filled> {
        let with_unready = tally.unready.count > 0 && ratio > 1.0;
        if !with_unready && tally.missing.count == 0 {
            return None;
        }
        let mut filled = Filled { count: tally.ready.count + tally.others.count, requests: 0 };
        // A ratio that is not a number is neither above nor below, and fills nothing in.
        if ratio.partial_cmp(&1.0).is_some_and(Ordering::is_ne) {
            filled.count += tally.missing.count;
            filled.requests = filled.requests.wrapping_add(tally.missing.requests);
        }
        if with_unready {
            filled.count += tally.unready.count;
            filled.requests = filled.requests.wrapping_add(tally.unready.requests);
        }
        Some(filled)
    }

    /// The replicas, unless filling in turned the direction around.
    fn settled(self, ask: &Ask, before: f64, after: f64) -> i32 {
        let turned = (before < 1.0 && after > 1.0) || (before > 1.0 && after < 1.0);
        if ask.tolerance.covers(after) || turned {
            return ask.current;
        }
        let to = ceil_i32(after * ask.pods(self.count) as f64);
        let against = (after < 1.0 && to > ask.current) || (after > 1.0 && to < ask.current);
        if against { ask.current } else { to }
    }
}

/// Keeps one value at `goal`, in proportion to the ready pods; at zero replicas, one replica per goal.
pub(crate) fn value(
    ask: &Ask,
    goal: i64,
    values: &[i64],
    ready: impl Fn() -> Result<i64, Why>,
) -> Result<Bid, Why> {
    let sum = capped_sum(values);
    let ratio = sum as f64 / goal as f64;
    if ask.current == 0 {
        return Ok(bid(ask.in_multiples(ceil_i32(ratio)), 0, 0, sum));
    }
    if ask.tolerance.covers(ratio) {
        return Ok(bid(ask.current, 0, 0, sum));
    }
    let ready = ready()?;
    let to = ceil_i32_capped(ratio * ask.pods(ready) as f64);
    Ok(bid(ask.in_multiples(to), ready, 0, sum))
}

/// Keeps one value, divided by the existing replicas, at `goal`.
pub(crate) fn per_replica(ask: &Ask, goal: i64, overflow: Overflow, values: &[i64]) -> Bid {
    let sum = match overflow {
        Overflow::Wraps => values.iter().fold(0i64, |sum, value| sum.wrapping_add(*value)),
        Overflow::Capped => guarded_sum(values),
    };
    let status = f64::from(ask.status);
    let ratio = sum as f64 / (goal as f64 * status);
    let to = if ask.tolerance.covers(ratio) {
        ask.status
    } else {
        let wanted = (sum as f64 / goal as f64).ceil();
        match overflow {
            Overflow::Wraps => ceil_i32(wanted),
            Overflow::Capped => ceil_i32_capped(wanted),
        }
    };
    let largest = sum as f64 >= i64::MAX as f64;
    let share = match overflow {
        Overflow::Capped if largest => i64::MAX,
        _ => cut_i64((sum as f64 / status).ceil()),
    };
    bid(ask.in_multiples(to), 0, 0, share)
}

/// The sum, at most the largest integer; negative overflow wraps.
pub(crate) fn capped_sum(values: &[i64]) -> i64 {
    let mut sum = 0i64;
    for value in values {
        if *value > 0 && sum > i64::MAX - *value {
            return i64::MAX;
        }
        sum = sum.wrapping_add(*value);
    }
    sum
}

/// The sum, or the largest integer as soon as it is negative.
fn guarded_sum(values: &[i64]) -> i64 {
    let mut sum = 0i64;
    for value in values {
        sum = sum.wrapping_add(*value);
        if sum < 0 {
            return i64::MAX;
        }
    }
    sum
}
