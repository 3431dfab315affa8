//! The discrete-event core: virtual time moves from event to event, and the engine decides at every sync.

mod by_hand;
mod show;

use crate::error::BadInput;
use crate::fleet::Fleet;
use crate::jump;
use crate::load::Load;
use crate::pipeline::Pipeline;
use crate::record::{Run, TrailWords};
use crate::recorder::{MOST_POINTS, Recorder};
use crate::score::Scorer;
use crate::subject::{Feed, Spread, Subject};
use crate::time::{SECOND, Span};
use crate::traffic::Traffic;
use crate::world::{Restart, World};
pub use by_hand::Live;
use plimsoll_api::autoscaler::calendar::InForce;
use plimsoll_api::explain::lasting;
use plimsoll_engine::{
    Absent, Act, At, Decision, DryRun, Memory, Observation, Others, Outcome, PerPod, Reading, Scale, Trail,
    decide,
};

/// Time between two looks when nobody says otherwise.
const SYNC: Span = Span::from_secs(15);
/// The longest stretch of time over which load and capacity count as constant.
const RESOLUTION: i64 = 5 * SECOND;
/// Monday 2026-01-05T00:00:00Z.
const START_US: i64 = 1_767_571_200 * SECOND;
/// How many pods may be looked at in one run, over all syncs: no run goes on without end.
const MOST_LOOKS: u64 = 5_000_000_000;

/// What a run is made of.
#[derive(Clone)]
pub struct Setup {
    /// What users ask for.
    pub load: Load,
    /// Everything around the autoscaler.
    pub world: World,
    /// How long it lasts.
    pub duration: Span,
    /// The seed of every random number.
    pub seed: u64,
    /// Whether decisions are told in words.
    pub words: Words,
}

/// Whether decisions are told in words. Skips words only, never a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Every point and change has its words.
    Told,
    /// Nobody reads them.
    Silent,
}

/// One autoscaler in one world, between two syncs.
pub struct Simulation {
    setup: Setup,
    subject: Subject,
    start_us: i64,
    sync_us: i64,
    now: i64,
    next_sync: i64,
    next_break: i64,
    next_event: usize,
    stride: u64,
    decisions: u64,
    looks: u64,
    fleet: Fleet,
    traffic: Traffic,
    pipeline: Pipeline,
    memory: Memory,
    seen: Observation,
    in_force: Option<InForce>,
    /// The reading that is not in use: the buffers while a metric is cut off, its absence while it is not.
    spare: Vec<Reading>,
    trail: Trail,
    decision: Decision,
    scorer: Scorer,
    recorder: Recorder,
    /// What is pushed in by hand while it runs.
    live: Live,
}

impl Simulation {
    /// Puts an autoscaler into a world.
    pub fn new(setup: Setup, subject: Subject) -> Result<Self, BadInput> {
        if setup.duration == Span::ZERO {
            return Err(BadInput::new(
                "--for",
                "no time to simulate",
                "write a duration above zero, like 2h",
            ));
        }
        let world = &setup.world;
        let start_us = world.start.map(|s| s.as_microsecond()).or(setup.load.start_us()).unwrap_or(START_US);
        let own = Span::from_micros(subject.policy.cadence_us);
        let own = if own < Span::from_secs(1) { SYNC } else { own };
        let sync_us = world.sync_period.unwrap_or(own).micros();
        let workload = &subject.workload;
        let fleet = Fleet::new(world, workload, setup.seed);
        let traffic = Traffic::new(world, workload.cpu_ceiling);
        let before = setup.load.at(0, setup.seed);
        let serving = f64::from(fleet.serving.max(1));
        let each = if fleet.serving > 0 { (before / serving).min(traffic.pod_capacity) } else { 0.0 };
        let pipeline = Pipeline::new(world, workload, setup.seed, (each, before));
        let jump = jump::largest(&setup.load, setup.duration.micros());
        let syncs = (setup.duration.micros() / sync_us.max(1) + 1).unsigned_abs();
        let readings: Vec<Reading> = subject.feeds.iter().map(buffers).collect();
        let spare = subject.feeds.iter().map(|f| Reading::Missing(Absent::Api(f.outage.clone()))).collect();
        let mut seen = Observation::at(At(start_us));
        seen.readings = readings;
        let mut simulation = Self {
            start_us,
            sync_us,
            now: 0,
            next_sync: 0,
            next_break: setup.load.next_break(0),
            next_event: 0,
            stride: syncs.div_ceil(MOST_POINTS as u64).max(1),
            decisions: 0,
            looks: 0,
            scorer: Scorer::new(jump, workload.replicas),
            memory: Memory::new(&subject.policy),
            fleet,
            traffic,
            pipeline,
            seen,
            in_force: None,
            spare,
            trail: Trail::new(),
            decision: idle(start_us),
            recorder: Recorder::default(),
            live: Live::default(),
            setup,
            subject,
        };
        simulation.setup.world.events.sort_by_key(|e| e.at);
        simulation.note_outages();
        simulation.pipeline.scrape(0, &simulation.traffic);
        Ok(simulation)
    }

    fn note_outages(&mut self) {
        for outage in &self.setup.world.metrics.outages {
            let what = match &outage.metric {
                Some(name) => format!("{name} outage"),
                None => "metrics outage".to_string(),
            };
            let at = outage.at.micros();
            if at < self.setup.duration.micros() {
                self.recorder.incident(at, Some(at.saturating_add(outage.r#for.micros())), &what);
            }
        }
    }

    /// Goes on to the next sync and decides. `false` when the time is over.
    pub fn step(&mut self) -> Result<bool, BadInput> {
        let end = self.setup.duration.micros();
        if self.next_sync >= end {
            self.pass(end);
            return Ok(false);
        }
        self.pass(self.next_sync);
        self.sync();
        self.next_sync = self.next_sync.saturating_add(self.sync_us);
        self.looks += self.fleet.pods.len() as u64;
        if self.looks > MOST_LOOKS {
            let what = format!(
                "stopped at {} of {}: too many pods for so long a time",
                lasting(self.now),
                lasting(end)
            );
            return Err(BadInput::new(&self.subject.name, what, "shorten --for, or lengthen syncPeriod"));
        }
        Ok(true)
    }

    /// Runs to the end and gives the record.
    pub fn run(mut self) -> Result<Run, BadInput> {
        while self.step()? {}
        Ok(self.finish())
    }

    /// Lets time pass up to `to`.
    fn pass(&mut self, to: i64) {
        while self.now < to {
            let event = self.setup.world.events.get(self.next_event).map_or(i64::MAX, |e| e.at.micros());
            let next = to
                .min(self.now + RESOLUTION)
                .min(self.fleet.next_at)
                .min(self.pipeline.next_at())
                .min(self.next_break)
                .min(event)
                .max(self.now + 1);
            let load = self.load_at(self.now + (next - self.now) / 2);
            let flowed = self.traffic.flow(next - self.now, load, self.fleet.serving);
            self.now = next;
            self.scorer.flowed(next, &flowed, &self.traffic, &self.fleet);
            self.recorder.flowed(&flowed, &self.traffic);
            let rolling = self.fleet.is_rolling();
            self.fleet.advance(next, self.traffic.served_per_pod);
            if rolling && !self.fleet.is_rolling() {
                self.recorder.ended(next, "rolling update");
            }
            if next >= self.pipeline.next_at() {
                self.pipeline.scrape(next, &self.traffic);
            }
            if next >= self.next_break {
                self.next_break = self.setup.load.next_break(next);
            }
            if next >= event {
                self.happen();
            }
        }
    }

    fn load_at(&self, t: i64) -> f64 {
        let load = self.setup.load.at(t, self.setup.seed);
        (load * self.live.load_factor + self.live.extra_load).max(0.0)
    }

    /// The world's next event.
    fn happen(&mut self) {
        let Some(event) = self.setup.world.events.get(self.next_event).cloned() else { return };
        self.next_event += 1;
        if let Some(how) = event.rolling_update {
            self.roll(how);
        }
        if let Some(to) = event.scale_to {
            self.scale_by_hand(to);
        }
        match event.restart {
            Some(Restart::KeepHistory) => {
                self.recorder.incident(self.now, None, "controller restart, history kept");
            }
            Some(Restart::LoseHistory) => {
                // What stands in the object's status outlives the controller.
                self.memory = Memory { recalled: self.memory.recalled, ..Memory::new(&self.subject.policy) };
                self.recorder.incident(self.now, None, "controller restart, history lost");
            }
            None => {}
        }
    }

    /// One look of the autoscaler: observe, decide, act, remember.
    fn sync(&mut self) {
        self.observe();
        self.decision = decide(&self.subject.policy, &self.seen, &self.memory, &mut self.trail);
        let (from, to) = (self.fleet.spec, self.decision.to);
        let outcome = match (self.decision.act, self.subject.policy.dry_run) {
            (Act::Write, DryRun::Off) => Outcome::Written,
            (Act::Write, _) => Outcome::DryRun,
            (Act::Keep | Act::Abort, _) => Outcome::NotTried,
        };
        if outcome == Outcome::Written && to != from {
            self.fleet.scale(to, self.now, self.traffic.served_per_pod);
            self.scorer.changed(self.now, from, to);
            self.scorer.replicas(to);
            let told = self.recorder.has_room() && self.setup.words == Words::Told;
            let words = if told { self.words() } else { TrailWords::default() };
            self.recorder.change(self.now, from, to, Some(words));
        }
        self.memory.settle(&self.subject.policy, &self.trail, &self.decision, &outcome);
        self.decisions += 1;
        // The first look is always shown; after that, one in each stride.
        if (self.decisions - 1).is_multiple_of(self.stride) {
            self.mark();
        }
    }

    fn observe(&mut self) {
        let at = At(self.start_us + self.now);
        self.seen.at = at;
        self.seen.bounds = self.subject.calendar.as_ref().map(|c| c.refresh(&mut self.in_force, at));
        self.seen.scale = Ok(Scale { spec: self.fleet.spec, status: self.fleet.live() });
        for index in 0..self.spare.len() {
            let down = self.is_down(index);
            if let (Some(reading), Some(spare)) =
                (self.seen.readings.get_mut(index), self.spare.get_mut(index))
                && matches!(reading, Reading::Missing(_)) != down
            {
                std::mem::swap(reading, spare);
            }
        }
        self.pipeline.fill(&mut self.seen, self.now, self.start_us, &self.fleet, &self.subject.feeds);
    }

    fn is_down(&self, index: usize) -> bool {
        let name = self.subject.feeds.get(index).map(|f| f.name.as_str());
        self.live.metrics_down
            || self.setup.world.metrics.outages.iter().any(|o| {
                let from = o.at.micros();
                (from..from.saturating_add(o.r#for.micros())).contains(&self.now)
                    && o.metric.as_deref().is_none_or(|m| Some(m) == name)
            })
    }
}

/// Empty buffers for a metric that can be read.
fn buffers(feed: &Feed) -> Reading {
    match feed.spread {
        Spread::PerPod => Reading::PerPod(PerPod {
            samples: Vec::new(),
            requests: feed.request.as_ref().map(|_| Vec::new()).map_err(Clone::clone),
            others: Others::default(),
        }),
        Spread::Whole => Reading::Series { values: Vec::new(), taken: None },
    }
}

fn idle(start_us: i64) -> Decision {
    Decision {
        at: At(start_us),
        from: 0,
        to: 0,
        act: Act::Keep,
        cause: plimsoll_engine::Cause::Unnamed,
        notes: plimsoll_engine::Notes::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::LONGEST;
    use plimsoll_engine::Policy;

    fn simulation(duration: Span) -> Simulation {
        let world = World::default();
        let subject = Subject {
            name: "web".into(),
            kind: "Autoscaler".into(),
            policy: Policy { bounds: plimsoll_engine::Bounds { min: 3, max: 3 }, ..Policy::plain() },
            feeds: Vec::new(),
            metrics: Vec::new(),
            config: Vec::new(),
            workload: crate::subject::Workload::resolve(&crate::subject::Given::default(), &world, 3),
            calendar: None,
        };
        let load = Load::parse("30", &mut |file| Err(BadInput::new(file, "no files here", ""))).unwrap();
        Simulation::new(Setup { load, world, duration, seed: 1, words: Words::Silent }, subject).unwrap()
    }

    #[test]
    fn too_many_pods_for_too_long_is_stopped_and_says_when() {
        let mut simulation = simulation(Span::from_secs(86_400));
        assert!(simulation.step().unwrap());
        simulation.looks = MOST_LOOKS - 6;
        assert!(simulation.step().unwrap());
        assert!(simulation.step().unwrap());
        assert_eq!(
            simulation.step().unwrap_err().to_string(),
            "web: stopped at 45 s of 1 d: too many pods for so long a time; shorten --for, or lengthen syncPeriod"
        );
    }

    #[test]
    fn no_duration_is_longer_than_the_longest() {
        let simulation = simulation(Span::from_micros(i64::MAX));
        assert_eq!(simulation.setup.duration.micros(), LONGEST);
    }
}
