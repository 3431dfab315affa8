//! enter: zero replicas and min/max. The one stage whose place in the flow is the policy's choice.

use std::ops::ControlFlow;

use crate::decision::{Cause, Decision, Notes};
use crate::flow::{Current, Cx, Flow};
use crate::stage::hold;
use crate::trail::{Past, Step, Trail};

/// Before the metrics: a target set to zero by someone else sleeps; one outside the bounds jumps to them.
pub(crate) fn bounds_first(cx: &Cx<'_>, current: Current, notes: Notes, trail: &mut Trail) -> Flow<()> {
    let replicas = current.replicas;
    if replicas == 0 {
        if wakes(cx) {
            // A schedule's minimum takes effect at once, metrics or not.
            return match cx.seen.bounds {
                Some(bounds) if bounds.min > 0 => {
                    ControlFlow::Break(jump(cx, 0, bounds.min, Past::Min, notes, trail))
                }
                _ => ControlFlow::Continue(()),
            };
        }
        trail.push(Step::Asleep);
        return ControlFlow::Break(cx.keep(0, Cause::Unnamed, notes));
    }
    let (to, past) = if replicas > cx.bounds.max {
        (cx.bounds.max, Past::Max)
    } else if replicas < cx.bounds.min {
        (cx.bounds.min, Past::Min)
    } else {
        return ControlFlow::Continue(());
    };
    ControlFlow::Break(jump(cx, replicas, to, past, notes, trail))
}

/// Whether a target at zero replicas was put there by us and may come back.
pub(crate) fn wakes(cx: &Cx<'_>) -> bool {
    cx.memory.recalled.slept && (cx.bounds.min != 0 || cx.policy.wakes_from_zero)
}

/// After everything else: the bounds overrule whatever was decided.
pub(crate) fn bounds_last(cx: &Cx<'_>, current: Current, decided: &Decision, trail: &mut Trail) -> Flow<()> {
    let replicas = current.replicas;
    let (to, past) = if current.scale.spec == 0 {
        trail.push(Step::Asleep);
        let asleep = Decision { to: 0, ..cx.keep(replicas, Cause::Unnamed, decided.notes) };
        return ControlFlow::Break(asleep);
    } else if replicas > cx.bounds.max {
        (cx.bounds.max, Past::Max)
    } else if replicas < cx.bounds.min {
        (cx.bounds.min, Past::Min)
    } else if replicas == 0 {
        (1, Past::Zero)
    } else {
        return ControlFlow::Continue(());
    };
    ControlFlow::Break(jump(cx, replicas, to, past, decided.notes, trail))
}

fn jump(cx: &Cx<'_>, from: i32, to: i32, past: Past, notes: Notes, trail: &mut Trail) -> Decision {
    trail.push(Step::Jump { from, to, past });
    let cause = match past {
        Past::Max => Cause::PastMax,
        Past::Min => Cause::PastMin,
        Past::Zero => Cause::PastZero,
    };
    if hold::suspended(cx, from, to, trail) {
        Decision { to, ..cx.keep(from, cause, notes) }
    } else {
        cx.write(from, to, cause, notes)
    }
}
