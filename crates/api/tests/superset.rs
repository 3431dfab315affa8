//! Properties of every rule that an Autoscaler has beyond a HorizontalPodAutoscaler: whatever is observed, they hold.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used, clippy::indexing_slicing)]

mod superset {
    pub(crate) mod hold;
    pub(crate) mod limits;
    pub(crate) mod missing;
    pub(crate) mod rules;
    pub(crate) mod world;
}
