//! A WatermarkPodAutoscaler from manifest to status, where no recording says how: safe choices, and any input at all.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use plimsoll_api::wpa::{
    self, Asked, Gate, Monitor, Told, WatermarkPodAutoscaler, WpaStatus, apply_defaults,
};
use plimsoll_engine::{
    Act, At, BadSelector, Decision, DryRun, Memory, Observation, Others, Outcome, PerPod, Phase, Pod,
    Reading, Ready, Sample, Scale, Trail, decide,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn object(spec: Value) -> WatermarkPodAutoscaler {
    let object = json!({"metadata": {"name": "web", "namespace": "prod"}, "spec": spec});
    let mut object: WatermarkPodAutoscaler = serde_json::from_value(object).unwrap();
    apply_defaults(&mut object.spec);
    object
}

/// Growing above 400m of CPU, shrinking below 150m, from 4 to 9 replicas.
fn cpu() -> WatermarkPodAutoscaler {
    object(json!({
        "scaleTargetRef": {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"},
        "minReplicas": 4, "maxReplicas": 9, "tolerance": "10m", "algorithm": "average",
        "metrics": [{"type": "Resource", "resource": {
            "name": "cpu", "metricSelector": {}, "lowWatermark": "150m", "highWatermark": "400m"}}],
    }))
}

fn pod(phase: Phase) -> Pod {
    Pod {
        phase,
        ready: Ready::True,
        ready_since: At::from_secs(100),
        start: Some(At::from_secs(50)),
        deleted: false,
        owned: true,
    }
}

fn sight(at_secs: i64, pods: Vec<Pod>, milli_each: i64) -> Observation {
    let sample = Sample { milli: milli_each, at: At::from_secs(at_secs), window_us: 30_000_000 };
    let replicas = i32::try_from(pods.len()).unwrap();
    Observation {
        scale: Ok(Scale { spec: replicas, status: replicas }),
        readings: vec![Reading::PerPod(PerPod {
            samples: pods.iter().map(|_| Some(sample)).collect(),
            requests: Ok(Vec::new()),
            others: Others::default(),
        })],
        pods,
        ..Observation::at(At::from_secs(at_secs))
    }
}

fn sync(object: &WatermarkPodAutoscaler, status: &WpaStatus, seen: &Observation) -> (Decision, Told) {
    let policy = wpa::lower(object).unwrap();
    let mut memory = Memory::new(&policy);
    memory.recalled = wpa::recall(status);
    let mut trail = Trail::new();
    let decision = decide(&policy, seen, &memory, &mut trail);
    let outcome = match decision.act {
        Act::Keep | Act::Abort => Outcome::NotTried,
        Act::Write if policy.dry_run != DryRun::Off => Outcome::DryRun,
        Act::Write => Outcome::Written,
    };
    let asked = Asked { object, gate: &Gate::None, selector: "app=web" };
    let told = wpa::tell(asked, status, &trail, &decision, &outcome);
    (decision, told)
}

fn condition<'a>(told: &'a Told, kind: &str) -> (&'a str, &'a str, &'a str) {
    let found = told.status.conditions.iter().find(|it| it.kind == kind).unwrap();
    (&found.status, &found.reason, &found.message)
}

#[test]
fn holds_when_no_pod_can_be_counted() {
    let seen = sight(1000, vec![pod(Phase::Pending); 5], 900);
    let (decision, told) = sync(&cpu(), &WpaStatus::default(), &seen);
    assert_eq!(decision.act, Act::Abort);
    let (status, reason, message) = condition(&told, "ScalingActive");
    assert_eq!((status, reason), ("False", "FailedGetResourceMetric"));
    assert_eq!(
        message,
        "the WPA was unable to compute the replica count: among the 5 pods, none is ready. Skipping recommendation"
    );
    assert_eq!(told.status.current_replicas, 5);
    assert_eq!(told.requeue_secs, 15);
}

#[test]
fn holds_when_the_selector_cannot_be_read() {
    let mut seen = sight(1000, vec![pod(Phase::Running); 5], 900);
    seen.selection = Err(BadSelector::Invalid("found ',', expected: identifier".into()));
    let (decision, told) = sync(&cpu(), &WpaStatus::default(), &seen);
    assert_eq!(decision.act, Act::Abort);
    let (_, reason, message) = condition(&told, "ScalingActive");
    assert_eq!(reason, "FailedGetResourceMetric");
    assert!(message.ends_with("could not parse the labels of the target: found ',', expected: identifier"));
}

#[test]
fn the_first_sync_writes_even_an_unchanged_number() {
    let seen = sight(1000, vec![pod(Phase::Running); 5], 300);
    let (decision, told) = sync(&cpu(), &WpaStatus::default(), &seen);
    assert_eq!((decision.act, decision.to), (Act::Write, 5));
    assert_eq!(told.events[0].message, "New size: 5; reason: ");

    let (decision, told) = sync(&cpu(), &told.status, &sight(1015, vec![pod(Phase::Running); 5], 300));
    assert_eq!((decision.act, decision.to), (Act::Keep, 5));
    assert_eq!(
        told.events[0].message,
        "Decided not to scale Deployment/prod/web to 5 (last scale time was 1970-01-01 00:16:40 +0000 UTC )"
    );
}

#[test]
fn dry_run_counts_as_scaling() {
    let mut object = cpu();
    object.spec.dry_run = true;
    let seen = sight(1000, vec![pod(Phase::Running); 5], 900);
    let (decision, told) = sync(&object, &WpaStatus::default(), &seen);
    assert_eq!((decision.act, decision.to), (Act::Write, 7));
    assert!(told.events.is_empty());
    assert_eq!(told.status.scaling_events_count, 1);
    let (_, told) = sync(&object, &told.status, &sight(1015, vec![pod(Phase::Running); 5], 900));
    assert_eq!(condition(&told, "AbleToScale").1, "BackoffBoth");
}

#[test]
fn a_recommender_is_named_as_not_supported() {
    let object = object(json!({
        "scaleTargetRef": {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}, "maxReplicas": 9,
        "recommender": {"url": "https://recommender.example", "targetType": "cpu", "highWatermark": "80"},
    }));
    let refusal = wpa::lower(&object).unwrap_err();
    let told = wpa::refused(&refusal, &WpaStatus::default(), At::from_secs(1000));
    let (status, reason, message) = condition(&told, "ScalingActive");
    assert_eq!((status, reason), ("False", "RecommenderNotSupported"));
    assert!(message.contains("https://recommender.example"), "{message}");
    assert_eq!((told.events.len(), told.requeue_secs), (1, 0));

    let again = wpa::refused(&refusal, &told.status, At::from_secs(2000));
    assert!(!again.changed);
}

#[test]
fn a_monitor_that_is_not_ok_stops_everything() {
    let object = cpu();
    let gate = Gate::Monitor(Monitor::State("Alert".to_owned()));
    let mut seen = sight(1000, vec![pod(Phase::Running); 5], 900);
    seen.permit = gate.permit();
    let policy = wpa::lower(&object).unwrap();
    let mut trail = Trail::new();
    let decision = decide(&policy, &seen, &Memory::new(&policy), &mut trail);
    let asked = Asked { object: &object, gate: &gate, selector: "app=web" };
    let told = wpa::tell(asked, &WpaStatus::default(), &trail, &decision, &Outcome::NotTried);
    assert_eq!(decision.act, Act::Abort);
    assert_eq!(
        condition(&told, "ScalingBlocked"),
        (
            "True",
            "DatadogMonitorNotOK",
            "monitor prod/web is in Alert state, blocking the WPA from proceeding"
        )
    );
    assert_eq!(told.requeue_secs, 60);
}

fn any_phase() -> impl Strategy<Value = Phase> {
    prop_oneof![
        Just(Phase::Pending),
        Just(Phase::Running),
        Just(Phase::Succeeded),
        Just(Phase::Failed),
        Just(Phase::Unknown)
    ]
}

fn any_pod() -> impl Strategy<Value = Pod> {
    (any_phase(), any::<bool>(), any::<i64>(), any::<Option<i64>>(), any::<bool>(), any::<bool>()).prop_map(
        |(phase, ready, since, start, deleted, owned)| Pod {
            phase,
            ready: if ready { Ready::True } else { Ready::Unknown },
            ready_since: At(since),
            start: start.map(At),
            deleted,
            owned,
        },
    )
}

proptest! {
    /// Whatever is seen and whatever the numbers in the spec, a sync ends with a status and without a panic; and from a
    /// number within the bounds it goes to a number within the bounds.
    #[test]
    fn any_observation_is_survived(
        pods in prop::collection::vec((any_pod(), any::<Option<i64>>()), 0..8),
        (spec, status, others) in (-1..120i32, any::<i32>(), any::<i64>()),
        (min, span, modulo, available) in (0..50i32, 0..50i32, any::<i32>(), -1..150i32),
        (low, span_milli, tolerance) in (any::<i32>(), 0..1_000_000i64, 0..=1000i64),
        (up_delay, down_delay, window) in any::<(i32, i32, i32)>(),
        converge in prop_oneof![Just(""), Just("highwatermark"), Just("lowwatermark")],
        at in any::<i64>(),
    ) {
        let object = object(json!({
            "scaleTargetRef": {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"},
            "minReplicas": min, "maxReplicas": min + span, "replicaScalingAbsoluteModulo": modulo,
            "minAvailableReplicaPercentage": available, "tolerance": format!("{tolerance}m"),
            "upscaleDelayAboveWatermarkSeconds": up_delay, "downscaleDelayBelowWatermarkSeconds": down_delay,
            "upscaleForbiddenWindowSeconds": window, "readinessDelaySeconds": window,
            "convergeTowardsWatermark": converge,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "metricSelector": {},
                "lowWatermark": format!("{low}m"), "highWatermark": format!("{}m", i64::from(low) + span_milli)}}],
        }));
        let sample = |milli: Option<i64>| milli.map(|milli| Sample { milli, at: At(at), window_us: 0 });
        let seen = Observation {
            scale: Ok(Scale { spec, status }),
            pods: pods.iter().map(|(pod, _)| *pod).collect(),
            readings: vec![Reading::PerPod(PerPod {
                samples: pods.iter().map(|(_, milli)| sample(*milli)).collect(),
                requests: Ok(Vec::new()),
                others: Others { count: 1, milli: others },
            })],
            ..Observation::at(At(at))
        };
        let (first, told) = sync(&object, &WpaStatus::default(), &seen);
        let (second, _) = sync(&object, &told.status, &seen);
        for decision in [first, second] {
            let (least, most) = (min.max(1), (min + span).max(1));
            if decision.act == Act::Write && (least..=most).contains(&spec) {
                prop_assert!((least..=most).contains(&decision.to), "{decision:?}");
            }
        }
    }
}
