//! The memory as it is stored: short, exact to the microsecond, and never larger than its object may be.

use plimsoll_engine::{At, Change, History, LastBid, Memory, MetricMemory, Recalled};
use serde::{Deserialize, Serialize};

/// The most that is stored.
pub(super) const LARGEST: usize = 64 << 10;

type Pair = (At, i32);

/// Everything in tuples: the names would take more room than the numbers.
#[derive(Serialize, Deserialize)]
struct Wire {
    /// The form. Another one is not understood.
    v: u8,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    slots: Vec<Pair>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skylines: Option<(Vec<Pair>, Vec<Pair>)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    grown: Vec<(At, i32, u8)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shrunk: Vec<(At, i32, u8)>,
    #[serde(default)]
    recalled: Recalled,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<(Option<Pair>, Option<At>)>,
}

const FORM: u8 = 1;

/// A memory as text that fits.
pub(super) fn write(memory: &Memory) -> String {
    let mut wire = to_wire(memory);
    loop {
        let text = serde_json::to_string(&wire).unwrap_or_default();
        if text.len() <= LARGEST || !shorten(&mut wire) {
            return text;
        }
    }
}

/// A memory from text; `None` if it is not understood.
pub(super) fn read(text: &str) -> Option<Memory> {
    let wire: Wire = serde_json::from_str(text).ok()?;
    (wire.v == FORM).then(|| from_wire(wire))
}

fn to_wire(memory: &Memory) -> Wire {
    let (slots, skylines) = match &memory.history {
        History::Slots(slots) => (slots.clone(), None),
        History::Skylines { peaks, troughs } => (Vec::new(), Some((peaks.clone(), troughs.clone()))),
    };
    let changes = |changes: &[Change]| {
        changes.iter().map(|change| (change.at, change.by, u8::from(change.outdated))).collect()
    };
    Wire {
        v: FORM,
        slots,
        skylines,
        grown: changes(&memory.grown),
        shrunk: changes(&memory.shrunk),
        recalled: memory.recalled,
        metrics: memory
            .metrics
            .iter()
            .map(|metric| (metric.last.map(|last| (last.at, last.to)), metric.failing_since))
            .collect(),
    }
}

fn from_wire(wire: Wire) -> Memory {
    let changes = |changes: Vec<(At, i32, u8)>| {
        changes.into_iter().map(|(at, by, outdated)| Change { at, by, outdated: outdated != 0 }).collect()
    };
    Memory {
        history: match wire.skylines {
            Some((peaks, troughs)) => History::Skylines { peaks, troughs },
            None => History::Slots(wire.slots),
        },
        grown: changes(wire.grown),
        shrunk: changes(wire.shrunk),
        recalled: wire.recalled,
        metrics: wire
            .metrics
            .into_iter()
            .map(|(last, failing_since)| MetricMemory {
                last: last.map(|(at, to)| LastBid { at, to }),
                failing_since,
            })
            .collect(),
    }
}

/// Makes the longest list shorter, so that what is lost can only hold scaling back; false if none is left to shorten.
fn shorten(wire: &mut Wire) -> bool {
    let (peaks, troughs) =
        wire.skylines.as_ref().map_or((0, 0), |(peaks, troughs)| (peaks.len(), troughs.len()));
    let longest = [wire.slots.len(), peaks, troughs, wire.grown.len(), wire.shrunk.len()]
        .into_iter()
        .max()
        .unwrap_or(0);
    if longest < 2 {
        return false;
    }
    if wire.slots.len() == longest {
        halve_proposals(&mut wire.slots);
    } else if wire.grown.len() == longest {
        halve_changes(&mut wire.grown);
    } else if wire.shrunk.len() == longest {
        halve_changes(&mut wire.shrunk);
    } else if let Some((peaks, troughs)) = &mut wire.skylines {
        let line = if peaks.len() == longest { peaks } else { troughs };
        // Each entry stands for the time since the one before it: keeping the later of two widens its reach.
        let mut later = false;
        line.retain(|_| {
            later = !later;
            !later
        });
    }
    true
}

/// Of each two neighbours in time, keeps the higher number at the later time: shrinking waits longer.
fn halve_proposals(slots: &mut Vec<Pair>) {
    slots.sort_by_key(|slot| slot.0);
    *slots = slots
        .chunks(2)
        .filter_map(|two| Some((two.last()?.0, two.iter().map(|slot| slot.1).max()?)))
        .collect();
}

/// Adds up each two neighbours in time, at the later time: limits get stricter.
fn halve_changes(changes: &mut Vec<(At, i32, u8)>) {
    changes.sort_by_key(|change| change.0);
    *changes = changes
        .chunks(2)
        .filter_map(|two| {
            let sum = two.iter().fold(0i32, |sum, change| sum.saturating_add(change.1));
            two.last().map(|last| (last.0, sum, last.2))
        })
        .collect();
}
