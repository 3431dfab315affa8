//! A whole sync without the outside: decide, settle, and the status with its words, at several numbers of pods.

#![allow(missing_docs, clippy::expect_used)]

#[path = "../../engine/benches/cpu/mod.rs"]
mod cpu;

use cpu::CpuTime;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use plimsoll_api::hpa::{self, Flags, Hpa, Status};
use plimsoll_engine::{
    Act, At, Memory, Observation, Others, Outcome, PerPod, Pod, Reading, Sample, Scale, Trail, decide,
    seconds,
};
use std::hint::black_box;

const MANIFEST: &str = r#"{"metadata": {"name": "web", "namespace": "prod", "generation": 3},
  "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
    "minReplicas": 2, "maxReplicas": 5000, "behavior": {},
    "metrics": [{"type": "Resource",
      "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]}}"#;

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

fn syncs(c: &mut Criterion<CpuTime>) {
    let mut hpa: Hpa = serde_json::from_str(MANIFEST).expect("a manifest");
    hpa::default(&mut hpa);
    let lowered = hpa::lower(&hpa, &Flags::default()).expect("a policy");
    let mut group = c.benchmark_group("decide_settle_and_tell");
    for pods in [3usize, 10, 100, 1_000] {
        group.bench_with_input(BenchmarkId::from_parameter(pods), &pods, |b, pods| {
            let mut seen = observation(*pods);
            let mut memory = Memory::new(&lowered.policy);
            let mut trail = Trail::new();
            let (mut before, mut status) = (Status::default(), Status::default());
            let mut round = 0;
            b.iter(|| {
                round += 1;
                seen.at = seen.at.plus(seconds(15));
                if let Some(Reading::PerPod(per_pod)) = seen.readings.first_mut()
                    && let Some(Some(sample)) = per_pod.samples.first_mut()
                {
                    sample.milli = 400 + round % 64;
                }
                memory.recalled = status.recalled();
                let decision = decide(&lowered.policy, &seen, &memory, &mut trail);
                let outcome = if decision.act == Act::Write { Outcome::Written } else { Outcome::NotTried };
                memory.settle(&lowered.policy, &trail, &decision, &outcome);
                before.clone_from(&status);
                let told = hpa::tell(&mut status, &lowered, Some(3), &trail, &decision, &outcome);
                black_box((before != status, told.events.len()))
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = syncs
}
criterion_main!(benches);
