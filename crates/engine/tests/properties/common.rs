//! Policies and observations for the property tests: sensible ones to follow, and garbage to survive.

use plimsoll_engine::rule::marks::{Algorithm, Converge, Marks, Unit, Zero};
use plimsoll_engine::rule::steps::{Adjust, StepRule, Steps, Zone};
use plimsoll_engine::{
    Absent, Amount, At, AtZero, BadSelector, Blocked, Bounds, Combine, Delays, First, HistoryKind, Hold,
    Limits, Metric, Observation, OnMissing, Others, Overflow, PerPod, Phase, Pod, Policy, Rate, RatePolicy,
    Reading, Ready, Roll, Rule, Sample, Scale, Select, Stabilize, Suspend, Tolerance, Unread, Warmup,
    seconds,
};
use proptest::prelude::*;

/// One sync of a run that makes sense.
#[derive(Debug, Clone)]
pub(crate) struct Sync {
    pub gap_us: i64,
    pub load_milli: i64,
    pub pods: Vec<Shape>,
}

/// What a pod is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Ready,
    Unready,
    Pending,
    Missing,
    Failed,
}

fn any_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        6 => Just(Shape::Ready),
        1 => Just(Shape::Unready),
        1 => Just(Shape::Pending),
        1 => Just(Shape::Missing),
        1 => Just(Shape::Failed),
    ]
}

pub(crate) fn syncs() -> impl Strategy<Value = Vec<Sync>> {
    let sync = (1_000_000..90_000_000i64, 0..60_000i64, prop::collection::vec(any_shape(), 0..12))
        .prop_map(|(gap_us, load_milli, pods)| Sync { gap_us, load_milli, pods });
    prop::collection::vec(sync, 1..40)
}

/// What is seen when a load is shared by pods like these.
pub(crate) fn observe(policy: &Policy, at: At, replicas: i32, sync: &Sync) -> Observation {
    let start = at.minus(seconds(3_600));
    let pods: Vec<Pod> = sync.pods.iter().map(|shape| pod(*shape, start, at)).collect();
    let count = i64::try_from(pods.len().max(1)).unwrap_or(1);
    let sample = Sample { milli: sync.load_milli / count, at, window_us: seconds(30) };
    let samples: Vec<Option<Sample>> =
        sync.pods.iter().map(|shape| (*shape != Shape::Missing).then_some(sample)).collect();
    let readings = policy.metrics.iter().map(|metric| match metric.roll {
        Roll::Grouped { .. } | Roll::Sampled { .. } => Reading::PerPod(PerPod {
            samples: samples.clone(),
            requests: Ok(vec![1_000; samples.len()]),
            others: Others::default(),
        }),
        Roll::Running | Roll::Tolerated { .. } => {
            Reading::Series { values: vec![sync.load_milli], taken: Some(at) }
        }
    });
    let readings = readings.collect();
    Observation {
        scale: Ok(Scale { spec: replicas, status: replicas }),
        pods,
        readings,
        ..Observation::at(at)
    }
}

fn pod(shape: Shape, start: At, at: At) -> Pod {
    let pod = Pod::running(start);
    match shape {
        Shape::Ready | Shape::Missing => pod,
        Shape::Unready => Pod { ready: Ready::False, ready_since: at, start: Some(at), ..pod },
        Shape::Pending => Pod { phase: Phase::Pending, ready: Ready::Unsaid, start: None, ..pod },
        Shape::Failed => Pod { phase: Phase::Failed, ready: Ready::False, ..pod },
    }
}

/// Moves the first pods to the end, with their samples and requests.
pub(crate) fn rotate_pods(seen: &mut Observation, by: usize) {
    let turn = by % seen.pods.len().max(1);
    seen.pods.rotate_left(turn);
    for reading in &mut seen.readings {
        if let Reading::PerPod(per_pod) = reading {
            per_pod.samples.rotate_left(turn);
            if let Ok(requests) = &mut per_pod.requests {
                requests.rotate_left(turn);
            }
        }
    }
}

/// Every kind of policy, with values that make sense.
pub(crate) fn any_policy() -> impl Strategy<Value = Policy> {
    let bounds = (1..6i32, 0..30i32).prop_map(|(min, more)| Bounds { min, max: min + more });
    let velocity = (any_stabilize(), any_limits());
    let extras = (
        prop_oneof![3 => Just(Combine::Max), 1 => Just(Combine::Min)],
        prop_oneof![3 => Just(None), 1 => any_hold().prop_map(Some)],
        prop_oneof![5 => Just(Suspend::None), 1 => Just(Suspend::Up), 1 => Just(Suspend::Down)],
        prop_oneof![Just(HistoryKind::Slots), Just(HistoryKind::Skylines)],
    );
    (bounds, prop::collection::vec(any_metric(), 1..4), velocity, extras).prop_map(
        |(bounds, metrics, (stabilize, limits), (combine, hold, suspend, history))| Policy {
            bounds,
            metrics,
            stabilize,
            limits,
            combine,
            hold,
            suspend,
            history,
            ..Policy::plain()
        },
    )
}

fn any_metric() -> impl Strategy<Value = Metric> {
    let warmup = Some(Warmup { cpu_init_us: seconds(300), delay_us: seconds(30) });
    let pods = prop_oneof![Just(Roll::Grouped { warmup }), Just(Roll::Grouped { warmup: None })];
    let marks = (1..3_000i64, 0..3_000i64, any_converge()).prop_map(|(low, more, converge)| Marks {
        low,
        high: low + more,
        below: low as f64 * 0.95,
        above: (low + more) as f64 * 1.05,
        unit: Unit::Milli,
        algorithm: Algorithm::Average,
        converge,
        zero: Zero::Trusted,
        least: 0,
    });
    let steps = (1..1_000i64, 1..1_000i64).prop_map(|(low, gap)| Steps {
        unit: Unit::Milli,
        algorithm: Algorithm::Average,
        table: vec![
            StepRule {
                lower: Some((low + gap) as f64),
                upper: None,
                side: Zone::Above,
                adjust: Adjust::Percent(30),
            },
            StepRule { lower: None, upper: Some(low as f64), side: Zone::Below, adjust: Adjust::Pods(-1) },
        ],
    });
    let by_pods = (
        pods,
        prop_oneof![
            (1..200i32).prop_map(|percent| Rule::Utilization { percent }),
            (1..5_000i64).prop_map(|milli| Rule::Average { milli }),
            marks.clone().prop_map(Rule::Marks),
            steps.clone().prop_map(Rule::Steps),
        ],
    );
    let by_series = (
        Just(Roll::Running),
        prop_oneof![
            (1..20_000i64).prop_map(|milli| Rule::Value { milli }),
            (1..5_000i64).prop_map(|milli| Rule::PerReplica { milli, overflow: Overflow::Capped }),
            marks.prop_map(Rule::Marks),
            steps.prop_map(Rule::Steps),
        ],
    );
    let tolerance = (0.0..0.3f64, 0.0..0.3f64).prop_map(|(up, down)| Tolerance { up, down });
    (prop_oneof![by_pods, by_series], tolerance, any_missing(), prop_oneof![4 => Just(1), 1 => 2..5i32])
        .prop_map(|((roll, rule), tolerance, on_missing, multiple)| Metric {
            roll,
            rule,
            tolerance,
            multiple,
            on_missing,
            max_age_us: None,
        })
}

fn any_converge() -> impl Strategy<Value = Converge> + Clone {
    prop_oneof![3 => Just(Converge::None), 1 => Just(Converge::Low), 1 => Just(Converge::High)]
}

fn any_missing() -> impl Strategy<Value = OnMissing> {
    prop_oneof![
        4 => Just(OnMissing::Fail),
        1 => Just(OnMissing::Hold),
        1 => Just(OnMissing::Ignore),
        1 => (0..600i64).prop_map(|secs| OnMissing::UseLast { max_age_us: seconds(secs) }),
        1 => (0..5_000i64).prop_map(|value| OnMissing::Assume { value }),
        1 => (1..20i32, 0..300i64)
            .prop_map(|(replicas, secs)| OnMissing::Fallback { replicas, after_us: seconds(secs) }),
    ]
}

fn any_stabilize() -> impl Strategy<Value = Option<Stabilize>> {
    prop_oneof![
        1 => Just(None),
        2 => (0..600i64).prop_map(|secs| Some(Stabilize::Highest { window_us: seconds(secs) })),
        3 => (0..600i64, 0..600i64)
            .prop_map(|(up, down)| Some(Stabilize::Band { up_us: seconds(up), down_us: seconds(down) })),
    ]
}

fn any_limits() -> impl Strategy<Value = Limits> {
    prop_oneof![
        1 => Just(Limits::Doubling),
        3 => (any_rate(), any_rate()).prop_map(|(up, down)| Limits::Rates { up, down }),
    ]
}

fn any_rate() -> impl Strategy<Value = Rate> {
    let amount = prop_oneof![(0..10i32).prop_map(Amount::Pods), (0..200i32).prop_map(Amount::Percent)];
    let policy =
        (amount, 1..600i64).prop_map(|(amount, secs)| RatePolicy { amount, period_us: seconds(secs) });
    let select = prop_oneof![3 => Just(Select::Max), 2 => Just(Select::Min), 1 => Just(Select::Disabled)];
    let step_percent = prop_oneof![4 => Just(None), 1 => (0..100i32).prop_map(Some)];
    (select, prop::collection::vec(policy, 1..4), step_percent).prop_map(
        |(select, policies, step_percent)| Rate { select, policies, step_percent, at_zero: AtZero::Strict },
    )
}

fn any_hold() -> impl Strategy<Value = Hold> {
    (0..600i64, 0..600i64, 0..120i32, 0..120i32).prop_map(|(up, down, up_delay_secs, down_delay_secs)| Hold {
        up_us: seconds(up),
        down_us: seconds(down),
        up_delay_secs,
        down_delay_secs,
        first: First::Held,
        delays: Delays::ByWish,
    })
}

/// Garbage: any number anywhere, lists of lengths that do not fit each other.
pub(crate) fn any_observation() -> impl Strategy<Value = Observation> {
    let scale = prop_oneof![
        4 => (any::<i32>(), any::<i32>()).prop_map(|(spec, status)| Ok(Scale { spec, status })),
        1 => Just(Err(Unread::Failed("gone".into()))),
    ];
    let permit = prop_oneof![8 => Just(Ok(())), 1 => Just(Err(Blocked { by: "monitor".into() }))];
    let selection = prop_oneof![8 => Just(Ok(())), 1 => Just(Err(BadSelector::Missing))];
    let bounds = prop_oneof![3 => Just(None), 1 => (any::<i32>(), any::<i32>()).prop_map(|(min, max)| Some(Bounds { min, max }))];
    let pods = prop::collection::vec(any_pod(), 0..6);
    (any::<i64>(), scale, permit, selection, bounds, pods, prop::collection::vec(any_reading(), 0..5))
        .prop_map(|(at, scale, permit, selection, bounds, pods, readings)| Observation {
            at: At(at),
            bounds,
            permit,
            scale,
            selection,
            pods,
            readings,
        })
}

fn any_pod() -> impl Strategy<Value = Pod> {
    let phase = prop_oneof![
        Just(Phase::Pending),
        Just(Phase::Running),
        Just(Phase::Succeeded),
        Just(Phase::Failed),
        Just(Phase::Unknown)
    ];
    let ready = prop_oneof![Just(Ready::True), Just(Ready::False), Just(Ready::Unknown), Just(Ready::Unsaid)];
    (phase, ready, any::<i64>(), any::<Option<i64>>(), any::<bool>(), any::<bool>()).prop_map(
        |(phase, ready, since, start, deleted, owned)| Pod {
            phase,
            ready,
            ready_since: At(since),
            start: start.map(At),
            deleted,
            owned,
        },
    )
}

fn any_reading() -> impl Strategy<Value = Reading> {
    let sample = (any::<i64>(), any::<i64>(), any::<i64>()).prop_map(|(milli, at, window_us)| Sample {
        milli,
        at: At(at),
        window_us,
    });
    let requests = prop_oneof![
        3 => prop::collection::vec(any::<i64>(), 0..6).prop_map(Ok),
        1 => Just(Err("missing request".into())),
    ];
    let others = (0..3i64, any::<i64>()).prop_map(|(count, milli)| Others { count, milli });
    prop_oneof![
        4 => (prop::collection::vec(prop::option::of(sample), 0..6), requests, others)
            .prop_map(|(samples, requests, others)| Reading::PerPod(PerPod { samples, requests, others })),
        3 => (prop::collection::vec(any::<i64>(), 0..6), any::<Option<i64>>())
            .prop_map(|(values, taken)| Reading::Series { values, taken: taken.map(At) }),
        1 => Just(Reading::Missing(Absent::Api("down".into()))),
    ]
}
