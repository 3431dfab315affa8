//! Our own kind, `Autoscaler` (plimsoll.dev/v1alpha1): an autoscaling/v2 spec and more.

pub mod behavior;
pub mod calendar;
pub mod cel;
pub mod crd;
mod goal;
pub mod metrics;
pub mod scalars;
pub mod spec;
pub mod status;
pub mod validate;

pub use spec::{Autoscaler, AutoscalerSpec};
