//! limitPercent, policies of zero, constraints, and the order of the limits and the bounds.

use plimsoll_engine::{Bind, Step};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, asks};

fn bound_by(world: &World) -> Option<Bind> {
    world.trail.steps.iter().find_map(|step| match step {
        Step::Bounded { by, .. } => Some(*by),
        _ => None,
    })
}

fn world(behavior: Value, replicas: i32) -> World {
    World::new(json!([asks()]), json!({ "behavior": behavior }), replicas)
}

fn wide(more: Value) -> Value {
    let mut rules = json!({ "policies": [{ "type": "Pods", "value": 1_000_000, "periodSeconds": 1 }] });
    for (key, value) in more.as_object().unwrap() {
        rules[key] = value.clone();
    }
    rules
}

proptest! {
    #[test]
    fn one_scaling_changes_no_more_than_its_share(replicas in 1i32..200, wish in 0i32..400, percent in 0i32..=100) {
        let behavior = json!({
            "scaleUp": wide(json!({ "limitPercent": percent })),
            "scaleDown": wide(json!({ "limitPercent": percent, "stabilizationWindowSeconds": 0 })),
        });
        let mut world = world(behavior, replicas);
        let after = world.wish(wish);
        let share = if percent == 0 { 0 } else { (replicas * percent / 100).max(1) };
        let expected = wish.clamp(replicas - share, replicas + share).clamp(1, 1000);
        prop_assert_eq!(after, expected);
        if expected != wish && expected > 1 {
            let named = bound_by(&world);
            prop_assert!(matches!(named, Some(Bind::ShareUp | Bind::ShareDown)), "{:?}", named);
        }
    }

    #[test]
    fn the_tightest_limit_wins_and_the_bound_on_a_tie(replicas in 1i32..100, max in 1i32..200, pods in 0i32..200, percent in 0i32..200) {
        prop_assume!(max >= replicas);
        let behavior = json!({ "scaleUp": {
            "policies": [{ "type": "Pods", "value": pods }], "limitPercent": percent } });
        let mut world = World::new(json!([asks()]), json!({ "behavior": behavior, "maxReplicas": max }), replicas);
        let after = world.wish(1000);
        let share = if percent == 0 { 0 } else { (replicas * percent / 100).max(1) };
        let (by_rate, by_share) = (replicas + pods, replicas + share);
        prop_assert_eq!(after, by_rate.min(by_share).min(max));
        let expected = if max <= by_rate.min(by_share) { Bind::TooMany }
            else if by_share < by_rate { Bind::ShareUp }
            else { Bind::RateUp };
        prop_assert_eq!(bound_by(&world), Some(expected));
    }

    #[test]
    fn a_policy_of_zero_allows_nothing_and_then_selection_chooses(
        replicas in 1i32..100, pods in 1i32..50, select in prop::sample::select(vec!["Max", "min", "MAX"]), percent in any::<bool>(),
    ) {
        let zero = json!({ "type": if percent { "percent" } else { "pods" }, "value": 0 });
        let behavior = json!({ "scaleUp": { "selectPolicy": select, "policies": [zero, { "type": "Pods", "value": pods }] } });
        let smallest = select.eq_ignore_ascii_case("min");
        prop_assert_eq!(world(behavior, replicas).wish(1000), if smallest { replicas } else { replicas + pods });
        let alone = json!({ "scaleUp": { "policies": [zero] } });
        prop_assert_eq!(world(alone, replicas).wish(1000), replicas);
    }

    #[test]
    fn constraints_add_the_larger_and_remove_the_smaller(
        replicas in 1i32..200, wish in 0i32..400, pods in prop::option::of(0i32..20), percent in prop::option::of(0i32..200),
        beside in any::<bool>(),
    ) {
        let mut rate = json!({});
        for (key, value) in [("pods", pods), ("percent", percent)] {
            if let Some(value) = value {
                rate[key] = json!(value);
            }
        }
        let mut down = if beside { rate.clone() } else { json!({ "rate": rate.clone() }) };
        down["delaySeconds"] = json!(0);
        let up = if beside { rate } else { json!({ "rate": rate }) };
        let more = json!({ "constraints": { "scaleUp": up, "scaleDown": down } });
        let mut world = World::new(json!([asks()]), more, replicas);
        let after = world.wish(wish);
        let n = f64::from(replicas);
        let share_up = |percent: i32| (n * (1.0 + f64::from(percent) / 100.0)).ceil() as i32;
        let share_down = |percent: i32| (n * (1.0 - f64::from(percent) / 100.0)) as i32;
        let most = (replicas + pods.unwrap_or(4)).max(share_up(percent.unwrap_or(100)));
        let fewest = match (pods, percent) {
            (None, None) => 0,
            (Some(0), Some(0) | None) | (None, Some(0)) => replicas,
            (Some(pods), None | Some(0)) => replicas - pods,
            (None | Some(0), Some(percent)) => share_down(percent),
            (Some(pods), Some(percent)) => (replicas - pods).max(share_down(percent)),
        };
        prop_assert_eq!(after, wish.clamp(fewest.min(replicas), most).clamp(1, 1000));
    }

    #[test]
    fn waking_ignores_percentages_but_not_never(percent in 1i32..100, wish in 1i32..50, limit in 0i32..100) {
        let behavior = json!({ "scaleUp": { "policies": [{ "type": "Percent", "value": percent }], "limitPercent": limit } });
        let mut world = World::new(json!([asks()]), json!({ "behavior": behavior, "minReplicas": 0 }), 0);
        world.memory.recalled.slept = true;
        prop_assert_eq!(world.wish(wish), if limit == 0 { 0 } else { wish });
    }
}
