//! Autoscaler, our own kind: from the object to a plan, and what it tells.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_api::autoscaler::{Autoscaler, Lowered, Status, Sync, admit, tell};
use plimsoll_api::field::FieldError;

use crate::clock;
use crate::config::Config;
use crate::kinds::hpa::flags;
use crate::kinds::{Ask, Plan, Scene, Target, Told, Voice};

/// What an Autoscaler means under these flags.
pub(super) fn plan(object: &Autoscaler, config: &Config) -> Result<Plan, Vec<FieldError>> {
    let lowered = admit(object, &flags(config))?;
    let spec = &object.spec;
    let mut policy = lowered.policy().clone();
    if spec.sync_period_seconds.is_none() {
        policy.cadence_us = clock::micros(config.hpa.sync_period);
    }
    let words = &lowered.words().metrics;
    let mut asks: Vec<Ask> = words.iter().map(|words| Ask::new(&words.source, words.refused())).collect();
    for (ask, metric) in asks.iter_mut().zip(spec.metrics.iter().flatten()) {
        if let Some(prometheus) = &metric.prometheus {
            ask.auth.clone_from(&prometheus.auth);
            let secs = prometheus.timeout_seconds.and_then(|secs| u64::try_from(secs).ok());
            ask.limit = secs.map(Duration::from_secs);
        }
    }
    let target = &spec.scale_target_ref;
    Ok(Plan {
        policy,
        target: Target {
            api_version: target.api_version.clone().unwrap_or_default(),
            kind: target.kind.clone(),
            name: target.name.clone(),
        },
        asks,
        shown: Arc::new(lowered.shown.clone()),
        voice: Voice::Autoscaler(Box::new(lowered)),
    })
}

/// Rewrites the status by what happened.
pub(super) fn told(
    status: &mut Status,
    lowered: &Lowered,
    generation: Option<i64>,
    scene: &Scene<'_>,
) -> Told {
    let in_force = lowered.calendar.at(scene.decision.at);
    let sync = Sync {
        generation,
        in_force: &in_force,
        memory: scene.memory,
        trail: scene.trail,
        decision: scene.decision,
        outcome: scene.outcome,
    };
    let told = tell(status, lowered, &sync);
    Told { events: told.events, error: told.error, again_secs: None }
}
