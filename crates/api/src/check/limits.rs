//! What limits alone do: the engine with nothing but a policy's limits, under a wish that never ends.
//!
//! Used to find out whether a scaling policy ever makes a difference, by running with it and without it.

use plimsoll_engine::{
    Act, At, Bind, Combine, Decision, DryRun, Entry, HistoryKind, Limits, Memory, Metric, Observation,
    OnFailure, OnMissing, Outcome, Overflow, Policy, Reading, Roll, Roster, Rule, Scale, Side, Step, Suspend,
    Tolerance, Trail, decide, seconds,
};

/// When invented time begins.
const START: At = At::from_secs(1_000_000_000);

/// How many looks one run has at most.
const MOST_LOOKS: usize = 400;

/// How many looks a run has that keeps turning.
const MOST_TURNING_LOOKS: usize = 80;

/// How many starting points are tried at most.
const MOST_STARTS: i64 = 32;

/// A wish for more than anyone allows, per replica.
const FLOOD_MILLI: i64 = 1_000_000_000_000;

/// Replicas at each moment they changed, and the rule that bound them.
pub(super) type Path = Vec<(i64, i32, Bind)>;

/// The policy with its limits and bounds, but with one metric that says what to wish for and nothing else in the way.
pub(super) fn bare(policy: &Policy, multiple: i32) -> Policy {
    let metric = Metric {
        roll: Roll::Running,
        rule: Rule::PerReplica { milli: 1000, overflow: Overflow::Capped },
        tolerance: Tolerance { up: 0.0, down: 0.0 },
        multiple,
        on_missing: OnMissing::Fail,
        max_age_us: None,
    };
    Policy {
        bounds: policy.bounds,
        limits: policy.limits.clone(),
        cadence_us: policy.cadence_us.max(seconds(1)),
        metrics: vec![metric],
        entry: Entry::BoundsFirst,
        counted: policy.counted,
        combine: Combine::Max,
        on_failure: OnFailure::BlocksShrink,
        roster: Roster::default(),
        stabilize: None,
        history: HistoryKind::Slots,
        hold: None,
        suspend: Suspend::None,
        dry_run: DryRun::Off,
        wakes_from_zero: true,
    }
}

/// The policy without one of its scaling policies.
pub(super) fn without(policy: &Policy, side: Side, index: usize) -> Policy {
    let mut policy = policy.clone();
    if let Limits::Rates { up, down } = &mut policy.limits {
        let rate = if side == Side::Up { up } else { down };
        if index < rate.policies.len() {
            rate.policies.remove(index);
        }
    }
    policy
}

/// Whether a policy ever decides something that `other` would not, as far as limits go: on the way from every number of
/// replicas to the bound, and through quick turns between growing and shrinking.
pub(super) fn differ(policy: &Policy, other: &Policy, side: Side) -> bool {
    let (policy, other) = (bare(policy, 1), bare(other, 1));
    let ways = |start: i32| {
        let straight = std::iter::once(Wish::Always(side));
        let turning = [1usize, 2, 3, 5, 8].into_iter().map(Wish::Turning);
        straight.chain(turning).map(move |wish| (start, wish))
    };
    let mut trail = Trail::new();
    starts(&policy).into_iter().flat_map(ways).any(|(start, wish)| {
        let mut differs = false;
        run(&policy, start, wish, |seen, memory, decision| {
            // Asked with the same memory: what is remembered for how long also depends on the policies.
            differs = differs || decide(&other, seen, memory, &mut trail).to != decision.to;
        });
        differs
    })
}

/// The ways that limits and bounds let the replicas go, from multiples of `multiple` to a bound.
pub(super) fn in_multiples(policy: &Policy, multiple: i32) -> Vec<(i32, Path)> {
    let policy = bare(policy, multiple);
    let even = starts(&policy).into_iter().map(|it| it - it.rem_euclid(multiple.max(1)));
    let mut even: Vec<i32> = even.filter(|it| *it >= policy.bounds.min.max(1)).collect();
    even.dedup();
    let both = even.into_iter().flat_map(|start| [(start, Side::Up), (start, Side::Down)]);
    both.map(|(start, side)| (start, run(&policy, start, Wish::Always(side), |_, _, _| ()))).collect()
}

/// Numbers of replicas to start from: all, or some of them evenly.
fn starts(policy: &Policy) -> Vec<i32> {
    let (min, max) = (i64::from(policy.bounds.min.max(1)), i64::from(policy.bounds.max));
    let step = ((max - min) / MOST_STARTS).max(1);
    let mut all: Vec<i32> =
        (0..=(max - min) / step).filter_map(|it| i32::try_from(min + it * step).ok()).collect();
    all.extend([policy.bounds.max]);
    all.dedup();
    all
}

/// What is wished for.
#[derive(Clone, Copy)]
enum Wish {
    /// One direction.
    Always(Side),
    /// The other direction after every so many looks.
    Turning(usize),
}

impl Wish {
    fn at(self, look: usize) -> Side {
        match self {
            Wish::Always(side) => side,
            Wish::Turning(looks) if (look / looks).is_multiple_of(2) => Side::Up,
            Wish::Turning(_) => Side::Down,
        }
    }
}

fn run(
    policy: &Policy,
    start: i32,
    wish: Wish,
    mut watch: impl FnMut(&Observation, &Memory, &Decision),
) -> Path {
    let mut memory = Memory::new(policy);
    let mut trail = Trail::new();
    let (mut replicas, mut at, mut path) = (start, START, Path::new());
    let looks = if matches!(wish, Wish::Always(_)) { MOST_LOOKS } else { MOST_TURNING_LOOKS };
    for look in 0..looks {
        let milli = if wish.at(look) == Side::Up { FLOOD_MILLI } else { 0 };
        let seen = Observation {
            scale: Ok(Scale { spec: replicas, status: replicas }),
            readings: vec![Reading::Series { values: vec![milli], taken: None }],
            ..Observation::at(at)
        };
        let decision = decide(policy, &seen, &memory, &mut trail);
        watch(&seen, &memory, &decision);
        let writes = decision.act == Act::Write && decision.to != replicas;
        memory.settle(policy, &trail, &decision, &if writes { Outcome::Written } else { Outcome::NotTried });
        if writes {
            replicas = decision.to;
            path.push((at.since(START), replicas, bound(&trail)));
        }
        let next = match wish {
            // While nothing changes, only a scaling that leaves its period can change that.
            Wish::Always(_) if !writes => next_expiry(policy, &memory, at),
            _ => Some(at.plus(policy.cadence_us)),
        };
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    path
}

fn bound(trail: &Trail) -> Bind {
    let bind = trail.steps.iter().find_map(|step| match step {
        Step::Bounded { by, .. } => Some(*by),
        _ => None,
    });
    bind.unwrap_or(Bind::Within)
}

/// The first look at which a scaling has left a period.
fn next_expiry(policy: &Policy, memory: &Memory, at: At) -> Option<At> {
    let Limits::Rates { up, down } = &policy.limits else { return None };
    let periods = || up.policies.iter().chain(&down.policies).map(|it| it.period_us);
    let changes = memory.grown.iter().chain(&memory.shrunk);
    let expiry =
        changes.flat_map(|change| periods().map(|it| change.at.plus(it))).filter(|it| *it > at).min()?;
    let looks = (expiry.since(START) + policy.cadence_us - 1) / policy.cadence_us;
    Some(START.plus(looks * policy.cadence_us).max(at.plus(policy.cadence_us)))
}
