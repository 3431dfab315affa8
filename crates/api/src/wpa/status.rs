//! Writing a status step by step: conditions move their time when they change, and the newest change comes first.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use plimsoll_engine::{At, Recalled};

use super::types::{Condition, WpaStatus};
use crate::condition::{Status as Holds, from_time, to_time};

/// A status while it is being written.
pub(crate) struct Draft {
    at: At,
    pub(crate) status: WpaStatus,
}

impl Draft {
    /// Starts from the previous status.
    pub(crate) fn from(status: WpaStatus, at: At) -> Self {
        Self { at, status }
    }

    /// Writes a condition. Its time moves when it differs from the last write; then all are put in order again.
    pub(crate) fn set(&mut self, kind: &str, holds: Holds, reason: &str, message: impl Into<String>) {
        let holds = holds.as_str();
        let conditions = &mut self.status.conditions;
        let place = conditions.iter().position(|condition| condition.kind == kind);
        let mut condition = match place {
            Some(place) => conditions.remove(place),
            None => Condition {
                kind: kind.to_owned(),
                status: String::new(),
                last_transition_time: None,
                reason: String::new(),
                message: String::new(),
            },
        };
        if condition.status != holds {
            condition.last_transition_time = Some(exact(self.at));
            holds.clone_into(&mut condition.status);
        }
        reason.clone_into(&mut condition.reason);
        condition.message = message.into();
        conditions.insert(place.unwrap_or(conditions.len()), condition);
        // Stable, so conditions that changed at the same time stay as they are.
        conditions.sort_by(|left, right| right.last_transition_time.cmp(&left.last_transition_time));
        kind.clone_into(&mut self.status.last_condition_type);
        holds.clone_into(&mut self.status.last_condition_state);
    }

    /// Stamps a scaling.
    pub(crate) fn scaled(&mut self) {
        self.status.last_scale_time = Some(exact(self.at));
        self.status.scaling_events_count = self.status.scaling_events_count.wrapping_add(1);
    }

    /// The finished status as it is stored, in whole seconds, and whether it must be sent at all.
    pub(crate) fn finish(self, previous: &WpaStatus) -> (WpaStatus, bool) {
        let changed = self.status != *previous;
        let mut status = self.status;
        let cut = |it: &mut Time| *it = to_time(from_time(it));
        status.last_scale_time.iter_mut().for_each(cut);
        status.conditions.iter_mut().flat_map(|it| it.last_transition_time.iter_mut()).for_each(cut);
        (status, changed)
    }
}

/// An instant to the microsecond: within a sync, the order of conditions depends on it.
fn exact(at: At) -> Time {
    Time(Timestamp::from_microsecond(at.0).unwrap_or(Timestamp::UNIX_EPOCH))
}

/// What a stored status says about earlier syncs.
#[must_use]
pub fn recall(status: &WpaStatus) -> Recalled {
    let since = |kind: &str| {
        let condition = status.conditions.iter().find(|it| it.kind == kind && it.status == "True")?;
        Some(condition.last_transition_time.as_ref().map_or(At::YEAR_ONE, from_time))
    };
    Recalled {
        last_scale: status.last_scale_time.as_ref().map(from_time),
        slept: false,
        above_since: since("AboveHighWatermark"),
        below_since: since("BelowLowWatermark"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_change_comes_first_and_ties_stay() {
        let mut draft = Draft::from(WpaStatus::default(), At::from_secs(10));
        draft.set("A", Holds::True, "r", "m");
        draft.set("B", Holds::True, "r", "m");
        let (status, changed) = draft.finish(&WpaStatus::default());
        assert!(changed);

        let mut draft = Draft::from(status.clone(), At(20_500_000));
        draft.set("A", Holds::True, "other", "m");
        draft.set("B", Holds::False, "r", "m");
        draft.set("B", Holds::True, "r", "m");
        let (status, _) = draft.finish(&status);
        let seen: Vec<_> =
            status.conditions.iter().map(|it| (it.kind.as_str(), it.reason.as_str())).collect();
        assert_eq!(seen, [("B", "r"), ("A", "other")]);
        assert_eq!(status.conditions[0].last_transition_time, Some(to_time(At::from_secs(20))));
        assert_eq!(status.last_condition_type, "B");
    }

    #[test]
    fn only_true_conditions_are_recalled() {
        let mut draft = Draft::from(WpaStatus::default(), At::from_secs(10));
        draft.set("AboveHighWatermark", Holds::True, "r", "m");
        draft.set("BelowLowWatermark", Holds::False, "r", "m");
        let recalled = recall(&draft.status);
        assert_eq!(recalled.above_since, Some(At::from_secs(10)));
        assert_eq!(recalled.below_since, None);
    }
}
