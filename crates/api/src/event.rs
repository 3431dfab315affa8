//! Events: what an object tells those who watch it.

use std::borrow::Cow;

/// An event on an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Whether it is a warning.
    pub kind: EventType,
    /// One word for why.
    pub reason: Cow<'static, str>,
    /// Why, in words.
    pub message: String,
}

/// How serious an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventType {
    /// All is well.
    Normal,
    /// Something needs attention.
    Warning,
}

impl EventType {
    /// As the API spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        }
    }
}

impl Event {
    /// A warning.
    #[must_use]
    pub fn warning(reason: &'static str, message: String) -> Self {
        Event { kind: EventType::Warning, reason: reason.into(), message }
    }

    /// News.
    #[must_use]
    pub fn normal(reason: &'static str, message: String) -> Self {
        Event { kind: EventType::Normal, reason: reason.into(), message }
    }
}
