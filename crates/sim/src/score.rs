//! The score: what a run comes to, added up while it runs.

use crate::fleet::Fleet;
use crate::jump::Jump;
use crate::record::{Recovery, Score};
use crate::time::{MINUTE, secs};
use crate::traffic::{Flowed, Traffic};

/// A change back within this time is a flap.
const FLAP_WITHIN: i64 = 10 * MINUTE;

/// Adds up a score.
#[derive(Debug, Clone)]
pub(crate) struct Scorer {
    score: Score,
    /// Microseconds of pods, and those without enough of them: times are added up as whole numbers, so that no sum of
    /// parts is longer than the whole.
    pod_us: i64,
    under_us: i64,
    jump: Option<Jump>,
    /// Whether the load was not served in full at some moment after the jump.
    suffered: bool,
    recovered: Option<i64>,
    last_change: Option<(i64, bool)>,
}

impl Scorer {
    pub(crate) fn new(jump: Option<Jump>, replicas: i32) -> Self {
        let score = Score { peak_replicas: replicas, ..Score::default() };
        Self { score, pod_us: 0, under_us: 0, jump, suffered: false, recovered: None, last_change: None }
    }

    /// Counts a stretch of time that ends at `now`.
    pub(crate) fn flowed(&mut self, now: i64, flowed: &Flowed, traffic: &Traffic, fleet: &Fleet) {
        let score = &mut self.score;
        score.total_requests += flowed.load * flowed.secs;
        score.lost_requests += flowed.lost;
        score.delayed_requests += flowed.delayed;
        self.pod_us = self.pod_us.saturating_add(i64::from(fleet.placed).saturating_mul(flowed.us));
        let short = flowed.load > flowed.capacity;
        if short {
            self.under_us += flowed.us;
        }
        if let Some(jump) = self.jump
            && self.recovered.is_none()
            && now > jump.at
        {
            let served = !short && traffic.queue <= 0.0;
            self.suffered |= !served;
            if served && now > jump.top {
                let since = now - flowed.us;
                self.recovered = Some(if self.suffered { since.max(jump.at) } else { jump.at });
            }
        }
    }

    /// Counts a change by the autoscaler.
    pub(crate) fn changed(&mut self, now: i64, from: i32, to: i32) {
        let up = to > from;
        self.score.changes += 1;
        if let Some((before, was_up)) = self.last_change
            && was_up != up
        {
            self.score.reversals += 1;
            self.score.flaps += u64::from(now - before < FLAP_WITHIN);
        }
        self.last_change = Some((now, up));
    }

    /// Looks at the replicas after anyone changed them.
    pub(crate) fn replicas(&mut self, spec: i32) {
        self.score.peak_replicas = self.score.peak_replicas.max(spec);
    }

    /// The score so far.
    pub(crate) fn score(&self) -> Score {
        let mut score = self.score.clone();
        let unmet = score.lost_requests + score.delayed_requests;
        // Rounding must not make more than all of it.
        score.unmet_percent =
            if score.total_requests > 0.0 { (100.0 * unmet / score.total_requests).min(100.0) } else { 0.0 };
        score.under_capacity_secs = secs(self.under_us);
        score.pod_hours = secs(self.pod_us) / 3_600.0;
        score.recovery = match (self.jump, self.recovered) {
            (None, _) => Recovery::NoJump,
            (Some(jump), Some(then)) => Recovery::After { at: secs(jump.at), secs: secs(then - jump.at) },
            (Some(jump), None) => Recovery::Never { at: secs(jump.at) },
        };
        score
    }
}
