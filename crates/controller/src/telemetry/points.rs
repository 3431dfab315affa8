//! The numbers that one decision gives.

use plimsoll_engine::rule::marks::Unit;
use plimsoll_engine::{Bind, Decision, Next, Policy, Rule, Side, Step, Waiting};

use crate::record::Record;
use crate::telemetry::gauges::Point;

/// What restricts a decision; each is shown as 0 or 1, so that alerts can be written on it.
const RESTRICTIONS: [&str; 9] = [
    "scale_up_limit",
    "scale_down_limit",
    "maximum_replicas",
    "minimum_replicas",
    "stabilization",
    "cooldown",
    "delay",
    "suspended",
    "availability",
];

/// The numbers of a decision.
#[must_use]
pub(crate) fn points(record: &Record) -> Vec<Point> {
    let Record { policy, metrics, trail, decision, outlook, .. } = record;
    let bounds = record.bounds();
    let mut points = vec![
        Point::new("plimsoll_current_replicas", f64::from(decision.from)),
        Point::new("plimsoll_desired_replicas", f64::from(decision.to)),
        Point::new("plimsoll_min_replicas", f64::from(bounds.min)),
        Point::new("plimsoll_max_replicas", f64::from(bounds.max)),
        stage("decided", decision.to),
        next("up", outlook.up, decision),
        next("down", outlook.down, decision),
    ];
    let mut restricted = [false; RESTRICTIONS.len()];
    let mut restrict = |reason: &str| {
        for (name, flag) in RESTRICTIONS.iter().zip(restricted.iter_mut()) {
            *flag |= *name == reason;
        }
    };
    for step in &trail.steps {
        match step {
            Step::Metric { index, bid } => {
                metric_points(policy, metrics, *index, bid.as_ref().ok(), &mut points)
            }
            Step::Combined { to, .. } => points.push(stage("combined", *to)),
            Step::Stabilized { from, to, .. } => {
                points.push(stage("stabilized", *to));
                if from != to {
                    restrict("stabilization");
                }
            }
            Step::Bounded { to, by, .. } => {
                points.push(stage("bounded", *to));
                if let Some(reason) = bound_reason(*by) {
                    restrict(reason);
                }
            }
            Step::Waits { on, .. } => restrict(match on {
                Waiting::Cooldown(_) => "cooldown",
                Waiting::Delay(_) => "delay",
                Waiting::Suspended(_) => "suspended",
                Waiting::Availability => "availability",
            }),
            _ => {}
        }
    }
    points.extend(RESTRICTIONS.iter().zip(restricted).map(|(reason, restricted)| {
        Point::new("plimsoll_restricted", f64::from(u8::from(restricted))).with("reason", *reason)
    }));
    points
}

fn stage(name: &str, replicas: i32) -> Point {
    Point::new("plimsoll_stage_replicas", f64::from(replicas)).with("stage", name)
}

fn next(direction: &str, next: Next, decision: &Decision) -> Point {
    let seconds = match next {
        Next::Now => 0.0,
        Next::At { at, .. } => at.since(decision.at) as f64 / 1e6,
        Next::Never(_) => -1.0,
    };
    Point::new("plimsoll_next_change_seconds", seconds).with("direction", direction)
}

fn bound_reason(by: Bind) -> Option<&'static str> {
    match by {
        Bind::Within => None,
        Bind::RateUp | Bind::ShareUp => Some("scale_up_limit"),
        Bind::RateDown | Bind::ShareDown => Some("scale_down_limit"),
        Bind::TooMany => Some("maximum_replicas"),
        Bind::TooFew | Bind::AtLeastOne => Some("minimum_replicas"),
    }
}

fn metric_points(
    policy: &Policy,
    names: &[String],
    index: u16,
    bid: Option<&plimsoll_engine::Bid>,
    points: &mut Vec<Point>,
) {
    let place = usize::from(index);
    let name = names.get(place).cloned().unwrap_or_else(|| index.to_string());
    let rule = policy.metrics.get(place).map(|metric| &metric.rule);
    let of_request = match rule {
        Some(Rule::Utilization { .. }) => true,
        Some(Rule::Marks(marks)) => marks.unit != Unit::Milli,
        _ => false,
    };
    let milli = |milli: i64| milli as f64 / 1000.0;
    let mut push = |metric: &'static str, value: f64, bound: Option<Side>| {
        let mut point = Point::new(metric, value).with("metric", name.clone());
        if let Some(side) = bound {
            point = point.with(
                "bound",
                match side {
                    Side::Up => "high",
                    Side::Down => "low",
                },
            );
        }
        points.push(point);
    };
    match rule {
        Some(Rule::Utilization { percent }) => push("plimsoll_goal", f64::from(*percent), None),
        Some(
            Rule::Average { milli: goal }
            | Rule::Value { milli: goal }
            | Rule::PerReplica { milli: goal, .. },
        ) => {
            push("plimsoll_goal", milli(*goal), None);
        }
        Some(Rule::Marks(marks)) => {
            let mark = |mark: i64| if marks.unit == Unit::Milli { milli(mark) } else { mark as f64 };
            push("plimsoll_goal", mark(marks.high), Some(Side::Up));
            push("plimsoll_goal", mark(marks.low), Some(Side::Down));
        }
        Some(Rule::Steps(_)) | None => {}
    }
    if let Some(bid) = bid {
        push("plimsoll_value", if of_request { f64::from(bid.percent) } else { milli(bid.milli) }, None);
        push("plimsoll_proposal", f64::from(bid.to), None);
    }
}
