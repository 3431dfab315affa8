//! What is wrong, or worth knowing: findings with stable codes and severities.

use serde::Serialize;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// It works, but hardly as meant.
    Warning,
    /// It does not work.
    Error,
}

impl Severity {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Defines the findings: their codes never change their meaning and are never used again.
macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $name:literal, $severity:ident;)*) => {
        /// What kind of finding it is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $($(#[$doc])* $variant,)* }

        impl Code {
            /// All of them, in order.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The stable code, such as `PLIM101`.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self { $(Code::$variant => $code,)* }
            }

            /// The stable name, such as `replicas-set`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// How bad it usually is.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }
        }
    };
}

codes! {
    /// The API server or the controller would not take the object.
    Refused = "PLIM001", "refused", Error;
    /// The object asks for something that Plimsoll does not do.
    NotSupported = "PLIM002", "not-supported", Error;
    /// The same object is given more than once.
    GivenTwice = "PLIM003", "given-twice", Warning;
    /// The target's manifest says how many replicas it has, and so does the autoscaler.
    ReplicasSet = "PLIM101", "replicas-set", Warning;
    /// The target is of a kind that has no scale.
    NotScalable = "PLIM102", "target-cannot-be-scaled", Error;
    /// Two autoscalers scale the same target.
    TwoAutoscalers = "PLIM103", "two-autoscalers", Error;
    /// Workloads are given, but not the target.
    TargetNotGiven = "PLIM104", "target-not-given", Info;
    /// The target's selector also matches the pods of another workload.
    SelectorOverlap = "PLIM105", "selector-overlap", Warning;
    /// A container does not say what it requests, but a metric is measured against that.
    MissingRequest = "PLIM201", "missing-request", Error;
    /// A metric is about a container that the pods do not have.
    NoSuchContainer = "PLIM202", "no-such-container", Error;
    /// A metric adds up all containers of a pod.
    ContainersAddedUp = "PLIM203", "containers-added-up", Info;
    /// The pods are stopped by their limits before the metric can ask for more.
    GoalOutOfReach = "PLIM204", "goal-out-of-reach", Warning;
    /// A resource that the resource metrics API does not serve.
    UnknownResource = "PLIM205", "unknown-resource", Warning;
    /// There is only one number of replicas.
    MinIsMax = "PLIM301", "min-is-max", Warning;
    /// Once at zero replicas, it stays there.
    NeverWakes = "PLIM302", "never-wakes", Error;
    /// A window or cooldown that changes nothing.
    WindowNeverMatters = "PLIM303", "window-never-matters", Warning;
    /// A scaling policy that changes nothing.
    PolicyNeverBinds = "PLIM304", "policy-never-binds", Warning;
    /// A scaling policy whose period ends before anyone looks again.
    PeriodTooShort = "PLIM305", "period-shorter-than-looks", Info;
    /// The replicas may end up at a number that is not a multiple of the one asked for.
    OffMultiple = "PLIM306", "off-multiple", Warning;
    /// Pods of other workloads may count.
    CountsStrangers = "PLIM401", "counts-strangers", Info;
    /// Pods that have finished count.
    CountsFinished = "PLIM402", "counts-finished", Info;
    /// The extra pods of a rolling update count.
    CountsSurge = "PLIM403", "counts-surge", Info;
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The stable code.
    pub code: Code,
    /// The stable name.
    pub name: &'static str,
    /// How bad it is here.
    pub severity: Severity,
    /// The file.
    pub file: String,
    /// The line, from 1: of the field once it was looked for, else the one the object starts on.
    pub line: usize,
    /// The object: `Kind/name`.
    pub object: String,
    /// The field, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What is the case and what follows from it.
    pub message: String,
    /// What to do, step by step; may be empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fix: Vec<String>,
}

impl Finding {
    /// Makes it milder or worse than usual.
    #[must_use]
    pub(super) fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Says what to do.
    #[must_use]
    pub(super) fn fix(mut self, step: impl Into<String>) -> Self {
        self.fix.push(step.into());
        self
    }

    /// Says where in the object.
    #[must_use]
    pub(super) fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_and_names_are_unlike_each_other_and_in_order() {
        let codes: Vec<&str> = Code::ALL.iter().map(|it| it.code()).collect();
        assert!(codes.windows(2).all(|pair| pair[0] < pair[1]));
        let names: BTreeSet<&str> = Code::ALL.iter().map(|it| it.name()).collect();
        assert_eq!(names.len(), codes.len());
    }

    #[test]
    fn every_code_is_documented() {
        let page = include_str!("../../../../docs/check.md");
        for code in Code::ALL {
            let heading = format!("### {} {} ({})", code.code(), code.name(), code.severity().word());
            assert!(page.contains(&heading), "docs/check.md lacks {heading:?}");
        }
    }
}
