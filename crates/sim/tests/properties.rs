//! What holds in every world, under every load, for every seed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may stop")]

mod common;

use common::{cpu_subject, load};
use plimsoll_sim::record::{Recovery, Run};
use plimsoll_sim::subject::{Given, Workload};
use plimsoll_sim::time::Span;
use plimsoll_sim::{Setup, Simulation, Words, World};
use proptest::prelude::*;

/// A world as someone may write it.
fn world() -> impl Strategy<Value = String> {
    let pod = (1..50u32, 0..30u32, 0..40u32).prop_map(|(rate, idle, skew)| {
        format!("pod: {{requestsPerSecond: {rate}, idleCpu: {idle}%, skew: {skew}%}}\n")
    });
    let startup = (
        0..4u32,
        prop_oneof![Just("5s"), Just("1s..20s"), Just("8s~4s"), Just("5s^40s")],
        0..20u32,
    )
        .prop_map(|(scheduling, boot, ready)| {
            format!(
                "startup: {{scheduling: {scheduling}s, image: {boot}, boot: {boot}, readiness: {ready}s}}\n"
            )
        });
    let overload = prop_oneof![
        Just(String::new()),
        (0..2_000u32).prop_map(|longest| format!("overload: queue\nqueue: {{longest: {longest}}}\n")),
    ];
    let metrics = (1..40u32, 0..20u32, 0..30u32, 0..20u32).prop_map(|(scrape, lag, loss, noise)| {
        format!("metrics: {{scrape: {scrape}s, lag: {lag}s, loss: {loss}%, noise: {noise}%}}\n")
    });
    let events = prop_oneof![
        Just(String::new()),
        (1..20u32, 0..60u32).prop_map(|(at, to)| {
            format!("events:\n  - {{at: {at}m, rollingUpdate: {{}}}}\n  - {{at: 12m, scaleTo: {to}}}\n  - {{at: 15m, restart: loseHistory}}\n")
        }),
    ];
    let room = (1..60u32).prop_map(|pods| format!("nodes: {{pods: {pods}}}\n"));
    (pod, startup, overload, metrics, events, room).prop_map(|(a, b, c, d, e, f)| a + &b + &c + &d + &e + &f)
}

fn shape() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..600u32).prop_map(|rate| format!("constant:{rate}")),
        (0..100u32, 0..900u32, 1..20u32).prop_map(|(a, b, at)| format!("step:{a}->{b}@{at}m")),
        (0..100u32, 100..900u32).prop_map(|(low, high)| format!("sine:{low}..{high}/20m + noise:10%")),
        (0..100u32, 0..900u32)
            .prop_map(|(base, add)| format!("constant:{base} + spike:+{add}@5m/5m + noise:20")),
    ]
}

fn run(world: &str, shape: &str, seed: u64, percent: i32) -> Run {
    let world = World::parse("w.yaml", world).unwrap();
    let mut subject = cpu_subject(percent, 1, 80);
    subject.workload = Workload::resolve(&Given::default(), &world, 1);
    let setup =
        Setup { load: load(shape), world, duration: Span::from_secs(1_500), seed, words: Words::Told };
    Simulation::new(setup, subject).unwrap().run().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_same_seed_gives_the_same_bytes(world in world(), shape in shape(), seed in any::<u64>()) {
        let bytes = || serde_json::to_string(&run(&world, &shape, seed, 60)).unwrap();
        prop_assert_eq!(bytes(), bytes());
    }

    #[test]
    fn there_are_never_more_pods_than_fit(world in world(), shape in shape(), seed in any::<u64>(), percent in 10..100) {
        let room = World::parse("w.yaml", &world).unwrap().nodes.pods;
        let run = run(&world, &shape, seed, percent);
        for point in &run.points {
            prop_assert!(point.ready <= room, "{} ready, room for {room}", point.ready);
        }
        let most = f64::from(room) * run.duration_secs / 3_600.0;
        prop_assert!(run.score.pod_hours <= most + 1e-6, "{} pod-hours of {most}", run.score.pod_hours);
    }

    #[test]
    fn a_record_agrees_with_itself(world in world(), shape in shape(), seed in any::<u64>(), percent in 10..100) {
        let run = run(&world, &shape, seed, percent);
        let score = &run.score;
        // What the points say was offered is what the score counts; the stretch after the last point is left out there.
        let offered: f64 = run.points.windows(2).map(|w| w[1].load * (w[1].t - w[0].t)).sum();
        prop_assert!(offered <= score.total_requests + 1e-3, "{offered} of {}", score.total_requests);
        prop_assert!(score.lost_requests + score.delayed_requests <= score.total_requests + 1e-3);
        prop_assert!((0.0..=100.0).contains(&score.unmet_percent));
        prop_assert!(score.under_capacity_secs <= run.duration_secs);
        for point in &run.points {
            prop_assert!(point.queue >= 0.0 && point.capacity >= 0.0 && point.unmet >= 0.0);
            prop_assert!(point.load_peak + 1e-9 >= point.load);
        }
        for change in &run.changes {
            prop_assert!(change.from != change.to && !change.reason.is_empty());
        }
        if let Recovery::After { at, secs } = score.recovery {
            prop_assert!(at + secs <= run.duration_secs + 1e-6);
        }
    }
}
