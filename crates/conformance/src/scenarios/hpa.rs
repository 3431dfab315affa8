//! Scenarios of a HorizontalPodAutoscaler.

use plimsoll_api::hpa::{self, Flags, Hpa, Status, Told, Words};
use plimsoll_api::observe::PodView;
use plimsoll_api::selector::{self, Selector};
use plimsoll_engine::{Act, BadSelector, Memory, Observation, Outcome, Trail, decide};
use serde::Deserialize;
use serde_json::{Value, json};

use super::given::Step;
use crate::report::Report;
use crate::vectors::{Fault, typed};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) id: String,
    #[serde(rename = "kind")]
    _kind: String,
    config: Config,
    pub(super) hpa: Hpa,
    #[serde(default)]
    pub(super) other_autoscalers: Vec<Other>,
    pub(super) steps: Vec<Step>,
}

impl Scenario {
    /// The controller's flags.
    pub(super) fn flags(&self) -> Flags {
        Flags {
            tolerance: self.config.tolerance,
            downscale_stabilization_secs: self.config.downscale_stabilization_seconds,
            cpu_initialization_secs: self.config.cpu_initialization_period_seconds,
            initial_readiness_delay_secs: self.config.initial_readiness_delay_seconds,
            sync_period_secs: 15,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Config {
    tolerance: f64,
    downscale_stabilization_seconds: i64,
    cpu_initialization_period_seconds: i64,
    initial_readiness_delay_seconds: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Other {
    name: String,
    selector: String,
}

/// Follows one autoscaler through its steps; each step is one case.
pub(crate) fn run(line: &str, report: &mut Report) -> Result<(), Fault> {
    let scenario: Scenario = typed(line)?;
    let mut controller = Controller {
        flags: scenario.flags(),
        status: scenario.hpa.status.as_ref().map(Status::from_object).unwrap_or_default(),
        hpa: scenario.hpa,
        others: scenario.other_autoscalers,
        memory: Memory::default(),
        trail: Trail::new(),
    };
    for (index, step) in scenario.steps.iter().enumerate() {
        let got = controller.step(step)?;
        if !report.check(&scenario.id, Some(index), &step.expect, &got) {
            controller.status = expected_status(&step.expect)?;
        }
    }
    Ok(())
}

pub(super) fn expected_status(expect: &Value) -> Result<Status, Fault> {
    let status = expect.get("status").cloned().unwrap_or_default();
    let status = serde_json::from_value(status).map_err(Fault::new)?;
    Ok(Status::from_object(&status))
}

/// What a controller has: the object, its status, and what it remembers.
struct Controller {
    flags: Flags,
    hpa: Hpa,
    status: Status,
    others: Vec<Other>,
    memory: Memory,
    trail: Trail,
}

impl Controller {
    fn step(&mut self, step: &Step) -> Result<Value, Fault> {
        if let Some(spec) = &step.spec {
            self.hpa.spec = serde_json::from_value(spec.clone()).map_err(Fault::new)?;
            self.hpa.metadata.generation = self.hpa.metadata.generation.map(|generation| generation + 1);
        }
        let mut hpa = self.hpa.clone();
        hpa::default(&mut hpa);
        let lowered = hpa::lower(&hpa, &self.flags).map_err(Fault::new)?;
        let seen = observe(step, &hpa, &self.others, &lowered.words);
        self.memory.recalled = self.status.recalled();
        let decision = decide(&lowered.policy, &seen, &self.memory, &mut self.trail);
        let outcome = match decision.act {
            Act::Write => step.write_scale(),
            Act::Keep | Act::Abort => Outcome::NotTried,
        };
        self.memory.settle(&lowered.policy, &self.trail, &decision, &outcome);
        let before = self.status.clone();
        let told =
            hpa::tell(&mut self.status, &lowered, hpa.metadata.generation, &self.trail, &decision, &outcome);
        let scaled_to = (outcome == Outcome::Written).then_some(decision.to);
        Ok(got(&before, &self.status, scaled_to, &told))
    }
}

/// What there is to be seen at a step.
pub(super) fn observe(step: &Step, hpa: &Hpa, others: &[Other], words: &Words) -> Observation {
    let target = &hpa.spec.scale_target_ref;
    let views: Vec<PodView> = step.pods.iter().map(PodView::from).collect();
    let mut seen = Observation::at(step.at());
    seen.scale = step.read_scale(target.api_version.as_deref().unwrap_or_default(), &target.kind);
    let (selected, selector) = match select(step, hpa, others, &views) {
        Ok(selected) => selected,
        Err(bad) => {
            seen.selection = Err(bad);
            return seen;
        }
    };
    seen.pods = selected.iter().map(|pod| pod.facts).collect();
    seen.readings = words
        .metrics
        .iter()
        .map(|words| match words.refused() {
            Some(absent) => plimsoll_engine::Reading::Missing(absent),
            None => step.read(&words.source, &selector, &selected),
        })
        .collect();
    seen
}

/// The pods that the target's selector selects, unless it cannot be used.
fn select<'a>(
    step: &Step,
    hpa: &Hpa,
    others: &[Other],
    pods: &'a [PodView],
) -> Result<(Vec<&'a PodView>, Selector), BadSelector> {
    let text = &step.scale.selector;
    if text.is_empty() {
        return Err(BadSelector::Missing);
    }
    let selector = selector::parse(text).map_err(|error| BadSelector::Invalid(error.to_string().into()))?;
    let selected: Vec<&PodView> = pods.iter().filter(|pod| selector.matches(&pod.labels)).collect();
    let namespace = hpa.metadata.namespace.as_deref().unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for other in others {
        let parsed = selector::parse(&other.selector).unwrap_or_else(|_| Selector::nothing());
        if selected.iter().any(|pod| parsed.matches(&pod.labels)) {
            names.push(format!("{namespace}/{}", other.name));
        }
    }
    if names.is_empty() {
        return Ok((selected, selector));
    }
    names.push(format!("{namespace}/{}", hpa.metadata.name.as_deref().unwrap_or_default()));
    names.sort();
    names.truncate(2);
    let names = names.join(" ");
    let message = format!("pods by selector {text} are controlled by more than one HPA (e.g. [{names}])");
    Err(BadSelector::Ambiguous(message.into()))
}

pub(super) fn got(before: &Status, after: &Status, scaled_to: Option<i32>, told: &Told) -> Value {
    let events: Vec<Value> = told
        .events
        .iter()
        .map(|event| json!({"type": event.kind.as_str(), "reason": event.reason, "message": event.message}))
        .collect();
    json!({
        "status": after.to_object(),
        "scaledTo": scaled_to,
        "events": events,
        "error": told.error,
        "statusWritten": before != after,
    })
}
