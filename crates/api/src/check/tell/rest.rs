//! When it waits, what it does without data, and zero replicas.

use plimsoll_engine::{DryRun, OnMissing, Side, Stabilize, Suspend};

use super::Teller;
use crate::check::meaning::Topic;
use crate::check::probe::{Level, Load};
use crate::check::words;
use crate::explain::lasting;

impl Teller<'_> {
    pub(super) fn waits(&mut self) {
        let policy = &self.lowered.policy;
        let looks = lasting(policy.cadence_us);
        match policy.stabilize {
            Some(Stabilize::Highest { window_us }) if window_us > 0 => self.say(
                Topic::Waits,
                format!("after a peak the pods stay for {}: it shrinks no further than to the highest wish of that time", lasting(window_us)),
            ),
            Some(Stabilize::Band { up_us, down_us }) => {
                if up_us > policy.cadence_us {
                    self.say(
                        Topic::Waits,
                        format!("a peak shorter than {} is not followed: it grows no further than to the lowest wish of that time", lasting(up_us)),
                    );
                }
                if down_us > policy.cadence_us {
                    self.say(
                        Topic::Waits,
                        format!("after a peak the pods stay for {}: it shrinks no further than to the highest wish of that time", lasting(down_us)),
                    );
                }
            }
            _ => {}
        }
        if let Some(hold) = policy.hold {
            for (name, us) in [("growing", hold.up_us), ("shrinking", hold.down_us)] {
                if us > 0 {
                    self.say(Topic::Waits, format!("{name} waits {} after any scaling", lasting(us)));
                }
            }
            for (name, secs) in [("growing", hold.up_delay_secs), ("shrinking", hold.down_delay_secs)] {
                if secs > 0 {
                    let lasted = words::lasting_secs(secs.into());
                    self.say(
                        Topic::Waits,
                        format!("{name} must be asked for during {lasted} without a break"),
                    );
                }
            }
        }
        let percent = policy.roster.min_available_percent;
        if percent > 0 {
            self.say(
                Topic::Waits,
                format!("nothing changes while fewer than {percent} % of the pods are ready"),
            );
        }
        match policy.suspend {
            Suspend::None => {}
            Suspend::Up => self.say(Topic::Waits, "growing is suspended"),
            Suspend::Down => self.say(Topic::Waits, "shrinking is suspended"),
            Suspend::All => self.say(Topic::Waits, "it is suspended: nothing is scaled"),
        }
        if policy.dry_run != DryRun::Off {
            self.say(Topic::Waits, "dry run: it only tells what it would do");
        }
        self.say(Topic::Waits, format!("it looks every {looks}; times count from the first look that sees the load, pods are taken to be ready at once"));
    }

    /// What happens when a metric cannot be read: asked of the engine, metric by metric.
    pub(super) fn blind(&mut self) {
        let lowered = self.lowered;
        let (up, down) = (self.example_replicas(Side::Up), self.example_replicas(Side::Down));
        for index in 0..lowered.metrics.len() {
            let with = |level: &dyn Fn(usize) -> Level| -> Vec<Load> {
                let load = |it: usize| if it == index { Load::Missing } else { Load::Constant(level(it)) };
                (0..lowered.metrics.len()).map(load).collect()
            };
            let Some(metric) = lowered.metrics.get(index) else { continue };
            let name = &metric.shown.name;
            if let Some(stand_in) = self.stand_in(index) {
                self.say(Topic::Blind, format!("while {name} cannot be read, {stand_in}"));
                continue;
            }
            let grows = self.probe.first(up, &with(&|it| self.probe.flood(it))) > up;
            let shrinks = self.probe.first(down, &with(&|it| self.probe.drought(it))) < down;
            let follows = match (grows, shrinks) {
                (true, true) => "it is left out and the others decide",
                (true, false) => "the others may still make it grow, but it does not shrink",
                (false, true) => "the others may still make it shrink, but it does not grow",
                (false, false) => "nothing changes",
            };
            self.say(Topic::Blind, format!("while {name} cannot be read, {follows}"));
        }
    }

    /// What takes the place of a metric that cannot be read, where the object says so.
    fn stand_in(&self, index: usize) -> Option<String> {
        let metric = self.lowered.policy.metrics.get(index)?;
        Some(match metric.on_missing {
            OnMissing::Fail | OnMissing::Ignore => return None,
            OnMissing::Hold => "it asks for no change".to_owned(),
            OnMissing::UseLast { max_age_us } => {
                format!("its last wish counts on for {}; after that it does not shrink", lasting(max_age_us))
            }
            OnMissing::Assume { value } => {
                let shown = &self.lowered.metrics.get(index)?.shown;
                format!("it is taken to be at {}", words::level(shown, value as f64))
            }
            OnMissing::Fallback { replicas, after_us: 0 } => format!("it asks for {}", words::pods(replicas)),
            OnMissing::Fallback { replicas, after_us } => {
                format!(
                    "it asks for no change, and after {} for {}",
                    lasting(after_us),
                    words::pods(replicas)
                )
            }
        })
    }

    /// Times at which other bounds are in force.
    pub(super) fn schedules(&mut self) {
        for schedule in &self.lowered.schedules {
            self.say(Topic::Bounds, schedule.clone());
        }
    }

    pub(super) fn sleeps(&mut self) {
        let policy = &self.lowered.policy;
        let count = self.lowered.metrics.len();
        if policy.bounds.min > 0 {
            if !self.probe.stays_at_zero() {
                return;
            }
            self.say(
                Topic::Sleeps,
                "set the target to 0 replicas by hand and it stays there, until you set another number",
            );
            return;
        }
        let loads: Vec<Load> = (0..count).map(|it| Load::Constant(self.probe.drought(it))).collect();
        let from = policy.bounds.max.min(1);
        let slept = self.probe.run(from, &loads).to() == 0;
        let loads: Vec<Load> = (0..count).map(|it| Load::Constant(self.probe.flood(it))).collect();
        let woken = self.probe.wake(&loads);
        if !slept {
            self.say(Topic::Sleeps, "it never goes below 1 replica by itself");
        } else if let Some(first) = woken.changes.first() {
            let text = format!(
                "without load it goes to 0 replicas; the first load wakes it, with up to {} at once",
                words::pods(first.replicas)
            );
            self.say(Topic::Sleeps, text);
        } else {
            self.say(Topic::Sleeps, "without load it goes to 0 replicas, and nothing wakes it");
        }
    }
}
