//! The rules: how a measured value becomes a number of replicas.

pub mod marks;
pub mod steps;
pub(crate) mod target;

use crate::metric::Tolerance;
use crate::policy::Bounds;

/// What every rule is told besides the measurement.
#[derive(Clone, Copy)]
pub(crate) struct Ask {
    /// The current replicas.
    pub(crate) current: i32,
    /// The replicas that exist.
    pub(crate) status: i32,
    /// No more pods than this are counted.
    pub(crate) most_pods: i64,
    pub(crate) tolerance: Tolerance,
    pub(crate) multiple: i32,
    pub(crate) bounds: Bounds,
}

impl Ask {
    /// A number of pods, no more than the policy counts.
    pub(crate) fn pods(&self, count: i64) -> i64 {
        count.min(self.most_pods)
    }

    /// `to` rounded up to the multiple, never past the current replicas when shrinking. Holding stays holding.
    pub(crate) fn in_multiples(&self, to: i32) -> i32 {
        if self.multiple <= 1 || to == self.current {
            return to;
        }
        let rounded = round_up(to, self.multiple);
        if to < self.current { rounded.min(self.current) } else { rounded }
    }
}

/// `replicas` rounded up to a multiple of `multiple`, wrapping as the reference does.
pub(crate) fn round_up(replicas: i32, multiple: i32) -> i32 {
    match replicas.checked_rem(multiple) {
        Some(rest) if rest > 0 => replicas.wrapping_add(multiple.wrapping_sub(rest)),
        _ => replicas,
    }
}
