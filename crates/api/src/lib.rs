//! What users write and read back: objects, defaults, validation, lowering to a Policy, status in words.

pub mod field;
mod gojson;
pub mod hpa;
pub mod names;
pub mod quantity;
pub mod wpa;

/// Our own kind, the Autoscaler.
pub mod autoscaler;
