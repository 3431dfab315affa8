//! A small world around an Autoscaler: pods that are ready, values that are given, a clock that moves by 15 seconds.

use plimsoll_api::autoscaler::{self, Autoscaler, Lowered};
use plimsoll_api::hpa::Flags;
use plimsoll_engine::{
    Absent, Act, At, Decision, DryRun, Memory, Observation, Others, Outcome, PerPod, Pod, Reading, Ready,
    Sample, Scale, Trail, decide, seconds,
};
use serde_json::{Value, json};

/// When every world begins.
pub(crate) const START: At = At::from_secs(1_800_000_000);

/// An external metric with this goal beside its name.
pub(crate) fn external(held: Value) -> Value {
    let mut source = json!({ "metric": { "name": "queue" } });
    for (key, value) in held.as_object().unwrap() {
        source[key] = value.clone();
    }
    json!({ "type": "External", "external": source })
}

/// An external metric that asks for as many replicas as its value says.
pub(crate) fn asks() -> Value {
    external(json!({ "target": { "type": "AverageValue", "averageValue": 1 } }))
}

/// The CPU of the pods, held like this.
pub(crate) fn cpu(held: Value) -> Value {
    let mut source = json!({ "name": "cpu" });
    for (key, value) in held.as_object().unwrap() {
        source[key] = value.clone();
    }
    json!({ "type": "Resource", "resource": source })
}

/// An Autoscaler in its world.
pub(crate) struct World {
    pub(crate) lowered: Lowered,
    pub(crate) memory: Memory,
    pub(crate) trail: Trail,
    pub(crate) at: At,
    pub(crate) replicas: i32,
    /// How many of the pods are ready; `None` is all of them.
    pub(crate) ready: Option<i32>,
}

impl World {
    /// Tolerance 0 and 1 to 1000 replicas, unless `more` says otherwise.
    pub(crate) fn new(metrics: Value, more: Value, replicas: i32) -> Self {
        let mut spec = json!({
            "scaleTargetRef": { "kind": "Deployment", "name": "web" },
            "minReplicas": 1, "maxReplicas": 1000, "tolerance": 0, "metrics": metrics,
        });
        for (key, value) in more.as_object().unwrap() {
            spec[key] = value.clone();
        }
        let object: Autoscaler =
            serde_json::from_value(json!({ "metadata": { "name": "web" }, "spec": spec })).unwrap();
        let lowered = autoscaler::admit(&object, &Flags::default())
            .unwrap_or_else(|errors| panic!("{}", errors.first().unwrap()));
        let memory = Memory::new(lowered.policy());
        World { lowered, memory, trail: Trail::new(), at: START, replicas, ready: None }
    }

    /// One look; each value is in milli-units, `None` where the metric is missing.
    pub(crate) fn look(&mut self, values: &[Option<i64>]) -> Decision {
        let pods = usize::try_from(self.replicas).unwrap();
        let ready = usize::try_from(self.ready.unwrap_or(self.replicas)).unwrap();
        let started = self.at.minus(seconds(86_400));
        let listed = (0..pods).map(|index| Pod {
            ready: if index < ready { Ready::True } else { Ready::False },
            ..Pod::running(started)
        });
        let metrics = self.lowered.words().metrics.iter();
        let readings = metrics.zip(values).map(|(words, value)| match (&words.source, value) {
            (_, None) => Reading::Missing(Absent::Api("down".into())),
            (plimsoll_api::source::Source::Resource { .. }, Some(milli)) => Reading::PerPod(PerPod {
                samples: vec![Some(Sample { milli: *milli, at: self.at, window_us: seconds(30) }); pods],
                requests: Ok(vec![1000; pods]),
                others: Others::default(),
            }),
            (_, Some(milli)) => Reading::Series { values: vec![*milli], taken: Some(self.at) },
        });
        let seen = Observation {
            scale: Ok(Scale { spec: self.replicas, status: self.replicas }),
            bounds: Some(self.lowered.calendar.at(self.at).bounds),
            pods: listed.collect(),
            readings: readings.collect(),
            ..Observation::at(self.at)
        };
        let policy = self.lowered.policy();
        let decision = decide(policy, &seen, &self.memory, &mut self.trail);
        let outcome = match (decision.act, policy.dry_run) {
            (Act::Write, DryRun::Off) => Outcome::Written,
            (Act::Write, _) => Outcome::DryRun,
            _ => Outcome::NotTried,
        };
        self.memory.settle(policy, &self.trail, &decision, &outcome);
        if outcome == Outcome::Written {
            self.replicas = decision.to;
        }
        self.at = self.at.plus(seconds(15));
        decision
    }

    /// One look at a metric that asks for so many replicas; the replicas afterwards.
    pub(crate) fn wish(&mut self, replicas: i32) -> i32 {
        self.look(&[Some(i64::from(replicas) * 1000)]);
        self.replicas
    }
}

/// No window, no rate: whatever the metrics wish for happens at once.
pub(crate) fn at_once() -> Value {
    json!({
        "scaleUp": { "policies": [{ "type": "Pods", "value": 1_000_000, "periodSeconds": 1 }] },
        "scaleDown": { "stabilizationWindowSeconds": 0 },
    })
}
