//! What the tests share: a CPU autoscaler built by hand, and a plain shop.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses a part, and may stop")]

use plimsoll_engine::{
    Bounds, Entry, Metric, OnFailure, OnMissing, Policy, Roll, Rule, Stabilize, Tolerance, Warmup, seconds,
};
use plimsoll_sim::subject::{Feed, Given, Goal, Measured, Shown, Shows, Spread, Workload};
use plimsoll_sim::time::Span;
use plimsoll_sim::world::Quantity;
use plimsoll_sim::{Load, Setup, Subject, Words, World};

pub(crate) fn load(text: &str) -> Load {
    Load::parse(text, &mut |f| Err(plimsoll_sim::BadInput::new(f, "no files here", ""))).unwrap()
}

pub(crate) fn shop(load_shape: &str, secs: i64) -> Setup {
    Setup {
        load: load(load_shape),
        world: World::default(),
        duration: Span::from_secs(secs),
        seed: 1,
        words: Words::Told,
    }
}

pub(crate) fn silent(load_shape: &str, secs: i64) -> Setup {
    Setup { words: Words::Silent, ..shop(load_shape, secs) }
}

/// A HorizontalPodAutoscaler on CPU utilization as a policy, without a manifest.
pub(crate) fn cpu_subject(percent: i32, min: i32, max: i32) -> Subject {
    let world = World::default();
    let workload = Workload::resolve(&Given::default(), &world, min);
    let policy = Policy {
        bounds: Bounds { min, max },
        entry: Entry::BoundsFirst,
        on_failure: OnFailure::BlocksShrink,
        stabilize: Some(Stabilize::Highest { window_us: seconds(300) }),
        metrics: vec![Metric {
            roll: Roll::Grouped { warmup: Some(Warmup { cpu_init_us: seconds(300), delay_us: seconds(30) }) },
            rule: Rule::Utilization { percent },
            tolerance: Tolerance { up: 0.1, down: 0.1 },
            multiple: 1,
            on_missing: OnMissing::Fail,
            max_age_us: None,
        }],
        ..Policy::plain()
    };
    Subject {
        name: "web".into(),
        kind: "HorizontalPodAutoscaler".into(),
        policy,
        feeds: vec![Feed {
            source: Measured::Cpu,
            quantity: Quantity::Requests,
            spread: Spread::PerPod,
            request: Ok(workload.cpu_request_milli),
            portion: 1.0,
            name: "cpu".into(),
            outage: "the metrics API does not answer".into(),
        }],
        metrics: vec![Shown {
            name: "cpu".to_string(),
            unit: "% of request".to_string(),
            goal: Goal::Target { value: f64::from(percent) },
            shows: Shows::Percent,
        }],
        config: Vec::new(),
        workload,
        calendar: None,
    }
}
