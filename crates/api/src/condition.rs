//! Conditions: what an object's status says about itself, and when that last changed.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use plimsoll_engine::At;

/// One condition. Written in place, so that a steady status costs no allocation.
#[derive(Debug, PartialEq, Eq)]
pub struct Condition {
    /// What it is about.
    pub kind: Cow<'static, str>,
    /// `True`, `False` or `Unknown`.
    pub status: Cow<'static, str>,
    /// When the status last changed.
    pub since: At,
    /// One word for why.
    pub reason: Cow<'static, str>,
    /// Why, in words.
    pub message: String,
}

impl Clone for Condition {
    fn clone(&self) -> Self {
        Condition {
            kind: self.kind.clone(),
            status: self.status.clone(),
            since: self.since,
            reason: self.reason.clone(),
            message: self.message.clone(),
        }
    }

    /// Keeps the room that the old message had.
    fn clone_from(&mut self, source: &Self) {
        self.kind.clone_from(&source.kind);
        self.status.clone_from(&source.status);
        self.since = source.since;
        self.reason.clone_from(&source.reason);
        self.message.clone_from(&source.message);
    }
}

impl Condition {
    fn write(&mut self, at: At, status: Status, reason: &'static str, message: fmt::Arguments<'_>) {
        if self.status != status.as_str() {
            self.since = at;
            self.status = status.as_str().into();
        }
        self.reason = reason.into();
        self.message.clear();
        // Writing to a string cannot fail.
        let _ = self.message.write_fmt(message);
    }

    /// Whether it holds.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.status == Status::True.as_str()
    }
}

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It does.
    True,
    /// It does not.
    False,
}

impl Status {
    /// As the API spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Status::True => "True",
            Status::False => "False",
        }
    }
}

impl From<bool> for Status {
    fn from(holds: bool) -> Self {
        if holds { Status::True } else { Status::False }
    }
}

/// An object's conditions, in the order of their first appearance.
#[derive(Debug, PartialEq, Eq, Default)]
pub struct Conditions(pub Vec<Condition>);

impl Clone for Conditions {
    fn clone(&self) -> Self {
        Conditions(self.0.clone())
    }

    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}

impl Conditions {
    /// The condition of this kind.
    #[must_use]
    pub fn get(&self, kind: &str) -> Option<&Condition> {
        self.0.iter().find(|condition| condition.kind == kind)
    }

    /// Writes a condition: it is added if it is new, and its time moves when its status differs from the last write.
    pub fn set(
        &mut self,
        at: At,
        kind: &'static str,
        status: Status,
        reason: &'static str,
        message: fmt::Arguments<'_>,
    ) {
        if let Some(condition) = self.0.iter_mut().find(|condition| condition.kind == kind) {
            condition.write(at, status, reason, message);
            return;
        }
        let mut condition = Condition {
            kind: kind.into(),
            status: "".into(),
            since: at,
            reason: reason.into(),
            message: String::new(),
        };
        condition.write(at, status, reason, message);
        self.0.push(condition);
    }
}

/// A point in time as the Kubernetes API writes it: whole seconds.
#[must_use]
pub fn to_time(at: At) -> Time {
    let at = jiff::Timestamp::from_microsecond(at.whole_second().0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    Time(at)
}

/// A point in time from the Kubernetes API; what does not fit is cut to microseconds.
#[must_use]
pub fn from_time(time: &Time) -> At {
    At(time.0.as_microsecond())
}
