//! Once warm, deciding and settling allocate nothing: it is done thousands of times a second for years.

use crate::common::{Shape, Sync, observe};
use plimsoll_engine::{
    Act, Amount, At, AtZero, Bounds, Limits, Memory, Metric, OnMissing, Outcome, Policy, Rate, RatePolicy,
    Roll, Rule, Select, Stabilize, Tolerance, Trail, Warmup, decide, seconds,
};

#[test]
fn a_warm_decision_allocates_nothing() {
    let rate = |amount| Rate {
        select: Select::Max,
        policies: vec![RatePolicy { amount, period_us: seconds(15) }],
        step_percent: None,
        at_zero: AtZero::Strict,
    };
    let policy = Policy {
        bounds: Bounds { min: 1, max: 50 },
        metrics: vec![Metric {
            roll: Roll::Grouped { warmup: Some(Warmup { cpu_init_us: seconds(300), delay_us: seconds(30) }) },
            rule: Rule::Utilization { percent: 50 },
            tolerance: Tolerance { up: 0.1, down: 0.1 },
            multiple: 1,
            on_missing: OnMissing::Fail,
            max_age_us: None,
        }],
        stabilize: Some(Stabilize::Band { up_us: 0, down_us: seconds(300) }),
        limits: Limits::Rates { up: rate(Amount::Percent(100)), down: rate(Amount::Percent(100)) },
        ..Policy::plain()
    };
    let mut memory = Memory::new(&policy);
    let mut trail = Trail::new();
    let mut at = At::from_secs(1_000_000);
    let mut replicas = 10;
    let mut counted = 0;
    for round in 0..400 {
        at = at.plus(seconds(15));
        let load_milli = if round % 80 < 40 { 9_000 } else { 3_000 };
        let seen =
            observe(&policy, at, replicas, &Sync { gap_us: 0, load_milli, pods: vec![Shape::Ready; 10] });
        let used = allocation_counter::measure(|| {
            let decision = decide(&policy, &seen, &memory, &mut trail);
            let outcome = if decision.act == Act::Write { Outcome::Written } else { Outcome::NotTried };
            memory.settle(&policy, &trail, &decision, &outcome);
            if decision.act == Act::Write {
                replicas = decision.to;
            }
        });
        if round >= 100 {
            counted += used.count_total;
        }
    }
    assert_eq!(counted, 0, "allocations in 300 warm decisions");
}
