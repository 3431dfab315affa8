//! HorizontalPodAutoscaler: from the object to a plan.

use plimsoll_api::hpa::{Flags, Hpa, lower};

use crate::clock;
use crate::config::Config;
use crate::kinds::{Ask, Plan, Target, Voice};

/// What an HPA means under these flags.
pub(super) fn plan(hpa: &Hpa, config: &Config) -> Result<Plan, String> {
    let flags = &config.hpa;
    let secs = |duration: std::time::Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    let lowered = lower(
        hpa,
        &Flags {
            tolerance: flags.tolerance,
            downscale_stabilization_secs: secs(flags.downscale_stabilization),
            cpu_initialization_secs: secs(flags.cpu_initialization_period),
            initial_readiness_delay_secs: secs(flags.initial_readiness_delay),
            sync_period_secs: secs(flags.sync_period),
        },
    )
    .map_err(|error| error.to_string())?;
    let mut policy = lowered.policy.clone();
    policy.cadence_us = clock::micros(flags.sync_period);
    let target = &hpa.spec.scale_target_ref;
    Ok(Plan {
        policy,
        target: Target {
            api_version: target.api_version.clone().unwrap_or_default(),
            kind: target.kind.clone(),
            name: target.name.clone(),
        },
        asks: lowered.words.metrics.iter().map(|words| Ask::new(&words.source, words.refused())).collect(),
        voice: Voice::Hpa(Box::new(lowered)),
    })
}
