//! Writes down a run in bounded space: a point for one or several decisions, changes up to a limit, words once each.

use crate::record::{Author, Change, Incident, Point, TrailWords};
use crate::time::secs;
use crate::traffic::{Flowed, Traffic};

/// The most points of one run.
pub(crate) const MOST_POINTS: usize = 1_500;
/// The most changes that are kept one by one.
pub(crate) const MOST_CHANGES: usize = 1_000;
/// The most incidents that are kept.
const MOST_INCIDENTS: usize = 1_000;

/// Collects what a picture needs.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) points: Vec<Point>,
    pub(crate) changes: Vec<Change>,
    pub(crate) left_out: u64,
    pub(crate) incidents: Vec<Incident>,
    pub(crate) trails: Vec<TrailWords>,
    sum: Sums,
}

/// What has flowed since the last point.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    secs: f64,
    load: f64,
    capacity: f64,
    unmet: f64,
    load_peak: f64,
    queue: f64,
}

impl Recorder {
    /// Adds a stretch of time.
    pub(crate) fn flowed(&mut self, flowed: &Flowed, traffic: &Traffic) {
        let sum = &mut self.sum;
        sum.secs += flowed.secs;
        sum.load += flowed.load * flowed.secs;
        sum.capacity += flowed.capacity * flowed.secs;
        sum.unmet += flowed.lost + flowed.delayed;
        sum.load_peak = sum.load_peak.max(flowed.load);
        sum.queue = sum.queue.max(traffic.queue);
    }

    /// Puts what has flowed since the last point into a new one. `load` and `capacity` are those of this moment.
    pub(crate) fn take_flow(&mut self, point: &mut Point, load: f64, capacity: f64) {
        let sum = std::mem::take(&mut self.sum);
        if sum.secs > 0.0 {
            point.load = sum.load / sum.secs;
            point.capacity = sum.capacity / sum.secs;
            point.unmet = sum.unmet / sum.secs;
        } else {
            point.load = load;
            point.capacity = capacity;
        }
        point.load_peak = sum.load_peak.max(point.load);
        point.queue = sum.queue;
    }

    /// Keeps the words of a decision and says where they are.
    pub(crate) fn keep(&mut self, words: TrailWords) -> u32 {
        if self.trails.last() != Some(&words) {
            self.trails.push(words);
        }
        u32::try_from(self.trails.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Whether one more change would be kept.
    pub(crate) fn has_room(&self) -> bool {
        self.changes.len() < MOST_CHANGES
    }

    pub(crate) fn change(&mut self, now: i64, from: i32, to: i32, words: Option<TrailWords>) {
        if !self.has_room() {
            self.left_out += 1;
            return;
        }
        let (by, reason, trail) = match words {
            Some(words) => {
                // The numbers stand beside it already.
                let lead = format!("{from} -> {to}: ");
                let reason = words.why.strip_prefix(&lead).unwrap_or(&words.why).to_string();
                (Author::Autoscaler, reason, Some(self.keep(words)))
            }
            None => (Author::Hand, "set by hand".to_string(), None),
        };
        self.changes.push(Change { t: secs(now), from, to, by, reason, trail });
    }

    /// Notes something the world did; `until` is filled in by [`Recorder::ended`].
    pub(crate) fn incident(&mut self, now: i64, until: Option<i64>, what: &str) {
        if self.incidents.len() < MOST_INCIDENTS {
            self.incidents.push(Incident { t: secs(now), until: until.map(secs), what: what.to_string() });
        }
    }

    /// Ends the last incident of these words.
    pub(crate) fn ended(&mut self, now: i64, what: &str) {
        if let Some(incident) = self.incidents.iter_mut().rev().find(|i| i.what == what && i.until.is_none())
        {
            incident.until = Some(secs(now));
        }
    }
}
