//! Steps: a table of ranges, each with what to add or remove while the value is in it.

use serde::{Deserialize, Serialize};

use crate::number::{ceil_i32, cut_i64};
use crate::observation::PerPod;
use crate::rule::Ask;
use crate::rule::marks::{Algorithm, Unit, measured};
use crate::rule::target::capped_sum;
use crate::stage::roll::Tally;
use crate::trail::{Bid, Mark, Why};

/// A table of steps. Checked when it is made: ranges do not overlap, and only the hold zone is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// What the bounds are measured in.
    pub unit: Unit,
    /// Whether one value stands for all replicas or for one.
    pub algorithm: Algorithm,
    /// The steps that add, then those that remove.
    pub table: Vec<StepRule>,
}

/// One range and what to do in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepRule {
    /// Where it begins; open if `None`.
    pub lower: Option<f64>,
    /// Where it ends; open if `None`.
    pub upper: Option<f64>,
    /// On which side of the hold zone it is, which decides which of its ends belong to it.
    pub side: Zone,
    /// What to do.
    pub adjust: Adjust,
}

/// On which side of the hold zone a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Zone {
    /// Above: the lower end belongs to it, the upper does not.
    Above,
    /// Below: the upper end belongs to it, the lower does not.
    Below,
}

/// What a step does to the replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Adjust {
    /// Adds (or removes, if negative) this many.
    Pods(i32),
    /// Adds (or removes) this share of them, rounded away from zero.
    Percent(i32),
    /// Sets this many.
    Exact(i32),
}

impl StepRule {
    fn covers(&self, value: f64) -> bool {
        match self.side {
            Zone::Above => {
                self.lower.is_none_or(|lower| value >= lower) && self.upper.is_none_or(|upper| value < upper)
            }
            Zone::Below => {
                self.lower.is_none_or(|lower| value > lower) && self.upper.is_none_or(|upper| value <= upper)
            }
        }
    }
}

impl Adjust {
    fn apply(self, current: i32) -> i32 {
        match self {
            Adjust::Pods(pods) => current.saturating_add(pods),
            Adjust::Percent(percent) => {
                let change = f64::from(current) * f64::from(percent) / 100.0;
                let away = if change < 0.0 { -ceil_i32(-change) } else { ceil_i32(change) };
                current.saturating_add(away)
            }
            Adjust::Exact(replicas) => replicas,
        }
        .max(0)
    }
}

/// One value per pod.
pub(crate) fn by_pods(ask: &Ask, steps: &Steps, tally: &Tally, per_pod: &PerPod) -> Result<Bid, Why> {
    let (usage, percent) = measured(steps.unit, tally, per_pod)?;
    Ok(Bid { percent, ..at(ask, steps, usage, tally.ready.count) })
}

/// One value for all pods.
pub(crate) fn by_series(
    ask: &Ask,
    steps: &Steps,
    values: &[i64],
    ready: impl Fn() -> Result<i64, Why>,
) -> Result<Bid, Why> {
    let sum = capped_sum(values);
    if ask.current == 0 {
        return Ok(at(ask, steps, sum as f64, 0));
    }
    match steps.algorithm {
        // The value alone decides, so it does not matter whether any pod is there to be counted.
        Algorithm::Absolute => Ok(at(ask, steps, sum as f64, ask.pods(ready().unwrap_or(0)))),
        Algorithm::Average => Ok(at(ask, steps, sum as f64 / f64::from(ask.current), i64::from(ask.current))),
    }
}

/// One value, whatever it came from.
pub(crate) fn by_value(ask: &Ask, steps: &Steps, value: i64, ready: i64) -> Bid {
    at(ask, steps, value as f64, ready)
}

fn at(ask: &Ask, steps: &Steps, value: f64, ready: i64) -> Bid {
    let step = steps.table.iter().find(|step| step.covers(value));
    let to = step.map_or(ask.current, |step| ask.in_multiples(step.adjust.apply(ask.current)));
    let mark = match step.map(|step| step.side) {
        Some(Zone::Above) => Mark::Above,
        Some(Zone::Below) => Mark::Below,
        None => Mark::Within,
    };
    Bid { to, ready: i32::try_from(ready).unwrap_or(i32::MAX), percent: 0, mark, milli: cut_i64(value) }
}
