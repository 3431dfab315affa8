//! Findings about the rules themselves: bounds, windows, policies, multiples, which pods count.

use plimsoll_engine::{Amount, Bind, Policy, Side, Strangers, Surge, Terminal, seconds};

use super::finding::{Code, Finding, Severity};
use super::limits;
use super::probe::{Load, Probe};
use super::subject::{Lowered, Subject, rate};
use super::words::{lasting_secs, rate_policy};
use crate::explain::lasting;

pub(super) fn check(subject: &Subject<'_>, lowered: &Lowered, findings: &mut Vec<Finding>) {
    let bounds = lowered.policy.bounds;
    if lowered.widest.min == lowered.widest.max {
        let message = format!(
            "minReplicas and maxReplicas are both {}: there is nothing to decide, no metric ever matters",
            bounds.min
        );
        findings.push(
            subject
                .finding(Code::MinIsMax, message)
                .field("spec.maxReplicas")
                .fix("raise maxReplicas, or remove the autoscaler and set the target's replicas"),
        );
    } else {
        windows(subject, lowered, findings);
        policies(subject, lowered, findings);
        multiples(subject, lowered, findings);
    }
    never_wakes(subject, lowered, findings);
    which_pods(subject, lowered, findings);
}

fn verb(side: Side) -> &'static str {
    if side == Side::Up { "growing" } else { "shrinking" }
}

fn windows(subject: &Subject<'_>, lowered: &Lowered, findings: &mut Vec<Finding>) {
    let looks_us = lowered.policy.cadence_us;
    for window in lowered.written.windows.iter().filter(|it| it.secs > 0) {
        let disabled = lowered.written.disabled.iter().find(|(side, _)| *side == window.side);
        let why = if let Some((side, field)) = disabled {
            format!("{} is ruled out by {field}", verb(*side))
        } else if seconds(window.secs) <= looks_us {
            format!("it is looked at only every {}", lasting(looks_us))
        } else {
            continue;
        };
        let message = format!("{} can never matter: {why}", lasting_secs(window.secs));
        let found = subject.finding(Code::WindowNeverMatters, message).field(window.field.clone());
        findings.push(match disabled {
            Some(_) => found.fix("remove it"),
            None => found.fix(format!("remove it, or make it longer than {}", lasting(looks_us))),
        });
    }
}

fn policies(subject: &Subject<'_>, lowered: &Lowered, findings: &mut Vec<Finding>) {
    let widest = Policy { bounds: lowered.widest, ..lowered.policy.clone() };
    for (side, field) in &lowered.written.policies {
        let Some(rate) = rate(&lowered.policy, *side) else { continue };
        if lowered.written.disabled.iter().any(|(disabled, _)| disabled == side) {
            let message =
                format!("no policy can ever bind: {} is switched off by selectPolicy: Disabled", verb(*side));
            let found = subject.finding(Code::PolicyNeverBinds, message).field(field.clone());
            findings.push(found.with_severity(Severity::Info).fix("remove them, or the selectPolicy"));
            continue;
        }
        let alone = rate.policies.len() == 1;
        for (index, policy) in rate.policies.iter().enumerate() {
            let field = format!("{field}[{index}]");
            let idle = !limits::differ(&widest, &limits::without(&widest, *side, index), *side);
            // As the only policy it is the usual way to write "no limit".
            let usual = alone && *side == Side::Down && matches!(policy.amount, Amount::Percent(100));
            if idle && !usual {
                findings.push(never_binds(subject, lowered, *side, index).field(field));
            } else if policy.period_us < lowered.policy.cadence_us {
                let message = format!(
                    "{} allows no more than that at each look, and looks are {} apart",
                    rate_policy(policy),
                    lasting(lowered.policy.cadence_us)
                );
                let found =
                    subject.finding(Code::PeriodTooShort, message).field(format!("{field}.periodSeconds"));
                findings
                    .push(found.fix(format!("write the amount for {}", lasting(lowered.policy.cadence_us))));
            }
        }
    }
}

fn never_binds(subject: &Subject<'_>, lowered: &Lowered, side: Side, index: usize) -> Finding {
    let bounds = lowered.widest;
    let policies = rate(&lowered.policy, side).map(|it| it.policies.as_slice()).unwrap_or_default();
    let own = policies.get(index).map(rate_policy).unwrap_or_default();
    let others: Vec<String> =
        policies.iter().enumerate().filter(|(it, _)| *it != index).map(|(_, it)| rate_policy(it)).collect();
    if others.is_empty() {
        let message = format!(
            "{own} can never bind: between {} and {} replicas, {} is never faster than that anyway",
            bounds.min,
            bounds.max,
            verb(side)
        );
        let found = subject.finding(Code::PolicyNeverBinds, message).with_severity(Severity::Info);
        return found.fix("remove it, or make it smaller");
    }
    let largest = rate(&lowered.policy, side).is_some_and(|it| it.select == plimsoll_engine::Select::Max);
    let (reason, other) = if largest { ("more", "Min") } else { ("less", "Max") };
    let message = format!(
        "{own} can never bind: between {} and {} replicas, {} always allows as much or {reason}, and selectPolicy takes \
         what allows {}",
        bounds.min,
        bounds.max,
        others.join(" or "),
        if largest { "most" } else { "least" }
    );
    let found = subject.finding(Code::PolicyNeverBinds, message);
    found.fix(format!("remove it, or write selectPolicy: {other} if it is meant to be the limit"))
}

/// Once asleep, nothing that any metric can show brings a replica back.
fn never_wakes(subject: &Subject<'_>, lowered: &Lowered, findings: &mut Vec<Finding>) {
    let policy = &lowered.policy;
    if policy.bounds.min != 0 || !policy.wakes_from_zero {
        return;
    }
    let probe = Probe::new(policy, &lowered.metrics);
    let loads: Vec<Load> = (0..lowered.metrics.len()).map(|it| Load::Constant(probe.flood(it))).collect();
    if probe.wake(&loads).to() > 0 {
        return;
    }
    let percent_only = rate(policy, Side::Up)
        .is_some_and(|it| it.policies.iter().all(|it| matches!(it.amount, Amount::Percent(_))));
    let why = if percent_only {
        ": every scale-up policy is a percentage, and any percentage of 0 pods is 0"
    } else {
        ""
    };
    let message = format!("with minReplicas: 0 it goes to sleep, and then no load ever wakes it{why}");
    findings.push(subject.finding(Code::NeverWakes, message).field("spec.behavior.scaleUp.policies").fix(
        "add a policy in pods, such as {type: Pods, value: 1, periodSeconds: 15}, with selectPolicy: Max",
    ));
}

/// Multiples are kept by the metrics; limits and bounds know nothing of them.
fn multiples(subject: &Subject<'_>, lowered: &Lowered, findings: &mut Vec<Finding>) {
    let Some(field) = &lowered.written.multiple else { return };
    let multiple = lowered.policy.metrics.iter().map(|it| it.multiple).max().unwrap_or(1);
    if multiple <= 1 {
        return;
    }
    let paths = limits::in_multiples(&lowered.policy, multiple);
    let odd = paths.iter().find_map(|(start, path)| {
        let before = std::iter::once(*start).chain(path.iter().map(|(_, it, _)| *it));
        before.zip(path).find(|(_, (_, to, _))| to % multiple != 0)
    });
    let Some((from, (_, to, by))) = odd else { return };
    let (rule, fix) = match by {
        Bind::TooMany => ("maxReplicas", format!("make maxReplicas a multiple of {multiple}")),
        Bind::TooFew => ("minReplicas", format!("make minReplicas a multiple of {multiple}")),
        _ => ("the limit on how fast it may go", format!("write limits in pods, as multiples of {multiple}")),
    };
    let message = format!("replicas do not always stay multiples of {multiple}: {rule} takes {from} to {to}");
    findings.push(subject.finding(Code::OffMultiple, message).field(field.clone()).fix(fix));
}

/// Where users may choose which pods count, what is better than the default.
fn which_pods(subject: &Subject<'_>, lowered: &Lowered, findings: &mut Vec<Finding>) {
    let Some(field) = &lowered.written.pods else { return };
    let roster = lowered.policy.roster;
    let mut tell = |code: Code, name: &str, message: &str, word: &str| {
        let found = subject.finding(code, message).field(format!("{field}.{name}"));
        findings.push(found.fix(format!("write {name}: {word}")));
    };
    if roster.strangers == Strangers::Count {
        let why = "pods of other workloads that the target's selector matches count and are measured too";
        tell(Code::CountsStrangers, "selectBy", why, "Owner");
    }
    if roster.terminal == Terminal::Count {
        let why = "pods that have finished count as pods without data, which can pin the number of replicas";
        tell(Code::CountsFinished, "terminal", why, "Ignore");
    }
    if roster.surge == Surge::Count {
        let why = "the extra pods of a rolling update count, so an update under load can ask for more pods, which surge \
                   again";
        tell(Code::CountsSurge, "surge", why, "Cap");
    }
}
