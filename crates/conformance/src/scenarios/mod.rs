//! Vectors of scenarios: an autoscaler followed over time, told step by step what there is, and held against what the
//! reference controller did.

pub(crate) mod autoscaler;
pub(crate) mod convert;
pub(crate) mod given;
pub(crate) mod hpa;
pub(crate) mod wpa;
