//! propose: what each metric asks for, and what stands in for it when it cannot be measured.

use crate::flow::{Current, Cx};
use crate::metric::{Metric, OnMissing, Roll, Rule};
use crate::observation::{Absent, Reading};
use crate::policy::Surge;
use crate::rule::{Ask, marks, steps, target};
use crate::stage::roll::{self, Tally};
use crate::time::{At, SECOND_US};
use crate::trail::{Bid, Step, Trail, Why};

/// What came of one metric.
pub(crate) enum Proposal {
    /// It asks for this.
    Bid(Bid),
    /// It is left out on purpose.
    Ignored,
    /// It failed.
    Failed,
}

/// Evaluates the metric at `index` and writes down what it asks for.
pub(crate) fn propose(
    cx: &Cx<'_>,
    current: Current,
    index: usize,
    metric: &Metric,
    trail: &mut Trail,
) -> Proposal {
    let place = u16::try_from(index).unwrap_or(u16::MAX);
    let bid = evaluate(cx, current, index, metric);
    let missing = bid.is_err();
    let known = bid.as_ref().ok().copied();
    trail.push(Step::Metric { index: place, bid });
    match known {
        Some(bid) => Proposal::Bid(bid),
        None if missing && metric.on_missing != OnMissing::Fail => {
            stand_in(cx, current, index, metric, place, trail)
        }
        None => Proposal::Failed,
    }
}

fn evaluate(cx: &Cx<'_>, current: Current, index: usize, metric: &Metric) -> Result<Bid, Why> {
    let Some(reading) = cx.seen.readings.get(index) else {
        return Err(Why::NoSamples);
    };
    let ask = Ask {
        current: current.replicas,
        status: current.scale.status,
        most_pods: match cx.policy.roster.surge {
            Surge::Count => i64::MAX,
            Surge::Cap => i64::from(current.scale.spec.max(0)),
        },
        tolerance: metric.tolerance,
        multiple: metric.multiple,
        bounds: cx.bounds,
    };
    match metric.roll {
        Roll::Grouped { warmup } => {
            let per_pod = per_pod(reading)?;
            fresh_samples(cx.seen.at, metric, per_pod)?;
            let tally = Tally::grouped(cx, per_pod, warmup, goal_percent(&metric.rule));
            tally.usable()?;
            by_pods(&ask, &metric.rule, &tally, per_pod)
        }
        Roll::Running => {
            let (values, taken) = series(reading)?;
            fresh(cx.seen.at, metric, taken)?;
            by_series(cx, &ask, &metric.rule, values)
        }
        Roll::Sampled { delay_us } => roll::sampled(cx, &ask, metric, reading, delay_us),
        Roll::Tolerated { delay_us } => roll::tolerated(cx, &ask, metric, reading, delay_us),
    }
}

fn by_pods(ask: &Ask, rule: &Rule, tally: &Tally, per_pod: &crate::observation::PerPod) -> Result<Bid, Why> {
    match rule {
        Rule::Utilization { percent } => target::utilization(ask, *percent, tally, per_pod),
        Rule::Average { milli } | Rule::Value { milli } | Rule::PerReplica { milli, .. } => {
            Ok(target::average(ask, *milli, tally))
        }
        Rule::Marks(marks) => marks::by_pods(ask, marks, tally, per_pod),
        Rule::Steps(steps) => steps::by_pods(ask, steps, tally, per_pod),
    }
}

fn by_series(cx: &Cx<'_>, ask: &Ask, rule: &Rule, values: &[i64]) -> Result<Bid, Why> {
    match rule {
        Rule::Value { milli } | Rule::Average { milli } => {
            target::value(ask, *milli, values, || roll::running(cx))
        }
        Rule::PerReplica { milli, overflow } => Ok(target::per_replica(ask, *milli, *overflow, values)),
        Rule::Utilization { percent } => {
            target::value(ask, i64::from(*percent), values, || roll::running(cx))
        }
        Rule::Marks(marks) => marks::by_series(ask, marks, values, || roll::running(cx)),
        Rule::Steps(steps) => steps::by_series(ask, steps, values, || roll::running(cx)),
    }
}

/// What a missing pod counts as when shrinking, in percent of its request.
fn goal_percent(rule: &Rule) -> i64 {
    match rule {
        Rule::Utilization { percent } => i64::from((*percent).max(100)),
        Rule::Marks(marks) => marks.high.max(100),
        _ => 100,
    }
}

pub(crate) fn per_pod(reading: &Reading) -> Result<&crate::observation::PerPod, Why> {
    match reading {
        Reading::PerPod(per_pod) => Ok(per_pod),
        Reading::Series { .. } => Err(Why::NoSamples),
        Reading::Missing(absent) => Err(absence(absent)),
    }
}

pub(crate) fn series(reading: &Reading) -> Result<(&[i64], Option<At>), Why> {
    match reading {
        Reading::Series { values, taken } => Ok((values, *taken)),
        Reading::PerPod(_) => Err(Why::NoSamples),
        Reading::Missing(absent) => Err(absence(absent)),
    }
}

fn absence(absent: &Absent) -> Why {
    match absent {
        Absent::Api(text) => Why::Api(text.clone()),
        Absent::Selector(text) => Why::Selector(text.clone()),
        Absent::Spec(text) => Why::Spec(text.clone()),
    }
}

fn fresh_samples(at: At, metric: &Metric, per_pod: &crate::observation::PerPod) -> Result<(), Why> {
    if metric.max_age_us.is_none() {
        return Ok(());
    }
    fresh(at, metric, per_pod.samples.iter().flatten().map(|sample| sample.at).max())
}

fn fresh(at: At, metric: &Metric, taken: Option<At>) -> Result<(), Why> {
    match (metric.max_age_us, taken) {
        (Some(max_age_us), Some(taken)) if at.since(taken) > max_age_us => {
            Err(Why::Stale { secs: at.since(taken) / SECOND_US })
        }
        _ => Ok(()),
    }
}

/// What takes the place of a metric that could not be measured.
fn stand_in(
    cx: &Cx<'_>,
    current: Current,
    index: usize,
    metric: &Metric,
    place: u16,
    trail: &mut Trail,
) -> Proposal {
    let remembered = cx.memory.metrics.get(index).copied().unwrap_or_default();
    let since = remembered.failing_since.unwrap_or(cx.seen.at);
    let stand_in = match metric.on_missing {
        OnMissing::Fail => return Proposal::Failed,
        OnMissing::Ignore => None,
        OnMissing::Hold => Some(current.replicas),
        OnMissing::UseLast { max_age_us } => match remembered.last {
            Some(last) if cx.seen.at.since(last.at) <= max_age_us => Some(last.to),
            _ => return Proposal::Failed,
        },
        OnMissing::Assume { value } => match assumed(cx, current, metric, value) {
            Some(bid) => Some(bid.to),
            None => return Proposal::Failed,
        },
        OnMissing::Fallback { replicas, after_us } => {
            Some(if cx.seen.at.since(since) >= after_us { replicas } else { current.replicas })
        }
    };
    trail.push(Step::StandIn { index: place, to: stand_in, since });
    match stand_in {
        Some(to) => Proposal::Bid(Bid { to, ready: 0, percent: 0, mark: crate::trail::Mark::None, milli: 0 }),
        None => Proposal::Ignored,
    }
}

/// What the metric would ask for if each ready pod (or the one value) had measured `value`.
fn assumed(cx: &Cx<'_>, current: Current, metric: &Metric, value: i64) -> Option<Bid> {
    let ask = Ask {
        current: current.replicas,
        status: current.scale.status,
        most_pods: i64::from(current.scale.spec.max(0)),
        tolerance: metric.tolerance,
        multiple: metric.multiple,
        bounds: cx.bounds,
    };
    let running = || roll::running(cx);
    match (&metric.rule, metric.roll) {
        (Rule::Marks(marks), Roll::Running) => marks::by_series(&ask, marks, &[value], running).ok(),
        (Rule::Marks(marks), _) => Some(marks::by_average(&ask, marks, value, running().ok()?)),
        (Rule::Steps(steps), _) => Some(steps::by_value(&ask, steps, value, running().ok()?)),
        (Rule::Utilization { percent }, _) => {
            target::value(&ask, i64::from(*percent), &[value], running).ok()
        }
        (Rule::Average { milli } | Rule::Value { milli }, _) => {
            target::value(&ask, *milli, &[value], running).ok()
        }
        (Rule::PerReplica { milli, overflow }, _) => {
            Some(target::per_replica(&ask, *milli, *overflow, &[value]))
        }
    }
}
