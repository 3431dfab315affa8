//! Scenarios of a WatermarkPodAutoscaler.

use std::collections::BTreeMap;

use plimsoll_api::observe::{self, PodView};
use plimsoll_api::selector::{self, Selector};
use plimsoll_api::source::Source;
use plimsoll_api::wpa::{
    self, Asked, Gate, Monitor, Told, WatermarkPodAutoscaler, WpaStatus, apply_defaults,
};
use plimsoll_engine::{
    Act, BadSelector, DryRun, Memory, Observation, Outcome, Policy, Reading, Trail, decide,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::given::Step;
use crate::report::Report;
use crate::vectors::{Fault, typed};
use crate::wpa_objects::object;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) id: String,
    #[serde(rename = "kind")]
    _kind: String,
    pub(super) wpa: Value,
    pub(super) steps: Vec<Step>,
}

/// Follows one autoscaler through its steps; each step is one case.
pub(crate) fn run(line: &str, report: &mut Report) -> Result<(), Fault> {
    let scenario: Scenario = typed(line)?;
    let mut object = object(scenario.wpa)?;
    apply_defaults(&mut object.spec);
    let mut status = WpaStatus::default();
    for (index, step) in scenario.steps.iter().enumerate() {
        if let Some(spec) = &step.spec {
            object.spec = typed(&spec.to_string())?;
            apply_defaults(&mut object.spec);
        }
        let (told, scaled_to) = sync(&object, &status, step);
        if report.check(&scenario.id, Some(index), &step.expect, &got(&told, scaled_to)) {
            status = told.status;
        } else {
            let expected = step.expect.get("status").cloned().unwrap_or_default();
            status = typed(&expected.to_string())?;
        }
    }
    Ok(())
}

fn got(told: &Told, scaled_to: Option<i32>) -> Value {
    let events: Vec<Value> = told
        .events
        .iter()
        .map(|event| json!({"type": event.kind.as_str(), "reason": event.reason, "message": event.message}))
        .collect();
    json!({
        "status": told.status,
        "scaledTo": scaled_to,
        "events": events,
        "requeueAfterSeconds": told.requeue_secs,
        "statusWritten": told.changed,
    })
}

/// One sync. All that is remembered is in the status, so the memory starts afresh each time.
pub(super) fn sync(object: &WatermarkPodAutoscaler, status: &WpaStatus, step: &Step) -> (Told, Option<i32>) {
    let policy = match wpa::lower(object) {
        Ok(policy) => policy,
        Err(refusal) => return (wpa::refused(&refusal, status, step.at()), None),
    };
    let gate = Gate::of(object, || monitor(object, step.datadog_monitor.as_deref()));
    let seen = observe(object, &gate, step);
    let mut memory = Memory::new(&policy);
    memory.recalled = wpa::recall(status);
    let mut trail = Trail::new();
    let decision = decide(&policy, &seen, &memory, &mut trail);
    let outcome = carry_out(&policy, decision.act, step);
    let asked = Asked { object, gate: &gate, selector: &step.scale.selector };
    let told = wpa::tell(asked, status, &trail, &decision, &outcome);
    (told, (outcome == Outcome::Written).then_some(decision.to))
}

fn carry_out(policy: &Policy, act: Act, step: &Step) -> Outcome {
    match act {
        Act::Keep | Act::Abort => Outcome::NotTried,
        Act::Write if policy.dry_run != DryRun::Off => Outcome::DryRun,
        Act::Write => step.write_scale(),
    }
}

pub(super) fn monitor(object: &WatermarkPodAutoscaler, seen: Option<&str>) -> Monitor {
    match seen {
        None | Some("absent") => Monitor::not_found(object.metadata.name.as_deref().unwrap_or_default()),
        Some("unset") => Monitor::Stateless,
        Some(state) => Monitor::State(state.to_owned()),
    }
}

pub(super) fn observe(object: &WatermarkPodAutoscaler, gate: &Gate, step: &Step) -> Observation {
    let target = &object.spec.scale_target_ref;
    let views: Vec<PodView> = step.pods.iter().map(PodView::from).collect();
    let mut seen = Observation::at(step.at());
    seen.permit = gate.permit();
    seen.scale = step.read_scale(&target.api_version, &target.kind);
    let selector = match selector::parse(&step.scale.selector) {
        Ok(selector) => selector,
        Err(error) => {
            seen.selection = Err(BadSelector::Invalid(error.to_string().into()));
            return seen;
        }
    };
    let selected: Vec<&PodView> = views.iter().filter(|pod| selector.matches(&pod.labels)).collect();
    seen.pods = wpa::observe::pods(object, &selected);
    let sources = wpa::observe::sources(object);
    seen.readings = sources.iter().map(|source| read(source, step, &selector, &selected)).collect();
    seen
}

/// Asks the API that a metric comes from, which narrows the answer down by the metric's own selector.
pub(super) fn read(source: &Source, step: &Step, selector: &Selector, selected: &[&PodView]) -> Reading {
    if let Some(absent) = source.refused() {
        return Reading::Missing(absent);
    }
    let Source::External { name, selector: own } = source else {
        return step.read(source, selector, selected);
    };
    match step.read_external(name) {
        Err(error) => Reading::Missing(source.call_failed(error)),
        Ok(mut list) => {
            let none = BTreeMap::new();
            list.items.retain(|item| {
                let labels = item.metric_labels.as_ref().unwrap_or(&none);
                own.parsed.as_ref().is_ok_and(|own| own.matches(labels))
            });
            observe::external(source, &list)
        }
    }
}
