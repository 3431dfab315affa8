//! The rules for `spec.behavior`.

use super::super::{HPAScalingPolicy, HPAScalingRules, HorizontalPodAutoscalerBehavior};
use super::metrics::{Sign, quantity};
use crate::field::{BadValue, FieldError, FieldPath};

const LONGEST_PERIOD_SECS: i32 = 1800;
const LONGEST_WINDOW_SECS: i32 = 3600;

pub(super) fn check(
    behavior: &HorizontalPodAutoscalerBehavior,
    path: &FieldPath,
    errors: &mut Vec<FieldError>,
) {
    for (field, rules) in [("scaleUp", &behavior.scale_up), ("scaleDown", &behavior.scale_down)] {
        if let Some(rules) = rules {
            check_rules(rules, &path.child(field), errors);
        }
    }
}

fn check_rules(rules: &HPAScalingRules, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let window_path = path.child("stabilizationWindowSeconds");
    match rules.stabilization_window_seconds {
        Some(secs) if secs < 0 => {
            errors.push(window_path.invalid(secs, "must be greater than or equal to zero"));
        }
        Some(secs) if secs > LONGEST_WINDOW_SECS => {
            let complaint = format!("must be less than or equal to {LONGEST_WINDOW_SECS}");
            errors.push(window_path.invalid(secs, &complaint));
        }
        _ => {}
    }
    if let Some(select) = &rules.select_policy
        && !["Max", "Min", "Disabled"].contains(&select.as_str())
    {
        let known = ["Disabled", "Max", "Min"];
        errors.push(path.child("selectPolicy").not_supported(BadValue::json(select), &known));
    }
    let policies = rules.policies.as_deref().unwrap_or_default();
    if policies.is_empty() {
        errors.push(path.child("policies").required("must specify at least one Policy"));
    }
    for (index, policy) in policies.iter().enumerate() {
        check_policy(policy, &path.child("policies").index(index), errors);
    }
    if let Some(tolerance) = &rules.tolerance {
        quantity(tolerance, &path.child("tolerance"), Sign::NotNegative, errors);
    }
}

fn check_policy(policy: &HPAScalingPolicy, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if policy.type_ != "Pods" && policy.type_ != "Percent" {
        let known = ["Percent", "Pods"];
        errors.push(path.child("type").not_supported(BadValue::json(&policy.type_), &known));
    }
    if policy.value <= 0 {
        errors.push(path.child("value").invalid(policy.value, "must be greater than zero"));
    }
    let (period, path) = (policy.period_seconds, path.child("periodSeconds"));
    if period <= 0 {
        errors.push(path.invalid(period, "must be greater than zero"));
    } else if period > LONGEST_PERIOD_SECS {
        let complaint = format!("must be less than or equal to {LONGEST_PERIOD_SECS}");
        errors.push(path.invalid(period, &complaint));
    }
}
