//! A discrete-event simulator around the same decision: load, pods, metrics pipeline, faults, scores.
//!
//! Three things go in: a [`load`] (what users ask for), a world (how pods, metrics and the controller
//! behave) and one or more autoscalers. What comes out is a [`record::Run`] for each: a bounded series of
//! moments, every change with its reason, and a score. The autoscaler's decision is `plimsoll_engine::decide`,
//! the very function that runs on a cluster; nothing in this crate decides anything.
//!
//! Same inputs and seed, same bytes, on any machine: time is integer microseconds, mathematics is pure Rust,
//! random numbers come from named PCG streams, and nothing iterates a hash map.

mod assertion;
mod compare;
mod error;
mod fleet;
mod jump;
pub mod load;
mod manifest;
mod pipeline;
mod random;
pub mod record;
mod recorder;
mod score;
mod simulation;
pub mod subject;
pub mod time;
mod traffic;
pub mod world;

pub use assertion::{Assertion, Figure, Verdict};
pub use error::BadInput;
pub use load::Load;
pub use random::GENERATOR;
pub use simulation::{Live, Setup, Simulation, Words};
pub use subject::Subject;
pub use world::World;
