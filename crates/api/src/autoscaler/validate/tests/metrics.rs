//! The rules about metrics, with their messages.

use super::*;

#[test]
fn exactly_one_of_target_watermarks_and_steps() {
    refuses(
        &cpu(""),
        &["spec.metrics[0].resource: Required value: give exactly one of target, watermarks and steps"],
    );
    refuses(
        &cpu(&format!("{UTILIZATION}, steps: [{{lowerBound: 50%, adjustment: {{replicas: 1}}}}]")),
        &[
            "spec.metrics[0].resource.steps: Forbidden: target is given too: give exactly one of target, watermarks and steps",
        ],
    );
    refuses(
        &cpu(&format!("{UTILIZATION}, watermarks: {{low: 10%}}")),
        &[
            "spec.metrics[0].resource.watermarks: Forbidden: target is given too: give exactly one of target, watermarks and steps",
        ],
    );
    for (kind, source) in [
        ("ContainerResource", "containerResource: {name: cpu, container: app}"),
        ("Pods", "pods: {metric: {name: x}}"),
        ("Object", "object: {describedObject: {kind: Ingress, name: i}, metric: {name: x}}"),
        ("External", "external: {metric: {name: x}}"),
        ("Prometheus", "prometheus: {query: up}"),
    ] {
        let field = source.split(':').next().unwrap();
        refuses(
            &format!("metrics: [{{type: {kind}, {source}}}]"),
            &[&format!(
                "spec.metrics[0].{field}: Required value: give exactly one of target, watermarks and steps"
            )],
        );
    }
}

#[test]
fn metric_sources() {
    refuses(
        "metrics: [{type: Nonsense}]",
        &[
            "spec.metrics[0].type: Unsupported value: \"Nonsense\": supported values: \"Resource\", \"ContainerResource\", \"Pods\", \"Object\", \"External\", \"Prometheus\"",
        ],
    );
    refuses(
        "metrics: [{type: Pods}]",
        &["spec.metrics[0].pods: Required value: type is Pods: describe the metric here"],
    );
    refuses(
        &format!("metrics: [{{type: Resource, resource: {{name: cpu, {UTILIZATION}}}, pods: {{}}}}]"),
        &["spec.metrics[0].pods: Forbidden: type is Resource: leave this out, or write type: Pods"],
    );
    refuses(
        &format!("metrics: [{{type: Resource, resource: {{{UTILIZATION}}}}}]"),
        &["spec.metrics[0].resource.name: Required value: write cpu or memory"],
    );
    refuses(
        &format!("metrics: [{{type: ContainerResource, containerResource: {{name: cpu, {UTILIZATION}}}}}]"),
        &[
            "spec.metrics[0].containerResource.container: Required value: write the name of a container of the pods",
        ],
    );
    refuses(
        "metrics: [{type: Object, object: {target: {type: Value, value: 1}}}]",
        &[
            "spec.metrics[0].object.describedObject.kind: Required value: write the kind of the object, such as Deployment",
            "spec.metrics[0].object.describedObject.name: Required value: write the name of the object",
            "spec.metrics[0].object.metric.name: Required value: write the name of the metric",
        ],
    );
    refuses(
        &format!("metrics: [{{type: Resource, maxAgeSeconds: 0, resource: {{name: cpu, {UTILIZATION}}}}}]"),
        &["spec.metrics[0].maxAgeSeconds: Invalid value: 0: must be between 1 and 86400"],
    );
}

#[test]
fn prometheus_sources() {
    let prometheus = |more: &str| {
        format!("metrics: [{{type: Prometheus, prometheus: {{target: {{type: Value, value: 1}}, {more}}}}}]")
    };
    refuses(
        &prometheus("query: ' '"),
        &[
            "spec.metrics[0].prometheus.query: Required value: write a query in PromQL, such as sum(rate(requests_total[2m]))",
        ],
    );
    refuses(
        &prometheus("query: up, server: prometheus:9090, timeoutSeconds: 301, auth: {}"),
        &[
            "spec.metrics[0].prometheus.server: Invalid value: \"prometheus:9090\": must be a URL that begins with http:// or https://, such as https://prometheus.monitoring:9090",
            "spec.metrics[0].prometheus.timeoutSeconds: Invalid value: 301: must be between 1 and 300",
            "spec.metrics[0].prometheus.auth: Required value: give bearer or basic, or leave auth out",
        ],
    );
    refuses(
        &prometheus("query: up, auth: {bearer: {secretName: a}, basic: {}}"),
        &[
            "spec.metrics[0].prometheus.auth.basic: Forbidden: bearer is given too: leave one of them out",
            "spec.metrics[0].prometheus.auth.basic.secretName: Required value: write the name of a Secret",
        ],
    );
}

#[test]
fn targets() {
    let at = "spec.metrics[0].resource.target";
    refuses(
        &cpu("target: {type: Utilization}"),
        &[&format!(
            "{at}.averageUtilization: Required value: give averageUtilization (percent of the request) or averageValue"
        )],
    );
    refuses(
        &cpu("target: {type: Utilization, averageUtilization: 0}"),
        &[&format!("{at}.averageUtilization: Invalid value: 0: must be at least 1")],
    );
    refuses(
        &cpu("target: {type: Utilization, averageUtilization: 5, averageValue: 5m}"),
        &[&format!("{at}.averageValue: Forbidden: averageUtilization is given too: leave one of them out")],
    );
    refuses(
        &cpu("target: {type: Average, averageValue: -5m}"),
        &[
            &format!(
                "{at}.type: Unsupported value: \"Average\": supported values: \"Utilization\", \"Value\", \"AverageValue\""
            ),
            &format!("{at}.averageValue: Invalid value: \"-5m\": must be positive"),
        ],
    );
    let at = "spec.metrics[0].external.target";
    refuses(
        &external("target: {type: Value}"),
        &[&format!("{at}.averageValue: Required value: give averageValue (per pod) or value (the whole)")],
    );
    refuses(
        &external("target: {type: Value, value: 1, averageValue: 1}"),
        &[&format!("{at}.value: Forbidden: averageValue is given too: leave one of them out")],
    );
    refuses(
        &external("target: {type: Value, value: 1x}"),
        &[&format!("{at}.value: Invalid value: \"1x\": must be a quantity such as 500m, 1.5 or 2Gi")],
    );
    refuses(
        "metrics: [{type: Pods, pods: {metric: {name: x}, target: {type: Value, value: 1}}}]",
        &[
            "spec.metrics[0].pods.target.averageValue: Required value: give averageValue: a pods metric is averaged over the pods",
        ],
    );
}

#[test]
fn watermarks() {
    let at = "spec.metrics[0].resource.watermarks";
    refuses(&cpu("watermarks: {}"), &[&format!("{at}: Required value: give low, high or both")]);
    refuses(
        &cpu("watermarks: {low: 90%, high: 80%}"),
        &[&format!("{at}.high: Invalid value: \"80%\": must be at least low, which is 90%")],
    );
    refuses(
        &cpu("watermarks: {low: 40%, high: 2}"),
        &[&format!(
            "{at}.high: Invalid value: \"2\": must be of the same kind as low, which is 40%: both quantities or both percentages"
        )],
    );
    refuses(&cpu("watermarks: {low: 0}"), &[&format!("{at}.low: Invalid value: \"0\": must be positive")]);
    refuses(
        &cpu("watermarks: {low: 5.5%, high: x}"),
        &[
            &format!(
                "{at}.low: Invalid value: \"5.5%\": must be a quantity such as 150m, or a percentage of the request such as \"80%\""
            ),
            &format!(
                "{at}.high: Invalid value: \"x\": must be a quantity such as 150m, or a percentage of the request such as \"80%\""
            ),
        ],
    );
    refuses(
        &cpu("watermarks: {low: 1, high: 12E}"),
        &[&format!(
            "{at}.high: Invalid value: \"12E\": is too large: must be less than 9223372036854775, because it is compared in thousandths"
        )],
    );
    refuses(
        &cpu("watermarks: {low: 1, algorithm: Average}"),
        &[&format!(
            "{at}.algorithm: Forbidden: is for object, external and prometheus: leave it out, this metric is always averaged over the pods"
        )],
    );
    let at = "spec.metrics[0].external.watermarks";
    refuses(
        &external("watermarks: {low: 40%, algorithm: average, converge: up}"),
        &[
            &format!(
                "{at}.low: Invalid value: \"40%\": must be a quantity: only resource and containerResource have a request to take percent of"
            ),
            &format!(
                "{at}.algorithm: Unsupported value: \"average\": supported values: \"Absolute\", \"Average\""
            ),
            &format!(
                "{at}.converge: Unsupported value: \"up\": supported values: \"High\", \"Low\", \"None\""
            ),
        ],
    );
}

#[test]
fn on_missing() {
    let with = |more: &str| {
        format!(
            "metrics: [{{type: Resource, resource: {{name: cpu, {UTILIZATION}}}, onMissing: {{{more}}}}}]"
        )
    };
    let at = "spec.metrics[0].onMissing";
    for good in [
        "type: Hold",
        "type: Ignore",
        "type: UseLast, maxAgeSeconds: 300",
        "type: Assume, value: 70%",
        "type: Fallback, replicas: 5",
        "type: Fallback, replicas: 5, afterSeconds: 60",
    ] {
        accepts(&with(good));
    }
    refuses(
        &with("type: Wait"),
        &[&format!(
            "{at}.type: Unsupported value: \"Wait\": supported values: \"Hold\", \"Ignore\", \"UseLast\", \"Assume\", \"Fallback\""
        )],
    );
    refuses(
        &with("type: UseLast"),
        &[&format!(
            "{at}.maxAgeSeconds: Required value: type is UseLast: write how old it may be, such as 300"
        )],
    );
    refuses(
        &with("type: Assume"),
        &[&format!("{at}.value: Required value: type is Assume: write the value to assume")],
    );
    refuses(
        &with("type: Fallback"),
        &[&format!("{at}.replicas: Required value: type is Fallback: write the replicas to fall back to")],
    );
    refuses(
        &with("type: Hold, afterSeconds: 5, replicas: 3"),
        &[
            &format!("{at}.replicas: Forbidden: is for type Fallback, but type is Hold: leave it out"),
            &format!("{at}.afterSeconds: Forbidden: is for type Fallback, but type is Hold: leave it out"),
        ],
    );
    refuses(
        &with("type: Fallback, replicas: -1, afterSeconds: 86401"),
        &[
            &format!("{at}.replicas: Invalid value: -1: must be at least 0"),
            &format!("{at}.afterSeconds: Invalid value: 86401: must be between 0 and 86400"),
        ],
    );
    refuses(
        &with("type: UseLast, maxAgeSeconds: 0"),
        &[&format!("{at}.maxAgeSeconds: Invalid value: 0: must be between 1 and 86400")],
    );
    refuses(
        &with("type: Assume, value: 100m"),
        &[&format!(
            "{at}.value: Invalid value: \"100m\": must be a percentage such as \"70%\", because the metric is held by percent of the request"
        )],
    );
    refuses(
        "metrics: [{type: Resource, resource: {name: cpu, watermarks: {low: 1}}, onMissing: {type: Assume, value: 7%}}]",
        &[&format!(
            "{at}.value: Invalid value: \"7%\": must be a quantity such as 150m, because the metric is held by a quantity"
        )],
    );
    refuses(
        "metrics: [{type: External, external: {metric: {name: q}, watermarks: {low: 1}}, onMissing: {type: Assume, value: -1}}]",
        &[&format!("{at}.value: Invalid value: \"-1\": must be at least 0")],
    );
}

#[test]
fn zero_replicas_must_be_able_to_wake() {
    let never = "0 replicas could never wake: add an Object, External or Prometheus metric with a target, Average watermarks, or steps in replicas or exact; or write at least 1";
    let asleep = |metrics: String| format!("minReplicas: 0\n{metrics}");
    let message = format!("spec.minReplicas: Invalid value: 0: {never}");
    refuses(&asleep(String::new()), &[&message]);
    refuses(&asleep(cpu(UTILIZATION)), &[&message]);
    refuses(&asleep(external("watermarks: {low: 1, high: 2}")), &[&message]);
    refuses(&asleep(external("watermarks: {low: 1, high: 2, algorithm: Absolute}")), &[&message]);
    refuses(&asleep(external("steps: [{lowerBound: 5, adjustment: {percent: 50}}]")), &[&message]);
    refuses(
        &asleep(external(
            "steps: [{upperBound: 5, adjustment: {exact: 0}}, {lowerBound: 9, adjustment: {percent: 50}}]",
        )),
        &[&message],
    );
    accepts(&asleep(external("target: {type: Value, value: 5}")));
    accepts(&asleep(external("watermarks: {low: 1, high: 2, algorithm: Average}")));
    accepts(&asleep(external("steps: [{lowerBound: 5, adjustment: {replicas: 1}}]")));
    accepts(&asleep(external("steps: [{lowerBound: 5, adjustment: {exact: 1}}]")));
    let schedule = "schedules: [{name: night, cron: 0 0 * * *, durationSeconds: 3600, minReplicas: 0}]";
    refuses(schedule, &[&format!("spec.schedules[0].minReplicas: Invalid value: 0: {never}")]);
    let both = |missing: &str| {
        format!(
            "minReplicas: 0\ncombine: Min\nmetrics: [{{type: External, external: {{metric: {{name: q}}, target: {{type: Value, value: 5}}}}}}, \
             {{type: Resource, resource: {{name: cpu, {UTILIZATION}}}{missing}}}]"
        )
    };
    refuses(
        &both(""),
        &[
            "spec.minReplicas: Invalid value: 0: 0 replicas could never wake, because with combine: Min every metric must agree and one cannot without pods: give it onMissing (Ignore, Assume or Fallback), or write at least 1",
        ],
    );
    accepts(&both(", onMissing: {type: Ignore}"));
}
