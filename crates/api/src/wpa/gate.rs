//! The monitor gate: a DatadogMonitor that must be OK before anything is scaled.

use std::collections::BTreeMap;

use plimsoll_engine::Blocked;

use super::types::WatermarkPodAutoscaler;

/// The annotation that puts a monitor in front of an object.
pub const LIFECYCLE_CONTROL: &str = "wpa.datadoghq.com/lifecycle-control.enabled";
/// The annotation that lets pods of any owner count.
pub const SKIP_OWNER_CHECK: &str = "wpa.datadoghq.com/skip-owner-check";

/// What the annotation says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// There is no gate.
    Off,
    /// There is one.
    On,
    /// It cannot be read, so there is none.
    Unreadable(String),
}

/// Whether an object has a monitor in front of it.
#[must_use]
pub fn control(object: &WatermarkPodAutoscaler) -> Control {
    match annotation(object, LIFECYCLE_CONTROL) {
        None | Some("") => Control::Off,
        Some(text) => match parse_bool(text) {
            Some(true) => Control::On,
            Some(false) => Control::Off,
            None => Control::Unreadable(text.to_owned()),
        },
    }
}

/// Whether pods count whatever their owner.
#[must_use]
pub fn skips_owner_check(object: &WatermarkPodAutoscaler) -> bool {
    annotation(object, SKIP_OWNER_CHECK).and_then(parse_bool) == Some(true)
}

fn annotation<'a>(object: &'a WatermarkPodAutoscaler, key: &str) -> Option<&'a str> {
    object.metadata.annotations.as_ref().and_then(|it: &BTreeMap<_, _>| it.get(key)).map(String::as_str)
}

/// A truth value in any of the spellings that Go knows.
fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

/// The monitor of an object's own name and namespace, as far as it could be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Monitor {
    /// There is none, or asking failed: in the words of whoever was asked.
    Absent(String),
    /// It has no state yet.
    Stateless,
    /// It is in this state.
    State(String),
}

impl Monitor {
    /// What asking for a monitor that does not exist answers.
    #[must_use]
    pub fn not_found(name: &str) -> Self {
        Self::Absent(format!("datadogmonitors.datadoghq.com \"{name}\" not found"))
    }
}

/// The gate in front of an object at one sync.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gate {
    /// There is none.
    None,
    /// There should be one, but the annotation cannot be read: open.
    Unreadable(String),
    /// The monitor decides.
    Monitor(Monitor),
}

impl Gate {
    /// The gate, asking for the monitor only if there is one.
    pub fn of(object: &WatermarkPodAutoscaler, ask: impl FnOnce() -> Monitor) -> Self {
        match control(object) {
            Control::Off => Self::None,
            Control::Unreadable(text) => Self::Unreadable(text),
            Control::On => Self::Monitor(ask()),
        }
    }

    /// Whether anything may be scaled.
    ///
    /// # Errors
    /// When the monitor is not OK.
    pub fn permit(&self) -> Result<(), Blocked> {
        let by = match self {
            Self::None | Self::Unreadable(_) => return Ok(()),
            Self::Monitor(Monitor::State(state)) if state == "OK" => return Ok(()),
            Self::Monitor(Monitor::State(state)) => format!("the monitor is in {state} state"),
            Self::Monitor(Monitor::Stateless) => "the monitor has no state".to_owned(),
            Self::Monitor(Monitor::Absent(why)) => why.clone(),
        };
        Err(Blocked { by: by.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotated(value: &str) -> WatermarkPodAutoscaler {
        serde_json::from_value(serde_json::json!({
            "metadata": { "annotations": { LIFECYCLE_CONTROL: value } }, "spec": {},
        }))
        .unwrap()
    }

    #[test]
    fn only_a_true_annotation_asks_the_monitor() {
        let gate = |value| Gate::of(&annotated(value), || Monitor::Stateless);
        assert_eq!(gate("T"), Gate::Monitor(Monitor::Stateless));
        assert_eq!(gate("false"), Gate::None);
        assert_eq!(gate(""), Gate::None);
        assert_eq!(gate("yes"), Gate::Unreadable("yes".to_owned()));
        assert!(gate("yes").permit().is_ok());
        assert!(gate("1").permit().is_err());
    }
}
