//! The end-to-end suite: a real control plane, a test metrics adapter, and the stories.
//!
//! A story is an async function that gets a [`context::Context`]: its own namespace on a control plane that all stories
//! share. It creates workloads, sets what the metric APIs say, starts Plimsoll and watches what comes of it.

pub mod adapter;
pub mod context;
pub mod controller;
pub mod install;
pub mod plane;
pub mod stories;
pub mod story;
pub mod wait;
