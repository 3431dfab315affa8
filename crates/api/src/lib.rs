//! What users write and read back: objects, defaults, validation, lowering to a Policy, status in words.

pub mod check;
pub mod condition;
pub mod convert;
pub mod event;
pub mod explain;
pub mod field;
mod gojson;
pub mod hpa;
pub mod manifest;
pub mod names;
pub mod observe;
pub mod quantity;
pub mod selector;
pub mod source;
pub mod wpa;

/// Our own kind, the Autoscaler.
pub mod autoscaler;
