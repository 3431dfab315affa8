//! combine: one wish out of all proposals, and the cause that will be named for it.

use std::ops::ControlFlow;

use crate::decision::{Cause, Notes};
use crate::flow::{Current, Cx, Flow};
use crate::metric::Roll;
use crate::policy::{Combine, Delays, OnFailure};
use crate::stage::propose::{Proposal, propose};
use crate::stage::roll;
use crate::trail::{Bid, Breach, Mark, Step, Trail, Waiting};

/// The replicas the metrics ask for together.
#[derive(Clone, Copy)]
pub(crate) struct Wish {
    pub(crate) to: i32,
    pub(crate) cause: Cause,
    /// How many pods counted as ready for the winner.
    pub(crate) ready: i32,
    pub(crate) breach: Breach,
    /// Whether the winner moves on between its marks rather than away from one.
    pub(crate) steady: bool,
}

#[derive(Clone, Copy, Default)]
struct Round {
    best: Option<(u16, Bid)>,
    failed: u16,
    first_failed: u16,
    breach: Breach,
}

/// What is asked for when there is no metric.
const NOTHING: (u16, Bid) = (u16::MAX, Bid { to: 0, ready: 0, percent: 0, mark: Mark::Within, milli: 0 });

/// Asks every metric and chooses.
pub(crate) fn combine(cx: &Cx<'_>, current: Current, notes: Notes, trail: &mut Trail) -> Flow<(Wish, Notes)> {
    if let Err(bad) = &cx.seen.selection {
        trail.push(Step::BadSelector(bad.clone()));
        return ControlFlow::Break(cx.abort(current.replicas, notes));
    }
    let round = ask_all(cx, current, trail);
    let metrics = u16::try_from(cx.policy.metrics.len()).unwrap_or(u16::MAX);
    let chosen = match round.best {
        Some(best) if !blocked(cx, current, &round, best.1.to, metrics) => Some(best),
        // Where any failure blocks, having no metric at all is no failure: nothing is asked for.
        None if metrics == 0 && cx.policy.on_failure == OnFailure::BlocksAll => Some(NOTHING),
        _ => None,
    };
    let Some((winner, bid)) = chosen else {
        trail.push(Step::NoBid { first: round.first_failed, failed: round.failed });
        return ControlFlow::Break(cx.abort(current.replicas, notes));
    };
    let wished = bid.to.max(0);
    let breach = breach(cx, current, &round, wished, bid);
    trail.push(Step::Combined { to: bid.to, winner, failed: round.failed, breach });
    let cause = if wished > current.replicas {
        Cause::Above(winner)
    } else if wished < current.replicas {
        Cause::AllBelow
    } else {
        Cause::Unnamed
    };
    let by_marks = cx.policy.hold.is_some_and(|hold| hold.delays == Delays::ByMarks);
    let steady = bid.mark != Mark::None && !breach.above && !breach.below
        || !by_marks && matches!(bid.mark, Mark::Converging(_));
    let wish = Wish { to: wished, cause, ready: bid.ready, breach, steady };
    let wish = available(cx, current, wish, trail);
    let notes = Notes { breach: cx.policy.hold.is_some().then_some(wish.breach), ..notes };
    ControlFlow::Continue((wish, notes))
}

fn ask_all(cx: &Cx<'_>, current: Current, trail: &mut Trail) -> Round {
    let mut round = Round::default();
    for (index, metric) in cx.policy.metrics.iter().enumerate() {
        let place = u16::try_from(index).unwrap_or(u16::MAX);
        match propose(cx, current, index, metric, trail) {
            Proposal::Bid(bid) => {
                round.breach.above |= bid.mark == Mark::Above;
                round.breach.below |= bid.mark == Mark::Below;
                if better(cx.policy.combine, round.best, bid) {
                    round.best = Some((place, bid));
                }
            }
            Proposal::Ignored => {}
            Proposal::Failed => {
                if round.failed == 0 {
                    round.first_failed = place;
                }
                round.failed += 1;
                if cx.policy.on_failure == OnFailure::BlocksAll {
                    round.best = None;
                    break;
                }
            }
        }
    }
    round
}

/// Whether `bid` beats the best so far. With the largest winning, a best of zero gives way to anything.
fn better(combine: Combine, best: Option<(u16, Bid)>, bid: Bid) -> bool {
    match (best, combine) {
        (None, _) => true,
        (Some((_, best)), Combine::Max) => best.to == 0 || bid.to > best.to,
        (Some((_, best)), Combine::Min) => bid.to < best.to,
    }
}

/// Whether metrics that failed keep this proposal from being used.
fn blocked(cx: &Cx<'_>, current: Current, round: &Round, to: i32, metrics: u16) -> bool {
    if round.failed == 0 {
        return false;
    }
    let against = match cx.policy.combine {
        Combine::Max => to < current.replicas,
        Combine::Min => to > current.replicas,
    };
    round.failed >= metrics || against
}

/// On which sides the delays count: by the marks of any metric, or by the combined wish.
fn breach(cx: &Cx<'_>, current: Current, round: &Round, wished: i32, bid: Bid) -> Breach {
    match cx.policy.hold {
        Some(hold) if hold.delays == Delays::ByWish => {
            let converging = matches!(bid.mark, Mark::Converging(_));
            Breach {
                above: wished > current.replicas && !converging,
                below: wished < current.replicas && !converging,
            }
        }
        _ => round.breach,
    }
}

/// Holds while too few of the pods are available. Rolls that count by owner fail on their own instead.
fn available(cx: &Cx<'_>, current: Current, wish: Wish, trail: &mut Trail) -> Wish {
    let least = cx.policy.roster.min_available_percent;
    let counts_by_owner = |roll: Roll| matches!(roll, Roll::Sampled { .. } | Roll::Tolerated { .. });
    if least <= 0
        || current.replicas == 0
        || cx.policy.metrics.iter().all(|metric| counts_by_owner(metric.roll))
    {
        return wish;
    }
    match roll::available_percent(cx) {
        Some(percent) if percent >= i64::from(least) => wish,
        _ => {
            trail.push(Step::Waits { on: Waiting::Availability, until: None });
            Wish { to: current.replicas, cause: Cause::Unnamed, breach: Breach::default(), ..wish }
        }
    }
}
