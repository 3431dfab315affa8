//! What must hold whatever the policy, the metrics and the order of things are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod allocations;
mod common;

use common::{Shape, Sync, any_observation, any_policy, observe, syncs};
use plimsoll_engine::{
    Act, Amount, At, Limits, Memory, Observation, Outcome, Policy, Rate, Select, Step, Trail, ceil_i32,
    cut_i32, decide, outlook,
};
use proptest::prelude::*;

/// Follows a policy through syncs, nobody else writing; gives each decision's time, from and to.
fn follow(policy: &Policy, start: i32, syncs: &[Sync], mut check: impl FnMut(&Trail, At, i32, i32)) {
    let mut memory = Memory::new(policy);
    let mut trail = Trail::new();
    let mut replicas = start;
    let mut at = At::from_secs(1_000_000);
    for sync in syncs {
        at = at.plus(sync.gap_us);
        let seen = observe(policy, at, replicas, sync);
        let decision = decide(policy, &seen, &memory, &mut trail);
        let outcome = if decision.act == Act::Write { Outcome::Written } else { Outcome::NotTried };
        memory.settle(policy, &trail, &decision, &outcome);
        let after = if decision.act == Act::Write { decision.to } else { replicas };
        check(&trail, at, replicas, after);
        replicas = after;
    }
}

fn limit(start: i32, amount: Amount, up: bool) -> i32 {
    match (amount, up) {
        (Amount::Pods(pods), true) => start + pods,
        (Amount::Pods(pods), false) => start - pods,
        (Amount::Percent(percent), true) => ceil_i32(f64::from(start) * (1.0 + f64::from(percent) / 100.0)),
        (Amount::Percent(percent), false) => cut_i32(f64::from(start) * (1.0 - f64::from(percent) / 100.0)),
    }
}

/// How far the policies let it go, worked out from the replicas there were at the start of each period.
fn allowed(rate: &Rate, at: At, now: i32, past: &[(At, i32)], up: bool) -> i32 {
    let at_start = |period_us: i64| {
        past.iter()
            .rev()
            .find(|(when, _)| *when <= at.minus(period_us))
            .map_or(past[0].1, |(_, replicas)| *replicas)
    };
    let limits = rate.policies.iter().map(|policy| limit(at_start(policy.period_us), policy.amount, up));
    let chosen = match (rate.select, up) {
        (Select::Disabled, _) => return now,
        (Select::Max, true) | (Select::Min, false) => limits.max(),
        (Select::Min, true) | (Select::Max, false) => limits.min(),
    };
    let chosen = chosen.unwrap_or(now);
    if up { chosen.max(now) } else { chosen.min(now) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn inside_the_bounds_stays_inside(policy in any_policy(), start in 1..40i32, syncs in syncs()) {
        let bounds = policy.bounds;
        follow(&policy, start, &syncs, |_, _, before, after| {
            if (bounds.min..=bounds.max).contains(&before) {
                assert!((bounds.min..=bounds.max).contains(&after), "{before} to {after} in {bounds:?}");
            }
        });
    }

    #[test]
    fn never_faster_than_the_policies(policy in any_policy(), start in 1..40i32, syncs in syncs()) {
        let Limits::Rates { up, down } = policy.limits.clone() else { return Ok(()) };
        let mut past = vec![(At(i64::MIN), start)];
        follow(&policy, start, &syncs, |trail, at, before, after| {
            let jumped = trail.steps.iter().any(|step| matches!(step, Step::Jump { .. }));
            if !jumped && after > before {
                let most = allowed(&up, at, before, &past, true);
                assert!(after <= most, "{before} to {after}, but at most {most}; {past:?}");
            }
            if !jumped && after < before {
                let least = allowed(&down, at, before, &past, false);
                assert!(after >= least, "{before} to {after}, but at least {least}; {past:?}");
            }
            past.push((at, after));
        });
    }

    #[test]
    fn order_does_not_matter(policy in any_policy(), replicas in 1..40i32, syncs in syncs(), turn in 0..7usize) {
        let sync = &syncs[0];
        let at = At::from_secs(1_000_000);
        let seen = observe(&policy, at, replicas, sync);
        let memory = Memory::new(&policy);
        let straight = decide(&policy, &seen, &memory, &mut Trail::new());
        let mut turned_policy = policy.clone();
        let mut turned = seen.clone();
        let by = turn % policy.metrics.len().max(1);
        turned_policy.metrics.rotate_left(by);
        turned.readings.rotate_left(by);
        common::rotate_pods(&mut turned, turn);
        let other = decide(&turned_policy, &turned, &memory, &mut Trail::new());
        prop_assert_eq!((straight.to, straight.act), (other.to, other.act));
    }

    #[test]
    fn deciding_again_gives_the_same_bytes(policy in any_policy(), seen in any_observation(), replicas in 0..40i32) {
        let mut seen: Observation = seen;
        if let Ok(scale) = &mut seen.scale { scale.spec = replicas; }
        let memory = Memory::new(&policy);
        let (mut one, mut two) = (Trail::new(), Trail::new());
        let first = serde_json::to_vec(&decide(&policy, &seen, &memory, &mut one)).unwrap();
        let second = serde_json::to_vec(&decide(&policy, &seen, &memory, &mut two)).unwrap();
        prop_assert_eq!(first, second);
        prop_assert_eq!(serde_json::to_vec(&one).unwrap(), serde_json::to_vec(&two).unwrap());
    }

    #[test]
    fn memory_survives_being_written_down(policy in any_policy(), start in 1..40i32, syncs in syncs()) {
        let (mut kept, mut restarted) = (Memory::new(&policy), Memory::new(&policy));
        let mut trail = Trail::new();
        let mut replicas = start;
        let mut at = At::from_secs(1_000_000);
        for sync in &syncs {
            at = at.plus(sync.gap_us);
            let seen = observe(&policy, at, replicas, sync);
            let expected = decide(&policy, &seen, &kept, &mut trail);
            let outcome = if expected.act == Act::Write { Outcome::Written } else { Outcome::NotTried };
            kept.settle(&policy, &trail, &expected, &outcome);
            restarted = serde_json::from_str(&serde_json::to_string(&restarted).unwrap()).unwrap();
            let got = decide(&policy, &seen, &restarted, &mut trail);
            restarted.settle(&policy, &trail, &got, &outcome);
            prop_assert_eq!(&expected, &got);
            if got.act == Act::Write { replicas = got.to; }
        }
        prop_assert_eq!(kept, restarted);
    }

    #[test]
    fn garbage_never_panics(policy in any_policy(), all in prop::collection::vec(any_observation(), 1..8)) {
        let mut memory = Memory::new(&policy);
        let mut trail = Trail::new();
        for seen in &all {
            let decision = decide(&policy, seen, &memory, &mut trail);
            memory.settle(&policy, &trail, &decision, &Outcome::Written);
            let _ = outlook(&policy, policy.bounds, &memory, decision.to, seen.at);
        }
    }

    #[test]
    fn memory_is_bounded(policy in any_policy(), gap_us in 1..2_000_000i64) {
        let syncs = vec![Sync { gap_us, load_milli: 5_000, pods: vec![Shape::Ready; 3] }; 600];
        let mut memory = Memory::new(&policy);
        let mut trail = Trail::new();
        let mut at = At::from_secs(1_000_000);
        for (index, sync) in syncs.iter().enumerate() {
            at = at.plus(sync.gap_us);
            let replicas = 1 + i32::try_from(index % 7).unwrap();
            let seen = observe(&policy, at, replicas, sync);
            let decision = decide(&policy, &seen, &memory, &mut trail);
            memory.settle(&policy, &trail, &decision, &Outcome::Written);
        }
        prop_assert!(memory.grown.len() <= 1024 && memory.shrunk.len() <= 1024);
        prop_assert!(memory.history.proposals().count() <= 2 * 4096);
    }
}
