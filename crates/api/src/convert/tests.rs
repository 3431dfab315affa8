//! What conversions say, and that what comes out is valid and means the same where nothing was named.

use serde_json::{Value, json};

use super::*;
use crate::autoscaler::validate::validate;
use crate::autoscaler::{Autoscaler, lower};
use crate::hpa::{self, Flags, Hpa};
use crate::wpa::WatermarkPodAutoscaler;

fn read<T: serde::de::DeserializeOwned>(spec: Value) -> T {
    serde_json::from_value(json!({ "metadata": { "name": "web", "namespace": "prod" }, "spec": spec }))
        .unwrap()
}

fn target() -> Value {
    json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" })
}

fn named<T>(converted: &Converted<T>) -> Vec<&str> {
    converted.differences.iter().map(|it| it.field.as_str()).collect()
}

#[test]
fn an_hpa_keeps_its_spec_and_its_metadata_that_is_the_users() {
    let mut hpa: Hpa = read(json!({ "scaleTargetRef": target(), "maxReplicas": 9 }));
    hpa.metadata.uid = Some("1".to_owned());
    hpa.metadata.annotations = Some(
        [
            ("team".to_owned(), "shop".to_owned()),
            ("kubectl.kubernetes.io/last-applied-configuration".to_owned(), "{}".to_owned()),
        ]
        .into(),
    );
    let converted = hpa_to_autoscaler(&hpa).unwrap();
    assert_eq!(named(&converted), [""; 0]);
    assert_eq!(
        to_yaml(&converted.object, &converted.differences),
        "apiVersion: plimsoll.dev/v1alpha1\nkind: Autoscaler\nmetadata:\n  annotations:\n    team: shop\n  name: web\n  \
         namespace: prod\nspec:\n  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: web\n  \
         maxReplicas: 9\n"
    );
}

#[test]
fn an_hpa_that_could_never_wake_is_named() {
    let hpa: Hpa = read(json!({
        "scaleTargetRef": target(), "minReplicas": 0, "maxReplicas": 9,
        "metrics": [{ "type": "External", "external": {
            "metric": { "name": "queue" }, "target": { "type": "Value", "value": "10" } } }],
        "behavior": { "scaleUp": { "policies": [{ "type": "Percent", "value": 50, "periodSeconds": 60 }] } },
    }));
    assert_eq!(named(&hpa_to_autoscaler(&hpa).unwrap()), ["spec.behavior.scaleUp.policies"]);
}

fn wpa() -> Value {
    json!({
        "scaleTargetRef": target(), "minReplicas": 4, "maxReplicas": 9, "tolerance": "0.01",
        "metrics": [{ "type": "External", "external": {
            "metricName": "request_duration", "metricSelector": { "matchLabels": { "service": "billing" } },
            "lowWatermark": "200m", "highWatermark": "400m" } }],
    })
}

#[test]
fn a_wpa_becomes_an_autoscaler_with_its_habits_named() {
    let object: WatermarkPodAutoscaler = read(wpa());
    let converted = wpa_to_autoscaler(&object).unwrap();
    let kinds: Vec<Kind> = converted.differences.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [Kind::BoundsFirst, Kind::FirstSync, Kind::Pods, Kind::ZeroBelieved]);
    assert_eq!(validate(&converted.object.spec), []);
    let spec = serde_json::to_value(&converted.object.spec).unwrap();
    assert_eq!(
        spec["metrics"][0]["external"]["watermarks"],
        json!({ "low": "200m", "high": "400m", "algorithm": "Absolute" })
    );
    assert_eq!(spec["behavior"]["scaleUp"]["limitPercent"], 50);
    assert_eq!(spec["behavior"]["scaleDown"]["cooldownSeconds"], 300);
    assert_eq!(spec["tolerance"], "10m");
}

#[test]
fn every_habit_of_a_wpa_is_named_when_it_has_it() {
    let mut spec = wpa();
    spec["metrics"][0] = json!({ "type": "Resource", "resource": {
        "name": "cpu", "metricSelector": {}, "lowWatermark": "150m" } });
    spec["minReplicas"] = json!(0);
    spec["dryRun"] = json!(true);
    spec["scaleUpLimitFactor"] = json!("12500m");
    spec["upscaleDelayAboveWatermarkSeconds"] = json!(30);
    spec["minAvailableReplicaPercentage"] = json!(50);
    let mut object: WatermarkPodAutoscaler = read(spec);
    object.metadata.annotations =
        Some([("wpa.datadoghq.com/lifecycle-control.enabled".to_owned(), "true".to_owned())].into());
    let converted = wpa_to_autoscaler(&object).unwrap();
    assert_eq!(
        named(&converted),
        [
            "spec.minReplicas",
            "status.lastScaleTime",
            "spec.pods",
            "spec.metrics[0].resource.metricSelector",
            "spec.metrics[0].resource",
            "spec.metrics[0].resource.lowWatermark",
            "metadata.annotations[wpa.datadoghq.com/lifecycle-control.enabled]",
            "spec.minReplicas",
            "spec.scaleUpLimitFactor",
            "spec.upscaleDelayAboveWatermarkSeconds",
            "spec.minAvailableReplicaPercentage",
            "spec.dryRun",
        ]
    );
    let text = to_yaml(&converted.object, &converted.differences);
    assert!(
        text.starts_with("# Not the same as before:\n# - spec.minReplicas: outside minReplicas"),
        "{text}"
    );
    assert_eq!(text.matches("\n# - ").count(), converted.differences.len());
}

#[test]
fn a_wpa_that_makes_no_sense_is_refused_in_its_own_words() {
    let object: WatermarkPodAutoscaler =
        read(json!({ "scaleTargetRef": target(), "maxReplicas": 9, "recommender": { "url": "http://r" } }));
    assert_eq!(
        wpa_to_autoscaler(&object).unwrap_err().to_string(),
        "spec.recommender: asking http://r for the number of replicas is not supported, use spec.metrics instead"
    );
}

#[test]
fn an_autoscaler_without_more_goes_to_hpa_and_back() {
    let object: Autoscaler = read(json!({
        "scaleTargetRef": target(), "minReplicas": 2, "maxReplicas": 9,
        "metrics": [{ "type": "Resource", "resource": {
            "name": "cpu", "target": { "type": "Utilization", "averageUtilization": 70 } } }],
        "behavior": { "scaleDown": { "selectPolicy": "min", "policies": [{ "type": "pods", "value": 2 }] } },
    }));
    let there = autoscaler_to_hpa(&object).unwrap();
    assert_eq!(named(&there), [""; 0]);
    let mut hpa = there.object.clone();
    hpa.metadata.uid = Some("1".to_owned());
    hpa::default(&mut hpa);
    assert_eq!(hpa::validate(&hpa), []);
    let back = hpa_to_autoscaler(&there.object).unwrap();
    let flags = Flags::default();
    assert_eq!(
        lower(&back.object, &flags).unwrap().base.policy,
        lower(&object, &flags).unwrap().base.policy,
        "the policy must survive the way there and back"
    );
}

#[test]
fn what_an_hpa_cannot_say_is_named() {
    let object: Autoscaler = read(json!({
        "scaleTargetRef": target(), "minReplicas": 2, "maxReplicas": 9, "mode": "DryRun", "combine": "Min",
        "replicaMultiple": 3, "minAvailablePercent": 50, "syncPeriodSeconds": 5, "suspend": "Down",
        "tolerance": 0, "warmup": { "cpuInitializationSeconds": 10 },
        "pods": { "selectBy": "Owner", "terminal": "Ignore", "surge": "Cap" },
        "schedules": [{ "name": "day", "cron": "0 8 * * *", "durationSeconds": 60, "minReplicas": 3 }],
        "metrics": [
            { "type": "Resource", "resource": { "name": "cpu", "watermarks": { "low": "40%", "high": "80%" } },
              "onMissing": { "type": "Hold" }, "maxAgeSeconds": 60 },
            { "type": "Resource", "resource": { "name": "memory", "steps": [
                { "lowerBound": "80%", "adjustment": { "replicas": 1 } } ] } },
            { "type": "Prometheus", "prometheus": { "query": "up", "target": { "type": "Value", "value": 1 } } },
        ],
        "behavior": { "scaleUp": {
            "cooldownSeconds": 9, "limitPercent": 9, "breachDelaySeconds": 9, "stabilizationWindowSeconds": 7200,
            "policies": [{ "type": "Pods", "value": 1, "periodSeconds": 3600 }] } },
    }));
    let converted = autoscaler_to_hpa(&object).unwrap();
    assert_eq!(
        named(&converted),
        [
            "spec.metrics[0].onMissing",
            "spec.metrics[0].maxAgeSeconds",
            "spec.metrics[0].watermarks",
            "spec.metrics[1].steps",
            "spec.metrics[2]",
            "spec.behavior.scaleUp.cooldownSeconds",
            "spec.behavior.scaleUp.limitPercent",
            "spec.behavior.scaleUp.breachDelaySeconds",
            "spec.behavior.scaleUp.policies[0].periodSeconds",
            "spec.behavior.scaleUp.stabilizationWindowSeconds",
            "spec.suspend",
            "spec.replicaMultiple",
            "spec.minAvailablePercent",
            "spec.mode",
            "spec.syncPeriodSeconds",
            "spec.warmup",
            "spec.pods.selectBy",
            "spec.pods.terminal",
            "spec.pods.surge",
            "spec.combine",
            "spec.schedules",
        ]
    );
    let mut hpa = converted.object;
    hpa::default(&mut hpa);
    assert_eq!(hpa::validate(&hpa), []);
}

#[test]
fn constraints_become_policies_that_mean_the_same() {
    let flags = Flags::default();
    for constraints in [
        json!({}),
        json!({ "scaleUp": { "percent": 900 } }),
        json!({ "scaleUp": { "pods": 1, "percent": 0 }, "scaleDown": { "pods": 5, "delaySeconds": 600 } }),
        json!({ "scaleDown": { "pods": 0, "percent": 0 } }),
        json!({ "scaleDown": { "rate": { "pods": 1, "percent": 10, "periodSeconds": 600 } } }),
    ] {
        let object: Autoscaler =
            read(json!({ "scaleTargetRef": target(), "maxReplicas": 9, "constraints": constraints }));
        let converted = autoscaler_to_hpa(&object).unwrap();
        assert_eq!(named(&converted), [""; 0], "{constraints}");
        let mut hpa = converted.object;
        hpa::default(&mut hpa);
        assert_eq!(hpa::validate(&hpa), [], "{constraints}");
        let (ours, theirs) =
            (lower(&object, &flags).unwrap().base.policy, hpa::lower(&hpa, &flags).unwrap().policy);
        assert_eq!(ours.stabilize, theirs.stabilize, "{constraints}");
    }
}
