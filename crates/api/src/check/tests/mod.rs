//! One test for each finding, and the worked numbers of explanations.

mod any;
mod kinds;

use super::*;
use crate::manifest;

/// An HPA on Deployment/web with these bounds; `rest` is further YAML of its spec.
fn hpa(min: i32, max: i32, rest: &str) -> String {
    let rest: String = rest.lines().map(|it| format!("  {it}\n")).collect();
    format!(
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: web}}\nspec:\n  \
         scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}\n  minReplicas: {min}\n  \
         maxReplicas: {max}\n{rest}"
    )
}

/// A Deployment of that name with these containers, in YAML flow style.
fn deployment(name: &str, containers: &str) -> String {
    format!(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  \
         selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    \
         spec: {{containers: [{containers}]}}\n"
    )
}

fn report(yaml: &str) -> Report {
    check(&manifest::read("test.yaml", yaml.as_bytes()).unwrap(), &Flags::default())
}

fn codes(yaml: &str) -> Vec<&'static str> {
    report(yaml).findings.iter().map(|it| it.code.code()).collect()
}

/// The message of the only finding, which must have that code.
#[track_caller]
fn only(yaml: &str, code: Code) -> Finding {
    let findings = report(yaml).findings;
    assert_eq!(findings.iter().map(|it| it.code).collect::<Vec<_>>(), [code], "{findings:#?}");
    findings.into_iter().next().unwrap()
}

fn lines(yaml: &str) -> Vec<String> {
    let report = report(yaml);
    let lines = report.autoscalers.iter().flat_map(|it| &it.lines);
    lines.map(|it| format!("{}: {}", it.topic.word(), it.text)).collect()
}

#[track_caller]
fn says(yaml: &str, line: &str) {
    let lines = lines(yaml);
    assert!(lines.iter().any(|it| it == line), "not said: {line}\nbut: {lines:#?}");
}

const APP: &str = "{name: app, resources: {requests: {cpu: 500m}}}";
const CPU: &str =
    "metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}]";
const QUEUE: &str = "metrics: [{type: External, external: {metric: {name: queue}, target: {type: AverageValue, averageValue: '30'}}}]";

fn container_metric(containers: &[&str]) -> String {
    let metric = |it: &&str| {
        format!(
            "{{type: ContainerResource, containerResource: {{name: cpu, container: {it}, target: {{type: Utilization, averageUtilization: 60}}}}}}"
        )
    };
    format!("metrics: [{}]", containers.iter().map(metric).collect::<Vec<_>>().join(", "))
}

#[test]
fn a_sound_pair_has_no_findings() {
    assert_eq!(codes(&(hpa(2, 20, CPU) + &deployment("web", APP))), [""; 0]);
}

#[test]
fn what_an_api_server_refuses_is_an_error_with_its_field() {
    let found = only(&hpa(5, 2, CPU), Code::Refused);
    assert_eq!(found.severity, Severity::Error);
    assert_eq!(found.field.as_deref(), Some("spec.maxReplicas"));
    assert_eq!(found.message, "Invalid value: 2: must be greater than or equal to `minReplicas`");
}

#[test]
fn replicas_in_the_target_are_told_with_both_ways_out() {
    let yaml = hpa(2, 20, CPU)
        + &deployment("web", APP).replace("spec:\n  selector", "spec:\n  replicas: 3\n  selector");
    let found = only(&yaml, Code::ReplicasSet);
    assert_eq!(found.object, "Deployment/web");
    assert!(found.message.contains("sets Deployment/web to 3 pods"), "{}", found.message);
    assert!(found.fix[1].contains("kubectl apply edit-last-applied deployment/web"), "{:?}", found.fix);
    assert!(found.fix[2].contains("--server-side"), "{:?}", found.fix);
}

#[test]
fn a_missing_request_is_told_by_container() {
    let two = format!("{APP}, {{name: proxy}}");
    let found = only(&(hpa(2, 20, CPU) + &deployment("web", &two)), Code::MissingRequest);
    assert!(
        found.message.starts_with("container proxy does not request cpu, but spec.metrics[0]"),
        "{}",
        found.message
    );
    // A limit is a request too; an average value needs none; neither does another container's metric.
    let limited = format!("{APP}, {{name: proxy, resources: {{limits: {{cpu: 1}}}}}}");
    assert_eq!(codes(&(hpa(2, 20, CPU) + &deployment("web", &limited))), ["PLIM203"]);
    let average = CPU.replace("Utilization, averageUtilization: 60", "AverageValue, averageValue: 300m");
    assert_eq!(codes(&(hpa(2, 20, &average) + &deployment("web", &two))), [""; 0]);
    assert_eq!(codes(&(hpa(2, 20, &container_metric(&["app"])) + &deployment("web", &two))), [""; 0]);
}

#[test]
fn a_container_that_does_not_exist_is_told_unless_it_is_being_renamed() {
    let found =
        only(&(hpa(2, 20, &container_metric(&["ap"])) + &deployment("web", APP)), Code::NoSuchContainer);
    assert_eq!(found.field.as_deref(), Some("spec.metrics[0].containerResource.container"));
    assert_eq!(found.fix, ["the containers are: app"]);
    assert_eq!(codes(&(hpa(2, 20, &container_metric(&["old", "app"])) + &deployment("web", APP))), [""; 0]);
}

#[test]
fn several_containers_are_added_up() {
    let two = format!("{APP}, {{name: proxy, resources: {{requests: {{cpu: 100m}}}}}}");
    assert_eq!(
        only(&(hpa(2, 20, CPU) + &deployment("web", &two)), Code::ContainersAddedUp).severity,
        Severity::Info
    );
}

#[test]
fn a_goal_beyond_the_limit_is_told() {
    let tight = "{name: app, resources: {requests: {cpu: 500m}, limits: {cpu: 500m}}}";
    let high = CPU.replace("60", "95");
    let found = only(&(hpa(2, 20, &high) + &deployment("web", tight)), Code::GoalOutOfReach);
    assert!(found.message.contains("limit, which is 100 %"), "{}", found.message);
    assert_eq!(codes(&(hpa(2, 20, &CPU.replace("60", "90")) + &deployment("web", tight))), [""; 0]);
    // Exactly at the edge: 91 % and a tenth is 100.1 %.
    assert_eq!(codes(&(hpa(2, 20, &CPU.replace("60", "91")) + &deployment("web", tight))), ["PLIM204"]);
}

#[test]
fn kinds_without_a_scale_are_told() {
    for (version, kind) in [("apps/v1", "DaemonSet"), ("batch/v1", "Job"), ("batch/v1", "CronJob")] {
        let yaml = hpa(2, 20, CPU).replace("apps/v1, kind: Deployment", &format!("{version}, kind: {kind}"));
        let found = only(&yaml, Code::NotScalable);
        assert!(found.message.starts_with(&format!("a {kind} cannot be scaled")), "{}", found.message);
    }
    let yaml = hpa(2, 20, CPU).replace("apps/v1, kind", "extensions/v1beta1, kind");
    assert_eq!(only(&yaml, Code::NotScalable).fix, ["write apiVersion: apps/v1"]);
    // A custom resource may have a scale, whatever it is called.
    assert_eq!(
        codes(&hpa(2, 20, CPU).replace("apps/v1, kind: Deployment", "example.com/v1, kind: Job")),
        [""; 0]
    );
}

#[test]
fn two_autoscalers_on_one_target_are_told_once() {
    let second =
        format!("---\n{}", hpa(2, 20, CPU).replace("metadata: {name: web}", "metadata: {name: other}"));
    let yaml = hpa(2, 20, CPU) + &second;
    let found = only(&yaml, Code::TwoAutoscalers);
    assert_eq!(found.object, "HorizontalPodAutoscaler/other");
    assert!(
        found.message.contains("also scaled by HorizontalPodAutoscaler/web (test.yaml:1)"),
        "{}",
        found.message
    );
    let elsewhere = yaml
        .replace("{name: other}", "{name: other, namespace: b}")
        .replace("{name: web}\nspec", "{name: web, namespace: a}\nspec");
    assert_eq!(codes(&elsewhere), [""; 0]);
}

#[test]
fn the_same_object_twice_is_not_two_autoscalers() {
    let yaml = format!("{}---\n{}", hpa(2, 20, CPU), hpa(2, 30, CPU));
    assert_eq!(codes(&yaml), ["PLIM003"]);
}

#[test]
fn a_target_that_is_not_there_is_told_when_others_are() {
    let found = only(&(hpa(2, 20, CPU) + &deployment("wbe", APP)), Code::TargetNotGiven);
    assert!(found.message.contains("Deployment/web is not among the files, but wbe is"), "{}", found.message);
}

#[test]
fn a_selector_that_catches_others_is_told() {
    let wide = deployment("api", APP).replace("labels: {app: api}", "labels: {app: web}");
    let found = only(&(hpa(2, 20, CPU) + &deployment("web", APP) + &wide), Code::SelectorOverlap);
    assert!(found.message.contains("also matches the pods of Deployment/api"), "{}", found.message);
}

#[test]
fn min_equal_to_max_leaves_nothing_to_decide() {
    let behavior = format!("{CPU}\nbehavior: {{scaleDown: {{stabilizationWindowSeconds: 5}}}}");
    only(&hpa(4, 4, &behavior), Code::MinIsMax);
}

#[test]
fn percent_policies_alone_never_wake_it() {
    let percent = format!(
        "{QUEUE}\nbehavior: {{scaleUp: {{policies: [{{type: Percent, value: 100, periodSeconds: 15}}]}}}}"
    );
    let found = only(&hpa(0, 20, &percent), Code::NeverWakes);
    assert!(found.message.contains("any percentage of 0 pods is 0"), "{}", found.message);
    says(&hpa(0, 20, &percent), "sleeps: without load it goes to 0 replicas, and nothing wakes it");
    let pods = percent.replace("Percent, value: 100", "Pods, value: 2");
    assert_eq!(codes(&hpa(0, 20, &pods)), [""; 0]);
    says(
        &hpa(0, 20, &pods),
        "sleeps: without load it goes to 0 replicas; the first load wakes it, with up to 2 pods at once",
    );
    assert_eq!(codes(&hpa(1, 20, &percent)), [""; 0]);
}

#[test]
fn windows_that_cannot_matter_are_told() {
    let window = |up: i32, down: &str| {
        format!("{CPU}\nbehavior: {{scaleUp: {{stabilizationWindowSeconds: {up}}}, scaleDown: {down}}}")
    };
    let found = only(&hpa(2, 20, &window(15, "{}")), Code::WindowNeverMatters);
    assert_eq!(found.field.as_deref(), Some("spec.behavior.scaleUp.stabilizationWindowSeconds"));
    assert_eq!(found.message, "15 s can never matter: it is looked at only every 15 s");
    assert_eq!(codes(&hpa(2, 20, &window(16, "{}"))), [""; 0]);
    assert_eq!(codes(&hpa(2, 20, &window(0, "{}"))), [""; 0]);
    let never = "{stabilizationWindowSeconds: 600, selectPolicy: Disabled}";
    let found = only(&hpa(2, 20, &window(0, never)), Code::WindowNeverMatters);
    assert_eq!(
        found.message,
        "10 min can never matter: shrinking is ruled out by spec.behavior.scaleDown.selectPolicy: Disabled"
    );
}

/// What a window does, asked of the engine: with one of 15 s a wish is followed as fast as without.
#[test]
fn a_window_as_long_as_the_looks_are_apart_is_followed_at_once() {
    let window = |secs: i32| format!("{CPU}\nbehavior: {{scaleUp: {{stabilizationWindowSeconds: {secs}}}}}");
    for secs in [0, 15] {
        says(&hpa(2, 20, &window(secs)), "grows: at 10 pods and cpu at 90 % it goes to 15 at once");
    }
    says(&hpa(2, 20, &window(16)), "grows: at 10 pods and cpu at 90 % it goes to 15 after 15 s");
}

fn policies(direction: &str, select: &str, policies: &[(&str, i32, i32)]) -> String {
    let policy = |(kind, value, period): &(&str, i32, i32)| {
        format!("{{type: {kind}, value: {value}, periodSeconds: {period}}}")
    };
    let policies = policies.iter().map(policy).collect::<Vec<_>>().join(", ");
    format!("{CPU}\nbehavior: {{{direction}: {{selectPolicy: {select}, policies: [{policies}]}}}}")
}

#[test]
fn a_policy_that_another_always_outdoes_is_told() {
    let both = [("Percent", 100, 15), ("Pods", 4, 60)];
    let found = only(&hpa(2, 20, &policies("scaleDown", "Max", &both)), Code::PolicyNeverBinds);
    assert_eq!(found.field.as_deref(), Some("spec.behavior.scaleDown.policies[1]"));
    assert!(found.message.starts_with("4 pods in 1 min can never bind"), "{}", found.message);
    assert_eq!(found.severity, Severity::Warning);
    let found = only(&hpa(2, 20, &policies("scaleDown", "Min", &both)), Code::PolicyNeverBinds);
    assert_eq!(found.field.as_deref(), Some("spec.behavior.scaleDown.policies[0]"));
    // Each of these decides somewhere: pods below 40 replicas, percent above.
    let pages = [("Pods", 4, 60), ("Percent", 10, 60)];
    assert_eq!(codes(&hpa(1, 100, &policies("scaleDown", "Max", &pages))), [""; 0]);
    assert_eq!(codes(&hpa(1, 30, &policies("scaleDown", "Max", &pages))), ["PLIM304"]);
}

#[test]
fn a_policy_larger_than_the_range_is_worth_knowing() {
    let found = only(&hpa(2, 10, &policies("scaleUp", "Max", &[("Pods", 50, 60)])), Code::PolicyNeverBinds);
    assert_eq!(found.severity, Severity::Info);
    assert_eq!(codes(&hpa(2, 10, &policies("scaleUp", "Max", &[("Pods", 7, 60)]))), [""; 0]);
}

#[test]
fn defaults_written_down_are_no_findings() {
    let up = [("Percent", 100, 15), ("Pods", 4, 15)];
    assert_eq!(codes(&hpa(2, 6, &policies("scaleUp", "Max", &up))), [""; 0]);
    assert_eq!(codes(&hpa(2, 6, &policies("scaleDown", "Max", &[("Percent", 100, 15)]))), [""; 0]);
    assert_eq!(codes(&hpa(2, 6, &policies("scaleDown", "Max", &[("Percent", 100, 60)]))), [""; 0]);
}

#[test]
fn a_period_shorter_than_the_looks_is_worth_knowing() {
    let found = only(&hpa(2, 20, &policies("scaleUp", "Max", &[("Pods", 2, 5)])), Code::PeriodTooShort);
    assert_eq!(
        found.message,
        "2 pods in 5 s allows no more than that at each look, and looks are 15 s apart"
    );
}

#[test]
fn a_resource_that_nobody_measures_is_told() {
    only(&hpa(2, 20, &CPU.replace("name: cpu", "name: ephemeral-storage")), Code::UnknownResource);
}

#[test]
fn what_it_does_is_worked_out_by_the_engine() {
    let yaml = hpa(2, 20, CPU);
    says(&yaml, "holds: cpu at 60 % of the request; nothing changes from 54 % to 66 %");
    says(&yaml, "grows: at 10 pods and cpu at 90 % it goes to 15 at once");
    says(&yaml, "grows: under full load from 2 to 20 in 45 s at best: 2 → 4 → 8 → 16 → 20");
    says(&yaml, "shrinks: at 10 pods and cpu at 30 % it goes to 5 after 5 min");
    says(&yaml, "blind: while cpu cannot be read, nothing changes");
    let slow = policies("scaleUp", "Max", &[("Pods", 3, 15)]);
    says(
        &hpa(2, 20, &slow.replace("averageUtilization: 60", "averageUtilization: 50")),
        "grows: at 10 pods and cpu at 75 % it goes to 15 in 2 steps 15 s apart (10 → 13 → 15)",
    );
    let four = policies("scaleUp", "Max", &[("Pods", 4, 15)]);
    says(
        &hpa(2, 20, &four),
        "grows: at 10 pods and cpu at 90 % it goes to 14 at once, not to 15: cpu is then at 64 %, close enough",
    );
}

#[test]
fn tolerance_of_the_object_widens_the_quiet_range() {
    let own = format!("{CPU}\nbehavior: {{scaleUp: {{tolerance: '0.5'}}, scaleDown: {{tolerance: '0'}}}}");
    says(&hpa(2, 20, &own), "holds: cpu at 60 % of the request; nothing changes from 60 % to 90 %");
}

#[test]
fn autoscaling_v1_is_read_as_what_it_means() {
    let yaml = "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec:\n  \
                scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n  maxReplicas: 10\n  \
                targetCPUUtilizationPercentage: 50\n";
    says(yaml, "holds: cpu at 50 % of the request; nothing changes from 45 % to 55 %");
}

#[test]
fn nothing_is_too_large_or_too_odd_to_be_checked() {
    for (min, max) in [(1, i32::MAX), (i32::MAX - 1, i32::MAX), (0, 1), (1, 1), (1, 2)] {
        for metric in [
            CPU,
            QUEUE,
            &QUEUE.replace("AverageValue, averageValue", "Value, value"),
            &CPU.replace("60", "1"),
            &CPU.replace("60", "2147483647"),
        ] {
            for behavior in ["", "\nbehavior: {}"] {
                let _ = report(&hpa(min, max, &format!("{metric}{behavior}")));
            }
        }
    }
}
