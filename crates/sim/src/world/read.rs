//! Reads a world file and checks what one field alone cannot say.

use super::{MOST_PODS, World};
use crate::error::{BadInput, from_yaml};
use crate::time::{self, SECOND};

/// The most outages or events in one world.
const MOST_ENTRIES: usize = 10_000;

impl World {
    /// Reads a world file; an empty one is the default world.
    pub fn parse(file: &str, text: &str) -> Result<Self, BadInput> {
        let empty = text.lines().all(|l| l.trim().is_empty() || l.trim_start().starts_with('#'));
        if empty {
            return Ok(World::default());
        }
        let world: World = serde_saphyr::from_str(text).map_err(|e| from_yaml(file, text, &e))?;
        world.check().map_err(|wrong| wrong.at(file, text))?;
        Ok(world)
    }

    fn check(&self) -> Result<(), Wrong> {
        let least = |us: Option<i64>, field: &'static str| match us {
            Some(us) if us < SECOND => Err(Wrong::new(field, "is shorter than a second", "write 1s or more")),
            _ => Ok(()),
        };
        least(self.sync_period.map(|s| s.micros()), "syncPeriod")?;
        least(Some(self.metrics.scrape.micros()), "scrape")?;
        least(self.metrics.window.map(|s| s.micros()), "window")?;
        if self.replicas.is_some_and(|r| !(0..=MOST_PODS).contains(&r)) {
            return Err(Wrong::new("replicas", "is out of range", "write 0 to 100000"));
        }
        if self.pod.requests_per_second.get() <= 0.0 {
            return Err(Wrong::new("requestsPerSecond", "is zero", "say what one pod can serve"));
        }
        if self.pod.cpu_ceiling.is_some_and(|c| c.get() <= 0.0) {
            return Err(Wrong::new("cpuCeiling", "is zero", "write the CPU limit in percent of the request"));
        }
        if self.pod.idle_cpu >= self.pod.cpu_ceiling.unwrap_or(super::Percent::new(100.0)) {
            return Err(Wrong::new("idleCpu", "leaves no CPU for requests", "write less than cpuCeiling"));
        }
        if !(1..=MOST_PODS).contains(&self.nodes.pods) {
            return Err(Wrong::new("pods", "is out of range", "write 1 to 100000 pods"));
        }
        self.check_metrics()?;
        self.check_events()
    }

    fn check_metrics(&self) -> Result<(), Wrong> {
        let m = &self.metrics;
        let window = m.window.unwrap_or(m.scrape);
        if window < m.scrape {
            return Err(Wrong::new(
                "window",
                "is shorter than the time between two scrapes",
                "write scrape or more",
            ));
        }
        let kept = (window.micros() + m.lag.micros()) / m.scrape.micros().max(1);
        if kept > 100_000 {
            return Err(Wrong::new("scrape", "is far too short for window and lag", "write a longer one"));
        }
        if m.loss.get() > 100.0 {
            return Err(Wrong::new("loss", "is above 100%", "write how many of 100 samples are lost"));
        }
        if m.noise.get() > 100.0 {
            return Err(Wrong::new("noise", "is above 100%", "write a smaller one"));
        }
        if m.outages.len() > MOST_ENTRIES {
            return Err(Wrong::new("outages", "has more than 10000 entries", "write fewer"));
        }
        let double = |(i, s): (usize, &super::Series)| m.series.iter().take(i).any(|o| o.name == s.name);
        if m.series.iter().enumerate().any(double) {
            return Err(Wrong::new("series", "names a metric twice", "write each name once"));
        }
        Ok(())
    }

    fn check_events(&self) -> Result<(), Wrong> {
        if self.events.len() > MOST_ENTRIES {
            return Err(Wrong::new("events", "has more than 10000 entries", "write fewer"));
        }
        for event in &self.events {
            let at = time::written(event.at.micros());
            let given = [event.rolling_update.is_some(), event.scale_to.is_some(), event.restart.is_some()];
            if given.iter().filter(|g| **g).count() != 1 {
                let what = format!("at {at} is not exactly one thing");
                return Err(Wrong::new("events", what, "write rollingUpdate, scaleTo or restart"));
            }
            if event.scale_to.is_some_and(|r| !(0..=MOST_PODS).contains(&r)) {
                return Err(Wrong::new("scaleTo", "is out of range", "write 0 to 100000"));
            }
            if event.rolling_update.is_some_and(|u| u.surge.get() <= 0.0 && u.unavailable.get() <= 0.0) {
                let what = "has neither surge nor unavailable, so it could never begin";
                return Err(Wrong::new("rollingUpdate", what, "write at least one above zero"));
            }
        }
        Ok(())
    }
}

/// A check that failed: the field, what is wrong, what to do.
struct Wrong {
    field: &'static str,
    what: String,
    help: &'static str,
}

impl Wrong {
    fn new(field: &'static str, what: impl Into<String>, help: &'static str) -> Self {
        Self { field, what: what.into(), help }
    }

    /// Finds the line that names the field.
    fn at(self, file: &str, text: &str) -> BadInput {
        let key = format!("{}:", self.field);
        let line = text.lines().position(|l| {
            l.match_indices(&key).any(|(at, _)| {
                let before = l.get(..at).and_then(|b| b.chars().next_back());
                before.is_none_or(|c| c == ' ' || c == '{' || c == ',' || c == '-')
            })
        });
        let what = format!("{} {}", self.field, self.what);
        match line {
            Some(n) => BadInput::at_line(file, n as u64 + 1, what, self.help),
            None => BadInput::new(file, what, self.help),
        }
    }
}
