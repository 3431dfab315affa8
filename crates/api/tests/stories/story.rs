//! A story: a manifest, what is observed at each step, and what must come out.

use std::collections::BTreeMap;

use plimsoll_api::autoscaler::scalars::Amount;
use plimsoll_api::manifest;
use plimsoll_engine::{At, Step as TrailStep, seconds};
use serde::Deserialize;
use serde_json::Value;

use super::subject::{Come, Subject};

/// When every story begins.
const START: At = At::from_secs(1_700_000_000);

/// One file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Story {
    /// What it is called.
    pub(crate) story: String,
    /// Which document tells it.
    pub(crate) from: String,
    /// What it is about.
    pub(crate) about: String,
    /// Seconds between two looks.
    every: i64,
    /// Replicas at the start.
    pub(crate) replicas: i32,
    /// What one pod can do, where a load is given.
    pod: Option<Pod>,
    /// The autoscaler.
    manifest: Value,
    /// What is observed, and what must come out.
    pub(crate) steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pod {
    /// Requests per second at 100 percent of its CPU.
    serves: f64,
}

/// One look, or several alike.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// How often.
    #[serde(default = "once")]
    repeat: usize,
    /// Each metric by name.
    #[serde(default)]
    observe: BTreeMap<String, Amount>,
    /// Requests per second, spread over the pods.
    load: Option<f64>,
    /// What the metrics must wish for.
    wish: Option<i32>,
    /// The replicas that must come out.
    pub(crate) to: i32,
    /// The reason that some stage must give.
    reason: String,
    /// The conditions that must be written, in order: type, status, reason, message.
    #[serde(default)]
    rows: Vec<[String; 4]>,
}

fn once() -> usize {
    1
}

/// Every story, by file name: the name, the text, the story.
pub(crate) fn all() -> Vec<(String, String, Story)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let mut stories: Vec<(String, String, Story)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "yaml"))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let story = manifest::read_as(&name, text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
            (name, text, story)
        })
        .collect();
    stories.sort_by(|a, b| a.0.cmp(&b.0));
    stories
}

impl Story {
    /// Follows the story; an error says at which step what came out instead.
    pub(crate) fn follow(&self) -> Result<(), String> {
        let mut subject = Subject::new(&self.manifest)?;
        let mut replicas = self.replicas;
        let mut at = START;
        for (index, step) in self.steps.iter().enumerate() {
            for _ in 0..step.repeat {
                let observed = self.observed(step, replicas)?;
                let come = subject.look(at, replicas, &observed)?;
                step.check(&come).map_err(|what| format!("step {}: {what}", index + 1))?;
                replicas = come.replicas;
                at = at.plus(seconds(self.every));
            }
        }
        Ok(())
    }

    /// What is observed, in milli-units by metric name.
    fn observed(&self, step: &Step, replicas: i32) -> Result<BTreeMap<String, i64>, String> {
        let mut observed = BTreeMap::new();
        for (name, amount) in &step.observe {
            let quantity = plimsoll_api::quantity::parse(&amount.0).map_err(|error| error.to_string())?;
            observed.insert(name.clone(), quantity.milli_value());
        }
        if let (Some(load), Some(pod)) = (step.load, &self.pod) {
            let used = (load / (pod.serves * f64::from(replicas))).min(1.0);
            observed.insert("cpu".to_owned(), (used * 1000.0).round() as i64);
        }
        Ok(observed)
    }
}

impl Step {
    fn check(&self, come: &Come) -> Result<(), String> {
        if come.replicas != self.to {
            return Err(format!("{} replicas instead of {}: {}", come.replicas, self.to, come.why));
        }
        let wish = come.trail.steps.iter().find_map(|step| match step {
            TrailStep::Combined { to, .. } => Some(*to),
            _ => None,
        });
        if self.wish.is_some() && wish != self.wish {
            return Err(format!("the wish is {wish:?} instead of {:?}", self.wish));
        }
        if !come.reasons.contains(&self.reason) {
            return Err(format!("the reasons are {} without {}", come.reasons.join(", "), self.reason));
        }
        if !self.rows.is_empty() && come.rows != self.rows {
            return Err(format!("the conditions are {:#?} instead of {:#?}", come.rows, self.rows));
        }
        Ok(())
    }

    /// How often.
    pub(crate) fn times(&self) -> usize {
        self.repeat
    }
}
