//! What a simulation shows: points, words, the record.

use super::{Simulation, Words};
use crate::record::{Change, Incident, Point, Run, TrailWords};
use crate::subject::Subject;
use crate::time::secs;
use plimsoll_api::explain::explain;
use plimsoll_engine::{Bounds, Decision, Step};

impl Simulation {
    /// Writes down this moment.
    pub(super) fn mark(&mut self) {
        let mut point = self.point();
        if self.setup.words == Words::Told {
            let words = self.words();
            point.trail = Some(self.recorder.keep(words));
        }
        let capacity = f64::from(self.fleet.serving) * self.traffic.pod_capacity;
        let load = self.load_at(self.now);
        self.recorder.take_flow(&mut point, load, capacity);
        self.recorder.points.push(point);
    }

    /// This moment's point, with load and capacity as they are right now.
    pub fn point(&self) -> Point {
        let bounds = self.bounds();
        let mut point = Point {
            t: secs(self.now),
            load: self.load_at(self.now),
            capacity: f64::from(self.fleet.serving) * self.traffic.pod_capacity,
            queue: self.traffic.queue,
            spec: self.fleet.spec,
            status: self.fleet.live(),
            ready: self.fleet.serving,
            allowed_low: bounds.min,
            allowed_high: bounds.max,
            min: bounds.min,
            max: bounds.max,
            metrics: vec![None; self.subject.metrics.len()],
            ..Point::default()
        };
        point.load_peak = point.load;
        for step in &self.trail.steps {
            match step {
                Step::Jump { to, .. } => point.proposed = Some(*to),
                Step::Combined { to, .. } => {
                    point.proposed = Some(*to);
                    point.stabilized = Some(*to);
                }
                Step::Stabilized { to, .. } => point.stabilized = Some(*to),
                Step::Bounded { low, high, .. } => {
                    point.allowed_low = *low;
                    point.allowed_high = *high;
                }
                Step::Metric { index, bid: Ok(bid) } => {
                    let index = usize::from(*index);
                    if let (Some(slot), Some(metric)) =
                        (point.metrics.get_mut(index), self.subject.metrics.get(index))
                    {
                        *slot = Some(metric.value(bid));
                    }
                }
                _ => {}
            }
        }
        point
    }

    fn bounds(&self) -> Bounds {
        self.seen.bounds.unwrap_or(self.subject.policy.bounds)
    }

    /// The last decision in words.
    pub fn words(&self) -> TrailWords {
        explain(&self.trail, &self.decision, &self.subject.metrics)
    }

    /// The last decision.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Virtual time since the start, in seconds.
    pub fn now_secs(&self) -> f64 {
        secs(self.now)
    }

    /// How many decisions were made.
    pub fn decisions(&self) -> u64 {
        self.decisions
    }

    /// The autoscaler under test.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Whether pods are being replaced by a rolling update.
    pub fn is_rolling(&self) -> bool {
        self.fleet.is_rolling()
    }

    /// Keeps a point of every so many decisions from now on, for those who watch closely; memory grows with it.
    pub fn point_every(&mut self, decisions: u64) {
        self.stride = decisions.max(1);
    }

    /// The points so far.
    pub fn points(&self) -> &[Point] {
        &self.recorder.points
    }

    /// The changes so far.
    pub fn changes(&self) -> &[Change] {
        &self.recorder.changes
    }

    /// The incidents so far.
    pub fn incidents(&self) -> &[Incident] {
        &self.recorder.incidents
    }

    /// The words so far.
    pub fn trails(&self) -> &[TrailWords] {
        &self.recorder.trails
    }

    /// The record of what happened so far.
    pub fn record(&self) -> Run {
        Run {
            version: crate::record::RECORD_VERSION,
            name: self.subject.name.clone(),
            kind: self.subject.kind.clone(),
            config: self.subject.config.clone(),
            load: self.setup.load.words(),
            world: self.setup.world.describe(),
            seed: self.setup.seed,
            start: jiff::Timestamp::from_microsecond(self.start_us)
                .map(|t| t.to_string())
                .unwrap_or_default(),
            duration_secs: self.setup.duration.secs(),
            sync_period_secs: secs(self.sync_us),
            decisions: self.decisions,
            metrics: self.subject.metrics.iter().map(Into::into).collect(),
            points: self.recorder.points.clone(),
            changes: self.recorder.changes.clone(),
            changes_left_out: self.recorder.left_out,
            incidents: self.recorder.incidents.clone(),
            trails: self.recorder.trails.clone(),
            score: self.scorer.score(),
        }
    }

    /// The record at the end.
    pub fn finish(mut self) -> Run {
        // The last moment is shown even when it is not one of the stride.
        if !self.decisions.saturating_sub(1).is_multiple_of(self.stride) {
            self.mark();
        }
        self.recorder.incidents.sort_by(|a, b| a.t.total_cmp(&b.t));
        let recorder = std::mem::take(&mut self.recorder);
        Run {
            points: recorder.points,
            changes: recorder.changes,
            changes_left_out: recorder.left_out,
            incidents: recorder.incidents,
            trails: recorder.trails,
            ..self.record()
        }
    }
}
