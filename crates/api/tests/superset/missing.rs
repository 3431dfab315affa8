//! What stands in for a metric that is missing, how proposals are combined, and whose tolerance counts.

use plimsoll_engine::Act;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, asks, at_once};

fn standing(on_missing: Value) -> Value {
    let mut metric = asks();
    metric["onMissing"] = on_missing;
    metric
}

proptest! {
    #[test]
    fn each_stand_in_proposes_what_it_says(
        replicas in 1i32..50, last in 1i32..50, other in 1i32..50, fallback in 1i32..50, assumed in 1i32..50, smallest in any::<bool>(),
    ) {
        let stand_ins = [
            (json!({ "type": "Hold" }), Some(None)),
            (json!({ "type": "Ignore" }), None),
            (json!({ "type": "UseLast", "maxAgeSeconds": 60 }), Some(Some(last))),
            (json!({ "type": "Assume", "value": assumed }), Some(Some(assumed))),
            (json!({ "type": "Fallback", "replicas": fallback }), Some(Some(fallback))),
        ];
        for (on_missing, proposes) in stand_ins {
            let more = json!({ "behavior": at_once(), "combine": if smallest { "Min" } else { "Max" } });
            let mut world = World::new(json!([standing(on_missing.clone()), asks()]), more, replicas);
            // The first look gives UseLast something to use.
            world.look(&[Some(i64::from(last) * 1000), Some(i64::from(last) * 1000)]);
            let before = world.replicas;
            world.look(&[None, Some(i64::from(other) * 1000)]);
            let expected = match proposes.map(|it| it.unwrap_or(before)) {
                None => other,
                Some(stands_in) if smallest => stands_in.min(other),
                Some(stands_in) => stands_in.max(other),
            };
            prop_assert_eq!(world.replicas, expected, "{}", on_missing);
        }
    }

    #[test]
    fn a_fallback_holds_until_its_time_has_come(replicas in 1i32..50, fallback in 1i32..50, after in 0i64..120) {
        let on_missing = json!({ "type": "Fallback", "replicas": fallback, "afterSeconds": after });
        let mut world = World::new(json!([standing(on_missing)]), json!({ "behavior": at_once() }), replicas);
        for look in 0..10 {
            world.look(&[None]);
            prop_assert_eq!(world.replicas, if look * 15 >= after { fallback } else { replicas });
        }
    }

    #[test]
    fn stale_data_count_as_missing(age in 0i64..300, replicas in 2i32..50) {
        let mut metric = standing(json!({ "type": "Fallback", "replicas": 1 }));
        metric["maxAgeSeconds"] = json!(60);
        let mut world = World::new(json!([metric]), json!({ "behavior": at_once() }), replicas);
        let mut seen = plimsoll_engine::Observation::at(world.at);
        seen.scale = Ok(plimsoll_engine::Scale { spec: replicas, status: replicas });
        seen.readings = vec![plimsoll_engine::Reading::Series {
            values: vec![i64::from(replicas) * 1000],
            taken: Some(world.at.minus(plimsoll_engine::seconds(age))),
        }];
        let decision = plimsoll_engine::decide(world.lowered.policy(), &seen, &world.memory, &mut world.trail);
        prop_assert_eq!(decision.to, if age > 60 { 1 } else { replicas });
    }

    #[test]
    fn without_a_stand_in_the_smallest_blocks_growing_and_the_largest_shrinking(
        replicas in 1i32..50, other in 1i32..50, smallest in any::<bool>(),
    ) {
        let more = json!({ "behavior": at_once(), "combine": if smallest { "Min" } else { "Max" } });
        let mut world = World::new(json!([asks(), asks()]), more, replicas);
        let decision = world.look(&[None, Some(i64::from(other) * 1000)]);
        let blocked = if smallest { other > replicas } else { other < replicas };
        prop_assert_eq!(decision.act == Act::Abort, blocked);
        prop_assert_eq!(world.replicas, if blocked { replicas } else { other });
    }

    #[test]
    fn a_direction_s_tolerance_beats_the_object_s_and_that_the_flag_s(
        wish in 50i32..150, own in prop::option::of(0i32..40), up in prop::option::of(0i32..40), down in prop::option::of(0i32..40),
    ) {
        let share = |percent: i32| json!(format!("{}m", percent * 10));
        let mut behavior = at_once();
        for (side, percent) in [("scaleUp", up), ("scaleDown", down)] {
            if let Some(percent) = percent {
                behavior[side]["tolerance"] = share(percent);
            }
        }
        let mut more = json!({ "behavior": behavior });
        more["tolerance"] = own.map_or(Value::Null, share);
        let mut world = World::new(json!([asks()]), more, 100);
        let counts = if wish > 100 { up } else { down }.or(own).unwrap_or(10);
        prop_assume!((wish - 100).abs() != counts); // At the edge itself, floating point decides.
        let within = (wish - 100).abs() < counts;
        prop_assert_eq!(world.wish(wish), if within { 100 } else { wish });
    }
}
