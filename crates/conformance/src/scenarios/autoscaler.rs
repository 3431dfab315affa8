//! Scenarios of a HorizontalPodAutoscaler, followed as an Autoscaler with the same spec: the numbers and the reasons
//! must be the same.

use plimsoll_api::autoscaler::{self, Autoscaler, AutoscalerSpec, Sync};
use plimsoll_api::hpa::{Flags, Hpa};
use plimsoll_engine::{Act, Memory, Outcome, Trail, decide};
use serde_json::{Value, json};

use super::given::Step;
use super::hpa::{Other, Scenario, expected_status, got, observe};
use crate::report::Report;
use crate::vectors::{Fault, typed};

/// Follows one autoscaler through its steps; each step is one case.
pub(crate) fn run(line: &str, report: &mut Report) -> Result<(), Fault> {
    let scenario: Scenario = typed(line)?;
    let mut controller = Controller {
        flags: scenario.flags(),
        hpa: scenario.hpa,
        others: scenario.other_autoscalers,
        status: autoscaler::Status::default(),
        memory: Memory::default(),
        trail: Trail::new(),
    };
    for (index, step) in scenario.steps.iter().enumerate() {
        let got = controller.step(step)?;
        if !report.check(&scenario.id, Some(index), &told(&step.expect), &told(&got)) {
            controller.status.base = expected_status(&step.expect)?;
        }
    }
    Ok(())
}

/// What an Autoscaler's scenario has in common with its recording: everything but whether the status was written (it
/// holds more), the condition that only an Autoscaler has, and the one message that is put right for it.
fn told(step: &Value) -> Value {
    let mut step = step.clone();
    if let Some(step) = step.as_object_mut() {
        step.remove("statusWritten");
    }
    if let Some(Value::Array(conditions)) = step.pointer_mut("/status/conditions") {
        conditions.retain(|condition| condition["type"] != "SpecValid");
        for condition in conditions.iter_mut().filter(|it| it["reason"] == "TooFewReplicas") {
            condition["message"] = json!("put right for an Autoscaler");
        }
    }
    step
}

struct Controller {
    flags: Flags,
    hpa: Hpa,
    others: Vec<Other>,
    status: autoscaler::Status,
    memory: Memory,
    trail: Trail,
}

impl Controller {
    fn step(&mut self, step: &Step) -> Result<Value, Fault> {
        if let Some(spec) = &step.spec {
            self.hpa.spec = serde_json::from_value(spec.clone()).map_err(Fault::new)?;
            self.hpa.metadata.generation = self.hpa.metadata.generation.map(|generation| generation + 1);
        }
        // The spec as it was written, read as that of an Autoscaler.
        let spec = serde_json::to_value(&self.hpa.spec).map_err(Fault::new)?;
        let spec: AutoscalerSpec = serde_json::from_value(spec).map_err(Fault::new)?;
        let object =
            Autoscaler { metadata: self.hpa.metadata.clone(), spec, status: Some(self.status.to_object()) };
        let lowered = autoscaler::lower(&object, &self.flags).map_err(Fault::new)?;
        let seen = observe(step, &self.hpa, &self.others, lowered.words());
        self.status.recall(&mut self.memory);
        let decision = decide(lowered.policy(), &seen, &self.memory, &mut self.trail);
        let outcome = match decision.act {
            Act::Write => step.write_scale(),
            Act::Keep | Act::Abort => Outcome::NotTried,
        };
        self.memory.settle(lowered.policy(), &self.trail, &decision, &outcome);
        let before = self.status.base.clone();
        let sync = Sync {
            generation: object.metadata.generation,
            in_force: &lowered.calendar.at(step.at()),
            memory: &self.memory,
            trail: &self.trail,
            decision: &decision,
            outcome: &outcome,
        };
        let told = autoscaler::tell(&mut self.status, &lowered, &sync);
        let scaled_to = (outcome == Outcome::Written).then_some(decision.to);
        Ok(got(&before, &self.status.base, scaled_to, &told))
    }
}
