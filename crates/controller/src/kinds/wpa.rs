//! WatermarkPodAutoscaler: from the object to a plan.

use std::sync::Arc;

use plimsoll_api::explain::Shown;
use plimsoll_api::wpa::{Refusal, WatermarkPodAutoscaler, WpaStatus, lower, observe};

use crate::kinds::{Ask, Plan, Target, Told, Voice};

/// What a WPA with its defaults means.
pub(super) fn plan(wpa: &WatermarkPodAutoscaler) -> Result<Plan, Refusal> {
    let policy = lower(wpa)?;
    let sources = observe::sources(wpa);
    let shown =
        sources.iter().zip(&policy.metrics).map(|(source, metric)| Shown::new(source, metric)).collect();
    let target = &wpa.spec.scale_target_ref;
    Ok(Plan {
        policy,
        target: Target {
            api_version: target.api_version.clone(),
            kind: target.kind.clone(),
            name: target.name.clone(),
        },
        asks: sources.iter().map(|source| Ask::new(source, source.refused())).collect(),
        shown: Arc::new(shown),
        voice: Voice::Wpa,
    })
}

/// Takes over what was told.
pub(super) fn told(status: &mut WpaStatus, told: plimsoll_api::wpa::Told) -> Told {
    *status = told.status;
    let failure = told.events.iter().find(|event| event.kind == plimsoll_api::hpa::EventType::Warning);
    let error = failure.map(|event| event.message.clone());
    Told { error, events: told.events, again_secs: Some(told.requeue_secs) }
}
