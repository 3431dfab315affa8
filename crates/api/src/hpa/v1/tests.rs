//! Conversions that the recorded objects do not reach: status, conditions, annotations of other makers.

use serde_json::{Value, json};

use super::*;

fn v2(object: Value) -> Hpa {
    serde_json::from_value(object).expect("a HorizontalPodAutoscaler")
}

fn annotation<'a>(hpa: &'a HpaV1, key: &str) -> Option<&'a str> {
    hpa.metadata.annotations.as_ref()?.get(key).map(String::as_str)
}

fn with_status() -> Hpa {
    v2(json!({
        "metadata": {"name": "web", "annotations": {"mine": "1", BEHAVIOR: "stale"}},
        "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 3, "metrics": [
            {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}},
        ]},
        "status": {
            "observedGeneration": 2, "lastScaleTime": "2026-01-02T03:04:05Z", "currentReplicas": 3, "desiredReplicas": 2,
            "currentMetrics": [
                {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 40, "averageValue": "200m"}}},
                {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "app", "current": {"averageValue": "1"}}},
                {"type": "Pods", "pods": {"metric": {"name": "qps"}, "current": {"averageValue": "10"}}},
                {"type": "Object", "object": {"metric": {"name": "rps", "selector": {"matchLabels": {"a": "b"}}},
                    "describedObject": {"kind": "Service", "name": "web", "apiVersion": "v1"}, "current": {"value": "7"}}},
                {"type": "External", "external": {"metric": {"name": "lag<>"}, "current": {"averageValue": "5"}}},
            ],
            "conditions": [{"type": "AbleToScale", "status": "True", "lastTransitionTime": "2026-01-02T03:04:05.678Z",
                "reason": "Ready", "message": "a & b", "observedGeneration": 2}],
        },
    }))
}

#[test]
fn status_travels_in_annotations() {
    let v1 = to_v1(&with_status());
    assert_eq!(
        annotation(&v1, CURRENT_METRICS),
        Some(concat!(
            r#"[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":40,"currentAverageValue":"200m"}},"#,
            r#"{"type":"ContainerResource","containerResource":{"name":"cpu","currentAverageValue":"1","container":"app"}},"#,
            r#"{"type":"Pods","pods":{"metricName":"qps","currentAverageValue":"10"}},"#,
            r#"{"type":"Object","object":{"target":{"kind":"Service","name":"web","apiVersion":"v1"},"metricName":"rps","#,
            r#""currentValue":"7","selector":{"matchLabels":{"a":"b"}}}},"#,
            r#"{"type":"External","external":{"metricName":"lag\u003c\u003e","currentValue":"0","currentAverageValue":"5"}}]"#
        ))
    );
    assert_eq!(
        annotation(&v1, CONDITIONS),
        Some(concat!(
            r#"[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","#,
            r#""reason":"Ready","message":"a \u0026 b","observedGeneration":2}]"#
        ))
    );
    assert_eq!(annotation(&v1, METRICS), None, "the only metric has its own field");
    assert_eq!(annotation(&v1, BEHAVIOR), None, "a carrier is never kept");
    assert_eq!(annotation(&v1, "mine"), Some("1"));
    let status = v1.status.as_ref().expect("a status");
    assert_eq!((status.current_cpu_utilization_percentage, status.current_replicas), (Some(40), 3));

    let back = from_v1(&v1);
    let mut expected = with_status().status.expect("a status");
    // What v1 cannot leave out comes back as zero, and times in whole seconds.
    expected.current_metrics.as_mut().expect("metrics")[4]
        .external
        .as_mut()
        .expect("external")
        .current
        .value = Some(k8s_openapi::apimachinery::pkg::api::resource::Quantity("0".to_owned()));
    expected.conditions.as_mut().expect("conditions")[0].last_transition_time =
        expected.last_scale_time.clone();
    assert_eq!(back.status, Some(expected));
}

#[test]
fn an_annotation_that_makes_no_sense_is_as_good_as_none() {
    let mut v1 = to_v1(&with_status());
    let annotations = v1.metadata.annotations.as_mut().expect("annotations");
    annotations
        .insert(METRICS.to_owned(), r#"[{"type":"Pods","pods":{"targetAverageValue":"ten"}}]"#.to_owned());
    annotations.insert(BEHAVIOR.to_owned(), "{}".to_owned());
    annotations.insert(CURRENT_METRICS.to_owned(), "[".to_owned());
    annotations.insert(CONDITIONS.to_owned(), r#"[{"type":1}]"#.to_owned());
    let back = from_v1(&v1);
    assert_eq!(back.spec.metrics.map(|it| it.len()), Some(1));
    assert_eq!(back.spec.behavior, None);
    let status = back.status.expect("a status");
    assert_eq!(status.conditions, None);
    assert_eq!(status.current_metrics, Some(vec![cpu_status(40)]));
}

#[test]
fn keys_of_annotations_have_no_case() {
    let mut v1 = to_v1(&with_status());
    let annotations = v1.metadata.annotations.as_mut().expect("annotations");
    let behavior =
        r#"{"scaleup":{"selectPolicy":"Min","policies":[{"type":"Pods","value":1,"periodseconds":2}]}}"#;
    annotations.insert(BEHAVIOR.to_owned(), behavior.to_owned());
    let rules = from_v1(&v1).spec.behavior.and_then(|it| it.scale_up).expect("rules");
    assert_eq!(rules.select_policy.as_deref(), Some("Min"));
    assert_eq!(rules.policies.map(|it| it[0].period_seconds), Some(2));
}
