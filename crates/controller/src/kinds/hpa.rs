//! HorizontalPodAutoscaler: from the object to a plan.

use std::sync::Arc;

use plimsoll_api::explain::Shown;
use plimsoll_api::hpa::{Flags, Hpa, lower};

use crate::clock;
use crate::config::Config;
use crate::kinds::{Ask, Plan, Target, Voice};

/// What an HPA means under these flags.
pub(super) fn plan(hpa: &Hpa, config: &Config) -> Result<Plan, String> {
    let lowered = lower(hpa, &flags(config)).map_err(|error| error.to_string())?;
    let mut policy = lowered.policy.clone();
    policy.cadence_us = clock::micros(config.hpa.sync_period);
    let target = &hpa.spec.scale_target_ref;
    let shown = lowered.words.metrics.iter().zip(&policy.metrics);
    let shown = shown.map(|(words, metric)| Shown::new(&words.source, metric)).collect();
    Ok(Plan {
        policy,
        shown: Arc::new(shown),
        target: Target {
            api_version: target.api_version.clone().unwrap_or_default(),
            kind: target.kind.clone(),
            name: target.name.clone(),
        },
        asks: lowered.words.metrics.iter().map(|words| Ask::new(&words.source, words.refused())).collect(),
        voice: Voice::Hpa(Box::new(lowered)),
    })
}

/// The flags as lowering takes them.
pub(super) fn flags(config: &Config) -> Flags {
    let secs = |duration: std::time::Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    let flags = &config.hpa;
    Flags {
        tolerance: flags.tolerance,
        downscale_stabilization_secs: secs(flags.downscale_stabilization),
        cpu_initialization_secs: secs(flags.cpu_initialization_period),
        initial_readiness_delay_secs: secs(flags.initial_readiness_delay),
        sync_period_secs: secs(flags.sync_period),
    }
}
