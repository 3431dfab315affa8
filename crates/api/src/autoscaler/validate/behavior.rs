//! What is wrong with `behavior` or `constraints`.

use super::super::behavior::{Constraint, PolicyType, ScalingPolicy, ScalingRules};
use super::super::scalars::WholeUnit;
use super::super::spec::AutoscalerSpec;
use super::{DAY_SECS, amount, within, word};
use crate::field::{FieldError, FieldPath};

/// The most percent that one scaling may be limited to.
#[derive(Clone, Copy)]
enum Direction {
    Up,
    Down,
}

pub(super) fn check(spec: &AutoscalerSpec, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if let Some(behavior) = &spec.behavior {
        let path = path.child("behavior");
        let sides = [
            ("scaleUp", Direction::Up, &behavior.scale_up),
            ("scaleDown", Direction::Down, &behavior.scale_down),
        ];
        for (field, direction, given) in sides {
            if let Some(given) = given {
                rules(given, direction, &path.child(field), errors);
            }
        }
    }
    if let Some(constraints) = &spec.constraints {
        let path = path.child("constraints");
        if spec.behavior.is_some() {
            let detail = "behavior is given too, which says the same in another way: leave one of them out";
            errors.push(path.forbidden(detail));
        }
        for (field, given) in [("scaleUp", &constraints.scale_up), ("scaleDown", &constraints.scale_down)] {
            if let Some(given) = given {
                constraint(given, &path.child(field), errors);
            }
        }
    }
}

fn rules(rules: &ScalingRules, direction: Direction, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let window = path.child("stabilizationWindowSeconds");
    within(rules.stabilization_window_seconds, 0..=DAY_SECS, &window, errors);
    word(rules.select_policy.as_ref(), &path.child("selectPolicy"), errors);
    if let Some(policies) = &rules.policies {
        let path = path.child("policies");
        if policies.is_empty() {
            errors
                .push(path.required("write at least one policy, or leave policies out for the default ones"));
        }
        for (index, given) in policies.iter().enumerate() {
            policy(given, &path.index(index), errors);
        }
    }
    if let Some(text) = &rules.tolerance {
        let path = path.child("tolerance");
        if amount(text, &path, errors).is_some_and(|it| it.sign() < 0) {
            errors.push(path.invalid(text.0.as_str(), "must be at least 0"));
        }
    }
    within(rules.cooldown_seconds, 0..=DAY_SECS, &path.child("cooldownSeconds"), errors);
    let limit = match direction {
        Direction::Up => 0..=10_000,
        Direction::Down => 0..=100,
    };
    within(rules.limit_percent, limit, &path.child("limitPercent"), errors);
    within(rules.breach_delay_seconds, 0..=DAY_SECS, &path.child("breachDelaySeconds"), errors);
}

fn policy(policy: &ScalingPolicy, path: &FieldPath, errors: &mut Vec<FieldError>) {
    word(Some(&policy.type_), &path.child("type"), errors);
    let value = path.child("value");
    let text = policy.value.to_string();
    match (policy.value.parse(), policy.type_.known()) {
        (None, _) => {
            let detail = "must be a whole number such as 4, or a percentage such as \"900%\"";
            errors.push(value.invalid(text.as_str(), detail));
        }
        (Some(WholeUnit::Percent(_)), Some(PolicyType::Pods)) => {
            let detail = "is a percentage, but type Pods counts pods: write a whole number, or type: Percent";
            errors.push(value.invalid(text.as_str(), detail));
        }
        (Some(WholeUnit::Plain(number) | WholeUnit::Percent(number)), _) if number < 0 => {
            errors.push(value.invalid(number, "must be at least 0"));
        }
        _ => {}
    }
    within(policy.period_seconds, 1..=DAY_SECS, &path.child("periodSeconds"), errors);
}

fn constraint(constraint: &Constraint, path: &FieldPath, errors: &mut Vec<FieldError>) {
    within(constraint.delay_seconds, 0..=DAY_SECS, &path.child("delaySeconds"), errors);
    let beside = [
        ("pods", constraint.pods),
        ("percent", constraint.percent),
        ("periodSeconds", constraint.period_seconds),
    ];
    if constraint.rate.is_some() {
        for (field, _) in beside.iter().filter(|(_, given)| given.is_some()) {
            let detail = format!("rate is given too: write rate.{field}, or leave rate out");
            errors.push(path.child(field).forbidden(&detail));
        }
    }
    let places = [
        (path.clone(), constraint.pods, constraint.percent, constraint.period_seconds),
        (
            path.child("rate"),
            constraint.rate.and_then(|it| it.pods),
            constraint.rate.and_then(|it| it.percent),
            constraint.rate.and_then(|it| it.period_seconds),
        ),
    ];
    for (path, pods, percent, period) in places {
        within(pods, 0..=i32::MAX, &path.child("pods"), errors);
        within(percent, 0..=i32::MAX, &path.child("percent"), errors);
        within(period, 1..=DAY_SECS, &path.child("periodSeconds"), errors);
    }
}
