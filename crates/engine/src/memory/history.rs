//! Earlier proposals, kept so that a window can be looked back over.
//!
//! Two kinds: a list that reproduces how the reference reuses its entries, and skylines that keep only what a window
//! of any length can still ask for.

use serde::{Deserialize, Serialize};

use crate::policy::Stabilize;
use crate::time::{At, seconds};

/// The most proposals kept. At one an hour's window is full with a sync each second; beyond it the oldest goes.
const MOST_SLOTS: usize = 4096;
/// The longest window a skyline can be asked for.
const LONGEST_WINDOW_US: i64 = seconds(86_400);

/// Which kind of history a policy keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum HistoryKind {
    /// A list whose expired entries are overwritten one at a time, so that some count again when a window grows.
    #[default]
    Slots,
    /// The highest and the lowest since each moment: exactly what the windows mean.
    Skylines,
}

/// A proposal: when, and how many replicas.
pub(crate) type Proposed = (At, i32);

/// Earlier proposals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum History {
    /// In the order of their places, not of time.
    Slots(Vec<Proposed>),
    /// Skylines.
    Skylines {
        /// Falling: each entry is the highest proposal since the one before it.
        peaks: Vec<Proposed>,
        /// Rising: each entry is the lowest proposal since the one before it.
        troughs: Vec<Proposed>,
    },
}

impl Default for History {
    fn default() -> Self {
        History::Slots(Vec::new())
    }
}

impl History {
    /// An empty history.
    #[must_use]
    pub fn new(kind: HistoryKind) -> Self {
        match kind {
            HistoryKind::Slots => History::Slots(Vec::new()),
            HistoryKind::Skylines => History::Skylines { peaks: Vec::new(), troughs: Vec::new() },
        }
    }

    /// Whether nothing was ever proposed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            History::Slots(slots) => slots.is_empty(),
            History::Skylines { peaks, .. } => peaks.is_empty(),
        }
    }

    /// Turns into the other kind if a policy needs it.
    pub(crate) fn fit(&mut self, kind: HistoryKind) {
        match (&mut *self, kind) {
            (History::Slots(_), HistoryKind::Slots) | (History::Skylines { .. }, HistoryKind::Skylines) => {}
            (History::Slots(slots), HistoryKind::Skylines) => {
                let mut slots = std::mem::take(slots);
                slots.sort_by_key(|slot| slot.0);
                *self = History::new(kind);
                for (at, replicas) in slots {
                    self.append(at, replicas);
                }
            }
            (History::Skylines { peaks, troughs }, HistoryKind::Slots) => {
                let mut slots = std::mem::take(peaks);
                slots.append(troughs);
                slots.sort_by_key(|slot| slot.0);
                slots.dedup();
                *self = History::Slots(slots);
            }
        }
    }

    /// The first look at a target counts as a proposal of what it has.
    pub(crate) fn seed(&mut self, at: At, replicas: i32) {
        if self.is_empty() {
            self.append(at, replicas);
        }
    }

    /// Remembers a proposal.
    pub(crate) fn record(&mut self, at: At, replicas: i32, stabilize: Stabilize) {
        if let History::Slots(slots) = self {
            let expired = |taken: At| match stabilize {
                Stabilize::Highest { window_us } => taken < at.minus(window_us),
                Stabilize::Band { up_us, down_us } => taken < at.minus(up_us.max(down_us)),
            };
            if let Some(free) = slots.iter_mut().rev().find(|slot| expired(slot.0)) {
                *free = (at, replicas);
                return;
            }
        }
        self.append(at, replicas);
    }

    fn append(&mut self, at: At, replicas: i32) {
        match self {
            History::Slots(slots) => {
                slots.push((at, replicas));
                if slots.len() > MOST_SLOTS {
                    let oldest =
                        slots.iter().enumerate().min_by_key(|(_, slot)| slot.0).map(|(index, _)| index);
                    slots.remove(oldest.unwrap_or(0));
                }
            }
            History::Skylines { peaks, troughs } => {
                raise(peaks, at, replicas, |kept| kept > replicas);
                raise(troughs, at, replicas, |kept| kept < replicas);
            }
        }
    }

    /// The highest of `now`, the seed, and the proposals made at `from` or later.
    pub(crate) fn highest_from(&self, from: At, seed: Option<i32>, now: i32) -> i32 {
        self.fold(seed, now, i32::max, |at| at >= from)
    }

    /// The highest of `now`, the seed, and the proposals made after `after`.
    pub(crate) fn highest_after(&self, after: At, seed: Option<i32>, now: i32) -> i32 {
        self.fold(seed, now, i32::max, |at| at > after)
    }

    /// The lowest of `now`, the seed, and the proposals made after `after`.
    pub(crate) fn lowest_after(&self, after: At, seed: Option<i32>, now: i32) -> i32 {
        self.fold(seed, now, i32::min, |at| at > after)
    }

    fn fold(
        &self,
        seed: Option<i32>,
        now: i32,
        pick: fn(i32, i32) -> i32,
        counts: impl Fn(At) -> bool,
    ) -> i32 {
        let start = seed.map_or(now, |seed| pick(seed, now));
        let over = |list: &[Proposed]| {
            list.iter().filter(|(at, _)| counts(*at)).fold(start, |best, (_, replicas)| pick(best, *replicas))
        };
        match self {
            History::Slots(slots) => over(slots),
            // Each list answers only its own question; the other one's entries lie between, so both may be asked.
            History::Skylines { peaks, troughs } => pick(over(peaks), over(troughs)),
        }
    }

    /// The proposals that matter for a window, newest last.
    pub fn proposals(&self) -> impl Iterator<Item = (At, i32)> + '_ {
        let (first, second): (&[Proposed], &[Proposed]) = match self {
            History::Slots(slots) => (slots, &[]),
            History::Skylines { peaks, troughs } => (peaks, troughs),
        };
        first.iter().chain(second).copied()
    }
}

/// Appends to a skyline: whatever the new entry covers is forgotten, and so is what no window can reach.
fn raise(line: &mut Vec<Proposed>, at: At, replicas: i32, stays: impl Fn(i32) -> bool) {
    while line.last().is_some_and(|(_, kept)| !stays(*kept)) {
        line.pop();
    }
    let oldest = at.minus(LONGEST_WINDOW_US);
    let gone = line.iter().take_while(|(taken, _)| *taken < oldest).count();
    line.drain(..gone);
    line.push((at, replicas));
    if line.len() > MOST_SLOTS {
        line.remove(0);
    }
}
