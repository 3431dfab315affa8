//! Watermarks: hold between two marks, grow above the high one, shrink below the low one.

use serde::{Deserialize, Serialize};

use crate::number::{ceil_i32, cut_i32, cut_i64};
use crate::observation::PerPod;
use crate::policy::Bounds;
use crate::rule::target::capped_sum;
use crate::rule::{Ask, round_up};
use crate::stage::roll::Tally;
use crate::trail::{Bid, Converged, Mark, Why};

/// Two watermarks and what happens around them. Marks are in milli-units, or in percent of the request.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Marks {
    /// The low mark.
    pub low: i64,
    /// The high mark.
    pub high: i64,
    /// Below this it shrinks: the low mark less its tolerance.
    pub below: f64,
    /// Above this it grows: the high mark plus its tolerance.
    pub above: f64,
    /// What the marks are measured in.
    pub unit: Unit,
    /// Whether the value is for all replicas or for one.
    pub algorithm: Algorithm,
    /// Where to move on to between the marks.
    pub converge: Converge,
    /// What a measured zero means.
    pub zero: Zero,
    /// Shrinking never asks for fewer than this.
    pub least: i32,
}

/// What marks and step bounds are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Milli-units of the value.
    Milli,
    /// Percent of what the pods request.
    Percent,
}

/// Whether one value stands for all replicas or for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    /// It is compared as it is; replicas follow in proportion to the ready pods.
    Absolute,
    /// It is divided by the pods it is shared by before it is compared.
    Average,
}

/// Where to move on to while the value is between the marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Converge {
    /// Nowhere.
    None,
    /// Towards the low mark: more replicas.
    Low,
    /// Towards the high mark: fewer replicas.
    High,
}

/// What a measured zero means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Zero {
    /// Zero.
    Trusted,
    /// That the measurement is broken: hold.
    Ignored,
}

/// One value per pod: unknown pods damp the change, as they do for targets.
pub(crate) fn by_pods(ask: &Ask, marks: &Marks, tally: &Tally, per_pod: &PerPod) -> Result<Bid, Why> {
    let known = tally.ready.count + tally.others.count;
    let (usage, percent) = measured(marks.unit, tally, per_pod)?;
    let all = ask.pods(known + tally.missing.count + tally.unready.count) as f64;
    let ready = ask.pods(known) as f64;
    let (usage_then, pods) = if usage > marks.above && (tally.missing.count > 0 || tally.unready.count > 0) {
        (usage * ready / all, all)
    } else if usage < marks.below && tally.missing.count > 0 {
        let with_missing = ask.pods(known + tally.missing.count) as f64;
        let assumed = marks.high as f64 * (with_missing - ready);
        ((usage * ready + assumed) / with_missing, with_missing)
    } else {
        (usage, ready)
    };
    let turned = (usage > marks.above && usage_then < marks.below)
        || (usage < marks.below && usage_then > marks.above);
    let (to, mark) = if turned { (ask.current, Mark::Within) } else { around(ask, marks, usage_then, pods) };
    Ok(Bid { to, ready: count_i32(tally.ready.count), percent, mark, milli: cut_i64(usage) })
}

/// What the ready pods use: in milli-units per pod, or in percent of their requests.
pub(crate) fn measured(unit: Unit, tally: &Tally, per_pod: &PerPod) -> Result<(f64, i32), Why> {
    match unit {
        Unit::Milli => {
            let total = tally.ready.milli.wrapping_add(tally.others.milli);
            let known = (tally.ready.count + tally.others.count).max(1);
            Ok((total as f64 / known as f64, 0))
        }
        Unit::Percent => {
            if let Err(text) = &per_pod.requests {
                return Err(Why::Request(text.clone()));
            }
            if tally.ready.requests == 0 {
                return Err(Why::NoMatch);
            }
            let percent = tally.ready.milli as f64 * 100.0 / tally.ready.requests as f64;
            Ok((percent, cut_i32(percent)))
        }
    }
}

/// One average that every ready pod is taken to have.
pub(crate) fn by_average(ask: &Ask, marks: &Marks, usage: i64, ready: i64) -> Bid {
    let (to, mark) = around(ask, marks, usage as f64, ask.pods(ready) as f64);
    Bid { to, ready: count_i32(ready), percent: 0, mark, milli: usage }
}

/// One value for all pods.
pub(crate) fn by_series(
    ask: &Ask,
    marks: &Marks,
    values: &[i64],
    ready: impl Fn() -> Result<i64, Why>,
) -> Result<Bid, Why> {
    let sum = capped_sum(values);
    if ask.current == 0 {
        // Waking up: only a value per replica says how many are needed.
        let to = match marks.algorithm {
            Algorithm::Average if sum > 0 => ask.in_multiples(ceil_i32(sum as f64 / marks.high as f64)),
            _ => 0,
        };
        return Ok(Bid { to, ready: 0, percent: 0, mark: Mark::Above, milli: sum });
    }
    let pods = match marks.algorithm {
        // A value per replica needs no pod to be ready: the replicas it is shared by are those asked for.
        Algorithm::Average => i64::from(ask.current),
        Algorithm::Absolute => ask.pods(ready()?),
    };
    if pods <= 0 {
        return Ok(Bid { to: ask.current, ready: 0, percent: 0, mark: Mark::Within, milli: sum });
    }
    Ok(by_sum(ask, marks, sum, pods, marks.zero))
}

/// A sum over all, compared as the algorithm says.
pub(crate) fn by_sum(ask: &Ask, marks: &Marks, sum: i64, ready: i64, zero: Zero) -> Bid {
    let ready_i32 = count_i32(ready);
    if sum == 0 && zero == Zero::Ignored {
        return Bid { to: ready_i32, ready: ready_i32, percent: 0, mark: Mark::ZeroIgnored, milli: 0 };
    }
    let usage = match marks.algorithm {
        Algorithm::Absolute => sum as f64,
        Algorithm::Average => sum as f64 / ready as f64,
    };
    let (to, mark) = around(ask, marks, usage, ready as f64);
    Bid { to, ready: ready_i32, percent: 0, mark, milli: cut_i64(usage) }
}

/// Where the value is, and what follows.
fn around(ask: &Ask, marks: &Marks, usage: f64, ready: f64) -> (i32, Mark) {
    if usage > marks.above {
        let to = ceil_i32(ready * usage / marks.high as f64);
        (round_up(to, ask.multiple).max(ask.current), Mark::Above)
    } else if usage < marks.below {
        let to = cut_i32((ready * usage / marks.low as f64).floor()).max(marks.least);
        (round_up(to, ask.multiple).min(ask.current), Mark::Below)
    } else {
        converge(ask, marks, usage, ready)
    }
}

/// Between the marks: one multiple towards the chosen one, as long as the prediction stays between them. A mark of zero
/// predicts nothing, so there is no moving towards it.
fn converge(ask: &Ask, marks: &Marks, usage: f64, ready: f64) -> (i32, Mark) {
    let Bounds { min, max } = ask.bounds;
    let predicted = |mark: i64, replicas: i32| {
        if mark == 0 { ask.current } else { replicas.min(max).max(min.max(1)) }
    };
    match marks.converge {
        Converge::None => (ask.current, Mark::Within),
        Converge::High => {
            let to = ask.current.wrapping_sub(ask.multiple).max(1);
            let fewest = predicted(marks.high, ceil_i32(ready / marks.high as f64 * usage));
            if to < fewest {
                (ask.current, Mark::Converging(Converged::HighUnstable))
            } else {
                (to, Mark::Converging(Converged::ToHigh))
            }
        }
        Converge::Low => {
            let to = ask.current.wrapping_add(ask.multiple);
            let most = predicted(marks.low, cut_i32((ready / marks.low as f64 * usage).floor()));
            if to > most {
                (ask.current, Mark::Converging(Converged::LowUnstable))
            } else {
                (to, Mark::Converging(Converged::ToLow))
            }
        }
    }
}

fn count_i32(count: i64) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
