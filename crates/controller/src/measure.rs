//! What a sync came to, as numbers.

use std::time::Duration;

use plimsoll_api::wpa::Gate;
use plimsoll_engine::{Act, Bid, Decision, Outcome, Step, Trail, Unread, Why};

use crate::context::Context;
use crate::key::Kind;
use crate::kinds::{Plan, Status, Subject};
use crate::life::Life;
use crate::record::Record;
use crate::telemetry::{Point, Verdict, points, wpa};

/// How long a sync took.
pub(crate) struct Took {
    /// From the first look to the last word.
    pub(crate) all: Duration,
    /// The reading of each metric.
    pub(crate) metrics: Vec<Duration>,
}

/// Shows and counts what a sync came to.
pub(crate) fn measure(
    cx: &Context,
    subject: &Subject,
    plan: &Plan,
    life: &Life,
    gate: &Gate,
    record: &Record,
    took: &Took,
) {
    let (key, decision) = (&record.key, &record.decision);
    let mut shown = points(record);
    if let Some(synced) = life.synced {
        let secs = decision.at.since(synced) as f64 / 1e6;
        shown.push(Point::new("plimsoll_sync_interval_seconds", secs));
    }
    if key.kind == Kind::Hpa && decision.act != Act::Abort {
        let name = "horizontal_pod_autoscaler_controller_desired_replicas";
        shown.push(Point::new(name, f64::from(decision.to)));
    }
    if let (_, Status::Wpa(status)) = &life.status(subject) {
        let labels = subject.tags(&cx.config.labels_as_tags);
        shown.extend(wpa::Shown { record, target: &plan.target, gate, labels, status }.points());
        if record.outcome == Outcome::Written && decision.to != decision.from {
            cx.telemetry.wpa_scaled(key, &plan.target, decision.from, decision.to);
        }
    }
    cx.telemetry.show(key, shown);
    count(cx, plan, record, took);
}

fn count(cx: &Context, plan: &Plan, record: &Record, took: &Took) {
    let Record { decision, trail, .. } = record;
    let action = match (&record.outcome, decision.to.cmp(&decision.from)) {
        (Outcome::Written, std::cmp::Ordering::Greater) => "scale_up",
        (Outcome::Written, std::cmp::Ordering::Less) => "scale_down",
        _ => "none",
    };
    let error = match (&record.error, spec_is_at_fault(trail)) {
        (None, _) => "none",
        (Some(_), true) => "spec",
        (Some(_), false) => "internal",
    };
    let metrics: Vec<(&'static str, Verdict, Duration)> = trail
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Metric { index, bid } => {
                let place = usize::from(*index);
                let took = took.metrics.get(place).copied().unwrap_or_default();
                Some((plan.asks.get(place)?.kind, verdict(bid, decision), took))
            }
            _ => None,
        })
        .collect();
    cx.telemetry.synced(&record.key, Verdict { action, error }, took.all, &metrics);
}

fn verdict(bid: &Result<Bid, Why>, decision: &Decision) -> Verdict {
    match bid {
        Ok(bid) if bid.to > decision.from => Verdict { action: "scale_up", error: "none" },
        Ok(bid) if bid.to < decision.from => Verdict { action: "scale_down", error: "none" },
        Ok(_) => Verdict { action: "none", error: "none" },
        Err(Why::Selector(_) | Why::Spec(_)) => Verdict { action: "none", error: "spec" },
        Err(_) => Verdict { action: "none", error: "internal" },
    }
}

fn spec_is_at_fault(trail: &Trail) -> bool {
    trail.steps.iter().any(|step| {
        matches!(
            step,
            Step::Unread(Unread::BadVersion(_))
                | Step::BadSelector(_)
                | Step::Metric { bid: Err(Why::Selector(_) | Why::Spec(_)), .. }
        )
    })
}
