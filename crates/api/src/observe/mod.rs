//! From what Kubernetes says to what the engine sees: pods projected to a few facts, samples joined to them by
//! position once, and every way of not knowing turned into data.

pub mod duration;
pub mod lists;
mod pods;
mod readings;

pub use pods::{ContainerRequests, Owner, PodView};
pub use readings::{external, object, per_pod_custom, resource};
