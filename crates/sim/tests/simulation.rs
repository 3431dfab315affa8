//! Whole runs: the worked tables of the step proposal, faults, repeatability, bounds on time and space.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop"
)]

mod common;

use common::{cpu_subject, load, shop, silent};
use plimsoll_engine::{Limits, Policy, Roll, Stabilize, Warmup};
use plimsoll_sim::record::{Author, Recovery};
use plimsoll_sim::subject::{Given, Workload};
use plimsoll_sim::time::Span;
use plimsoll_sim::{Setup, Simulation, Words, World};

/// Pods that are ready at once and metrics that are never late: rounds as in the proposal's tables.
const INSTANT: &str = "
startup: {scheduling: 0s, image: 0s, boot: 0s, readiness: 0s}
termination: 0s
metrics: {lag: 0s}
";

fn spec_by_round(percent: i32, tolerance: f64, load_shape: &str) -> Vec<i32> {
    let mut subject = cpu_subject(percent, 1, 100);
    subject.policy.limits = Limits::Share { up_milli: 100_000_000, down_milli: 100_000_000 };
    subject.policy.stabilize = None;
    for metric in &mut subject.policy.metrics {
        metric.tolerance = plimsoll_engine::Tolerance { up: tolerance, down: tolerance };
        // The proposal knows no warm-up: a new pod's first measurement counts.
        metric.roll = plimsoll_engine::Roll::Grouped { warmup: None };
        // The proposal believes what a pod measures from its first moment on.
        metric.roll = Roll::Grouped { warmup: Some(Warmup { cpu_init_us: 0, delay_us: 0 }) };
    }
    let world = World::parse("w.yaml", INSTANT).unwrap();
    subject.workload = Workload::resolve(&Given::default(), &world, 1);
    let setup =
        Setup { load: load(load_shape), world, duration: Span::from_secs(180), seed: 1, words: Words::Told };
    let run = Simulation::new(setup, subject).unwrap().run().unwrap();
    run.points.iter().map(|p| p.spec).collect()
}

#[test]
fn the_step_proposals_tables_come_out() {
    // Round 1 is at 15 s: the load has just jumped, and the measurement still shows 5 requests/s.
    assert_eq!(spec_by_round(80, 0.0, "step:5->80@15s")[1..9], [1, 2, 3, 4, 5, 7, 9, 10]);
    assert_eq!(spec_by_round(50, 0.0, "step:5->80@15s")[1..6], [1, 2, 4, 8, 16]);
    assert_eq!(spec_by_round(80, 0.1, "step:5->80@15s")[11], 9);
    assert_eq!(spec_by_round(50, 0.0, "constant:6")[1..4], [2, 2, 2]);
}

#[test]
fn same_seed_same_bytes_other_seed_other_bytes() {
    let bytes = |seed| {
        let setup = Setup { seed, ..shop("sine:20..200/2h + noise:10%", 7_200) };
        let run = Simulation::new(setup, cpu_subject(60, 2, 40)).unwrap().run().unwrap();
        serde_json::to_string(&run).unwrap()
    };
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1), bytes(2));
}

#[test]
fn a_record_survives_json() {
    let run =
        Simulation::new(shop("step:20->200@10m", 3_600), cpu_subject(60, 2, 40)).unwrap().run().unwrap();
    let text = serde_json::to_string(&run).unwrap();
    assert_eq!(serde_json::from_str::<plimsoll_sim::record::Run>(&text).unwrap(), run);
}

#[test]
fn words_change_nothing_but_words() {
    let score = |words| {
        let setup = Setup { words, ..shop("sine:20..200/2h + noise:10%", 7_200) };
        Simulation::new(setup, cpu_subject(60, 2, 40)).unwrap().run().unwrap().score
    };
    assert_eq!(score(Words::Told), score(Words::Silent));
}

#[test]
fn a_jump_is_followed_told_and_scored() {
    let run =
        Simulation::new(shop("step:20->200@10m", 3_600), cpu_subject(60, 2, 40)).unwrap().run().unwrap();
    let last = run.points.last().unwrap();
    assert!((33..=37).contains(&last.spec), "{last:?}");
    assert!(run.score.unmet_percent > 0.0 && run.score.unmet_percent < 10.0, "{:?}", run.score);
    let Recovery::After { at, secs } = run.score.recovery else { panic!("{:?}", run.score) };
    assert_eq!(at, 600.0);
    assert!((30.0..180.0).contains(&secs), "{secs}");
    assert_eq!(run.score.changes, run.changes.len() as u64);
    let first = run.changes.iter().find(|c| c.t > 600.0).unwrap();
    assert!(first.reason.contains("cpu 100 % of request, goal 60"), "{}", first.reason);
    let trail = &run.trails[first.trail.unwrap() as usize];
    assert!(trail.steps.len() >= 4, "{trail:?}");
}

#[test]
fn an_outage_freezes_the_autoscaler_and_is_told() {
    let mut setup = shop("step:20->200@10m", 3_600);
    setup.world = World::parse("w.yaml", "metrics: {outages: [{at: 9m, for: 10m}]}\n").unwrap();
    let run = Simulation::new(setup, cpu_subject(60, 2, 40)).unwrap().run().unwrap();
    let during: Vec<_> = run.points.iter().filter(|p| (540.0..1_140.0).contains(&p.t)).collect();
    assert!(during.iter().all(|p| p.spec == during[0].spec && p.metrics == [None]));
    let words = &run.trails[during[0].trail.unwrap() as usize];
    assert!(words.why.contains("cpu cannot be read"), "{}", words.why);
    assert_eq!((run.incidents[0].t, run.incidents[0].until), (540.0, Some(1_140.0)));
    assert!(run.changes.iter().any(|c| c.t >= 1_140.0));
}

#[test]
fn events_happen_when_the_world_says() {
    let mut setup = shop("constant:60", 3_600);
    let text = "replicas: 10\nevents:\n  - {at: 10m, rollingUpdate: {}}\n  - {at: 30m, scaleTo: 20}\n  - {at: 31m, restart: loseHistory}\n";
    setup.world = World::parse("w.yaml", text).unwrap();
    let run = Simulation::new(setup, cpu_subject(60, 2, 40)).unwrap().run().unwrap();
    let rolling = &run.incidents[0];
    assert_eq!((rolling.t, rolling.what.as_str()), (600.0, "rolling update"));
    assert!(rolling.until.is_some_and(|u| u > 620.0 && u < 900.0), "{rolling:?}");
    let surged = run.points.iter().filter(|p| p.t > 600.0 && p.t < 700.0).map(|p| p.status).max();
    assert_eq!(surged, Some(13));
    let lowest = run.points.iter().filter(|p| p.t > 600.0 && p.t < 700.0).map(|p| p.ready).min();
    assert!(lowest >= Some(8), "{lowest:?}");
    let hand = run.changes.iter().find(|c| c.by == Author::Hand).unwrap();
    assert_eq!((hand.t, hand.to), (1_800.0, 20));
    assert_eq!(run.incidents[1].what, "controller restart, history lost");
}

#[test]
fn pods_without_room_stay_pending() {
    let mut setup = shop("step:20->200@10m", 3_600);
    setup.world = World::parse("w.yaml", "nodes: {pods: 12}\n").unwrap();
    let run = Simulation::new(setup, cpu_subject(60, 2, 40)).unwrap().run().unwrap();
    assert!(run.points.iter().all(|p| p.ready <= 12));
    assert!(run.points.last().unwrap().spec > 12);
    assert!(matches!(run.score.recovery, Recovery::Never { .. }));
}

#[test]
fn long_runs_stay_small_and_no_time_is_refused() {
    let setup = silent("sine:20..200/24h + noise:10%", 7 * 86_400);
    let run = Simulation::new(setup, cpu_subject(60, 2, 40)).unwrap().run().unwrap();
    assert_eq!(run.decisions, 40_320);
    assert!(run.points.len() <= 1_501, "{}", run.points.len());
    assert!(run.changes.len() <= 1_000);
    assert_eq!(run.score.changes, run.changes.len() as u64 + run.changes_left_out);
    let none = Simulation::new(shop("constant:5", 0), cpu_subject(60, 2, 40)).err().unwrap();
    assert_eq!(none.to_string(), "--for: no time to simulate; write a duration above zero, like 2h");
}

#[test]
fn zero_replicas_lose_everything_and_do_not_panic() {
    let mut subject = cpu_subject(60, 1, 10);
    subject.workload.replicas = 0;
    let run = Simulation::new(shop("constant:5", 600), subject).unwrap().run().unwrap();
    assert_eq!(run.score.unmet_percent, 100.0);
    assert_eq!(run.points.last().unwrap().spec, 0);
}

#[test]
fn loss_noise_and_slow_starts_keep_it_running() {
    let text = include_str!("../worlds/every-field.yaml");
    for seed in 0..8 {
        let setup = Setup {
            world: World::parse("every-field.yaml", text).unwrap(),
            seed,
            ..shop("sine:50..500/1h + noise:20%", 3_600)
        };
        let mut subject = cpu_subject(60, 2, 60);
        subject.policy =
            Policy { stabilize: Some(Stabilize::Highest { window_us: 300_000_000 }), ..subject.policy };
        let run = Simulation::new(setup, subject).unwrap().run().unwrap();
        assert_eq!(run.decisions, 240);
        assert!(run.points.iter().all(|p| p.ready <= 40 && p.queue <= 500.0));
        assert!(run.score.pod_hours > 0.0 && run.score.unmet_percent <= 100.0, "{:?}", run.score);
    }
}
