//! Our own kind, `Autoscaler` (plimsoll.dev/v1alpha1): an autoscaling/v2 spec and more.

pub mod as_v2;
pub mod behavior;
pub mod calendar;
pub mod cel;
pub mod crd;
mod goal;
mod lower;
pub mod metrics;
pub mod reference;
pub mod scalars;
pub mod spec;
pub mod status;
mod tell;
pub mod validate;

pub use lower::{Lowered, admit, lower};
pub use spec::{Autoscaler, AutoscalerSpec};
pub use tell::{Status, Sync, is_due, refuse, tell};
