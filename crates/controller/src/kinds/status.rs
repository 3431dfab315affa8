//! The status of an autoscaler of any kind, and what is told besides.

use plimsoll_api::hpa::Event;
use plimsoll_api::wpa::{Gate, WpaStatus};
use plimsoll_engine::{At, Decision, Memory, Outcome, Trail};

/// An autoscaler's status, to be rewritten.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Status {
    /// Of an HPA.
    Hpa(plimsoll_api::hpa::Status),
    /// Of a WPA.
    Wpa(WpaStatus),
    /// Of an Autoscaler.
    Autoscaler(Box<plimsoll_api::autoscaler::Status>),
}

/// What was told besides the status.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Told {
    /// Events, in order.
    pub events: Vec<Event>,
    /// How the sync failed, if it did.
    pub error: Option<String>,
    /// When to look again, if not at the usual time: in seconds, 0 after the object was changed.
    pub again_secs: Option<i64>,
}

/// What happened at one sync.
pub(crate) struct Scene<'a> {
    /// What stood in front of a WPA.
    pub(crate) gate: &'a Gate,
    /// The target's pod selector.
    pub(crate) selector: &'a str,
    /// What is remembered, this sync included.
    pub(crate) memory: &'a Memory,
    /// What each stage did.
    pub(crate) trail: &'a Trail,
    /// What was decided.
    pub(crate) decision: &'a Decision,
    /// What became of it.
    pub(crate) outcome: &'a Outcome,
}

impl Status {
    /// Puts into the memory what lives in the status.
    pub(crate) fn recall(&self, memory: &mut Memory) {
        match self {
            Status::Hpa(status) => memory.recalled = status.recalled(),
            // All that is remembered is in the status.
            Status::Wpa(status) => {
                *memory = Memory { recalled: plimsoll_api::wpa::recall(status), ..Memory::default() };
            }
            Status::Autoscaler(status) => status.recall(memory),
        }
    }

    /// Whether it should be written, seen from `before`.
    #[must_use]
    pub(crate) fn differs(&self, before: &Status, at: At) -> bool {
        match (self, before) {
            // Compared as the API server stores them: whole seconds, and no difference between none and empty.
            (Status::Hpa(now), Status::Hpa(then)) => now.to_object() != then.to_object(),
            (Status::Wpa(now), Status::Wpa(then)) => now != then,
            (Status::Autoscaler(now), Status::Autoscaler(then)) => {
                plimsoll_api::autoscaler::is_due(Some(&then.to_object()), &now.to_object(), at)
            }
            _ => true,
        }
    }
}
