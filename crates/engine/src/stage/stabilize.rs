//! stabilize: earlier proposals hold the present one back.

use crate::decision::Notes;
use crate::flow::{Current, Cx};
use crate::policy::Stabilize;
use crate::stage::combine::Wish;
use crate::trail::{Side, Step, Trail};

/// A wish that earlier ones agree with.
#[derive(Clone, Copy)]
pub(crate) struct Stable {
    pub(crate) to: i32,
    pub(crate) wish: Wish,
}

/// Looks back over the windows. The first look's seed counts as a proposal made just now.
pub(crate) fn stabilize(
    cx: &Cx<'_>,
    current: Current,
    wish: Wish,
    notes: Notes,
    trail: &mut Trail,
) -> (Stable, Notes) {
    let Some(stabilize) = cx.policy.stabilize else {
        return (Stable { to: wish.to, wish }, notes);
    };
    let at = cx.seen.at;
    let history = &cx.memory.history;
    let (to, toward) = match stabilize {
        Stabilize::Highest { window_us } => {
            let highest = history.highest_from(at.minus(window_us), notes.seed, wish.to);
            (highest, Side::Down)
        }
        Stabilize::Band { up_us, down_us } => {
            let lowest = history.lowest_after(at.minus(up_us), notes.seed.filter(|_| up_us > 0), wish.to);
            let highest =
                history.highest_after(at.minus(down_us), notes.seed.filter(|_| down_us > 0), wish.to);
            let toward = if wish.to >= current.replicas { Side::Up } else { Side::Down };
            (current.replicas.max(lowest).min(highest), toward)
        }
    };
    trail.push(Step::Stabilized { from: wish.to, to, toward });
    (Stable { to, wish }, Notes { proposal: Some(wish.to), ..notes })
}
