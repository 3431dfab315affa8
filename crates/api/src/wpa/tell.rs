//! What a WatermarkPodAutoscaler's status and events say: a fold over the steps of the trail, in their order.

use plimsoll_engine::{
    Act, At, BadSelector, Bid, Bind, Breach, Decision, Outcome, Scale, Step, Trail, Unread, Why,
};

use super::amount::Amount;
use super::gate::{Gate, Monitor};
use super::lower::{Refusal, SYNC_SECS};
use super::status::Draft;
use super::types::{ExternalStatus, MetricStatus, ResourceStatus, WatermarkPodAutoscaler, WpaStatus};
use super::words;
use crate::condition::{Status as Holds, from_time, to_time};
use crate::hpa::Event;

/// What is to be told after a sync.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The status, as it is stored.
    pub status: WpaStatus,
    /// Whether it differs from the previous one, so that it must be sent.
    pub changed: bool,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// When to look again, in seconds; 0 only after the object was changed.
    pub requeue_secs: i64,
}

/// What was asked, and where.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The object, with its defaults.
    pub object: &'a WatermarkPodAutoscaler,
    /// What stood in front of it.
    pub gate: &'a Gate,
    /// The target's pod selector.
    pub selector: &'a str,
}

const FAILED: &str = "FailedProcessWPA";
const FAILED_TEXT: &str = "Error happened while processing the WPA";
const NOT_FOUND_SECS: i64 = 10;
const RETRY_SECS: i64 = 1;
const MONITOR_SECS: i64 = 60;
const NO_MONITOR_SECS: i64 = 120;

/// Tells of an object that has no policy.
#[must_use]
pub fn refused(refusal: &Refusal, previous: &WpaStatus, at: At) -> Told {
    let mut voice = Voice::new(previous.clone(), at);
    match refusal {
        Refusal::Invalid(invalid) => {
            let text = format!("Invalid WPA specification: {invalid}");
            voice.warn("FailedSpecCheck", invalid.to_string());
            voice.draft.set("AbleToScale", Holds::False, "FailedSpecCheck", text);
        }
        Refusal::Recommender { .. } => {
            voice.warn("RecommenderNotSupported", refusal.to_string());
            voice.draft.set("ScalingActive", Holds::False, "RecommenderNotSupported", refusal.to_string());
        }
    }
    voice.requeue_secs = 0;
    voice.finish(previous)
}

/// Tells of a decision and what became of it.
#[must_use]
pub fn tell(
    asked: Asked<'_>,
    previous: &WpaStatus,
    trail: &Trail,
    decision: &Decision,
    outcome: &Outcome,
) -> Told {
    let mut voice = Voice::new(previous.clone(), decision.at);
    voice.gate(asked);
    for step in &trail.steps {
        voice.step(asked, step);
    }
    match decision.act {
        Act::Write => voice.write(asked, decision, outcome),
        Act::Keep => voice.keep(asked, decision),
        Act::Abort => {}
    }
    voice.finish(previous)
}

struct Voice {
    draft: Draft,
    events: Vec<Event>,
    requeue_secs: i64,
    scale: Option<Scale>,
    /// What was measured, unless the previous measurements stay.
    measured: Option<Vec<MetricStatus>>,
    /// The failure that ends the sync.
    failure: Option<String>,
}

impl Voice {
    fn new(previous: WpaStatus, at: At) -> Self {
        let mut draft = Draft::from(previous, at);
        // Taken back once all went well. Until then it must not look as if it had.
        draft.set("ScalingActive", Holds::False, FAILED, FAILED_TEXT);
        Self {
            draft,
            events: Vec::new(),
            requeue_secs: SYNC_SECS,
            scale: None,
            measured: Some(Vec::new()),
            failure: None,
        }
    }

    fn finish(self, previous: &WpaStatus) -> Told {
        let (status, changed) = self.draft.finish(previous);
        Told { status, changed, events: self.events, requeue_secs: self.requeue_secs }
    }

    fn warn(&mut self, reason: &'static str, message: String) {
        self.events.push(Event::warning(reason, message));
    }

    fn inform(&mut self, reason: &'static str, message: String) {
        self.events.push(Event::normal(reason, message));
    }

    fn gate(&mut self, asked: Asked<'_>) {
        let meta = &asked.object.metadata;
        let monitor = format!(
            "monitor {}/{}",
            meta.namespace.as_deref().unwrap_or_default(),
            meta.name.as_deref().unwrap_or_default()
        );
        let blocking = "blocking the WPA from proceeding";
        let (holds, reason, text) = match asked.gate {
            Gate::None => return,
            Gate::Unreadable(text) => (
                Holds::False,
                "FailedGetDatadogMonitor",
                format!(
                    "Lifecycle Control is not correctly enabled: strconv.ParseBool: parsing {text:?}: invalid syntax"
                ),
            ),
            Gate::Monitor(Monitor::Absent(why)) => {
                self.warn("FailedGetDatadogMonitor", why.clone());
                (Holds::True, "FailedGetDatadogMonitor", format!("{monitor} not found, {blocking}"))
            }
            Gate::Monitor(Monitor::Stateless) => {
                (Holds::True, "DatadogMonitorNotOK", format!("{monitor} state not found, {blocking}"))
            }
            Gate::Monitor(Monitor::State(state)) if state == "OK" => (
                Holds::False,
                "DatadogMonitorOK",
                format!("{monitor} is in a OK state, allowing the WPA from proceeding"),
            ),
            Gate::Monitor(Monitor::State(state)) => {
                (Holds::True, "DatadogMonitorNotOK", format!("{monitor} is in {state} state, {blocking}"))
            }
        };
        self.draft.set("ScalingBlocked", holds, reason, text);
        if holds == Holds::True {
            let absent = matches!(asked.gate, Gate::Monitor(Monitor::Absent(_)));
            self.requeue_secs = if absent { NO_MONITOR_SECS } else { MONITOR_SECS };
        }
    }

    fn step(&mut self, asked: Asked<'_>, step: &Step) {
        match step {
            Step::Unread(unread) => {
                let unavailable = matches!(unread, Unread::Failed(_));
                self.requeue_secs = if unavailable { NOT_FOUND_SECS } else { RETRY_SECS };
                self.warn(FAILED, words::unread(asked.object, unread));
                self.draft.set("AbleToScale", Holds::False, FAILED, FAILED_TEXT);
            }
            Step::Read(scale) => self.read(asked, *scale),
            Step::Metric { index, bid: Ok(bid) } => self.measured(asked, *index, bid),
            Step::Metric { index, bid: Err(why) } => self.unmeasured(asked, *index, why),
            Step::BadSelector(bad) => self.bad_selector(asked, bad),
            Step::NoBid { .. } => self.give_up(),
            Step::Combined { winner, breach, .. } => self.combined(asked, *winner, *breach),
            Step::Bounded { by, .. } => {
                let (reason, text) = words::limited(*by);
                let limited = *by != Bind::Within;
                self.draft.set("ScalingLimited", limited.into(), reason, text);
            }
            Step::Cooling { up, down } => self.cooling(up.is_some(), down.is_some()),
            Step::Asleep => self.draft.set(
                "ScalingActive",
                Holds::False,
                "ScalingDisabled",
                "scaling is disabled since the replica count of the target is zero",
            ),
            Step::Jump { .. } => self.measured = None,
            // The gate has been told already; the others are not part of this kind's policy, or have no words here.
            Step::Blocked(_)
            | Step::StandIn { .. }
            | Step::Stabilized { .. }
            | Step::Lifted { .. }
            | Step::Waits { .. } => {}
        }
    }

    fn read(&mut self, asked: Asked<'_>, scale: Scale) {
        self.scale = Some(scale);
        let (holds, reason, text) = if asked.object.spec.dry_run {
            (Holds::True, "DryRun mode enabled", "Scaling changes won't be applied")
        } else {
            (Holds::False, "DryRun mode disabled", "Scaling changes can be applied")
        };
        self.draft.set("DryRun", holds, reason, text);
        let text = "the WPA controller was able to get the target's current scale";
        self.draft.set("AbleToScale", Holds::True, "SucceededGetScale", text);
    }

    fn measured(&mut self, asked: Asked<'_>, index: u16, bid: &Bid) {
        if let Some((holds, reason, text)) = words::converging(bid.mark) {
            self.draft.set("ConvergeToWatermark", holds, reason, text);
        }
        let (Some(source), Some(measured)) = (words::source(asked.object, index), &mut self.measured) else {
            return;
        };
        let value = Amount::from_milli(bid.milli);
        let mut status = MetricStatus { kind: source.kind.to_owned(), ..MetricStatus::default() };
        if source.kind == "External" {
            status.external = Some(ExternalStatus {
                metric_name: source.name.to_owned(),
                metric_selector: source.selector.cloned(),
                current_value: value,
                current_average_value: None,
            });
        } else {
            status.resource = Some(ResourceStatus {
                name: source.name.to_owned(),
                current_average_utilization: None,
                current_average_value: value,
            });
        }
        measured.push(status);
    }

    fn unmeasured(&mut self, asked: Asked<'_>, index: u16, why: &Why) {
        let Some(source) = words::source(asked.object, index) else { return };
        let text = words::why(asked.object, asked.selector, &source, why);
        self.failure = Some(words::failed(&source, &text));
        let reason =
            if source.kind == "External" { "FailedGetExternalMetric" } else { "FailedGetResourceMetric" };
        self.warn(reason, text.clone());
        let text = format!("the WPA was unable to compute the replica count: {text}");
        self.draft.set("ScalingActive", Holds::False, reason, text);
    }

    /// The original does not survive such a selector; here it is told as what it is, a metric that cannot be had.
    fn bad_selector(&mut self, asked: Asked<'_>, bad: &BadSelector) {
        let text = match bad {
            BadSelector::Missing => {
                "could not parse the labels of the target: the selector is empty".to_owned()
            }
            BadSelector::Invalid(text) | BadSelector::Ambiguous(text) => {
                format!("could not parse the labels of the target: {text}")
            }
        };
        self.unmeasured(asked, 0, &Why::Spec(text.into()));
        self.give_up();
    }

    /// Nothing was decided: only the number of pods is news.
    fn give_up(&mut self) {
        if let Some(scale) = self.scale {
            self.draft.status.current_replicas = scale.status;
        }
        if let Some(failure) = self.failure.take() {
            self.warn("FailedComputeMetricsReplicas", failure);
        }
    }

    fn combined(&mut self, asked: Asked<'_>, winner: u16, breach: Breach) {
        self.draft.set(
            "AboveHighWatermark",
            breach.above.into(),
            "Value above High Watermark",
            "Allow upscaling if the value stays over the Watermark",
        );
        self.draft.set(
            "BelowLowWatermark",
            breach.below.into(),
            // Not a slip of ours.
            "Value above Low Watermark",
            "Allow downscaling if the value stays under the Watermark",
        );
        let text = format!(
            "the WPA was able to successfully calculate a replica count from {}",
            words::metric_series(asked.object, winner)
        );
        self.draft.set("ScalingActive", Holds::True, "ValidMetricFound", text);
    }

    fn cooling(&mut self, up: bool, down: bool) {
        let since = "the time since the previous scale is still within";
        let mut held = |reason, windows: &str| {
            self.draft.set("AbleToScale", Holds::False, reason, format!("{since} {windows}"));
        };
        match (up, down) {
            (true, true) => held("BackoffBoth", "both the downscale and upscale forbidden windows"),
            (false, true) => held("BackoffDownscale", "the downscale forbidden window"),
            (true, false) => held("BackoffUpscale", "the upscale forbidden window"),
            (false, false) => {}
        }
    }

    fn write(&mut self, asked: Asked<'_>, decision: &Decision, outcome: &Outcome) {
        let text = "the last scaling time was sufficiently old as to warrant a new scale";
        self.draft.set("AbleToScale", Holds::True, "ReadyForScale", text);
        let (to, cause) = (decision.to, words::cause(asked.object, decision.cause));
        match outcome {
            Outcome::Written => {
                let text = format!("the WPA controller was able to update the target scale to {to}");
                self.draft.set("AbleToScale", Holds::True, "SuccessfulScale", text);
                self.inform("Scaling", format!("New size: {to}; reason: {cause}"));
                self.draft.scaled();
                self.settle(to);
            }
            Outcome::DryRun => {
                self.draft.scaled();
                self.settle(to);
            }
            Outcome::Refused(error) => {
                self.warn("FailedScale", format!("New size: {to}; reason: {cause}; error: {error}"));
                let text = format!("the WPA controller was unable to update the target scale: {error}");
                self.draft.set("AbleToScale", Holds::False, "FailedScale", text);
                self.give_up();
            }
            Outcome::NotTried => self.give_up(),
        }
    }

    fn keep(&mut self, asked: Asked<'_>, decision: &Decision) {
        let last = match &self.draft.status.last_scale_time {
            Some(time) => {
                format!("{} +0000 UTC", to_time(from_time(time)).0.strftime("%Y-%m-%d %H:%M:%S"))
            }
            None => "<nil>".to_owned(),
        };
        let target = &asked.object.spec.scale_target_ref;
        let namespace = asked.object.metadata.namespace.as_deref().unwrap_or_default();
        let (kind, name, to) = (&target.kind, &target.name, decision.to);
        self.inform(
            "NotScaling",
            format!("Decided not to scale {kind}/{namespace}/{name} to {to} (last scale time was {last} )"),
        );
        self.settle(decision.from);
    }

    fn settle(&mut self, desired: i32) {
        let status = &mut self.draft.status;
        if let Some(scale) = self.scale {
            status.current_replicas = scale.status;
        }
        status.desired_replicas = desired;
        if let Some(measured) = self.measured.take() {
            status.current_metrics = measured;
        }
    }
}
