//! An autoscaler in a story: an Autoscaler, or a HorizontalPodAutoscaler to compare it with.

use std::collections::BTreeMap;

use plimsoll_api::autoscaler::{self, Autoscaler, Sync};
use plimsoll_api::explain::Shown;
use plimsoll_api::hpa::{self, Flags, Hpa};
use plimsoll_api::source::Source;
use plimsoll_engine::{
    Absent, Act, At, Decision, Memory, Observation, Others, Outcome, PerPod, Pod, Reading, Sample, Scale,
    Trail, decide, seconds,
};
use serde_json::Value;

/// What comes of one look.
pub(crate) struct Come {
    /// The replicas afterwards.
    pub(crate) replicas: i32,
    /// What each stage did.
    pub(crate) trail: Trail,
    /// Every reason that was given.
    pub(crate) reasons: Vec<String>,
    /// The conditions, in the order in which they were written.
    pub(crate) rows: Vec<[String; 4]>,
    /// The decision in one sentence.
    pub(crate) why: String,
}

enum Kind {
    Autoscaler(Box<autoscaler::Lowered>, Box<autoscaler::Status>),
    Hpa(Box<hpa::Lowered>, Box<hpa::Status>),
}

/// The autoscaler of a story, with what it remembers.
pub(crate) struct Subject {
    kind: Kind,
    memory: Memory,
}

impl Subject {
    pub(crate) fn new(manifest: &Value) -> Result<Self, String> {
        let kind = if manifest["kind"] == "Autoscaler" {
            let object: Autoscaler = serde_json::from_value(manifest.clone()).map_err(|it| it.to_string())?;
            let lowered = autoscaler::admit(&object, &Flags::default())
                .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
            Kind::Autoscaler(Box::new(lowered), Box::default())
        } else {
            let mut object: Hpa = serde_json::from_value(manifest.clone()).map_err(|it| it.to_string())?;
            hpa::default(&mut object);
            let lowered = hpa::lower(&object, &Flags::default()).map_err(|it| it.to_string())?;
            Kind::Hpa(Box::new(lowered), Box::default())
        };
        Ok(Subject { kind, memory: Memory::default() })
    }

    fn lowered(&self) -> &hpa::Lowered {
        match &self.kind {
            Kind::Autoscaler(lowered, _) => &lowered.base,
            Kind::Hpa(lowered, _) => lowered,
        }
    }

    /// One look at `replicas` ready pods and these values.
    pub(crate) fn look(
        &mut self,
        at: At,
        replicas: i32,
        observed: &BTreeMap<String, i64>,
    ) -> Result<Come, String> {
        match &self.kind {
            Kind::Autoscaler(_, status) => status.recall(&mut self.memory),
            Kind::Hpa(_, status) => self.memory.recalled = status.recalled(),
        }
        let lowered = self.lowered().clone();
        let seen = seen(&lowered, at, replicas, observed);
        let mut trail = Trail::new();
        let decision = decide(&lowered.policy, &seen, &self.memory, &mut trail);
        let outcome = if decision.act == Act::Write { Outcome::Written } else { Outcome::NotTried };
        self.memory.settle(&lowered.policy, &trail, &decision, &outcome);
        let mut reasons = self.tell(&trail, &decision, &outcome)?;
        let rows = rows(&lowered, &trail, &decision, &outcome);
        reasons.extend(rows.iter().map(|row| row[2].clone()));
        let shown: Vec<Shown> = lowered
            .words
            .metrics
            .iter()
            .zip(&lowered.policy.metrics)
            .map(|(words, metric)| Shown::new(&words.source, metric))
            .collect();
        Ok(Come {
            replicas: if outcome == Outcome::Written { decision.to } else { decision.from },
            reasons,
            rows,
            why: plimsoll_api::explain::why(&trail, &decision, &shown),
            trail,
        })
    }

    /// Tells the status; the reasons of the last decision's stages and of the conditions come back.
    fn tell(&mut self, trail: &Trail, decision: &Decision, outcome: &Outcome) -> Result<Vec<String>, String> {
        match &mut self.kind {
            Kind::Hpa(lowered, status) => {
                hpa::tell(status, lowered, None, trail, decision, outcome);
                Ok(status.conditions.0.iter().map(|it| it.reason.to_string()).collect())
            }
            Kind::Autoscaler(lowered, status) => {
                let in_force = lowered.calendar.at(decision.at);
                let sync = Sync {
                    generation: None,
                    in_force: &in_force,
                    memory: &self.memory,
                    trail,
                    decision,
                    outcome,
                };
                autoscaler::tell(status, lowered, &sync);
                let told = status.to_object();
                let last = told.last_decision.ok_or("no lastDecision")?;
                let bytes = serde_json::to_vec(&last).map_err(|it| it.to_string())?.len();
                if bytes > 4096 {
                    return Err(format!("lastDecision takes {bytes} bytes"));
                }
                let stages = last.stages.into_iter().map(|it| it.reason);
                let conditions = told.conditions.into_iter().flatten().filter_map(|it| it.reason);
                Ok(stages.chain(conditions).collect())
            }
        }
    }
}

/// Every write of a condition: what each step of the Trail adds to what was told before it.
fn rows(lowered: &hpa::Lowered, trail: &Trail, decision: &Decision, outcome: &Outcome) -> Vec<[String; 4]> {
    let mut rows = Vec::new();
    let mut before = hpa::Status::default();
    let lengths = 1..=trail.steps.len();
    let looks = lengths.map(|length| (length, &Outcome::NotTried)).chain([(trail.steps.len(), outcome)]);
    for (length, outcome) in looks {
        let part = Trail { steps: trail.steps.iter().take(length).cloned().collect() };
        let mut after = hpa::Status::default();
        hpa::tell(&mut after, lowered, None, &part, decision, outcome);
        for condition in &after.conditions.0 {
            let new = before.conditions.get(&condition.kind) != Some(condition);
            // Coming to zero or not is told too, but is no part of the proposal's tables.
            if new && condition.kind != "ScaledToZero" {
                let [kind, status] = [condition.kind.to_string(), condition.status.to_string()];
                rows.push([kind, status, condition.reason.to_string(), condition.message.clone()]);
            }
        }
        before = after;
    }
    rows
}

fn seen(lowered: &hpa::Lowered, at: At, replicas: i32, observed: &BTreeMap<String, i64>) -> Observation {
    let pods = usize::try_from(replicas).unwrap_or(0);
    let reading = |source: &Source| match source {
        Source::Resource { name, .. } => match observed.get(&**name) {
            None => Reading::Missing(source.nothing_returned()),
            Some(milli) => Reading::PerPod(PerPod {
                samples: vec![Some(Sample { milli: *milli, at, window_us: seconds(30) }); pods],
                requests: Ok(vec![1000; pods]),
                others: Others::default(),
            }),
        },
        Source::External { name, .. } => match observed.get(&**name) {
            None => Reading::Missing(source.nothing_returned()),
            Some(milli) => Reading::Series { values: vec![*milli], taken: Some(at) },
        },
        _ => Reading::Missing(Absent::Api("stories observe resources and external metrics only".into())),
    };
    Observation {
        scale: Ok(Scale { spec: replicas, status: replicas }),
        pods: vec![Pod::running(at.minus(seconds(86_400))); pods],
        readings: lowered.words.metrics.iter().map(|words| reading(&words.source)).collect(),
        ..Observation::at(at)
    }
}
