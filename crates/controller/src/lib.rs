//! Plimsoll live on Kubernetes: observes the cluster, asks the engine, acts, and tells.
//!
//! Nothing is decided here. The parts that think are synchronous and plain to test: the index of what the watches know,
//! the schedule, what a checkpoint is worth, who may write. A thin asynchronous shell connects them to the cluster.

mod act;
mod anew;
mod checkpoint;
mod clock;
pub mod config;
mod context;
mod discovery;
mod events;
pub mod explain;
mod http;
mod index;
pub mod journal;
pub mod key;
mod kinds;
mod lease;
mod life;
mod measure;
mod metrics;
mod observe;
mod prometheus;
pub mod record;
mod run;
mod schedule;
mod sync;
mod takeover;
mod telemetry;
mod tell;
mod watch;

pub use anew::anew;
pub use kube::Client;
pub use run::{Failure, client, run};
pub use tokio_util::sync::CancellationToken;

/// In whose name the API server records our writes.
pub const FIELD_MANAGER: &str = "plimsoll";
