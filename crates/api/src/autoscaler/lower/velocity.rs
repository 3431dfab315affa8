//! How fast and how willingly: `behavior` and `constraints` become windows, limits and waits.

use plimsoll_engine::{
    Amount, AtZero, Delays, First, Hold, Limits, Rate, RatePolicy, Select, Stabilize, seconds,
};

use super::super::behavior::{self, Constraint, PolicyType, ScalingPolicy, ScalingRules, SelectPolicy};
use super::super::scalars::WholeUnit;
use super::super::spec::AutoscalerSpec;
use super::chosen;
use crate::hpa::Flags;

/// The period of a policy that does not say its own.
const PERIOD_SECS: i32 = 60;
/// The period of the policies that stand where none are written, as Kubernetes ships them.
const SHIPPED_PERIOD_SECS: i32 = 15;

/// Windows, limits and waits.
pub(super) fn lower(spec: &AutoscalerSpec, flags: &Flags) -> (Stabilize, Limits, Option<Hold>) {
    if let Some(constraints) = &spec.constraints {
        let nothing = Constraint::default();
        let up = constraints.scale_up.as_ref().unwrap_or(&nothing);
        let down = constraints.scale_down.as_ref().unwrap_or(&nothing);
        let band = band(up.delay_seconds, down.delay_seconds, flags);
        return (band, Limits::Rates { up: addition(up.rate()), down: removal(down.rate()) }, None);
    }
    let Some(behavior) = &spec.behavior else {
        let window_us = seconds(flags.downscale_stabilization_secs);
        return (Stabilize::Highest { window_us }, Limits::Doubling, None);
    };
    let nothing = ScalingRules::default();
    let up = behavior.scale_up.as_ref().unwrap_or(&nothing);
    let down = behavior.scale_down.as_ref().unwrap_or(&nothing);
    let band = band(up.stabilization_window_seconds, down.stabilization_window_seconds, flags);
    let limits = Limits::Rates {
        up: rate(up, &[Amount::Pods(4), Amount::Percent(100)]),
        down: rate(down, &[Amount::Percent(100)]),
    };
    (band, limits, hold(up, down))
}

fn band(up_secs: Option<i32>, down_secs: Option<i32>, flags: &Flags) -> Stabilize {
    Stabilize::Band {
        up_us: seconds(up_secs.map_or(0, i64::from)),
        down_us: seconds(down_secs.map_or(flags.downscale_stabilization_secs, i64::from)),
    }
}

/// Cooldowns and breach delays, if there are any.
fn hold(up: &ScalingRules, down: &ScalingRules) -> Option<Hold> {
    let given = |secs: Option<i32>| secs.unwrap_or(0);
    let hold = Hold {
        up_us: seconds(given(up.cooldown_seconds).into()),
        down_us: seconds(given(down.cooldown_seconds).into()),
        up_delay_secs: given(up.breach_delay_seconds),
        down_delay_secs: given(down.breach_delay_seconds),
        first: First::Held,
        delays: Delays::ByWish,
    };
    let waits = hold.up_us | hold.down_us != 0 || hold.up_delay_secs | hold.down_delay_secs != 0;
    waits.then_some(hold)
}

fn rate(rules: &ScalingRules, shipped: &[Amount]) -> Rate {
    let policies = match &rules.policies {
        Some(policies) => policies.iter().map(policy).collect(),
        None => shipped.iter().map(|amount| every(*amount, SHIPPED_PERIOD_SECS)).collect(),
    };
    let select = match chosen(rules.select_policy.as_ref()) {
        Some(SelectPolicy::Disabled) => Select::Disabled,
        Some(SelectPolicy::Min) => Select::Min,
        Some(SelectPolicy::Max) | None => Select::Max,
    };
    Rate { select, policies, step_percent: rules.limit_percent, at_zero: AtZero::PercentIgnored }
}

fn policy(policy: &ScalingPolicy) -> RatePolicy {
    let value = match policy.value.parse() {
        Some(WholeUnit::Plain(value) | WholeUnit::Percent(value)) => value,
        // Validation refuses it; allowing nothing is the safe reading.
        None => 0,
    };
    let amount = match policy.type_.known() {
        // No share at all is no pods at all, and holds at zero replicas too, where shares do not count.
        Some(PolicyType::Percent) if value != 0 => Amount::Percent(value),
        _ => Amount::Pods(value),
    };
    every(amount, policy.period_seconds.unwrap_or(PERIOD_SECS))
}

fn every(amount: Amount, period_secs: i32) -> RatePolicy {
    RatePolicy { amount, period_us: seconds(period_secs.into()) }
}

/// Growing by constraints: the larger addition wins, so a zero counts only where nothing else is allowed.
fn addition(rate: behavior::Rate) -> Rate {
    limited(rate, Select::Max, Some(rate.pods.unwrap_or(4)), Some(rate.percent.unwrap_or(100)))
}

/// Shrinking by constraints: the smaller removal wins, and what is not given does not limit.
fn removal(rate: behavior::Rate) -> Rate {
    limited(rate, Select::Min, rate.pods, rate.percent)
}

/// A zero beside another value is ignored; zeros alone mean never.
fn limited(rate: behavior::Rate, select: Select, pods: Option<i32>, percent: Option<i32>) -> Rate {
    let period_secs = rate.period_seconds.unwrap_or(PERIOD_SECS);
    let pods_limit = pods.filter(|pods| *pods != 0).map(Amount::Pods);
    let percent_limit = percent.filter(|percent| *percent != 0).map(Amount::Percent);
    let policies: Vec<RatePolicy> =
        pods_limit.into_iter().chain(percent_limit).map(|amount| every(amount, period_secs)).collect();
    let never = policies.is_empty() && (pods.is_some() || percent.is_some());
    Rate {
        select: if never { Select::Disabled } else { select },
        policies,
        step_percent: None,
        at_zero: AtZero::PercentIgnored,
    }
}
