//! A week of 15 s syncs (40,320 decisions) with pods, load and metrics modelled.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../../engine/benches/cpu/mod.rs"]
mod cpu;

use cpu::CpuTime;
use criterion::{Criterion, criterion_group, criterion_main};
use plimsoll_sim::{Setup, Simulation, Words, World};
use std::hint::black_box;

const LOAD: &str = "sine:20..100/24h + spike:+60@30h/20m + noise:5%";
const WEEK_SECS: i64 = 7 * 86_400;
const WORLD: &str =
    "startup: {boot: 10s^30s}\nmetrics: {noise: 3%, loss: 0.5%}\nevents: [{at: 50h, rollingUpdate: {}}]\n";

fn week(words: Words) -> f64 {
    let world = World::parse("bench", WORLD).unwrap_or_default();
    let setup = Setup { world, words, ..common::shop(LOAD, WEEK_SECS) };
    let run = Simulation::new(setup, common::cpu_subject(60, 2, 40)).and_then(Simulation::run);
    run.map_or(0.0, |r| {
        assert_eq!(r.decisions, 40_320);
        r.score.pod_hours
    })
}

fn benches(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("a week of 15 s syncs");
    group.sample_size(20);
    group.bench_function("scores only", |b| b.iter(|| black_box(week(Words::Silent))));
    group.bench_function("with words", |b| b.iter(|| black_box(week(Words::Told))));
    group.finish();
}

criterion_group! {
    name = all;
    config = Criterion::default().with_measurement(CpuTime);
    targets = benches
}
criterion_main!(all);
