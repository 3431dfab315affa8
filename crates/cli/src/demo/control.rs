//! What a visitor of the page can do, and what is accepted.

use plimsoll_sim::Live;
use serde::{Deserialize, Serialize};

/// The fastest: a day in two minutes and a half.
pub(crate) const FASTEST: u32 = 600;
/// The most load on top, requests per second.
pub(crate) const MOST_EXTRA_LOAD: f64 = 600.0;
/// How much longer a slow image takes.
const SLOW_IMAGE: f64 = 12.0;

/// One turn of a knob.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Control {
    /// How many times faster than the clock on the wall.
    Speed(u32),
    /// Time stands still.
    Pause(bool),
    /// Requests per second on top of the day's.
    ExtraLoad(f64),
    /// The autoscalers see no metrics.
    MetricsDown(bool),
    /// New pods wait long for their image.
    SlowImage(bool),
    /// All pods are replaced.
    RollingUpdate,
}

/// How the knobs stand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Knobs {
    /// How many times faster than the clock on the wall.
    pub(crate) speed: u32,
    /// Time stands still.
    pub(crate) paused: bool,
    /// Requests per second on top of the day's.
    pub(crate) extra_load: f64,
    /// The autoscalers see no metrics.
    pub(crate) metrics_down: bool,
    /// New pods wait long for their image.
    pub(crate) slow_image: bool,
}

impl Default for Knobs {
    fn default() -> Self {
        Self { speed: 120, paused: false, extra_load: 0.0, metrics_down: false, slow_image: false }
    }
}

impl Knobs {
    /// Turns a knob. What makes no sense is refused with a sentence, and nothing changes.
    pub(crate) fn turn(&mut self, control: Control) -> Result<(), String> {
        match control {
            Control::Speed(speed) if (1..=FASTEST).contains(&speed) => self.speed = speed,
            Control::Speed(speed) => {
                return Err(format!("speed: {speed} is not possible; choose 1 to {FASTEST}"));
            }
            Control::Pause(paused) => self.paused = paused,
            Control::ExtraLoad(extra) if (0.0..=MOST_EXTRA_LOAD).contains(&extra) => self.extra_load = extra,
            Control::ExtraLoad(extra) => {
                return Err(format!("extraLoad: {extra} is not possible; choose 0 to {MOST_EXTRA_LOAD}"));
            }
            Control::MetricsDown(down) => self.metrics_down = down,
            Control::SlowImage(slow) => self.slow_image = slow,
            // A push, not a knob: the cluster does it.
            Control::RollingUpdate => {}
        }
        Ok(())
    }

    /// What that means for a simulation.
    pub(crate) fn live(&self) -> Live {
        Live {
            extra_load: self.extra_load,
            metrics_down: self.metrics_down,
            image_factor: if self.slow_image { SLOW_IMAGE } else { 1.0 },
            ..Live::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(json: &str) -> Result<Control, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn every_control_is_read() {
        for (json, expected) in [
            (r#"{"speed":60}"#, Control::Speed(60)),
            (r#"{"pause":true}"#, Control::Pause(true)),
            (r#"{"extraLoad":120}"#, Control::ExtraLoad(120.0)),
            (r#"{"metricsDown":true}"#, Control::MetricsDown(true)),
            (r#"{"slowImage":false}"#, Control::SlowImage(false)),
            (r#""rollingUpdate""#, Control::RollingUpdate),
        ] {
            assert_eq!(control(json).unwrap(), expected);
        }
        assert!(control(r#"{"speed":-1}"#).is_err());
        assert!(control(r#"{"explode":true}"#).is_err());
    }

    #[test]
    fn nonsense_changes_nothing() {
        let mut knobs = Knobs::default();
        for control in [
            Control::Speed(0),
            Control::Speed(601),
            Control::ExtraLoad(-1.0),
            Control::ExtraLoad(601.0),
            Control::ExtraLoad(f64::NAN),
            Control::ExtraLoad(f64::INFINITY),
        ] {
            assert!(knobs.turn(control).unwrap_err().contains("choose"));
            assert_eq!(knobs, Knobs::default());
        }
    }

    #[test]
    fn knobs_reach_the_simulation() {
        let mut knobs = Knobs::default();
        assert_eq!(knobs.live(), Live::default());
        for control in [Control::ExtraLoad(50.0), Control::MetricsDown(true), Control::SlowImage(true)] {
            knobs.turn(control).unwrap();
        }
        let live = knobs.live();
        assert!(live.metrics_down && live.image_factor > 1.0 && live.extra_load == 50.0);
    }
}
