//! A circuit breaker: what keeps failing is left alone for a while, and then tried once before it is trusted again.

use std::time::Duration;

use crate::clock::Tick;
use crate::metrics::fetch::{Blame, Trouble};

/// How many failures in a row open the circuit.
const FAILURES: u32 = 3;
/// The first pause. Each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause: no more than one usual sync period, so that a backend that is back is noticed at the next sync.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// The state of one circuit.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    failures: u32,
    opened: Option<(Tick, Duration)>,
    last: Option<Trouble>,
}

/// How a circuit stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Requests are sent.
    Closed,
    /// Requests are not sent.
    Open,
}

impl Breaker {
    /// Whether a request may be sent now; else the trouble that opened the circuit.
    ///
    /// # Errors
    /// The circuit is open.
    pub(crate) fn admit(&mut self, now: Tick) -> Result<(), Trouble> {
        let Some((opened, pause)) = self.opened else { return Ok(()) };
        if now.since(opened) < pause {
            return Err(self.last.clone().unwrap_or_else(|| Trouble::backend("backed off")));
        }
        // Let one through to try; others still wait for its result.
        self.opened = Some((now, pause));
        Ok(())
    }

    /// A request was answered, or the backend could not be blamed.
    pub(crate) fn succeeded(&mut self) {
        *self = Breaker::default();
    }

    /// A request failed.
    pub(crate) fn failed(&mut self, now: Tick, trouble: &Trouble) {
        if trouble.blame != Blame::Backend {
            return self.succeeded();
        }
        self.failures = self.failures.saturating_add(1);
        self.last = Some(trouble.clone());
        if self.failures >= FAILURES {
            let doublings = (self.failures - FAILURES).min(8);
            let pause = FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE);
            self.opened = Some((now, pause));
        }
    }

    /// How the circuit stands.
    #[must_use]
    pub(crate) fn state(&self) -> State {
        if self.opened.is_some() { State::Open } else { State::Closed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keeps_failing_is_left_alone_and_tried_again() {
        let mut breaker = Breaker::default();
        let start = Tick::now();
        let trouble = Trouble::backend("down");
        for _ in 0..FAILURES {
            assert_eq!(breaker.admit(start), Ok(()));
            breaker.failed(start, &trouble);
        }
        assert_eq!(breaker.admit(start), Err(trouble.clone()), "the condition still names why");
        let later = start.plus(FIRST_PAUSE);
        assert_eq!(breaker.admit(later), Ok(()), "one may try");
        assert!(breaker.admit(later).is_err(), "the others wait");
        breaker.failed(later, &trouble);
        assert!(breaker.admit(later.plus(FIRST_PAUSE)).is_err(), "the pause is longer now");
        assert_eq!(breaker.admit(later.plus(FIRST_PAUSE * 2)), Ok(()));
        breaker.succeeded();
        assert_eq!(breaker.state(), State::Closed);
    }

    #[test]
    fn the_pause_is_bounded() {
        let mut breaker = Breaker::default();
        let start = Tick::now();
        for _ in 0..100 {
            breaker.failed(start, &Trouble::backend("down"));
        }
        assert_eq!(breaker.admit(start.plus(LONGEST_PAUSE)), Ok(()));
    }

    #[test]
    fn a_metric_that_does_not_exist_is_not_the_backends_fault() {
        let mut breaker = Breaker::default();
        let start = Tick::now();
        for _ in 0..10 {
            breaker.failed(start, &Trouble::request("no such metric"));
        }
        assert_eq!(breaker.admit(start), Ok(()));
    }
}
