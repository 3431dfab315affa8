//! Cooldowns, breach delays, suspension, dry run, schedules.

use plimsoll_engine::{Act, seconds};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, asks, at_once};

fn with(side_up: Value, side_down: Value) -> Value {
    let mut behavior = at_once();
    for (side, more) in [("scaleUp", side_up), ("scaleDown", side_down)] {
        for (key, value) in more.as_object().unwrap() {
            behavior[side][key] = value.clone();
        }
    }
    json!({ "behavior": behavior })
}

proptest! {
    #[test]
    fn a_cooldown_counts_from_any_scaling(
        wishes in prop::collection::vec(1i32..30, 1..60), up_secs in 0i32..120, down_secs in 0i32..120,
    ) {
        let more = with(json!({ "cooldownSeconds": up_secs }), json!({ "cooldownSeconds": down_secs }));
        let mut world = World::new(json!([asks()]), more, 10);
        let mut last = None;
        for wish in wishes {
            let (at, before) = (world.at, world.replicas);
            let after = world.wish(wish);
            let wait = if wish > before { up_secs } else { down_secs };
            let over = last.is_none_or(|last| at.since(last) >= seconds(wait.into()));
            prop_assert_eq!(after, if over { wish } else { before });
            if after != before {
                last = Some(at);
            }
        }
    }

    #[test]
    fn a_wish_must_last_and_one_look_without_it_starts_over(
        wishes in prop::collection::vec(prop::option::weighted(0.9, 1i32..30), 1..60), up_secs in 0i32..120, down_secs in 0i32..120,
    ) {
        let more = with(json!({ "breachDelaySeconds": up_secs }), json!({ "breachDelaySeconds": down_secs }));
        let mut world = World::new(json!([asks()]), more, 10);
        let (mut up_since, mut down_since) = (None, None);
        for wish in wishes {
            let (at, before) = (world.at, world.replicas);
            world.look(&[wish.map(|wish| i64::from(wish) * 1000)]);
            // A look that could not see the wish has not seen it last.
            let wish = wish.unwrap_or(before);
            up_since = (wish > before).then(|| up_since.unwrap_or(at));
            down_since = (wish < before).then(|| down_since.unwrap_or(at));
            let lasted = up_since.is_some_and(|since| at.since(since) >= seconds(up_secs.into()))
                || down_since.is_some_and(|since| at.since(since) >= seconds(down_secs.into()));
            prop_assert_eq!(world.replicas, if lasted { wish } else { before });
        }
    }

    #[test]
    fn a_suspended_direction_is_never_taken_not_even_to_the_bounds(
        wishes in prop::collection::vec(1i32..60, 1..20), start in 1i32..60, suspend in prop::sample::select(vec!["Up", "Down", "All"]),
    ) {
        let mut more = with(json!({}), json!({}));
        more["suspend"] = json!(suspend);
        more["minReplicas"] = json!(20);
        more["maxReplicas"] = json!(40);
        let mut world = World::new(json!([asks()]), more, start);
        for wish in wishes {
            let before = world.replicas;
            let after = world.wish(wish);
            prop_assert!(after <= before || suspend == "Down", "grew from {} to {}", before, after);
            prop_assert!(after >= before || suspend == "Up", "shrank from {} to {}", before, after);
        }
    }

    #[test]
    fn a_dry_run_decides_but_stores_no_scaling(wishes in prop::collection::vec(1i32..60, 1..20), start in 1i32..60) {
        let mut more = with(json!({ "cooldownSeconds": 600 }), json!({ "cooldownSeconds": 600 }));
        more["mode"] = json!("DryRun");
        let mut world = World::new(json!([asks()]), more, start);
        for wish in wishes {
            let decision = world.look(&[Some(i64::from(wish) * 1000)]);
            prop_assert_eq!(decision.to, wish);
            prop_assert_eq!(decision.act == Act::Write, wish != start);
            prop_assert_eq!(world.replicas, start);
            prop_assert!(world.memory.grown.is_empty() && world.memory.shrunk.is_empty());
            prop_assert_eq!(world.memory.recalled.last_scale, None);
        }
    }

    #[test]
    fn a_schedule_s_bounds_hold_at_once(
        start in 0i32..60, wish in 1i32..60, min in 1i32..30, width in 0i32..30, broken in any::<bool>(),
    ) {
        let schedule = json!({ "name": "always", "cron": "* * * * *", "durationSeconds": 3600,
            "minReplicas": min, "maxReplicas": min + width });
        let mut more = with(json!({ "cooldownSeconds": 600 }), json!({ "cooldownSeconds": 600 }));
        more["schedules"] = json!([schedule]);
        more["minReplicas"] = json!(0);
        let mut world = World::new(json!([asks()]), more, start);
        // Asleep by our own hand, and just scaled: neither keeps the bounds from taking effect.
        world.memory.recalled.slept = start == 0;
        world.memory.recalled.last_scale = Some(world.at.minus(1));
        world.look(&[(!broken).then_some(i64::from(wish) * 1000)]);
        prop_assert!((min..=min + width).contains(&world.replicas), "{} replicas", world.replicas);
    }

    #[test]
    fn too_few_available_pods_hold_everything(
        replicas in 1i32..50, ready in 0i32..50, wish in 1i32..100, percent in 1i32..=100,
    ) {
        let ready = ready.min(replicas);
        let mut more = with(json!({}), json!({}));
        more["minAvailablePercent"] = json!(percent);
        let mut world = World::new(json!([asks()]), more, replicas);
        world.ready = Some(ready);
        let enough = ready * 100 / replicas >= percent;
        prop_assert_eq!(world.wish(wish), if enough { wish } else { replicas });
    }
}
