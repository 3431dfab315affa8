//! Taking over HPAs from the in-tree controller: look first, and stop as soon as someone else writes their status.
//!
//! Who wrote is read from the object's own record of its managers. Only changes of that record count, never a
//! comparison with our clock: the API server's may differ.

use std::collections::BTreeMap;

use plimsoll_engine::At;

use crate::key::Key;
use crate::kinds::{Foreign, Subject};

/// What may be done with HPAs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stance {
    /// They are managed.
    Manage,
    /// Not before this moment: first it is seen whether someone else manages them.
    Look {
        /// When looking ends.
        until: At,
    },
    /// Someone else manages them: nothing is written.
    Stop,
}

/// Someone else was seen writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Intrusion {
    /// On which HPA.
    pub key: Key,
    /// Who.
    pub by: String,
}

/// What was seen since we took over.
#[derive(Debug)]
pub(crate) struct Takeover {
    look_until: At,
    /// When any HPA's status was written last, by us and by someone else.
    ours: Option<At>,
    theirs: Option<At>,
    /// The UID of each HPA, and its last foreign write when it was first seen.
    first: BTreeMap<Key, (String, Option<Foreign>)>,
    intrusion: Option<Intrusion>,
}

impl Takeover {
    /// Takes over now; looks for two periods before the first write.
    #[must_use]
    pub(crate) fn begin(now: At, period_us: i64) -> Self {
        Takeover {
            look_until: now.plus(period_us.saturating_mul(2)),
            ours: None,
            theirs: None,
            first: BTreeMap::new(),
            intrusion: None,
        }
    }

    /// Looks at an HPA as it is now. Gives the intrusion the first time there is one.
    pub(crate) fn see(&mut self, subject: &Subject) -> Option<Intrusion> {
        let writers = &subject.writers;
        self.ours = self.ours.max(writers.ours);
        self.theirs = self.theirs.max(writers.foreign.as_ref().map(|foreign| foreign.at));
        let now = || (subject.uid.clone(), writers.foreign.clone());
        let first = self.first.entry(subject.key.clone()).or_insert_with(now);
        if first.0 != subject.uid {
            *first = now();
        }
        let foreign = writers.foreign.as_ref()?;
        let newer = first.1.as_ref().is_none_or(|first| foreign.at > first.at);
        if self.intrusion.is_some() || !newer {
            return None;
        }
        self.intrusion = Some(Intrusion { key: subject.key.clone(), by: foreign.manager.clone() });
        self.intrusion.clone()
    }

    /// An HPA is gone.
    pub(crate) fn forget(&mut self, key: &Key) {
        self.first.remove(key);
    }

    /// What may be done now.
    #[must_use]
    pub(crate) fn stance(&self, now: At) -> Stance {
        // We were the last to write any of them: they were ours all along, so there is nothing to look for.
        let ours_already = self.ours.is_some() && self.ours >= self.theirs;
        match &self.intrusion {
            Some(_) => Stance::Stop,
            None if now < self.look_until && !ours_already => Stance::Look { until: self.look_until },
            None => Stance::Manage,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use plimsoll_engine::seconds;
    use serde_json::{Value, json};

    fn hpa(writers: &[(&str, &str)]) -> Subject {
        let fields: Vec<Value> = writers
            .iter()
            .map(|(manager, time)| {
                json!({"manager": manager, "operation": "Update", "subresource": "status", "time": time})
            })
            .collect();
        let object = json!({
            "metadata": {"name": "web", "namespace": "prod", "uid": "u", "managedFields": fields},
            "spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
        });
        Subject::hpa(serde_json::from_value(object).unwrap(), &Config::default())
    }

    const BEFORE: (&str, &str) = ("kube-controller-manager", "2026-01-01T00:00:00Z");
    const AFTER: (&str, &str) = ("kube-controller-manager", "2026-01-01T00:00:15Z");

    #[test]
    fn it_looks_for_two_periods_before_its_first_write() {
        let start = At::from_secs(1000);
        let mut takeover = Takeover::begin(start, seconds(15));
        assert_eq!(takeover.see(&hpa(&[BEFORE])), None);
        assert_eq!(takeover.stance(start), Stance::Look { until: At::from_secs(1030) });
        assert_eq!(takeover.stance(At::from_secs(1030)), Stance::Manage);
    }

    #[test]
    fn someone_else_who_goes_on_writing_stops_it_for_good() {
        let mut takeover = Takeover::begin(At::from_secs(1000), seconds(15));
        takeover.see(&hpa(&[BEFORE]));
        let intrusion = takeover.see(&hpa(&[AFTER])).unwrap();
        assert_eq!(intrusion.by, "kube-controller-manager");
        assert_eq!(takeover.see(&hpa(&[AFTER])), None, "it is told once");
        assert_eq!(takeover.stance(At::from_secs(9999)), Stance::Stop);
    }

    #[test]
    fn a_replica_that_follows_our_own_does_not_wait() {
        let mut takeover = Takeover::begin(At::from_secs(1000), seconds(15));
        takeover.see(&hpa(&[BEFORE, ("plimsoll", "2026-01-01T00:00:10Z")]));
        assert_eq!(takeover.stance(At::from_secs(1000)), Stance::Manage);
        let mut takeover = Takeover::begin(At::from_secs(1000), seconds(15));
        takeover.see(&hpa(&[AFTER, ("plimsoll", "2026-01-01T00:00:10Z")]));
        assert_ne!(takeover.stance(At::from_secs(1000)), Stance::Manage, "someone else came after us");
    }

    #[test]
    fn one_quiet_hpa_does_not_hide_that_others_were_handed_back() {
        let mut takeover = Takeover::begin(At::from_secs(1000), seconds(15));
        let quiet = hpa(&[("plimsoll", "2026-01-01T00:00:10Z")]);
        let mut busy = hpa(&[("plimsoll", "2026-01-01T00:00:10Z"), AFTER]);
        busy.key.name = "busy".to_owned();
        takeover.see(&quiet);
        assert_eq!(takeover.stance(At::from_secs(1000)), Stance::Manage);
        takeover.see(&busy);
        assert_ne!(takeover.stance(At::from_secs(1000)), Stance::Manage);
    }
}
