//! Schedules: which bounds are in force at a given time, and until when that answer holds.
//!
//! A pure function of time. Time zones come from the database inside the program, so that the same object means the same
//! on every machine; cron times are wall clock times of their zone, durations are seconds that really pass.

use std::sync::LazyLock;

use croner::Cron;
use croner::errors::CronError;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, Zoned};
use plimsoll_engine::{At, Bounds, SECOND_US, seconds};

use super::spec::{AutoscalerSpec, Schedule};

/// The time zones of the world, as known when the program was built.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// How long an answer holds when a search for the next change fails: then it is worked out again.
const RETRY_US: i64 = seconds(3600);

/// The time zone with this IANA name; none given means UTC.
pub fn time_zone(name: Option<&str>) -> Option<TimeZone> {
    match name {
        None => Some(TimeZone::UTC),
        Some(name) => ZONES.get(name).ok(),
    }
}

/// Reads a cron line of five fields; a day of the month and a day of the week are alternatives, as ever in cron.
pub fn parse_cron(text: &str) -> Result<Cron, CronError> {
    CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build().parse(text)
}

/// Whether a cron line ever matches: `0 0 30 2 *` does not.
pub fn ever_fires(cron: &Cron) -> bool {
    // The search gives up where its calendar ends, thousands of years from here.
    let start = Zoned::new(Timestamp::UNIX_EPOCH, TimeZone::UTC);
    cron.find_next_occurrence(&start, true).is_ok()
}

/// The bounds in force, and how long that answer holds.
#[derive(Clone, Debug, PartialEq)]
pub struct InForce {
    /// The fewest and the most replicas.
    pub bounds: Bounds,
    /// Names of the schedules in force, in the order of the spec.
    pub active: Vec<String>,
    /// From when this answer holds.
    pub from: At,
    /// Until when this answer holds; `None` means for good.
    pub until: Option<At>,
}

impl InForce {
    /// Whether the answer still holds at a time, so that it need not be worked out again.
    pub fn holds_at(&self, at: At) -> bool {
        self.from <= at && self.until.is_none_or(|until| at < until)
    }
}

/// An object's bounds and the schedules that override them, ready to be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Calendar {
    base: Bounds,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    name: String,
    cron: Cron,
    zone: TimeZone,
    duration_us: i64,
    min: Option<i32>,
    max: Option<i32>,
}

/// Whether a schedule is in force, and until when.
struct State {
    active: bool,
    until: Option<At>,
}

impl Calendar {
    /// Makes a calendar of a valid spec; a schedule that cannot be understood (validation refuses it) never begins.
    pub fn new(spec: &AutoscalerSpec) -> Self {
        let base = Bounds { min: spec.min_replicas.unwrap_or(1), max: spec.max_replicas };
        let entries = spec.schedules.iter().flatten().filter_map(Entry::new).collect();
        Calendar { base, entries }
    }

    /// The bounds in force: of several schedules the largest minimum and the smallest maximum, and if these cross,
    /// the maximum wins.
    pub fn at(&self, at: At) -> InForce {
        let (mut min, mut max, mut until) = (None, None, None);
        let mut active = Vec::new();
        for entry in &self.entries {
            let state = entry.state(at);
            until = earlier(until, state.until);
            if state.active {
                active.push(entry.name.clone());
                min = min.max(entry.min);
                max = smaller(max, entry.max);
            }
        }
        let max = max.unwrap_or(self.base.max);
        let min = min.unwrap_or(self.base.min).min(max);
        InForce { bounds: Bounds { min, max }, active, from: at, until }
    }

    /// The same, but keeps an earlier answer while it holds.
    pub fn refresh(&self, known: &mut Option<InForce>, at: At) -> Bounds {
        match known {
            Some(known) if known.holds_at(at) => known.bounds,
            _ => known.insert(self.at(at)).bounds,
        }
    }
}

fn earlier(a: Option<At>, b: Option<At>) -> Option<At> {
    a.into_iter().chain(b).min()
}

fn smaller(a: Option<i32>, b: Option<i32>) -> Option<i32> {
    a.into_iter().chain(b).min()
}

impl Entry {
    fn new(schedule: &Schedule) -> Option<Self> {
        Some(Entry {
            name: schedule.name.clone(),
            cron: parse_cron(&schedule.cron).ok()?,
            zone: time_zone(schedule.time_zone.as_deref())?,
            duration_us: seconds(i64::from(schedule.duration_seconds.max(0))),
            min: schedule.min_replicas,
            max: schedule.max_replicas,
        })
    }

    /// In force from a beginning until the duration has passed; a beginning within that time starts it over.
    fn state(&self, at: At) -> State {
        let Some(now) = zoned(at, &self.zone) else {
            return State { active: false, until: None };
        };
        if let Ok(begun) = self.cron.find_previous_occurrence(&now, true) {
            let end = instant(&begun).plus(self.duration_us);
            if at < end {
                return State { active: true, until: Some(end) };
            }
        }
        let next = self.cron.find_next_occurrence(&now, false).ok();
        let until = next.map_or_else(|| at.plus(RETRY_US), |next| instant(&next));
        State { active: false, until: Some(until) }
    }
}

/// The wall clock at a time, cut to the whole second.
fn zoned(at: At, zone: &TimeZone) -> Option<Zoned> {
    let timestamp = Timestamp::from_second(at.0.div_euclid(SECOND_US)).ok()?;
    Some(Zoned::new(timestamp, zone.clone()))
}

fn instant(zoned: &Zoned) -> At {
    At::from_secs(zoned.timestamp().as_second())
}

#[cfg(test)]
#[path = "calendar_tests.rs"]
mod tests;
