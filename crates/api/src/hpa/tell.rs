//! The voice of a HorizontalPodAutoscaler: its status, events and error, told from the Trail in the reference's words.

use plimsoll_engine::{
    Act, At, BadSelector, Bind, Cause, Decision, Outcome, Policy, Side, Step, Trail, Unread, Why,
};

use super::lower::Lowered;
use super::status::{CurrentMetric, CurrentMetrics, Status};
use super::words::{TOO_FEW, Words};
use crate::condition::Status::{False, True};
use crate::condition::{Conditions, Status as Holds};
use crate::event::Event;

/// What is told besides the status.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// Events, in order.
    pub events: Vec<Event>,
    /// How the sync failed, if it did. It may have scaled all the same.
    pub error: Option<String>,
}

pub(crate) const ABLE: &str = "AbleToScale";
pub(crate) const ACTIVE: &str = "ScalingActive";
const LIMITED: &str = "ScalingLimited";
const TO_ZERO: &str = "ScaledToZero";

/// Rewrites `status` (the previous one) by what happened, in the order in which it happened.
pub fn tell(
    status: &mut Status,
    lowered: &Lowered,
    generation: Option<i64>,
    trail: &Trail,
    decision: &Decision,
    outcome: &Outcome,
) -> Told {
    let Lowered { policy, words } = lowered;
    let mut voice =
        Voice { at: decision.at, words, policy, status, told: Told::default(), trail, measured: false };
    let mut ends = Ends::ByOutcome;
    for step in &trail.steps {
        if let Some(end) = voice.step(step) {
            ends = end;
        }
    }
    voice.end(ends, generation, decision, outcome);
    voice.told
}

/// How a sync ends.
enum Ends {
    /// Without a scale, so without a new status.
    Unread(String),
    /// Without a proposal: for this reason.
    NoProposal(String),
    /// By what became of the decision.
    ByOutcome,
}

struct Voice<'a> {
    at: At,
    words: &'a Words,
    policy: &'a Policy,
    status: &'a mut Status,
    told: Told,
    trail: &'a Trail,
    measured: bool,
}

impl Voice<'_> {
    fn conditions(&mut self) -> &mut Conditions {
        &mut self.status.conditions
    }

    fn set(
        &mut self,
        kind: &'static str,
        holds: Holds,
        reason: &'static str,
        message: std::fmt::Arguments<'_>,
    ) {
        let at = self.at;
        self.conditions().set(at, kind, holds, reason, message);
    }

    fn warn(&mut self, reason: &'static str, message: &str) {
        self.told.events.push(Event::warning(reason, message.to_owned()));
    }

    fn step(&mut self, step: &Step) -> Option<Ends> {
        match step {
            Step::Unread(unread) => return Some(Ends::Unread(self.unread(unread))),
            Step::Read(_) => {
                self.set(
                    ABLE,
                    True,
                    "SucceededGetScale",
                    format_args!("the HPA controller was able to get the target's current scale"),
                );
            }
            Step::Asleep => self.set(
                ACTIVE,
                False,
                "ScalingDisabled",
                format_args!("scaling is disabled since the replica count of the target is zero"),
            ),
            Step::BadSelector(bad) => return Some(Ends::NoProposal(self.bad_selector(bad))),
            Step::Metric { index, bid } => {
                self.measure(usize::from(*index), bid.as_ref().ok().map(|bid| (bid.percent, bid.milli)));
                if let Err(why) = bid {
                    self.metric_failed(usize::from(*index), why);
                }
            }
            Step::NoBid { first, failed } => {
                return Some(Ends::NoProposal(self.no_bid(usize::from(*first), *failed)));
            }
            Step::Combined { winner, failed, .. } => self.combined(usize::from(*winner), *failed),
            Step::Stabilized { from, to, toward } => self.stabilized(*from, *to, *toward),
            Step::Bounded { from, to, by, .. } => self.bounded(*from, *to, *by),
            Step::Blocked(_)
            | Step::Jump { .. }
            | Step::StandIn { .. }
            | Step::Lifted { .. }
            | Step::Cooling { .. }
            | Step::Waits { .. } => {}
        }
        None
    }

    fn unread(&mut self, unread: &Unread) -> String {
        let (Unread::BadVersion(text) | Unread::UnknownKind(text) | Unread::Failed(text)) = unread;
        self.warn("FailedGetScale", text);
        self.set(
            ABLE,
            False,
            "FailedGetScale",
            format_args!("the HPA controller was unable to get the target's current scale: {text}"),
        );
        match unread {
            Unread::BadVersion(_) => format!("invalid API version in scale target reference: {text}"),
            Unread::UnknownKind(_) => {
                format!("unable to determine resource for scale target reference: {text}")
            }
            Unread::Failed(_) => {
                format!("failed to query scale subresource for {}: {text}", self.words.reference)
            }
        }
    }

    fn bad_selector(&mut self, bad: &BadSelector) -> String {
        let (event, reason, message, condition) = match bad {
            BadSelector::Missing => (
                "SelectorRequired",
                "InvalidSelector",
                "selector is required".to_owned(),
                "the HPA target's scale is missing a selector".to_owned(),
            ),
            BadSelector::Invalid(text) => {
                let message = format!(
                    "couldn't convert selector into a corresponding internal selector object: {text}"
                );
                ("InvalidSelector", "InvalidSelector", message.clone(), message)
            }
            BadSelector::Ambiguous(text) => {
                ("AmbiguousSelector", "AmbiguousSelector", text.to_string(), text.to_string())
            }
        };
        self.warn(event, &message);
        self.set(ACTIVE, False, reason, format_args!("{condition}"));
        message
    }

    /// Starts the list of measurements afresh at the first metric, keeping its room.
    fn measure(&mut self, index: usize, measured: Option<(i32, i64)>) {
        let words = self.words;
        let list = match &mut self.status.metrics {
            CurrentMetrics::Measured(list) => list,
            other => {
                *other = CurrentMetrics::Measured(Vec::with_capacity(words.metrics.len()));
                match other {
                    CurrentMetrics::Measured(list) => list,
                    _ => return,
                }
            }
        };
        if !self.measured {
            list.clear();
            list.resize(words.metrics.len(), None);
            self.measured = true;
        }
        if let (Some(place), Some(words)) = (list.get_mut(index), words.metrics.get(index)) {
            *place = measured.map(|(percent, milli)| CurrentMetric { words: words.clone(), percent, milli });
        }
    }

    fn metric_failed(&mut self, index: usize, why: &Why) {
        if let Some(metric) = self.words.metrics.get(index) {
            let failure = metric.failure(&self.words.namespace, why);
            self.warn(metric.failure_reason(), &failure);
        }
    }

    /// Why the metric at `index` failed.
    fn why(&self, index: usize) -> Option<&Why> {
        self.trail.steps.iter().find_map(|step| match step {
            Step::Metric { index: at, bid: Err(why) } if usize::from(*at) == index => Some(why),
            _ => None,
        })
    }

    fn invalid_metrics(&self, first: usize, failed: u16) -> String {
        let error = match (self.words.metrics.get(first), self.why(first)) {
            (Some(metric), Some(why)) => metric.error(&self.words.namespace, why),
            _ => String::new(),
        };
        let all = self.words.metrics.len();
        format!("invalid metrics ({failed} invalid out of {all}), first error is: {error}")
    }

    fn no_bid(&mut self, first: usize, failed: u16) -> String {
        let failure = match (self.words.metrics.get(first), self.why(first)) {
            (Some(metric), Some(why)) => {
                Some((metric.failure_reason(), metric.failure(&self.words.namespace, why)))
            }
            _ => None,
        };
        if let Some((reason, failure)) = failure {
            self.set(
                ACTIVE,
                False,
                reason,
                format_args!("the HPA was unable to compute the replica count: {failure}"),
            );
        }
        self.invalid_metrics(first, failed)
    }

    fn combined(&mut self, winner: usize, failed: u16) {
        let words = self.words;
        let described = words.metrics.get(winner).map_or("", |metric| &metric.described);
        self.set(
            ACTIVE,
            True,
            "ValidMetricFound",
            format_args!("the HPA was able to successfully calculate a replica count from {described}"),
        );
        if failed > 0 {
            let first = self.trail.steps.iter().find_map(|step| match step {
                Step::Metric { index, bid: Err(_) } => Some(usize::from(*index)),
                _ => None,
            });
            self.told.error = Some(self.invalid_metrics(first.unwrap_or_default(), failed));
        }
    }

    fn stabilized(&mut self, from: i32, to: i32, toward: Side) {
        let (reason, message) = stabilized(from, to, toward);
        self.set(ABLE, True, reason, format_args!("{message}"));
    }

    fn bounded(&mut self, from: i32, to: i32, by: Bind) {
        let (reason, message) = bounded(by, from, self.words);
        self.set(LIMITED, Holds::from(from != to), reason, format_args!("{message}"));
    }

    fn end(&mut self, ends: Ends, generation: Option<i64>, decision: &Decision, outcome: &Outcome) {
        let reference = &self.words.reference;
        match ends {
            Ends::Unread(error) => {
                self.told.error = Some(error);
                return;
            }
            Ends::NoProposal(error) => {
                self.told.error = Some(format!(
                    "failed to compute desired number of replicas based on listed metrics for {reference}: {error}"
                ));
                self.warn("FailedComputeMetricsReplicas", &error);
            }
            Ends::ByOutcome => self.outcome(decision, outcome),
        }
        if !self.measured {
            self.status.metrics = CurrentMetrics::None;
        }
        self.status.current_replicas = decision.from;
        self.status.observed_generation = generation;
    }

    fn outcome(&mut self, decision: &Decision, outcome: &Outcome) {
        let to = decision.to;
        match outcome {
            Outcome::Written => {
                self.set(
                    ABLE,
                    True,
                    "SucceededRescale",
                    format_args!("the HPA controller was able to update the target scale to {to}"),
                );
                let reason = rescale_reason(self.words, decision.cause);
                let event = Event::normal("SuccessfulRescale", format!("New size: {to}; reason: {reason}"));
                self.told.events.push(event);
                if decision.from > 0 && to == 0 && self.policy.wakes_from_zero {
                    self.set(
                        TO_ZERO,
                        True,
                        "ScaledToZero",
                        format_args!("the HPA controller scaled the workload to zero"),
                    );
                } else {
                    self.set(
                        TO_ZERO,
                        False,
                        "NotScaledToZero",
                        format_args!("the HPA controller did not scale the workload to zero"),
                    );
                }
                self.status.last_scale = Some(self.at);
                self.status.desired_replicas = to;
            }
            Outcome::Refused(error) => {
                let reason = rescale_reason(self.words, decision.cause);
                self.warn("FailedRescale", &format!("New size: {to}; reason: {reason}; error: {error}"));
                self.set(
                    ABLE,
                    False,
                    "FailedUpdateScale",
                    format_args!("the HPA controller was unable to update the target scale: {error}"),
                );
                self.told.error = Some(format!("failed to rescale {}: {error}", self.words.reference));
            }
            Outcome::NotTried | Outcome::DryRun => {
                if decision.act != Act::Abort {
                    self.status.desired_replicas = decision.from;
                }
            }
        }
    }
}

/// Reason and message for what stabilizing did.
pub(crate) fn stabilized(from: i32, to: i32, toward: Side) -> (&'static str, &'static str) {
    match (from == to, toward) {
        (true, _) => ("ReadyForNewScale", "recommended size matches current size"),
        (false, Side::Up) => (
            "ScaleUpStabilized",
            "recent recommendations were lower than current one, applying the lowest recent recommendation",
        ),
        (false, Side::Down) => (
            "ScaleDownStabilized",
            "recent recommendations were higher than current one, applying the highest recent recommendation",
        ),
    }
}

/// Reason and message for what the limits and bounds did.
pub(crate) fn bounded(by: Bind, from: i32, words: &Words) -> (&'static str, &'static str) {
    match by {
        Bind::Within | Bind::AtLeastOne => {
            ("DesiredWithinRange", "the desired count is within the acceptable range")
        }
        Bind::RateUp | Bind::ShareUp => {
            ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
        }
        Bind::RateDown | Bind::ShareDown => {
            ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")
        }
        Bind::TooMany => {
            ("TooManyReplicas", "the desired replica count is more than the maximum replica count")
        }
        // Only a wish for nothing can be said to be zero.
        Bind::TooFew if from > 0 => ("TooFewReplicas", TOO_FEW),
        Bind::TooFew => ("TooFewReplicas", words.too_few),
    }
}

/// Why the replicas change, as events say it.
pub(crate) fn rescale_reason(words: &Words, cause: Cause) -> String {
    match cause {
        Cause::Unnamed => String::new(),
        Cause::Above(index) => {
            let described = words.metrics.get(usize::from(index)).map_or("", |metric| &metric.described);
            format!("{described} above target")
        }
        Cause::AllBelow => "All metrics below target".to_owned(),
        Cause::PastMax => "Current number of replicas above Spec.MaxReplicas".to_owned(),
        Cause::PastMin => "Current number of replicas below Spec.MinReplicas".to_owned(),
        Cause::PastZero => "Current number of replicas must be greater than 0".to_owned(),
        Cause::Converging => {
            "Metric within watermarks, attempting to scale to converge towards watermark".to_owned()
        }
    }
}
