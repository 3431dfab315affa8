//! What is kept of one autoscaler's past: the last day or so, however long the demo runs.

use plimsoll_report::live::Delta;
use plimsoll_sim::Simulation;
use plimsoll_sim::record::{Change, Incident, Point, TrailWords};

/// How far back anyone can look.
pub(crate) const KEEP_SECS: f64 = 86_400.0;
/// How much more may pile up before it is thrown away at once.
const SLACK_SECS: f64 = 3_600.0;

/// The recent past of one autoscaler. Times count from the start of the first day.
#[derive(Debug, Default)]
pub(crate) struct Window {
    points: Vec<Point>,
    changes: Vec<Change>,
    /// Those of days that are over, and those of the calendar.
    past: Vec<Incident>,
    /// `past`, and those of the day so far.
    incidents: Vec<Incident>,
    trails: Vec<TrailWords>,
    /// Position of the first of `trails` among all words there ever were.
    trails_from: u32,
    /// How much of the day's simulation has been taken over.
    taken: Places,
    /// How much of this window has been told.
    told: Places,
    /// Position of the day's first words among all words there ever were.
    day_trails_from: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Places {
    points: usize,
    changes: usize,
    trails: usize,
}

impl Window {
    /// Takes over what the simulation has written down since the last time; its day began at `day_secs`.
    pub(crate) fn take(&mut self, simulation: &Simulation, day_secs: f64) {
        let shift = |trail: Option<u32>| trail.map(|place| place.saturating_add(self.day_trails_from));
        for point in simulation.points().iter().skip(self.taken.points) {
            self.points.push(Point { t: point.t + day_secs, trail: shift(point.trail), ..point.clone() });
        }
        for change in simulation.changes().iter().skip(self.taken.changes) {
            self.changes.push(Change {
                t: change.t + day_secs,
                trail: shift(change.trail),
                ..change.clone()
            });
        }
        self.trails.extend(simulation.trails().iter().skip(self.taken.trails).cloned());
        self.taken = Places {
            points: simulation.points().len(),
            changes: simulation.changes().len(),
            trails: simulation.trails().len(),
        };
        let now = simulation.now_secs();
        self.incidents.clone_from(&self.past);
        self.incidents.extend(simulation.incidents().iter().map(|one| Incident {
            t: one.t + day_secs,
            // What has not ended lasts until now.
            until: Some(one.until.unwrap_or(now).min(now) + day_secs),
            what: one.what.clone(),
        }));
        self.incidents.sort_by(|a, b| a.t.total_cmp(&b.t));
    }

    /// Something of the calendar that goes on; told again, it lasts longer.
    pub(crate) fn mark(&mut self, t: f64, until: f64, what: &str) {
        match self.past.iter_mut().find(|one| one.t == t && one.what == what) {
            Some(known) => known.until = Some(until),
            None => self.past.push(Incident { t, until: Some(until), what: what.to_owned() }),
        }
    }

    /// The day's simulation is over and another one begins.
    pub(crate) fn turn_page(&mut self) {
        self.past = self.incidents.clone();
        let trails = u32::try_from(self.trails.len()).unwrap_or(u32::MAX);
        self.day_trails_from = self.trails_from.saturating_add(trails);
        self.taken = Places::default();
    }

    /// What nobody has been told yet; afterwards they have.
    pub(crate) fn news(&mut self, run: usize) -> Option<String> {
        let Places { points, changes, trails } = self.told;
        let delta = Delta {
            run,
            points: self.points.get(points..).unwrap_or_default(),
            changes: self.changes.get(changes..).unwrap_or_default(),
            incidents: &self.incidents,
            trails_from: self.trails_from.saturating_add(u32::try_from(trails).unwrap_or(u32::MAX)),
            trails: self.trails.get(trails..).unwrap_or_default(),
            scored: None,
        };
        let empty = delta.points.is_empty() && delta.changes.is_empty() && delta.trails.is_empty();
        let json = (!empty).then(|| delta.json());
        self.told =
            Places { points: self.points.len(), changes: self.changes.len(), trails: self.trails.len() };
        json
    }

    /// Everything that is kept, for someone who has just come.
    pub(crate) fn all(&self, run: usize) -> String {
        Delta {
            run,
            points: &self.points,
            changes: &self.changes,
            incidents: &self.incidents,
            trails_from: self.trails_from,
            trails: &self.trails,
            scored: None,
        }
        .json()
    }

    /// Throws away what is too old; only what has been told.
    pub(crate) fn forget(&mut self, now_secs: f64) {
        let since = now_secs - KEEP_SECS;
        if self.points.first().is_none_or(|oldest| oldest.t >= since - SLACK_SECS) {
            return;
        }
        let points = self.points.partition_point(|p| p.t < since).min(self.told.points);
        let changes = self.changes.partition_point(|c| c.t < since).min(self.told.changes);
        self.points.drain(..points);
        self.changes.drain(..changes);
        let first = self.points.first().and_then(|p| p.trail);
        let oldest = self.changes.first().and_then(|c| c.trail).into_iter().chain(first).min();
        let trails = oldest.map_or(0, |oldest| oldest.saturating_sub(self.trails_from));
        let trails = (trails as usize).min(self.told.trails);
        self.trails.drain(..trails);
        self.trails_from = self.trails_from.saturating_add(u32::try_from(trails).unwrap_or(u32::MAX));
        self.told.points -= points;
        self.told.changes -= changes;
        self.told.trails -= trails;
        for list in [&mut self.past, &mut self.incidents] {
            list.retain(|one| one.until.unwrap_or(one.t) >= since);
        }
    }

    /// How many points, changes, incidents and words are kept.
    #[cfg(test)]
    pub(crate) fn sizes(&self) -> [usize; 4] {
        [self.points.len(), self.changes.len(), self.incidents.len(), self.trails.len()]
    }

    /// Every position that points and changes name is among the words.
    #[cfg(test)]
    pub(crate) fn is_sound(&self) -> bool {
        let held = |trail: Option<u32>| {
            trail.is_none_or(|place| {
                place >= self.trails_from && ((place - self.trails_from) as usize) < self.trails.len()
            })
        };
        self.points.iter().all(|p| held(p.trail))
            && self.changes.iter().all(|c| held(c.trail))
            && self.points.is_sorted_by(|a, b| a.t < b.t)
    }
}
