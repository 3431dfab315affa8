//! The WatermarkPodAutoscaler (datadoghq.com/v1alpha1) as its own controller 0.9 understands it.
//!
//! The way of an object: [`types`] reads it, [`defaults`] completes it, [`mod@check`] says whether it makes sense,
//! [`mod@lower`] makes the policy, [`gate`] may stop it, [`observe`] says what it looks at, and [`mod@tell`] words what was
//! decided.

pub mod amount;
pub mod check;
pub mod defaults;
pub mod gate;
pub mod lower;
pub mod observe;
pub mod status;
pub mod tell;
pub mod types;
mod words;

pub use amount::Amount;
pub use check::{Invalid, check};
pub use defaults::apply_defaults;
pub use gate::{Gate, Monitor};
pub use lower::{Refusal, lower};
pub use status::recall;
pub use tell::{Asked, Told, refused, tell};
pub use types::{WatermarkPodAutoscaler, WpaSpec, WpaStatus};
