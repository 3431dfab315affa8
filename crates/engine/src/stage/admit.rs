//! admit: may anything be decided at all, and from how many replicas?

use std::ops::ControlFlow;

use crate::decision::Notes;
use crate::flow::{Current, Cx, Flow};
use crate::trail::{Step, Trail};

/// Reads the permit and the scale. The first look at a target seeds the memory with its replicas.
pub(crate) fn admit(cx: &Cx<'_>, trail: &mut Trail) -> Flow<(Current, Notes)> {
    if let Err(blocked) = &cx.seen.permit {
        trail.push(Step::Blocked(blocked.clone()));
        return ControlFlow::Break(cx.abort(0, Notes::default()));
    }
    match &cx.seen.scale {
        Err(unread) => {
            trail.push(Step::Unread(unread.clone()));
            ControlFlow::Break(cx.abort(0, Notes::default()))
        }
        Ok(scale) => {
            trail.push(Step::Read(*scale));
            let current = cx.current(*scale);
            let seed = cx.memory.history.is_empty().then_some(current.replicas);
            ControlFlow::Continue((current, Notes { seed, ..Notes::default() }))
        }
    }
}
