//! The rules that the API server checks itself, before an object is stored: one table, in CEL.
//!
//! Validation in Rust ([`super::validate`]) is the authority and says more; these rules refuse at the door what CEL can
//! say within its cost budget.

/// A rule at one place of the schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The place, such as `spec.metrics[].resource`.
    pub at: String,
    /// What must hold, in CEL.
    pub rule: String,
    /// What to tell when it does not.
    pub message: &'static str,
    /// The field to name, below the place.
    pub field: Option<&'static str>,
}

/// The metric sources: field name, whether pods are read one by one, whether there is a request to take percent of.
const SOURCES: [(&str, Reach, Request); 6] = [
    ("resource", Reach::PerPod, Request::Known),
    ("containerResource", Reach::PerPod, Request::Known),
    ("pods", Reach::PerPod, Request::None),
    ("object", Reach::Whole, Request::None),
    ("external", Reach::Whole, Request::None),
    ("prometheus", Reach::Whole, Request::None),
];

#[derive(Clone, Copy, PartialEq)]
enum Reach {
    PerPod,
    Whole,
}

#[derive(Clone, Copy, PartialEq)]
enum Request {
    Known,
    None,
}

/// Every rule.
pub fn rules() -> Vec<Rule> {
    let mut all = spec_rules();
    all.extend(metric_rules());
    for (source, reach, request) in SOURCES {
        let at = format!("spec.metrics[].{source}");
        all.extend(goal_rules(&at, reach, request));
        all.extend(target_rules(&at, source));
        all.extend(watermark_rules(&format!("{at}.watermarks")));
        all.extend(step_rules(&format!("{at}.steps")));
    }
    all.extend(behavior_rules());
    all
}

fn rule(at: &str, rule: impl Into<String>, message: &'static str) -> Rule {
    Rule { at: at.to_owned(), rule: rule.into(), message, field: None }
}

impl Rule {
    fn naming(self, field: &'static str) -> Self {
        Rule { field: Some(field), ..self }
    }
}

/// A quantity or percentage as a number. (`string(x)` would be shorter, but its cost cannot be estimated.)
fn number(of: &str) -> String {
    format!(
        "(type({of}) == int ? double({of}) : {of}.endsWith('%') ? double({of}.replace('%', '')) : \
         quantity({of}).asApproximateFloat())"
    )
}

fn is_percent(of: &str) -> String {
    format!("(type({of}) == string && {of}.endsWith('%'))")
}

fn spec_rules() -> Vec<Rule> {
    let tolerance = number("self.tolerance");
    let wakes: Vec<String> = SOURCES
        .iter()
        .filter(|(_, reach, _)| *reach == Reach::Whole)
        .map(|(source, _, _)| {
            let it = format!("m.{source}");
            format!(
                "(has({it}) && (has({it}.target) \
                 || (has({it}.watermarks) && has({it}.watermarks.algorithm) && {it}.watermarks.algorithm == 'Average') \
                 || (has({it}.steps) && {it}.steps.exists(s, (has(s.adjustment.replicas) && s.adjustment.replicas > 0) \
                 || (has(s.adjustment.exact) && s.adjustment.exact > 0)))))"
            )
        })
        .collect();
    let sleeps = "(has(self.minReplicas) && self.minReplicas == 0) \
         || (has(self.schedules) && self.schedules.exists(s, has(s.minReplicas) && s.minReplicas == 0))";
    vec![
        rule("spec", "!has(self.behavior) || !has(self.constraints)", "constraints and behavior are two ways to say the same: give only one of them").naming("constraints"),
        rule("spec", "!has(self.minReplicas) || self.minReplicas <= self.maxReplicas", "must be at least minReplicas").naming("maxReplicas"),
        rule("spec", format!("!has(self.tolerance) || ({tolerance} >= 0.0 && {tolerance} < 1.0)"), "must be at least 0 and less than 1: it is a share, write \"0.1\" for 10 percent").naming("tolerance"),
        rule("spec", format!("!({sleeps}) || (has(self.metrics) && self.metrics.exists(m, {}))", wakes.join(" || ")), "0 replicas could never wake: add an Object, External or Prometheus metric with a target, Average watermarks, or steps in replicas or exact; or set at least 1").naming("minReplicas"),
        rule("spec.schedules[]", "has(self.minReplicas) || has(self.maxReplicas)", "changes nothing: give minReplicas, maxReplicas or both"),
        rule("spec.schedules[]", "!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas", "must be at least minReplicas").naming("maxReplicas"),
    ]
}

fn metric_rules() -> Vec<Rule> {
    let mut all: Vec<Rule> = [
        ("Resource", "resource", "must be given exactly when type is Resource"),
        ("ContainerResource", "containerResource", "must be given exactly when type is ContainerResource"),
        ("Pods", "pods", "must be given exactly when type is Pods"),
        ("Object", "object", "must be given exactly when type is Object"),
        ("External", "external", "must be given exactly when type is External"),
        ("Prometheus", "prometheus", "must be given exactly when type is Prometheus"),
    ]
    .into_iter()
    .map(|(kind, field, message)| {
        rule("spec.metrics[]", format!("(self.type == '{kind}') == has(self.{field})"), message).naming(field)
    })
    .collect();
    for (kind, field, message) in [
        ("UseLast", "maxAgeSeconds", "must be given exactly when type is UseLast"),
        ("Assume", "value", "must be given exactly when type is Assume"),
        ("Fallback", "replicas", "must be given exactly when type is Fallback"),
    ] {
        let held = format!("(self.type == '{kind}') == has(self.{field})");
        all.push(rule("spec.metrics[].onMissing", held, message).naming(field));
    }
    let after = "self.type == 'Fallback' || !has(self.afterSeconds)";
    all.push(
        rule("spec.metrics[].onMissing", after, "may be given only when type is Fallback")
            .naming("afterSeconds"),
    );
    let auth = "has(self.bearer) != has(self.basic)";
    all.push(rule("spec.metrics[].prometheus.auth", auth, "give exactly one of bearer and basic"));
    all
}

fn goal_rules(at: &str, reach: Reach, request: Request) -> Vec<Rule> {
    let one_of = "[has(self.target), has(self.watermarks), has(self.steps)].filter(x, x).size() == 1";
    let mut all = vec![rule(at, one_of, "give exactly one of target, watermarks and steps")];
    if reach == Reach::PerPod {
        let held = "!has(self.watermarks) || !has(self.watermarks.algorithm)";
        all.push(
            rule(at, held, "algorithm is for object, external and prometheus: leave it out")
                .naming("watermarks"),
        );
    }
    if request == Request::None {
        let low = is_percent("self.watermarks.low");
        let high = is_percent("self.watermarks.high");
        let marks = format!(
            "!has(self.watermarks) || !((has(self.watermarks.low) && {low}) || (has(self.watermarks.high) && {high}))"
        );
        let message =
            "only resource and containerResource have a request to take percent of: write a quantity";
        all.push(rule(at, marks, message).naming("watermarks"));
        let lower = is_percent("s.lowerBound");
        let upper = is_percent("s.upperBound");
        let steps = format!(
            "!has(self.steps) || self.steps.all(s, !(has(s.lowerBound) && {lower}) && !(has(s.upperBound) && {upper}))"
        );
        all.push(rule(at, steps, message).naming("steps"));
    }
    all
}

fn target_rules(at: &str, source: &str) -> Vec<Rule> {
    let at = format!("{at}.target");
    let (shape, message) = match source {
        "resource" | "containerResource" => (
            "has(self.averageUtilization) != has(self.averageValue)",
            "give exactly one of averageUtilization and averageValue",
        ),
        "pods" => {
            ("has(self.averageValue)", "averageValue must be given: pods metrics are averaged over the pods")
        }
        "object" => ("has(self.value) || has(self.averageValue)", "give value or averageValue"),
        _ => ("has(self.value) != has(self.averageValue)", "give exactly one of value and averageValue"),
    };
    let mut all = vec![rule(&at, shape, message)];
    for field in ["value", "averageValue"] {
        let it = format!("self.{field}");
        all.push(rule(&at, format!("!has({it}) || {} > 0.0", number(&it)), "must be positive").naming(field));
    }
    all
}

fn watermark_rules(at: &str) -> Vec<Rule> {
    let (low, high) = (number("self.low"), number("self.high"));
    let units = format!(
        "!has(self.low) || !has(self.high) || {} == {}",
        is_percent("self.low"),
        is_percent("self.high")
    );
    vec![
        rule(at, "has(self.low) || has(self.high)", "give low, high or both"),
        rule(at, units, "low and high must both be percentages or both be quantities").naming("high"),
        rule(at, format!("!has(self.low) || !has(self.high) || {low} <= {high}"), "must be at least low")
            .naming("high"),
        rule(at, format!("!has(self.low) || {low} > 0.0"), "must be positive").naming("low"),
        rule(at, format!("!has(self.high) || {high} > 0.0"), "must be positive").naming("high"),
    ]
}

fn step_rules(at: &str) -> Vec<Rule> {
    let item = format!("{at}[]");
    let adjustment = format!("{at}[].adjustment");
    let (lower, upper) = (number("self.lowerBound"), number("self.upperBound"));
    let bounds = |sign: &str| {
        format!(
            "(has(s.lowerBound) && {} {sign} 0.0) || (has(s.upperBound) && {} {sign} 0.0)",
            number("s.lowerBound"),
            number("s.upperBound")
        )
    };
    let units = format!(
        "self.all(s, (!has(s.lowerBound) || {0}) && (!has(s.upperBound) || {1})) \
         || self.all(s, (!has(s.lowerBound) || !{0}) && (!has(s.upperBound) || !{1}))",
        is_percent("s.lowerBound"),
        is_percent("s.upperBound")
    );
    let apart = format!(
        "self.all(a, self.all(b, a == b || (has(a.upperBound) && has(b.lowerBound) && {} <= {}) \
         || (has(b.upperBound) && has(a.lowerBound) && {} <= {})))",
        number("a.upperBound"),
        number("b.lowerBound"),
        number("b.upperBound"),
        number("a.lowerBound")
    );
    vec![
        rule(
            &item,
            "has(self.lowerBound) || has(self.upperBound)",
            "both ends are open, so one step would cover everything: give lowerBound or upperBound",
        ),
        rule(
            &item,
            format!("!has(self.lowerBound) || !has(self.upperBound) || {lower} < {upper}"),
            "must be greater than lowerBound",
        )
        .naming("upperBound"),
        rule(
            &adjustment,
            "[has(self.replicas), has(self.percent), has(self.exact)].filter(x, x).size() == 1",
            "give exactly one of replicas, percent and exact",
        ),
        rule(
            &adjustment,
            "!(has(self.replicas) && self.replicas == 0) && !(has(self.percent) && self.percent == 0)",
            "0 changes nothing: leave this range out, the gap between shrinking and growing steps is the hold zone",
        ),
        rule(
            at,
            "self.filter(s, !has(s.lowerBound)).size() <= 1",
            "at most one step may leave out lowerBound",
        ),
        rule(
            at,
            "self.filter(s, !has(s.upperBound)).size() <= 1",
            "at most one step may leave out upperBound",
        ),
        rule(
            at,
            format!("!self.exists(s, {}) || self.exists(s, !has(s.lowerBound))", bounds("<")),
            "a negative bound needs a step without lowerBound",
        ),
        rule(
            at,
            format!("!self.exists(s, {}) || self.exists(s, !has(s.upperBound))", bounds(">")),
            "a positive bound needs a step without upperBound",
        ),
        rule(at, apart, "ranges must not overlap"),
        rule(at, units, "bounds must all be percentages or all be quantities"),
        rule(
            at,
            meetings(),
            "shrinking and growing must not meet: leave a gap between them, which is the hold zone",
        ),
        rule(
            at,
            gaps(),
            "only one gap may be left out, the hold zone between shrinking and growing: let the other ranges meet",
        ),
    ]
}

/// Which way a step goes: 1 grows, -1 shrinks, 0 may do either (`exact`).
fn sign(of: &str) -> String {
    let way = |field: &str| format!("({of}.adjustment.{field} > 0 ? 1 : -1)");
    format!(
        "(has({of}.adjustment.replicas) ? {} : has({of}.adjustment.percent) ? {} : 0)",
        way("replicas"),
        way("percent")
    )
}

/// Steps that meet go the same way.
fn meetings() -> String {
    format!(
        "self.all(a, self.all(b, !(has(a.upperBound) && has(b.lowerBound) && {} == {}) || {} * {} >= 0))",
        number("a.upperBound"),
        number("b.lowerBound"),
        sign("a"),
        sign("b")
    )
}

/// At most one upper end (besides the topmost one) meets no lower end, and only if not all steps go the same way.
fn gaps() -> String {
    let loose = format!(
        "self.filter(a, has(a.upperBound) && !self.exists(b, has(b.lowerBound) && {} == {})).size()",
        number("a.upperBound"),
        number("b.lowerBound")
    );
    let one_way = format!("self.all(s, {0} > 0) || self.all(s, {0} < 0)", sign("s"));
    format!("{loose} <= (self.exists(s, !has(s.upperBound)) ? 0 : 1) + ({one_way} ? 0 : 1)")
}

fn behavior_rules() -> Vec<Rule> {
    let mut all = Vec::new();
    for direction in ["scaleUp", "scaleDown"] {
        let at = format!("spec.behavior.{direction}");
        let tolerance = number("self.tolerance");
        all.push(
            rule(&at, format!("!has(self.tolerance) || {tolerance} >= 0.0"), "must be at least 0")
                .naming("tolerance"),
        );
        let policy = format!("{at}.policies[]");
        let whole = "type(self.value) == string || self.value >= 0";
        all.push(rule(&policy, whole, "must be at least 0").naming("value"));
        let unit = format!("!{} || self.type.matches('^(?i:percent)$')", is_percent("self.value"));
        all.push(
            rule(&policy, unit, "a Pods policy counts pods: write a number, or type: Percent")
                .naming("value"),
        );
        let rate = "!has(self.rate) || !(has(self.pods) || has(self.percent) || has(self.periodSeconds))";
        let message = "give rate, or its fields beside delaySeconds, not both";
        all.push(rule(&format!("spec.constraints.{direction}"), rate, message).naming("rate"));
    }
    all
}
