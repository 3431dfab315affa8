//! When each object is synced next: at its own period, spread so that not all come at once, and at once when it is
//! new or its spec has changed.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_engine::At;

use crate::key::Key;

/// The part of a period over which the objects of one namespace are spread. Their metrics are listed once and shared
/// while fresh, so they come close together; namespaces are spread over the whole period.
const NAMESPACE_SHARE: i64 = 10;

/// What is known of one object's turn.
#[derive(Debug)]
struct Turn {
    due: At,
    running: Running,
}

#[derive(Debug, PartialEq, Eq)]
enum Running {
    /// Waiting for its turn.
    No,
    /// Being synced.
    Yes,
    /// Being synced, and to be synced again at once.
    Again,
}

/// All turns. An object is never given out twice at the same time.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    turns: BTreeMap<Key, Turn>,
    due: BTreeSet<(At, Key)>,
}

impl Schedule {
    /// Has an object synced at once (or again, if it is being synced).
    pub(crate) fn wake(&mut self, key: &Key, now: At) {
        match self.turns.get_mut(key) {
            None => {
                self.turns.insert(key.clone(), Turn { due: now, running: Running::No });
                self.due.insert((now, key.clone()));
            }
            Some(turn) if turn.running == Running::No => {
                self.due.remove(&(turn.due, key.clone()));
                turn.due = now.min(turn.due);
                self.due.insert((turn.due, key.clone()));
            }
            Some(turn) => turn.running = Running::Again,
        }
    }

    /// Forgets an object.
    pub(crate) fn remove(&mut self, key: &Key) {
        if let Some(turn) = self.turns.remove(key) {
            self.due.remove(&(turn.due, key.clone()));
        }
    }

    /// Forgets all objects.
    pub(crate) fn clear(&mut self) {
        self.turns.clear();
        self.due.clear();
    }

    /// When the next turn is.
    #[must_use]
    pub(crate) fn next_due(&self) -> Option<At> {
        self.due.first().map(|(at, _)| *at)
    }

    /// The next object whose turn has come. Until `done`, it is not given out again.
    pub(crate) fn take(&mut self, now: At) -> Option<Key> {
        if self.next_due()? > now {
            return None;
        }
        let (_, key) = self.due.pop_first()?;
        if let Some(turn) = self.turns.get_mut(&key) {
            turn.running = Running::Yes;
        }
        Some(key)
    }

    /// An object has been synced: its next turn is at `next`, or at once if it was woken meanwhile.
    pub(crate) fn done(&mut self, key: &Key, now: At, next: At) {
        let Some(turn) = self.turns.get_mut(key) else { return };
        turn.due = if turn.running == Running::Again { now } else { next };
        turn.running = Running::No;
        self.due.insert((turn.due, key.clone()));
    }
}

/// Where in its period an object's turn lies, in microseconds.
#[must_use]
pub(crate) fn phase(namespace: &str, uid: &str, period_us: i64) -> i64 {
    let period_us = period_us.max(1);
    let place = |text: &str, of: i64| i64::try_from(fnv(text) % of.max(1).unsigned_abs()).unwrap_or(0);
    let within = place(uid, period_us / NAMESPACE_SHARE);
    (place(namespace, period_us) + within) % period_us
}

/// The object's next turn after a sync at `now`: at its place in the period, at least half a period away.
#[must_use]
pub(crate) fn next_turn(now: At, phase_us: i64, period_us: i64) -> At {
    let period_us = period_us.max(1);
    let earliest = now.plus(period_us / 2);
    let past = earliest.0.saturating_sub(phase_us).rem_euclid(period_us);
    if past == 0 { earliest } else { earliest.plus(period_us - past) }
}

/// FNV-1a: short, and the same on every machine and in every version.
fn fnv(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The low bits of similar texts are similar; fold the high ones in.
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Kind;
    use plimsoll_engine::seconds;

    fn key(name: &str) -> Key {
        Key { kind: Kind::Hpa, namespace: "prod".to_owned(), name: name.to_owned() }
    }

    #[test]
    fn a_new_object_comes_at_once_and_then_at_its_turn() {
        let mut schedule = Schedule::default();
        let now = At::from_secs(100);
        schedule.wake(&key("a"), now);
        assert_eq!(schedule.take(now), Some(key("a")));
        assert_eq!(schedule.take(now), None, "it is not given out twice");
        schedule.done(&key("a"), now, At::from_secs(115));
        assert_eq!(schedule.take(At::from_secs(114)), None);
        assert_eq!(schedule.take(At::from_secs(115)), Some(key("a")));
    }

    #[test]
    fn what_changes_while_being_synced_is_synced_again() {
        let mut schedule = Schedule::default();
        let now = At::from_secs(100);
        schedule.wake(&key("a"), now);
        schedule.take(now);
        schedule.wake(&key("a"), now);
        assert_eq!(schedule.take(now), None);
        schedule.done(&key("a"), now, At::from_secs(115));
        assert_eq!(schedule.take(now), Some(key("a")));
    }

    #[test]
    fn what_is_gone_does_not_come_back() {
        let mut schedule = Schedule::default();
        let now = At::from_secs(100);
        schedule.wake(&key("a"), now);
        schedule.take(now);
        schedule.remove(&key("a"));
        schedule.done(&key("a"), now, At::from_secs(115));
        assert_eq!(schedule.next_due(), None);
    }

    #[test]
    fn turns_keep_their_place_in_the_period() {
        let period = seconds(15);
        let phase = phase("prod", "uid", period);
        assert!((0..period).contains(&phase));
        let mut now = At::from_secs(1_000_003);
        for _ in 0..5 {
            let next = next_turn(now, phase, period);
            assert_eq!(next.0.rem_euclid(period), phase);
            assert!(next.since(now) >= period / 2 && next.since(now) < period * 3 / 2);
            now = next.plus(seconds(1));
        }
    }

    #[test]
    fn namespaces_are_spread_and_their_objects_stay_together() {
        let period = seconds(15);
        let one: Vec<i64> = (0..50).map(|n| phase("prod", &format!("uid-{n}"), period)).collect();
        let start = phase_of_namespace("prod", period);
        assert!(one.iter().all(|phase| (phase - start).rem_euclid(period) < period / NAMESPACE_SHARE));
        let thirds: std::collections::BTreeSet<i64> =
            (0..50).map(|n| phase(&format!("team-{n}"), "uid", period) / seconds(5)).collect();
        assert_eq!(thirds.len(), 3, "every third of the period has some");
    }

    fn phase_of_namespace(namespace: &str, period_us: i64) -> i64 {
        i64::try_from(fnv(namespace) % period_us.unsigned_abs()).unwrap()
    }
}
