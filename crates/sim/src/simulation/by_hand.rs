//! What people do to a simulation while it runs: knobs of a live demonstration, replicas set by hand, rollouts.

use super::Simulation;
use crate::world::RollingUpdate;

/// What can be changed while a simulation runs, for live demonstrations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Live {
    /// Load on top of the given one, requests per second (may be negative).
    pub extra_load: f64,
    /// The given load is multiplied by this.
    pub load_factor: f64,
    /// Whether all metrics are cut off.
    pub metrics_down: bool,
    /// Images take this many times longer.
    pub image_factor: f64,
}

impl Default for Live {
    fn default() -> Self {
        Self { extra_load: 0.0, load_factor: 1.0, metrics_down: false, image_factor: 1.0 }
    }
}

impl Simulation {
    /// Someone sets the replicas.
    pub fn scale_by_hand(&mut self, to: i32) {
        let from = self.fleet.spec;
        self.fleet.scale(to, self.now, self.traffic.served_per_pod);
        self.scorer.replicas(to);
        if to != from {
            self.recorder.change(self.now, from, to, None);
        }
    }

    /// Starts a rolling update.
    pub fn roll(&mut self, how: RollingUpdate) {
        if !self.fleet.is_rolling() {
            self.recorder.incident(self.now, None, "rolling update");
        }
        self.fleet.roll(how, self.now, self.traffic.served_per_pod);
    }

    /// What can be changed while it runs.
    pub fn live(&self) -> Live {
        self.live
    }

    /// Changes what can be changed while it runs.
    pub fn set_live(&mut self, live: Live) {
        if live.metrics_down != self.live.metrics_down {
            if live.metrics_down {
                self.recorder.incident(self.now, None, "metrics outage");
            } else {
                self.recorder.ended(self.now, "metrics outage");
            }
        }
        let slow = |live: &Live| live.image_factor > 1.0;
        if slow(&live) != slow(&self.live) {
            if slow(&live) {
                self.recorder.incident(self.now, None, "slow images");
            } else {
                self.recorder.ended(self.now, "slow images");
            }
        }
        self.fleet.image_factor = live.image_factor.clamp(0.0, 1_000.0);
        self.live = live;
    }
}
