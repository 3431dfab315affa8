//! The only file of this crate that asks what time it is.

use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;
use plimsoll_engine::At;

/// The time of day.
#[must_use]
pub(crate) fn now() -> At {
    At(Timestamp::now().as_microsecond())
}

/// A moment on this machine, for measuring how long something took.
///
/// It is kept by two clocks, because each of them can stand still: the steady one while the machine sleeps, the time
/// of day when it is set back. Whichever says that more time has passed is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tick {
    steady: Instant,
    day: SystemTime,
}

impl Tick {
    /// This moment.
    #[must_use]
    pub(crate) fn now() -> Tick {
        Tick { steady: Instant::now(), day: SystemTime::now() }
    }

    /// How much time has passed since `earlier`.
    #[must_use]
    pub(crate) fn since(self, earlier: Tick) -> Duration {
        let steady = self.steady.saturating_duration_since(earlier.steady);
        let day = self.day.duration_since(earlier.day).unwrap_or_default();
        steady.max(day)
    }
}

/// A point in time as the Kubernetes API writes it; the year 1 where it does not fit.
#[must_use]
pub(crate) fn timestamp(at: At) -> Timestamp {
    Timestamp::from_microsecond(at.0).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// How long until `at`, seen from `now`; zero if it has passed.
#[must_use]
pub(crate) fn until(at: At, now: At) -> Duration {
    Duration::from_micros(u64::try_from(at.since(now)).unwrap_or(0))
}

/// A length of time in whole microseconds.
#[must_use]
pub(crate) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
impl Tick {
    /// The moment `later` after this one.
    #[must_use]
    pub(crate) fn plus(self, later: Duration) -> Tick {
        Tick {
            steady: self.steady.checked_add(later).unwrap_or(self.steady),
            day: self.day.checked_add(later).unwrap_or(self.day),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_that_moved_more_is_believed() {
        let start = Tick::now();
        let slept = Tick { steady: start.steady, day: start.day + Duration::from_secs(60) };
        let set_back = Tick {
            steady: start.steady + Duration::from_secs(5),
            day: start.day.checked_sub(Duration::from_secs(3600)).unwrap(),
        };
        assert_eq!(slept.since(start), Duration::from_secs(60));
        assert_eq!(set_back.since(start), Duration::from_secs(5));
    }

    #[test]
    fn what_has_passed_needs_no_waiting() {
        assert_eq!(until(At::from_secs(5), At::from_secs(7)), Duration::ZERO);
        assert_eq!(until(At::from_secs(7), At::from_secs(5)), Duration::from_secs(2));
    }
}
