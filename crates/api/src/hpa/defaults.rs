//! What an API server fills in where the user wrote nothing.

use super::{DEFAULT_CPU_PERCENT, HPAScalingPolicy, HPAScalingRules, Hpa, cpu_utilization};

/// Fills in every default of autoscaling/v2.
pub fn default(hpa: &mut Hpa) {
    let spec = &mut hpa.spec;
    spec.min_replicas.get_or_insert(1);
    let metrics = spec.metrics.get_or_insert_default();
    if metrics.is_empty() {
        metrics.push(cpu_utilization(DEFAULT_CPU_PERCENT));
    }
    // `behavior: {}` asks for the defaults written out; no behavior at all is another code path of the controller.
    if let Some(behavior) = &mut spec.behavior {
        fill_in(behavior.scale_up.get_or_insert_default(), scale_up());
        fill_in(behavior.scale_down.get_or_insert_default(), scale_down());
    }
}

fn fill_in(rules: &mut HPAScalingRules, defaults: HPAScalingRules) {
    rules.select_policy = rules.select_policy.take().or(defaults.select_policy);
    rules.stabilization_window_seconds =
        rules.stabilization_window_seconds.or(defaults.stabilization_window_seconds);
    rules.policies = rules.policies.take().or(defaults.policies);
}

/// The faster of 4 pods and 100 percent every 15 seconds, at once.
fn scale_up() -> HPAScalingRules {
    HPAScalingRules {
        stabilization_window_seconds: Some(0),
        select_policy: Some("Max".to_owned()),
        policies: Some(vec![policy("Pods", 4), policy("Percent", 100)]),
        tolerance: None,
    }
}

/// Everything every 15 seconds; the window is the controller's flag unless the user says otherwise.
fn scale_down() -> HPAScalingRules {
    HPAScalingRules {
        stabilization_window_seconds: None,
        select_policy: Some("Max".to_owned()),
        policies: Some(vec![policy("Percent", 100)]),
        tolerance: None,
    }
}

fn policy(kind: &str, value: i32) -> HPAScalingPolicy {
    HPAScalingPolicy { type_: kind.to_owned(), value, period_seconds: 15 }
}
