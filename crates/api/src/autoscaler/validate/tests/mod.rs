//! Every rule with the exact message, and what must not be refused.

mod metrics;
mod steps;

use super::*;

/// The spec of a sound object, with more lines below `spec:`.
fn spec(more: &str) -> AutoscalerSpec {
    let text = format!(
        "scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}\nmaxReplicas: 10\n{more}\n"
    );
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn messages(spec: &AutoscalerSpec) -> Vec<String> {
    validate(spec).iter().map(ToString::to_string).collect()
}

#[track_caller]
fn refuses(more: &str, expected: &[&str]) {
    assert_eq!(messages(&spec(more)), expected, "{more}");
}

#[track_caller]
fn accepts(more: &str) {
    assert_eq!(messages(&spec(more)), Vec::<String>::new(), "{more}");
}

fn cpu(held: &str) -> String {
    format!("metrics: [{{type: Resource, resource: {{name: cpu, {held}}}}}]")
}

fn external(held: &str) -> String {
    format!("metrics: [{{type: External, external: {{metric: {{name: queue}}, {held}}}}}]")
}

fn step_table(table: &str) -> String {
    cpu(&format!("steps: [{table}]"))
}

fn schedule(more: &str) -> String {
    format!("schedules: [{{name: day, {more}}}]")
}

const UTILIZATION: &str = "target: {type: Utilization, averageUtilization: 80}";

#[test]
fn what_is_sound_is_accepted() {
    for more in [
        "",
        "minReplicas: 1\nmetrics: []\nbehavior: {}",
        "constraints: {scaleUp: {percent: 900}, scaleDown: {rate: {pods: 1, periodSeconds: 600}, delaySeconds: 0}}",
        "behavior: {scaleUp: {policies: [{type: percent, value: 900%}], selectPolicy: min}, scaleDown: {policies: [{type: pods, value: 0}]}}",
        "behavior: {scaleUp: {policies: [{type: PERCENT, value: \"900\", periodSeconds: 86400}], stabilizationWindowSeconds: 86400, tolerance: 2}}",
        "tolerance: 0\nreplicaMultiple: 3\nminAvailablePercent: 50\nsuspend: Down\nmode: DryRun\nsyncPeriodSeconds: 3600\ncombine: Min",
        "pods: {selectBy: Owner, terminal: Ignore, surge: Cap}\nwarmup: {cpuInitializationSeconds: 0, readinessDelaySeconds: 5}",
        "tolerance: 0.05",
        &cpu("watermarks: {low: 40%, high: 80%, converge: High}"),
        &cpu("watermarks: {high: 500m}"),
        &external("watermarks: {low: 150m, high: 400m, algorithm: Average}"),
        &schedule("cron: 0 8 * * MON-FRI, timeZone: Europe/Berlin, durationSeconds: 36000, minReplicas: 5"),
        "metrics: [{type: Prometheus, prometheus: {query: sum(up), server: 'https://p:9090', timeoutSeconds: 5, auth: {bearer: {secretName: p}}, target: {type: Value, value: 5}}}]",
    ] {
        accepts(more);
    }
}

#[test]
fn the_target_must_be_named() {
    let mut it = spec("");
    it.scale_target_ref = ObjectReference { api_version: Some("a/b/c".into()), ..ObjectReference::default() };
    assert_eq!(
        messages(&it),
        [
            "spec.scaleTargetRef.kind: Required value: write the kind of the object, such as Deployment",
            "spec.scaleTargetRef.name: Required value: write the name of the object",
            "spec.scaleTargetRef.apiVersion: Invalid value: \"a/b/c\": must be a group and a version, such as apps/v1",
        ]
    );
    it.scale_target_ref = ObjectReference { api_version: None, kind: "De/x".into(), name: "..".into() };
    assert_eq!(
        messages(&it),
        [
            "spec.scaleTargetRef.kind: Invalid value: \"De/x\": may not contain '/'",
            "spec.scaleTargetRef.name: Invalid value: \"..\": may not be '..'",
        ]
    );
}

#[test]
fn bounds() {
    let mut it = spec("minReplicas: -1");
    it.max_replicas = 0;
    assert_eq!(
        messages(&it),
        [
            "spec.minReplicas: Invalid value: -1: must be at least 0",
            "spec.maxReplicas: Required value: must be set and greater than 0",
        ]
    );
    it = spec("");
    it.max_replicas = -3;
    assert_eq!(messages(&it), ["spec.maxReplicas: Invalid value: -3: must be at least 1"]);
    refuses(
        "minReplicas: 11",
        &["spec.maxReplicas: Invalid value: 10: must be at least minReplicas, which is 11"],
    );
}

#[test]
fn behavior_and_its_policies() {
    let up = |more: &str| format!("behavior: {{scaleUp: {{{more}}}}}");
    let at = "spec.behavior.scaleUp";
    for (field, range) in [
        ("stabilizationWindowSeconds", "0 and 86400"),
        ("cooldownSeconds", "0 and 86400"),
        ("limitPercent", "0 and 10000"),
        ("breachDelaySeconds", "0 and 86400"),
    ] {
        refuses(
            &up(&format!("{field}: -1")),
            &[&format!("{at}.{field}: Invalid value: -1: must be between {range}")],
        );
        refuses(
            &up(&format!("{field}: 86401")),
            &[&format!("{at}.{field}: Invalid value: 86401: must be between {range}")],
        );
    }
    refuses(
        "behavior: {scaleDown: {limitPercent: 101}}",
        &["spec.behavior.scaleDown.limitPercent: Invalid value: 101: must be between 0 and 100"],
    );
    refuses(
        &up("tolerance: -0.1"),
        &[&format!("{at}.tolerance: Invalid value: \"-0.1\": must be at least 0")],
    );
    refuses(
        &up("selectPolicy: most"),
        &[&format!(
            "{at}.selectPolicy: Unsupported value: \"most\": supported values: \"Max\", \"Min\", \"Disabled\""
        )],
    );
    refuses(
        &up("policies: []"),
        &[&format!(
            "{at}.policies: Required value: write at least one policy, or leave policies out for the default ones"
        )],
    );
    let policy = |more: &str| up(&format!("policies: [{{{more}}}]"));
    refuses(
        &policy("type: Pod, value: 1"),
        &[&format!(
            "{at}.policies[0].type: Unsupported value: \"Pod\": supported values: \"Pods\", \"Percent\""
        )],
    );
    refuses(
        &policy("type: pods, value: 50%"),
        &[&format!(
            "{at}.policies[0].value: Invalid value: \"50%\": is a percentage, but type Pods counts pods: write a whole number, or type: Percent"
        )],
    );
    refuses(
        &policy("type: Pods, value: -1"),
        &[&format!("{at}.policies[0].value: Invalid value: -1: must be at least 0")],
    );
    refuses(
        &policy("type: Pods, value: many"),
        &[&format!(
            "{at}.policies[0].value: Invalid value: \"many\": must be a whole number such as 4, or a percentage such as \"900%\""
        )],
    );
    for period in [0, 86_401] {
        refuses(
            &policy(&format!("type: Pods, value: 1, periodSeconds: {period}")),
            &[&format!(
                "{at}.policies[0].periodSeconds: Invalid value: {period}: must be between 1 and 86400"
            )],
        );
    }
}

#[test]
fn constraints() {
    refuses(
        "behavior: {}\nconstraints: {}",
        &[
            "spec.constraints: Forbidden: behavior is given too, which says the same in another way: leave one of them out",
        ],
    );
    let at = "spec.constraints.scaleDown";
    refuses(
        "constraints: {scaleDown: {rate: {pods: 1}, percent: 2}}",
        &[&format!("{at}.percent: Forbidden: rate is given too: write rate.percent, or leave rate out")],
    );
    refuses(
        "constraints: {scaleDown: {pods: -1, percent: -2, periodSeconds: 0, delaySeconds: 86401}}",
        &[
            &format!("{at}.delaySeconds: Invalid value: 86401: must be between 0 and 86400"),
            &format!("{at}.pods: Invalid value: -1: must be at least 0"),
            &format!("{at}.percent: Invalid value: -2: must be at least 0"),
            &format!("{at}.periodSeconds: Invalid value: 0: must be between 1 and 86400"),
        ],
    );
    refuses(
        "constraints: {scaleDown: {rate: {periodSeconds: 86401}}}",
        &[&format!("{at}.rate.periodSeconds: Invalid value: 86401: must be between 1 and 86400")],
    );
}

#[test]
fn the_object_s_own_fields() {
    for tolerance in ["-0.1", "1", "10"] {
        refuses(
            &format!("tolerance: {tolerance}"),
            &[&format!(
                "spec.tolerance: Invalid value: \"{tolerance}\": must be at least 0 and less than 1: it is a share, write \"0.1\" for 10 percent"
            )],
        );
    }
    refuses(
        "tolerance: 10%",
        &["spec.tolerance: Invalid value: \"10%\": must be a quantity such as 500m, 1.5 or 2Gi"],
    );
    refuses("replicaMultiple: 0", &["spec.replicaMultiple: Invalid value: 0: must be between 1 and 100000"]);
    refuses(
        "minAvailablePercent: 101",
        &["spec.minAvailablePercent: Invalid value: 101: must be between 0 and 100"],
    );
    refuses(
        "syncPeriodSeconds: 3601",
        &["spec.syncPeriodSeconds: Invalid value: 3601: must be between 1 and 3600"],
    );
    refuses(
        "suspend: up",
        &["spec.suspend: Unsupported value: \"up\": supported values: \"None\", \"Up\", \"Down\", \"All\""],
    );
    refuses(
        "mode: Off",
        &["spec.mode: Unsupported value: \"Off\": supported values: \"Active\", \"DryRun\""],
    );
    refuses(
        "combine: Sum",
        &["spec.combine: Unsupported value: \"Sum\": supported values: \"Max\", \"Min\""],
    );
    refuses(
        "warmup: {cpuInitializationSeconds: -1, readinessDelaySeconds: 86401}",
        &[
            "spec.warmup.cpuInitializationSeconds: Invalid value: -1: must be between 0 and 86400",
            "spec.warmup.readinessDelaySeconds: Invalid value: 86401: must be between 0 and 86400",
        ],
    );
    refuses(
        "pods: {selectBy: owner, terminal: No, surge: Limit}",
        &[
            "spec.pods.selectBy: Unsupported value: \"owner\": supported values: \"Labels\", \"Owner\"",
            "spec.pods.terminal: Unsupported value: \"No\": supported values: \"Count\", \"Ignore\"",
            "spec.pods.surge: Unsupported value: \"Limit\": supported values: \"Count\", \"Cap\"",
        ],
    );
}

#[test]
fn schedules() {
    let at = "spec.schedules[0]";
    let hint = "write five fields (minute, hour, day, month, weekday), such as 0 8 * * MON-FRI";
    refuses(
        "schedules: [{}]",
        &[
            &format!("{at}.name: Required value: write a name, such as office-hours"),
            &format!("{at}.cron: Required value: {hint}"),
            &format!("{at}.durationSeconds: Required value: write how many seconds it lasts, such as 3600"),
            &format!(
                "{at}.minReplicas: Required value: the schedule changes nothing: give minReplicas, maxReplicas or both"
            ),
        ],
    );
    refuses(
        &schedule("cron: 0 8 * *, durationSeconds: 60, minReplicas: 2"),
        &[&format!("{at}.cron: Invalid value: \"0 8 * *\": is no cron line: {hint}")],
    );
    refuses(
        &schedule("cron: 0 25 * * *, durationSeconds: 60, minReplicas: 2"),
        &[&format!("{at}.cron: Invalid value: \"0 25 * * *\": is no cron line: {hint}")],
    );
    refuses(
        &schedule("cron: 0 0 30 2 *, durationSeconds: 60, minReplicas: 2"),
        &[&format!(
            "{at}.cron: Invalid value: \"0 0 30 2 *\": never fires: no month it names has such a day; correct the day or the month"
        )],
    );
    refuses(
        &schedule("cron: 0 8 * * *, timeZone: Mars/Olympus, durationSeconds: 60, minReplicas: 2"),
        &[&format!(
            "{at}.timeZone: Invalid value: \"Mars/Olympus\": is no known time zone: write an IANA name such as Europe/Berlin or UTC"
        )],
    );
    refuses(
        &schedule("cron: 0 8 * * *, durationSeconds: -5, minReplicas: -1, maxReplicas: 0"),
        &[
            &format!("{at}.durationSeconds: Invalid value: -5: must be between 1 and 31622400"),
            &format!("{at}.minReplicas: Invalid value: -1: must be at least 0"),
            &format!("{at}.maxReplicas: Invalid value: 0: must be at least 1"),
        ],
    );
    refuses(
        &schedule("cron: 0 8 * * *, durationSeconds: 60, minReplicas: 5, maxReplicas: 4"),
        &[&format!("{at}.maxReplicas: Invalid value: 4: must be at least minReplicas, which is 5")],
    );
    let day = "{name: day, cron: 0 8 * * *, durationSeconds: 60, minReplicas: 5}";
    refuses(
        &format!("schedules: [{day}, {day}]"),
        &["spec.schedules[1].name: Invalid value: \"day\": schedules[0] has the same name: write another"],
    );
}
