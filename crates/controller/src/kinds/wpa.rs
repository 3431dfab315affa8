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

/// Some labels of the object: none of them is left out, so that every object's numbers have the same ones.
pub(super) fn tags(wpa: &WatermarkPodAutoscaler, labels: &[String]) -> Vec<(String, String)> {
    let value = |label: &str| wpa.metadata.labels.as_ref().and_then(|all| all.get(label)).cloned();
    labels.iter().map(|label| (tag(label), value(label).unwrap_or_default())).collect()
}

/// A label's name as Prometheus takes it: `app.kubernetes.io/name` becomes `app_kubernetes_io_name`.
pub(crate) fn tag(label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = label.chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_shown_under_names_that_prometheus_takes() {
        let object = serde_json::json!({
            "metadata": {"name": "web", "labels": {"app.kubernetes.io/name": "shop", "team": "cart"}},
            "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 3},
        });
        let wpa = serde_json::from_value(object).unwrap();
        let labels = ["app.kubernetes.io/name", "2nd"].map(str::to_owned);
        let shown = tags(&wpa, &labels);
        assert_eq!(
            shown,
            [("app_kubernetes_io_name", "shop"), ("_2nd", "")].map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
    }
}
