//! Watermarks, convergence, step tables, multiples.

use plimsoll_engine::{Mark, Step};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, at_once, cpu, external};

fn marks(low: i64, high: i64, algorithm: &str, more: Value) -> Value {
    let mut marks = json!({ "low": format!("{low}m"), "high": format!("{high}m"), "algorithm": algorithm });
    for (key, value) in more.as_object().unwrap() {
        marks[key] = value.clone();
    }
    json!([external(json!({ "watermarks": marks }))])
}

/// The quotient, rounded up.
fn up(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}

proptest! {
    #[test]
    fn between_the_marks_nothing_happens_and_beyond_them_the_formula_holds(
        low in 1i64..10_000, width in 0i64..10_000, value in 0i64..100_000, replicas in 1i32..50, average in any::<bool>(),
    ) {
        let high = low + width;
        let algorithm = if average { "Average" } else { "Absolute" };
        let mut world = World::new(marks(low, high, algorithm, json!({})), json!({ "behavior": at_once() }), replicas);
        world.look(&[Some(value)]);
        let n = i64::from(replicas);
        // An average is compared per replica; as whole numbers, the marks are multiplied instead.
        let (low_then, high_then) = if average { (low * n, high * n) } else { (low, high) };
        let whole = if average { 1 } else { n };
        let expected = if value > high_then {
            up(whole * value, high).max(n)
        } else if value < low_then {
            (whole * value / low).min(n)
        } else {
            n
        };
        prop_assert_eq!(i64::from(world.replicas), expected.clamp(1, 1000));
    }

    #[test]
    fn the_tolerance_widens_the_band(value in 0i64..2000, replicas in 1i32..50) {
        let more = json!({ "behavior": at_once(), "tolerance": "0.1" });
        let mut world = World::new(marks(500, 1000, "Absolute", json!({})), more, replicas);
        world.look(&[Some(value)]);
        if (450..=1100).contains(&value) {
            prop_assert_eq!(world.replicas, replicas);
        } else {
            prop_assert!((world.replicas > replicas) == (value > 1100) || world.replicas == 1);
        }
    }

    #[test]
    fn converging_moves_one_multiple_and_stays_between_the_marks(
        low in 1i64..1000, width in 0i64..1000, value in 0i64..60_000, replicas in 1i32..40, multiple in 1i32..4,
        to_high in any::<bool>(),
    ) {
        let high = low + width;
        let converge = if to_high { "High" } else { "Low" };
        let more = json!({ "behavior": at_once(), "replicaMultiple": multiple });
        let mut world = World::new(marks(low, high, "Average", json!({ "converge": converge })), more, replicas);
        world.look(&[Some(value)]);
        let inside = |n: i32| (low * i64::from(n)..=high * i64::from(n)).contains(&value);
        if inside(replicas) && world.replicas != replicas {
            let step = if to_high { -multiple } else { multiple };
            prop_assert_eq!(world.replicas, (replicas + step).max(1));
            prop_assert!(inside(world.replicas), "{} replicas leave the band", world.replicas);
        }
    }

    #[test]
    fn converging_does_not_wait_for_the_breach_delay(replicas in 2i32..40) {
        // Exactly at the low mark: fewer replicas bring it up to the high one.
        let value = 100 * i64::from(replicas);
        let behavior = json!({ "scaleDown": { "stabilizationWindowSeconds": 0, "breachDelaySeconds": 600 } });
        let mut world =
            World::new(marks(100, 1000, "Average", json!({ "converge": "High" })), json!({ "behavior": behavior }), replicas);
        world.look(&[Some(value)]);
        prop_assert_eq!(world.replicas, replicas - 1);
    }

    #[test]
    fn steps_follow_their_table(bounds in prop::collection::btree_set(-500i64..500, 3..6), gap in 1usize..3,
        value in -600i64..600, replicas in 1i32..100, percent in any::<bool>()) {
        let bounds: Vec<i64> = bounds.into_iter().collect();
        let gap = gap.min(bounds.len() - 2);
        let unit = if percent { "percent" } else { "replicas" };
        let text = |at: usize| format!("{}m", bounds[at]);
        // Below the gap from bounds[gap] to bounds[gap + 1] it shrinks, above it grows.
        let mut table = vec![json!({ "upperBound": text(0), "adjustment": { unit: -30 } })];
        for at in 1..=gap {
            table.push(json!({ "lowerBound": text(at - 1), "upperBound": text(at), "adjustment": { unit: -10 } }));
        }
        let last = bounds.len() - 1;
        for at in gap + 1..last {
            table.push(json!({ "lowerBound": text(at), "upperBound": text(at + 1), "adjustment": { unit: 10 } }));
        }
        table.push(json!({ "lowerBound": text(last), "adjustment": { unit: 30 } }));
        let metrics = json!([external(json!({ "steps": table }))]);
        let mut world = World::new(metrics, json!({ "behavior": at_once() }), replicas);
        world.look(&[Some(value)]);
        // Below the zone the upper end belongs to a step, above it the lower end.
        let change = if value <= bounds[0] { -30 }
            else if value <= bounds[gap] { -10 }
            else if value < bounds[gap + 1] { 0 }
            else if value < bounds[last] { 10 }
            else { 30 };
        let n = i64::from(replicas);
        let by = if !percent { change } else if change < 0 { -up(n * -change, 100) } else { up(n * change, 100) };
        prop_assert_eq!(i64::from(world.replicas), (n + by).clamp(1, 1000));
    }

    #[test]
    fn an_exact_step_goes_there(replicas in 1i32..100, exact in 1i32..100, used in 0i64..2000) {
        let steps = json!([{ "lowerBound": "100%", "adjustment": { "exact": exact } }]);
        let mut world = World::new(json!([cpu(json!({ "steps": steps }))]), json!({ "behavior": at_once() }), replicas);
        world.look(&[Some(used)]);
        prop_assert_eq!(world.replicas, if used >= 1000 { exact } else { replicas });
    }

    #[test]
    fn a_proposal_that_moves_is_a_multiple_and_one_that_holds_is_not_touched(
        replicas in 1i32..100, wish in 0i32..100, multiple in 1i32..7,
    ) {
        let more = json!({ "behavior": at_once(), "replicaMultiple": multiple, "minReplicas": 1 });
        let metrics = json!([external(json!({ "target": { "type": "AverageValue", "averageValue": 1 } }))]);
        let mut world = World::new(metrics, more, replicas);
        world.look(&[Some(i64::from(wish) * 1000)]);
        let bid = world.trail.steps.iter().find_map(|step| match step {
            Step::Metric { bid: Ok(bid), .. } => Some(*bid),
            _ => None,
        }).unwrap();
        prop_assert_eq!(bid.mark, Mark::None);
        if wish == replicas {
            prop_assert_eq!(bid.to, replicas);
        } else {
            prop_assert!(bid.to % multiple == 0 || bid.to == replicas, "{}", bid.to);
            prop_assert!(bid.to >= wish && bid.to < wish + multiple || bid.to == replicas);
        }
    }
}
