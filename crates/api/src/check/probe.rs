//! Worked numbers: the engine itself, run on invented observations.
//!
//! Nothing here computes replicas. A probe invents what would be seen (pods that are ready at once, a load that stays,
//! a look at every sync), asks the engine, and writes down what it decided.

use plimsoll_engine::rule::marks::{Algorithm, Unit, Zero};
use plimsoll_engine::rule::steps::Zone;
use plimsoll_engine::{
    Absent, Act, At, Bid, Bounds, Hold, Limits, Memory, Observation, Others, Outcome, PerPod, Pod, Policy,
    Reading, Rule, Sample, Scale, Stabilize, Step, Trail, decide, seconds,
};
use serde::Serialize;

use super::subject::MetricView;
use crate::source::Source;

/// When invented time begins: late enough that every pod is long warmed up.
const START: At = At::from_secs(1_000_000_000);

/// What an invented pod requests, in milli-units: percentages of it are exact.
const REQUEST_MILLI: i64 = 100_000;

/// How many pods may be looked at in one run, all looks together. Beyond it a run ends where it is.
const MOST_WORK: i64 = 20_000_000;

/// How many pods are invented at most. Beyond it a run ends where it is.
pub(super) const MOST_PODS: i32 = 20_000;

/// A value of a metric in the unit of its rule: percent of the request, or milli-units.
pub(super) type Level = f64;

/// A policy that can be asked what it would do.
pub(super) struct Probe<'a> {
    policy: &'a Policy,
    metrics: &'a [MetricView],
}

/// What a metric shows in an invented world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Load {
    /// It is at its goal, whatever the replicas.
    Neutral,
    /// It was at this level with that many replicas, and all replicas share what caused it.
    Shared(Level, i32),
    /// It is at this level, whatever the replicas.
    Constant(Level),
    /// It cannot be read.
    Missing,
}

/// One change of the replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Seconds after the first look that sees the load.
    pub after_seconds: i64,
    /// The replicas from then on.
    pub replicas: i32,
}

/// What an invented load led to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    /// The replicas at the start.
    pub(super) from: i32,
    /// Every change, in order.
    pub(super) changes: Vec<Change>,
    /// What was wished for at first, before any limit.
    pub(super) wish: Option<i32>,
    /// Whether it was followed to its end.
    pub(super) complete: bool,
    /// What the last look did.
    pub(super) last: Trail,
}

impl Run {
    /// The replicas at the end.
    pub(super) fn to(&self) -> i32 {
        self.changes.last().map_or(self.from, |it| it.replicas)
    }
}

impl<'a> Probe<'a> {
    pub(super) fn new(policy: &'a Policy, metrics: &'a [MetricView]) -> Self {
        Probe { policy, metrics }
    }

    /// What a metric asks for at a level, with so many replicas.
    pub(super) fn bid(&self, metric: usize, level: Level, replicas: i32) -> Option<Bid> {
        let mut loads = vec![Load::Missing; self.metrics.len()];
        *loads.get_mut(metric)? = Load::Constant(level);
        let mut seen = self.observe(replicas, &loads);
        seen.bounds = Some(Bounds { min: 1, max: i32::MAX });
        seen.at = START;
        let mut trail = Trail::new();
        let _ = decide(self.policy, &seen, &Memory::new(self.policy), &mut trail);
        trail.steps.iter().find_map(|step| match step {
            Step::Metric { index, bid: Ok(bid) } if usize::from(*index) == metric => Some(*bid),
            _ => None,
        })
    }

    /// A level at which a metric asks for no change.
    pub(super) fn neutral(&self, metric: usize, replicas: i32) -> Level {
        let candidates = match self.rule(metric) {
            Some(Rule::Utilization { percent }) => vec![f64::from(*percent)],
            Some(Rule::Average { milli } | Rule::Value { milli } | Rule::PerReplica { milli, .. }) => {
                vec![*milli as f64]
            }
            Some(Rule::Marks(marks)) => {
                let (low, high) = (marks.low as f64, marks.high as f64);
                vec![f64::midpoint(low, high).round(), low, high]
            }
            Some(Rule::Steps(steps)) => {
                let above = steps.table.iter().filter(|it| it.side == Zone::Above).filter_map(|it| it.lower);
                let below = steps.table.iter().filter(|it| it.side == Zone::Below).filter_map(|it| it.upper);
                match (below.reduce(f64::max), above.reduce(f64::min)) {
                    (Some(low), Some(high)) => vec![f64::midpoint(low, high)],
                    (Some(low), None) => vec![low + low.abs().max(1.0)],
                    (None, Some(high)) => vec![high - high.abs().max(1.0)],
                    (None, None) => vec![0.0],
                }
            }
            None => vec![0.0],
        };
        let holds = |level: &Level| self.bid(metric, *level, replicas).is_some_and(|bid| bid.to == replicas);
        candidates.iter().copied().find(holds).or(candidates.first().copied()).unwrap_or(0.0)
    }

    fn rule(&self, metric: usize) -> Option<&Rule> {
        self.policy.metrics.get(metric).map(|it| &it.rule)
    }

    /// A level far beyond everything.
    pub(super) fn flood(&self, metric: usize) -> Level {
        match self.rule(metric) {
            Some(Rule::Steps(steps)) => {
                let ends = steps.table.iter().filter(|it| it.side == Zone::Above).filter_map(|it| it.lower);
                ends.reduce(f64::max).map_or(1e9, |end| end + end.abs().max(1.0))
            }
            _ => self.neutral(metric, 1).abs().max(1.0) * 1000.0,
        }
    }

    /// The lowest level that is believed.
    pub(super) fn drought(&self, metric: usize) -> Level {
        match self.rule(metric) {
            Some(Rule::Marks(marks)) if marks.zero == Zero::Ignored => 1.0,
            Some(Rule::Steps(steps)) => {
                let ends = steps.table.iter().filter(|it| it.side == Zone::Below).filter_map(|it| it.upper);
                ends.reduce(f64::min).map_or(0.0, |end| end.min(0.0) * 2.0)
            }
            _ => 0.0,
        }
    }

    /// What is seen with so many replicas.
    fn observe(&self, replicas: i32, loads: &[Load]) -> Observation {
        let count = usize::try_from(replicas.clamp(0, MOST_PODS)).unwrap_or(0);
        let pods = vec![Pod::running(START.minus(seconds(1_000_000))); count];
        let readings = self.metrics.iter().zip(loads).enumerate().map(|(index, (metric, load))| {
            let level = match load {
                Load::Neutral => self.neutral(index, replicas),
                Load::Constant(level) => *level,
                Load::Shared(level, at) => level * f64::from(*at) / f64::from(replicas.max(1)),
                Load::Missing => return Reading::Missing(Absent::Api("not read".into())),
            };
            self.reading(index, metric, level, replicas)
        });
        Observation {
            scale: Ok(Scale { spec: replicas, status: replicas }),
            readings: readings.collect(),
            pods,
            ..Observation::at(START)
        }
    }

    fn reading(&self, index: usize, metric: &MetricView, level: Level, replicas: i32) -> Reading {
        let rule = self.rule(index);
        if let Source::Resource { .. } | Source::Pods { .. } = metric.source {
            let milli = if percent(rule) { level * REQUEST_MILLI as f64 / 100.0 } else { level };
            // Rounded up, so that a level at the edge of a range does not fall out of it.
            let sample = Sample { milli: milli.ceil() as i64, at: START, window_us: seconds(30) };
            let count = usize::try_from(replicas.clamp(0, MOST_PODS)).unwrap_or(0);
            return Reading::PerPod(PerPod {
                samples: vec![Some(sample); count],
                requests: Ok(vec![REQUEST_MILLI; count]),
                others: Others::default(),
            });
        }
        let shared = match rule {
            Some(Rule::PerReplica { .. }) => true,
            Some(Rule::Marks(marks)) => marks.algorithm == Algorithm::Average,
            Some(Rule::Steps(steps)) => steps.algorithm == Algorithm::Average,
            _ => false,
        };
        let whole = if shared { level * f64::from(replicas.max(1)) } else { level };
        Reading::Series { values: vec![whole.ceil() as i64], taken: None }
    }

    /// Follows a load from a steady state with `from` replicas until nothing changes any more.
    pub(super) fn run(&self, from: i32, loads: &[Load]) -> Run {
        let mut memory = self.steady(from);
        self.follow(from, loads, &mut memory, usize::MAX)
    }

    /// The replicas after the first change that a load brings.
    pub(super) fn first(&self, from: i32, loads: &[Load]) -> i32 {
        let mut memory = self.steady(from);
        self.follow(from, loads, &mut memory, 1).to()
    }

    /// Follows a load from a sleep that the autoscaler itself began.
    pub(super) fn wake(&self, loads: &[Load]) -> Run {
        let mut memory = Memory::new(self.policy);
        memory.recalled.last_scale = Some(START.minus(seconds(1_000_000)));
        memory.recalled.slept = true;
        self.follow(0, loads, &mut memory, usize::MAX)
    }

    /// Whether a target that someone else set to zero replicas stays there, whatever the load.
    pub(super) fn stays_at_zero(&self) -> bool {
        let loads: Vec<Load> = (0..self.metrics.len()).map(|it| Load::Constant(self.flood(it))).collect();
        self.follow(0, &loads, &mut Memory::new(self.policy), 1).to() == 0
    }

    /// What is remembered after a long time without any change.
    fn steady(&self, from: i32) -> Memory {
        let mut memory = Memory::new(self.policy);
        memory.recalled.last_scale = Some(START.minus(seconds(1_000_000)));
        let mut seen = self.observe(from, &vec![Load::Neutral; self.metrics.len()]);
        seen.at = START.minus(self.cadence_us());
        let mut trail = Trail::new();
        let decision = decide(self.policy, &seen, &memory, &mut trail);
        memory.settle(self.policy, &trail, &decision, &Outcome::NotTried);
        memory
    }

    fn cadence_us(&self) -> i64 {
        self.policy.cadence_us.max(seconds(1))
    }

    fn follow(&self, from: i32, loads: &[Load], memory: &mut Memory, most_changes: usize) -> Run {
        let too_many = |replicas: i32| replicas > MOST_PODS;
        let mut run = Run { from, changes: Vec::new(), wish: None, complete: true, last: Trail::new() };
        if too_many(from) {
            run.complete = false;
            return run;
        }
        let patience_us = patience_us(self.policy) + 2 * self.cadence_us();
        let mut seen = self.observe(from, loads);
        let (mut replicas, mut last_change, mut work) = (from, START, 0i64);
        seen.at = START;
        loop {
            let mut trail = Trail::new();
            let decision = decide(self.policy, &seen, memory, &mut trail);
            let writes = decision.act == Act::Write;
            memory.settle(
                self.policy,
                &trail,
                &decision,
                &if writes { Outcome::Written } else { Outcome::NotTried },
            );
            let at = seen.at;
            run.wish = run.wish.or_else(|| combined(&trail));
            if writes && decision.to != replicas {
                replicas = decision.to;
                last_change = at;
                run.changes.push(Change { after_seconds: at.since(START) / seconds(1), replicas });
                if too_many(replicas) {
                    run.complete = false;
                    return run;
                }
                seen = self.observe(replicas, loads);
            }
            run.last = trail;
            work += 1 + i64::from(replicas.max(0));
            if at.since(last_change) > patience_us || run.changes.len() >= most_changes {
                return run;
            }
            if work > MOST_WORK {
                run.complete = false;
                return run;
            }
            seen.at = at.plus(self.cadence_us());
        }
    }
}

fn combined(trail: &Trail) -> Option<i32> {
    trail.steps.iter().find_map(|step| match step {
        Step::Combined { to, .. } => Some(*to),
        _ => None,
    })
}

/// Whether a rule is in percent of the request.
pub(super) fn percent(rule: Option<&Rule>) -> bool {
    match rule {
        Some(Rule::Utilization { .. }) => true,
        Some(Rule::Marks(marks)) => marks.unit == Unit::Percent,
        Some(Rule::Steps(steps)) => steps.unit == Unit::Percent,
        _ => false,
    }
}

/// How long nothing may happen before nothing will.
fn patience_us(policy: &Policy) -> i64 {
    let window_us = match policy.stabilize {
        None => 0,
        Some(Stabilize::Highest { window_us }) => window_us,
        Some(Stabilize::Band { up_us, down_us }) => up_us.max(down_us),
    };
    let period_us = match &policy.limits {
        Limits::Rates { up, down } => {
            up.policies.iter().chain(&down.policies).map(|it| it.period_us).max().unwrap_or(0)
        }
        _ => 0,
    };
    let hold_us = policy.hold.map_or(0, |Hold { up_us, down_us, up_delay_secs, down_delay_secs, .. }| {
        up_us.max(down_us) + seconds(up_delay_secs.max(down_delay_secs).into())
    });
    window_us.max(period_us).max(hold_us)
}
