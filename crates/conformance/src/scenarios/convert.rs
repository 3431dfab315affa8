//! Conversions replayed: the object and the Autoscaler it becomes see the same and remember the same, step by step.

use std::collections::BTreeMap;
use std::fmt;

use plimsoll_api::autoscaler::{self, Autoscaler};
use plimsoll_api::convert::{Converted, Difference, Impossible, Kind, hpa_to_autoscaler, wpa_to_autoscaler};
use plimsoll_api::hpa::{self, Flags, Hpa, Status};
use plimsoll_api::observe::PodView;
use plimsoll_api::selector;
use plimsoll_api::wpa::{self, Gate, WatermarkPodAutoscaler, WpaStatus, apply_defaults};
use plimsoll_engine::{
    Act, Memory, Observation, Outcome, Phase, Policy, Reading, Ready, Recalled, Trail, decide,
};

use super::given::Step;
use super::wpa::{monitor, observe, read, sync};
use crate::vectors::{Fault, typed};
use crate::wpa_objects::object;

/// How conversions went.
#[derive(Debug, Default)]
pub struct Replay {
    /// Objects that were converted.
    pub objects: u64,
    /// Of these, objects that decided the same number at every step.
    pub alike: u64,
    /// Objects that cannot be converted, by why.
    pub refused: BTreeMap<String, u64>,
    /// Steps that were compared.
    pub steps: u64,
    /// Steps with another number of replicas, by the differences that were named and explain them.
    pub named: BTreeMap<Vec<Kind>, u64>,
    /// Steps with another number of replicas that nothing explains.
    pub unnamed: Vec<String>,
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let differing: u64 = self.named.values().sum();
        writeln!(
            f,
            "{} objects converted, {} without any difference in {} steps; {differing} steps differ as named, {} unnamed",
            self.objects,
            self.alike,
            self.steps,
            self.unnamed.len()
        )?;
        for (kinds, count) in &self.named {
            writeln!(f, "{count:>7} steps: {kinds:?}")?;
        }
        for (why, count) in &self.refused {
            writeln!(f, "{count:>7} objects cannot be converted: {why}")?;
        }
        self.unnamed.iter().take(20).try_for_each(|what| writeln!(f, "unnamed: {what}"))
    }
}

impl Replay {
    fn object(&mut self, before: (usize, u64)) {
        let now = (self.unnamed.len(), self.named.values().sum());
        self.objects += 1;
        self.alike += u64::from(before == now);
    }

    fn differing(&self) -> (usize, u64) {
        (self.unnamed.len(), self.named.values().sum())
    }

    fn step(
        &mut self,
        at: &str,
        was: i32,
        is: i32,
        differences: &[Difference],
        holds: impl Fn(Kind) -> bool,
    ) {
        self.steps += 1;
        if was == is {
            return;
        }
        let mut kinds: Vec<Kind> = differences.iter().map(|it| it.kind).filter(|kind| holds(*kind)).collect();
        kinds.sort();
        kinds.dedup();
        if kinds.is_empty() {
            self.unnamed.push(format!("{at}: {was} became {is}"));
        } else {
            *self.named.entry(kinds).or_default() += 1;
        }
    }

    fn refuse(&mut self, impossible: &Impossible) {
        *self.refused.entry(impossible.to_string()).or_default() += 1;
    }
}

/// The replicas after a look.
fn decided(policy: &Policy, seen: &Observation, memory: &Memory, trail: &mut Trail) -> i32 {
    let decision = decide(policy, seen, memory, trail);
    match (decision.act, &seen.scale) {
        (Act::Write, _) => decision.to,
        (_, Ok(scale)) => scale.spec,
        (_, Err(_)) => 0,
    }
}

/// A WatermarkPodAutoscaler and the Autoscaler it becomes.
pub(crate) fn replay_wpa(line: &str, replay: &mut Replay) -> Result<(), Fault> {
    let scenario: super::wpa::Scenario = typed(line)?;
    let mut object = object(scenario.wpa)?;
    let mut status = WpaStatus::default();
    let before = replay.differing();
    let mut converts = true;
    for (index, step) in scenario.steps.iter().enumerate() {
        if let Some(spec) = &step.spec {
            object.spec = typed(&spec.to_string())?;
        }
        let converted = wpa_to_autoscaler(&object);
        apply_defaults(&mut object.spec);
        match &converted {
            Ok(converted) => {
                let at = format!("{} step {index}", scenario.id);
                compare_wpa(&at, &object, converted, &status, step, replay)?;
            }
            Err(impossible) if converts => {
                converts = false;
                replay.refuse(impossible);
            }
            Err(_) => {}
        }
        status = sync(&object, &status, step).0.status;
    }
    if converts {
        replay.object(before);
    }
    Ok(())
}

fn compare_wpa(
    at: &str,
    object: &WatermarkPodAutoscaler,
    converted: &Converted<Autoscaler>,
    status: &WpaStatus,
    step: &Step,
    replay: &mut Replay,
) -> Result<(), Fault> {
    let policy = wpa::lower(object).map_err(Fault::new)?;
    let gate = Gate::of(object, || monitor(object, step.datadog_monitor.as_deref()));
    let seen = observe(object, &gate, step);
    let recalled = wpa::recall(status);
    let mut trail = Trail::new();
    let was = decided(&policy, &seen, &remembering(&policy, recalled), &mut trail);
    let lowered = autoscaler::lower(&converted.object, &Flags::default()).map_err(Fault::new)?;
    let seen_now = seen_by(&lowered, &seen, step);
    let is = decided(lowered.policy(), &seen_now, &remembering(lowered.policy(), recalled), &mut trail);
    let scale = seen.scale.as_ref().ok().copied();
    replay.step(at, was, is, &converted.differences, |kind| match kind {
        Kind::BoundsFirst => scale.is_some_and(|scale| {
            scale.spec == 0 || scale.spec < policy.bounds.min || scale.spec > policy.bounds.max
        }),
        Kind::FirstSync => recalled.last_scale.is_none(),
        Kind::MonitorGate => seen.permit.is_err(),
        Kind::ZeroBelieved => seen.readings.iter().any(is_zero),
        Kind::Pods => !ordinary(&seen),
        Kind::AnyFailure => seen.readings.iter().any(|reading| matches!(reading, Reading::Missing(_))),
        Kind::RawSum
        | Kind::OwnSelector
        | Kind::Delays
        | Kind::Rounded
        | Kind::NoMetrics
        | Kind::AtLeastOne => true,
        Kind::DryRunCounts | Kind::Waking | Kind::LeftOut | Kind::Close => false,
    });
    Ok(())
}

fn remembering(policy: &Policy, recalled: Recalled) -> Memory {
    Memory { recalled, ..Memory::new(policy) }
}

/// What the Autoscaler sees of the same step.
fn seen_by(lowered: &autoscaler::Lowered, seen: &Observation, step: &Step) -> Observation {
    let mut seen = Observation { permit: Ok(()), ..seen.clone() };
    if let Ok(selector) = selector::parse(&step.scale.selector) {
        let views: Vec<PodView> = step.pods.iter().map(PodView::from).collect();
        let selected: Vec<&PodView> = views.iter().filter(|pod| selector.matches(&pod.labels)).collect();
        let words = &lowered.words().metrics;
        seen.readings = words.iter().map(|words| read(&words.source, step, &selector, &selected)).collect();
    }
    seen
}

fn is_zero(reading: &Reading) -> bool {
    matches!(reading, Reading::Series { values, .. } if values.iter().sum::<i64>() == 0)
}

/// Whether every pod counts the same in both kinds: ready, the target's own, measured, and as many as were asked for.
fn ordinary(seen: &Observation) -> bool {
    let pods = i32::try_from(seen.pods.len()).unwrap_or(i32::MAX);
    let scaled = seen.scale.as_ref().is_ok_and(|scale| scale.spec == pods && scale.status == pods);
    let counted = seen.pods.iter().all(|pod| {
        pod.owned
            && !pod.deleted
            && pod.phase == Phase::Running
            && pod.ready == Ready::True
            && pod.start.is_some_and(|start| start < pod.ready_since)
    });
    let measured = seen.readings.iter().all(|reading| match reading {
        Reading::PerPod(per_pod) => per_pod.samples.iter().all(Option::is_some),
        Reading::Series { .. } | Reading::Missing(_) => true,
    });
    scaled && counted && measured
}

/// A HorizontalPodAutoscaler and the Autoscaler it becomes.
pub(crate) fn replay_hpa(line: &str, replay: &mut Replay) -> Result<(), Fault> {
    let scenario: super::hpa::Scenario = typed(line)?;
    let flags = scenario.flags();
    let mut object = scenario.hpa;
    let mut sides = Sides::default();
    let before = replay.differing();
    let mut converts = true;
    for (index, step) in scenario.steps.iter().enumerate() {
        if let Some(spec) = &step.spec {
            object.spec = typed(&spec.to_string())?;
        }
        let converted = hpa_to_autoscaler(&object);
        match &converted {
            Ok(converted) => {
                let (was, is) = sides.step(&object, &flags, &scenario.other_autoscalers, converted, step)?;
                let asleep = step.scale.spec_replicas == 0;
                let at = format!("{} step {index}", scenario.id);
                replay.step(&at, was, is, &converted.differences, |kind| kind == Kind::Waking && asleep);
            }
            Err(impossible) if converts => {
                converts = false;
                replay.refuse(impossible);
            }
            Err(_) => {}
        }
    }
    if converts {
        replay.object(before);
    }
    Ok(())
}

/// Both sides of a HorizontalPodAutoscaler's conversion, each with its own memory.
#[derive(Default)]
struct Sides {
    status: Status,
    hpa: Memory,
    autoscaler: Memory,
}

impl Sides {
    fn step(
        &mut self,
        object: &Hpa,
        flags: &Flags,
        others: &[super::hpa::Other],
        converted: &Converted<Autoscaler>,
        step: &Step,
    ) -> Result<(i32, i32), Fault> {
        let mut defaulted = object.clone();
        hpa::default(&mut defaulted);
        let lowered = hpa::lower(&defaulted, flags).map_err(Fault::new)?;
        let seen = super::hpa::observe(step, &defaulted, others, &lowered.words);
        let recalled = self.status.recalled();
        self.hpa.recalled = recalled;
        let mut trail = Trail::new();
        let was = decide(&lowered.policy, &seen, &self.hpa, &mut trail);
        let outcome = if was.act == Act::Write { step.write_scale() } else { Outcome::NotTried };
        self.hpa.settle(&lowered.policy, &trail, &was, &outcome);
        hpa::tell(&mut self.status, &lowered, None, &trail, &was, &outcome);
        let lowered = autoscaler::lower(&converted.object, flags).map_err(Fault::new)?;
        self.autoscaler.recalled = recalled;
        let is = decide(lowered.policy(), &seen, &self.autoscaler, &mut trail);
        let outcome = if is.act == Act::Write { step.write_scale() } else { Outcome::NotTried };
        self.autoscaler.settle(lowered.policy(), &trail, &is, &outcome);
        let after = |act: Act, to: i32| if act == Act::Write { to } else { step.scale.spec_replicas };
        Ok((after(was.act, was.to), after(is.act, is.to)))
    }
}
