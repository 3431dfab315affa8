//! The decision: how many replicas a target should have now, and why.
//!
//! One pure function, [`decide`], takes a [`Policy`] (what the user wants), an [`Observation`] (what was seen) and a
//! [`Memory`] (what happened before), and gives a [`Decision`]. A [`Trail`] says what each stage did. Once the
//! outcome is known, [`Memory::settle`] remembers it.
//!
//! ```
//! use plimsoll_engine::*;
//!
//! // Keep the pods' CPU at 80 % of their request. The `api` crate makes this from a manifest.
//! let policy = Policy {
//!     bounds: Bounds { min: 1, max: 10 },
//!     metrics: vec![Metric {
//!         roll: Roll::Grouped { warmup: None },
//!         rule: Rule::Utilization { percent: 80 },
//!         tolerance: Tolerance { up: 0.1, down: 0.1 },
//!         multiple: 1,
//!         on_missing: OnMissing::Fail,
//!         max_age_us: None,
//!     }],
//!     ..Policy::plain()
//! };
//! // Two ready pods, each at 120 % of its request.
//! let pod = Pod { ready: Ready::True, ..Pod::running(At::from_secs(0)) };
//! let sample = Sample { milli: 600, at: At::from_secs(3600), window_us: seconds(30) };
//! let seen = Observation {
//!     scale: Ok(Scale { spec: 2, status: 2 }),
//!     pods: vec![pod, pod],
//!     readings: vec![Reading::PerPod(PerPod {
//!         samples: vec![Some(sample), Some(sample)],
//!         requests: Ok(vec![500, 500]),
//!         others: Others::default(),
//!     })],
//!     ..Observation::at(At::from_secs(3600))
//! };
//! let mut memory = Memory::new(&policy);
//! let mut trail = Trail::new();
//! let decision = decide(&policy, &seen, &memory, &mut trail);
//! assert_eq!((decision.from, decision.to), (2, 3));
//! memory.settle(&policy, &trail, &decision, &Outcome::Written);
//! ```
//!
//! Nothing here knows a clock, a network, Kubernetes, or the name of a kind of autoscaler: a kind is a preset of
//! `Policy` and a voice that words the Trail, both in the `api` crate. Where to read first: `flow.rs` (the order of
//! the stages), then `stage/`, then `rule/`.

mod decision;
mod flow;
mod memory;
mod metric;
mod number;
mod observation;
mod outlook;
mod policy;
pub mod rule;
mod stage;
mod time;
mod trail;

pub use decision::{Act, Cause, Decision, Notes, Outcome};
pub use flow::decide;
pub use memory::{Change, History, HistoryKind, LastBid, Memory, MetricMemory, Recalled};
pub use metric::{Metric, OnMissing, Overflow, Roll, Rule, Tolerance, Warmup};
pub use number::{ceil_i32, ceil_i32_capped, cut_i32, cut_i64};
pub use observation::{
    Absent, BadSelector, Blocked, Observation, Others, PerPod, Phase, Pod, Reading, Ready, Sample, Scale,
    Unread,
};
pub use outlook::{Barrier, Next, Outlook, outlook};
pub use policy::{
    Amount, AtZero, Bounds, Combine, Counted, Delays, DryRun, Entry, First, Hold, Limits, OnFailure, Policy,
    Rate, RatePolicy, Roster, Select, Stabilize, Strangers, Surge, Suspend, Terminal, Text,
};
pub use time::{At, SECOND_US, seconds};
pub use trail::{Bid, Bind, Breach, Converged, Mark, Past, Side, Step, Trail, Waiting, Why};
