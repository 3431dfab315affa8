//! A policy in short lines: what a reader must know to understand the picture.

use crate::record::{Goal, Line};
use crate::subject::Shown;
use crate::time::SECOND;
use plimsoll_api::explain::{lasting, number, with_unit};
use plimsoll_engine::{Amount, Combine, DryRun, Limits, Policy, Rate, Select, Stabilize, Suspend};

/// The lines, in order of importance.
pub(super) fn lines(policy: &Policy, metrics: &[Shown]) -> Vec<Line> {
    let mut lines = vec![Line::new("replicas", format!("{} to {}", policy.bounds.min, policy.bounds.max))];
    for metric in metrics {
        lines.push(Line::new(&metric.name, goal(metric)));
    }
    if metrics.len() > 1 && policy.combine == Combine::Min {
        lines.push(Line::new("of several metrics", "the smallest proposal wins"));
    }
    let (up, down) = limits(&policy.limits);
    lines.push(Line::new("growing", up));
    lines.push(Line::new("shrinking", down));
    if let Some(stabilize) = policy.stabilize {
        lines.push(Line::new("stabilization", window(stabilize)));
    }
    if let Some(hold) = policy.hold {
        let cooldown = format!("{} up, {} down", lasting(hold.up_us), lasting(hold.down_us));
        lines.push(Line::new("cooldown after any scaling", cooldown));
        if hold.up_delay_secs > 0 || hold.down_delay_secs > 0 {
            let secs = |secs: i32| lasting(i64::from(secs) * SECOND);
            let delay = format!("{} up, {} down", secs(hold.up_delay_secs), secs(hold.down_delay_secs));
            lines.push(Line::new("a breach must last", delay));
        }
    }
    match policy.suspend {
        Suspend::None => {}
        Suspend::Up => lines.push(Line::new("suspended", "growing")),
        Suspend::Down => lines.push(Line::new("suspended", "shrinking")),
        Suspend::All => lines.push(Line::new("suspended", "both directions")),
    }
    if policy.dry_run != DryRun::Off {
        lines.push(Line::new("dry run", "nothing is scaled"));
    }
    lines
}

fn goal(metric: &Shown) -> String {
    let unit = &metric.unit;
    match &metric.goal {
        Goal::Target { value } => format!("held at {}", with_unit(*value, unit)),
        Goal::Watermarks { low, high } => {
            format!("held between {} and {}", number(*low), with_unit(*high, unit))
        }
        Goal::Steps { steps } => {
            let rows = steps.iter().map(|s| {
                let end = |v: Option<f64>| v.map_or_else(String::new, number);
                format!("{}..{}: {}", end(s.lower), end(s.upper), s.adjustment)
            });
            format!("steps {} ({unit})", rows.collect::<Vec<_>>().join(", "))
        }
    }
}

fn limits(limits: &Limits) -> (String, String) {
    match limits {
        Limits::Doubling => ("doubles at most, or to 4".to_string(), "no limit".to_string()),
        Limits::Rates { up, down } => (rate(up), rate(down)),
        Limits::Share { up_milli, down_milli } => {
            let share = |milli: i64| format!("at most {} % at a time", number(milli as f64 / 1_000.0));
            (share(*up_milli), share(*down_milli))
        }
    }
}

fn rate(rate: &Rate) -> String {
    if rate.select == Select::Disabled {
        return "never".to_string();
    }
    let mut parts: Vec<String> = rate
        .policies
        .iter()
        .map(|p| {
            let per = lasting(p.period_us);
            match p.amount {
                Amount::Pods(n) => format!("{n} pods in {per}"),
                Amount::Percent(n) => format!("{n} % in {per}"),
            }
        })
        .collect();
    if parts.len() > 1 {
        let which = if rate.select == Select::Max { "whichever is more" } else { "whichever is less" };
        parts = vec![format!("{}, {which}", parts.join(" or "))];
    }
    if let Some(percent) = rate.step_percent {
        parts.push(format!("at most {percent} % at a time"));
    }
    if parts.is_empty() { "no limit".to_string() } else { parts.join("; ") }
}

fn window(stabilize: Stabilize) -> String {
    match stabilize {
        Stabilize::Highest { window_us } => format!("{} down", lasting(window_us)),
        Stabilize::Band { up_us, down_us } => {
            format!("{} up, {} down", lasting(up_us), lasting(down_us))
        }
    }
}
