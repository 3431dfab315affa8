//! The other kinds: WatermarkPodAutoscalers and Autoscalers.

use super::*;

fn wpa(rest: &str) -> String {
    format!(
        "apiVersion: datadoghq.com/v1alpha1\nkind: WatermarkPodAutoscaler\nmetadata: {{name: web}}\nspec:\n  \
         scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}\n  minReplicas: 4\n  maxReplicas: 30\n  \
         metrics: [{{type: External, external: {{metricName: load, metricSelector: {{matchLabels: {{a: b}}}}, \
         lowWatermark: '40', highWatermark: '80'}}}}]\n  tolerance: 50m\n  algorithm: average\n{rest}"
    )
}

#[test]
fn watermarks_are_explained() {
    says(&wpa(""), "holds: load between 40 and 80 per pod; nothing changes from 38 to 84");
    says(&wpa(""), "grows: at 10 pods and load at 120 it goes to 15 at once");
    says(&wpa(""), "waits: shrinking waits 5 min after any scaling");
    assert_eq!(codes(&wpa("")), [""; 0]);
    let found = only(&wpa("  upscaleForbiddenWindowSeconds: 10\n"), Code::WindowNeverMatters);
    assert_eq!(found.field.as_deref(), Some("spec.upscaleForbiddenWindowSeconds"));
}

#[test]
fn multiples_that_limits_break_are_told() {
    let found = only(&wpa("  replicaScalingAbsoluteModulo: 4\n"), Code::OffMultiple);
    assert!(found.message.starts_with("replicas do not always stay multiples of 4"), "{}", found.message);
}

#[test]
fn a_recommender_is_not_supported() {
    let yaml = "apiVersion: datadoghq.com/v1alpha1\nkind: WatermarkPodAutoscaler\nmetadata: {name: web}\nspec:\n  \
                scaleTargetRef: {kind: Deployment, name: web, apiVersion: apps/v1}\n  minReplicas: 4\n  \
                maxReplicas: 9\n  recommender: {url: 'http://x'}\n";
    only(yaml, Code::NotSupported);
}

fn autoscaler(rest: &str) -> String {
    hpa(3, 30, rest)
        .replace("autoscaling/v2", "plimsoll.dev/v1alpha1")
        .replace("HorizontalPodAutoscaler", "Autoscaler")
}

const CAREFUL: &str = "pods: {selectBy: Owner, terminal: Ignore, surge: Cap}";

#[test]
fn which_pods_count_is_recommended_for_autoscalers() {
    let found = report(&autoscaler(CPU)).findings;
    let codes: Vec<&str> = found.iter().map(|it| it.code.code()).collect();
    assert_eq!(codes, ["PLIM401", "PLIM402", "PLIM403"]);
    assert!(found.iter().all(|it| it.severity == Severity::Info));
    assert_eq!(found[0].fix, ["write selectBy: Owner"]);
    assert_eq!(super::codes(&autoscaler(&format!("{CPU}\n{CAREFUL}"))), [""; 0]);
}

#[test]
fn steps_and_watermarks_of_autoscalers_are_explained() {
    let steps = format!(
        "metrics: [{{type: Resource, resource: {{name: cpu, steps: [{{upperBound: 44%, adjustment: {{replicas: -1}}}}, \
         {{lowerBound: 88%, upperBound: 95%, adjustment: {{replicas: 1}}}}, {{lowerBound: 95%, adjustment: {{replicas: 2}}}}]}}}}]\n{CAREFUL}"
    );
    says(&autoscaler(&steps), "holds: cpu by steps: -1 up to 44 %, +1 from 88 % to 95 %, +2 from 95 %");
    says(&autoscaler(&steps), "grows: at 10 pods and cpu at 88 % it goes to 11 at once");
    let marks = format!(
        "metrics: [{{type: Resource, resource: {{name: cpu, watermarks: {{low: 40%, high: 80%}}}}}}]\n{CAREFUL}"
    );
    says(
        &autoscaler(&marks),
        "holds: cpu between 40 % and 80 % of the request; nothing changes from 36 % to 88 %",
    );
    says(&autoscaler(&marks), "shrinks: at 10 pods and cpu at 20 % it goes to 5 after 5 min");
}

#[test]
fn schedules_and_stand_ins_are_explained() {
    let rest = format!(
        "{}\n{CAREFUL}\nschedules: [{{name: day, cron: 0 8 * * *, timeZone: Europe/Berlin, durationSeconds: 36000, minReplicas: 10}}]",
        CPU.replace(
            "metrics: [{type",
            "metrics: [{onMissing: {type: Fallback, replicas: 12, afterSeconds: 120}, type"
        )
    );
    says(
        &autoscaler(&rest),
        "bounds: day (cron 0 8 * * *, Europe/Berlin, for 10 h): between 10 and 30 replicas, at once",
    );
    says(
        &autoscaler(&rest),
        "blind: while cpu cannot be read, it asks for no change, and after 2 min for 12 pods",
    );
}

#[test]
fn cooldowns_and_multiples_of_autoscalers_are_checked() {
    let rest = format!("{CPU}\n{CAREFUL}\nbehavior: {{scaleUp: {{cooldownSeconds: 15}}}}");
    assert_eq!(
        only(&autoscaler(&rest), Code::WindowNeverMatters).field.as_deref(),
        Some("spec.behavior.scaleUp.cooldownSeconds")
    );
    let rest = format!(
        "{CPU}\n{CAREFUL}\nreplicaMultiple: 3\nbehavior: {{scaleUp: {{policies: [{{type: Pods, value: 4, periodSeconds: 60}}]}}}}"
    );
    assert!(
        only(&autoscaler(&rest), Code::OffMultiple)
            .message
            .ends_with("the limit on how fast it may go takes 3 to 7")
    );
    assert_eq!(codes(&autoscaler(&rest.replace("value: 4", "value: 6"))), [""; 0]);
}

#[test]
fn an_autoscaler_that_is_refused_says_where() {
    let both = CPU.replace("{name: cpu,", "{name: cpu, watermarks: {low: 10%, high: 20%},");
    let found = report(&autoscaler(&both)).findings;
    assert_eq!(found[0].code, Code::Refused);
    assert!(found[0].field.as_deref().unwrap().starts_with("spec.metrics[0].resource"), "{found:#?}");
}

/// A day's window is longer than a run may be followed with many pods; once at the bound there is nothing to follow.
#[test]
fn the_way_to_the_bound_is_told_whole_even_with_long_windows() {
    let rest = format!(
        "{QUEUE}\n{CAREFUL}\nsyncPeriodSeconds: 1\nbehavior: {{scaleDown: {{stabilizationWindowSeconds: 86400}}}}"
    );
    let yaml = autoscaler(&rest).replace("maxReplicas: 30", "maxReplicas: 1000");
    let lines = lines(&yaml);
    let grows = lines.iter().find(|it| it.starts_with("grows: under full load")).unwrap();
    assert!(grows.ends_with("→ … → 1000") && !grows.contains("and on"), "{grows}");
}
