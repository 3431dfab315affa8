//! The WatermarkPodAutoscaler (datadoghq.com/v1alpha1) as its own controller 0.9 understands it.
//!
//! The way of an object: [`types`] reads it, [`defaults`] completes it, [`check`] says whether it makes sense.

pub mod amount;
pub mod check;
pub mod defaults;
pub mod types;

pub use amount::Amount;
pub use check::{Invalid, check};
pub use defaults::apply_defaults;
pub use types::{WatermarkPodAutoscaler, WpaSpec, WpaStatus};
