//! How long a decision takes: one CPU-utilization metric with behavior, at several numbers of pods.

#![allow(missing_docs)]

mod cpu;

use cpu::CpuTime;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use plimsoll_engine::{
    Act, Amount, At, AtZero, Bounds, Delays, First, HistoryKind, Hold, Limits, Memory, Metric, Observation,
    OnMissing, Others, Outcome, PerPod, Pod, Policy, Rate, RatePolicy, Reading, Roll, Roster, Rule, Sample,
    Scale, Select, Stabilize, Strangers, Surge, Terminal, Tolerance, Trail, Warmup, decide, seconds,
};
use std::hint::black_box;

fn rate(policies: Vec<RatePolicy>) -> Rate {
    Rate { select: Select::Max, policies, step_percent: None, at_zero: AtZero::Strict }
}

fn policy() -> Policy {
    let per = |amount, secs| RatePolicy { amount, period_us: seconds(secs) };
    Policy {
        bounds: Bounds { min: 2, max: 5_000 },
        metrics: vec![Metric {
            roll: Roll::Grouped { warmup: Some(Warmup { cpu_init_us: seconds(300), delay_us: seconds(30) }) },
            rule: Rule::Utilization { percent: 80 },
            tolerance: Tolerance { up: 0.1, down: 0.1 },
            multiple: 1,
            on_missing: OnMissing::Fail,
            max_age_us: None,
        }],
        stabilize: Some(Stabilize::Band { up_us: 0, down_us: seconds(300) }),
        limits: Limits::Rates {
            up: rate(vec![per(Amount::Pods(4), 15), per(Amount::Percent(100), 15)]),
            down: rate(vec![per(Amount::Percent(100), 15)]),
        },
        ..Policy::plain()
    }
}

/// Pods whose use moves a little from sync to sync, so that it is not always the same decision.
fn observation(pods: usize) -> Observation {
    let at = At::from_secs(1_000_000);
    let sample = Sample { milli: 400, at, window_us: seconds(30) };
    let replicas = i32::try_from(pods).unwrap_or(i32::MAX);
    Observation {
        scale: Ok(Scale { spec: replicas, status: replicas }),
        pods: vec![Pod::running(at.minus(seconds(3_600))); pods],
        readings: vec![Reading::PerPod(PerPod {
            samples: vec![Some(sample); pods],
            requests: Ok(vec![500; pods]),
            others: Others::default(),
        })],
        ..Observation::at(at)
    }
}

fn next(seen: &mut Observation, round: i64) {
    seen.at = seen.at.plus(seconds(15));
    if let Some(Reading::PerPod(per_pod)) = seen.readings.first_mut()
        && let Some(Some(sample)) = per_pod.samples.first_mut()
    {
        sample.milli = 400 + round % 64;
    }
}

fn decisions(c: &mut Criterion<CpuTime>) {
    let policy = policy();
    let mut group = c.benchmark_group("decide_and_settle");
    group.throughput(Throughput::Elements(1));
    for pods in [3usize, 10, 100, 1_000] {
        group.bench_with_input(BenchmarkId::from_parameter(pods), &pods, |b, pods| {
            let mut seen = observation(*pods);
            let mut memory = Memory::new(&policy);
            let mut trail = Trail::new();
            let mut round = 0;
            b.iter(|| {
                round += 1;
                next(&mut seen, round);
                let decision = decide(&policy, &seen, &memory, &mut trail);
                let outcome = if decision.act == Act::Write { Outcome::Written } else { Outcome::NotTried };
                memory.settle(&policy, &trail, &decision, &outcome);
                black_box(decision.to)
            });
        });
    }
    group.finish();
}

/// What the extras cost: the plain policy beside the same with every extra that it could have.
fn extras(c: &mut Criterion<CpuTime>) {
    let mut full = policy();
    full.history = HistoryKind::Skylines;
    full.hold = Some(Hold {
        up_us: seconds(30),
        down_us: seconds(300),
        up_delay_secs: 30,
        down_delay_secs: 60,
        first: First::Held,
        delays: Delays::ByWish,
    });
    full.roster = Roster {
        strangers: Strangers::Ignore,
        terminal: Terminal::Ignore,
        surge: Surge::Cap,
        min_available_percent: 50,
    };
    for metric in &mut full.metrics {
        metric.on_missing = OnMissing::Fallback { replicas: 5, after_us: seconds(60) };
        metric.max_age_us = Some(i64::MAX);
        metric.multiple = 2;
    }
    let mut group = c.benchmark_group("extras_at_10_pods");
    for (name, policy) in [("none", policy()), ("all", full)] {
        group.bench_function(name, |b| {
            let mut seen = observation(10);
            let mut memory = Memory::new(&policy);
            let mut trail = Trail::new();
            let mut round = 0;
            b.iter(|| {
                round += 1;
                next(&mut seen, round);
                let decision = decide(&policy, &seen, &memory, &mut trail);
                memory.settle(&policy, &trail, &decision, &Outcome::NotTried);
                black_box(decision.to)
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = decisions, extras
}
criterion_main!(benches);
