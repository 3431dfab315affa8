//! What users write and read back: objects, defaults, validation, lowering to a Policy, status in words.

/// Kubernetes quantities, exact.
pub mod quantity;
pub mod wpa;

/// Our own kind, the Autoscaler.
pub mod autoscaler;
