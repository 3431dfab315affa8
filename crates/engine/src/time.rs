//! Time as an argument: a point in time and a length of time, both in whole microseconds.

use serde::{Deserialize, Serialize};

/// A point in time: microseconds since 1970-01-01T00:00:00Z.
///
/// Microseconds, not nanoseconds, because the year 1 (what the Kubernetes API means by "no time") must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct At(pub i64);

/// Microseconds in one second.
pub const SECOND_US: i64 = 1_000_000;

/// A number of seconds as microseconds, saturating.
#[must_use]
pub const fn seconds(secs: i64) -> i64 {
    secs.saturating_mul(SECOND_US)
}

impl At {
    /// The first instant of the year 1: what a missing timestamp means in the Kubernetes API.
    pub const YEAR_ONE: At = At(-62_135_596_800 * SECOND_US);

    /// The instant `secs` seconds after 1970.
    #[must_use]
    pub const fn from_secs(secs: i64) -> At {
        At(seconds(secs))
    }

    /// This instant moved forward (or back, if negative) by `us` microseconds, saturating.
    #[must_use]
    pub const fn plus(self, us: i64) -> At {
        At(self.0.saturating_add(us))
    }

    /// This instant moved back by `us` microseconds, saturating.
    #[must_use]
    pub const fn minus(self, us: i64) -> At {
        At(self.0.saturating_sub(us))
    }

    /// Microseconds from `earlier` to this instant; negative if it lies after.
    #[must_use]
    pub const fn since(self, earlier: At) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// This instant cut to the whole second it lies in, as the Kubernetes API stores times.
    #[must_use]
    pub const fn whole_second(self) -> At {
        At(self.0.div_euclid(SECOND_US) * SECOND_US)
    }
}
