//! Findings about the target's pods: containers and requests that metrics rely on, limits that keep them from growing.

use super::finding::{Code, Finding};
use super::probe::{Probe, percent};
use super::subject::{Lowered, MetricView, Subject, finding};
use super::words::level;
use super::workload::{TemplatePod, Workload};
use crate::source::Source;

/// How many invented pods are asked: enough that one percent more is one pod more.
const MANY: i32 = 1000;

pub(super) fn check(
    subject: &Subject<'_>,
    lowered: &Lowered,
    target: Option<&Workload<'_>>,
    findings: &mut Vec<Finding>,
) {
    for metric in &lowered.metrics {
        unknown_resource(subject, metric, findings);
    }
    let Some((workload, pod)) = target.and_then(|it| it.pod.as_ref().map(|pod| (it, pod))) else { return };
    let mut told: Vec<(String, String)> = Vec::new();
    for (index, metric) in lowered.metrics.iter().enumerate() {
        let Source::Resource { name: resource, container, .. } = &metric.source else { continue };
        if let Some(container) = container
            && !pod.containers().contains(&&**container)
        {
            no_such_container(subject, lowered, index, pod, findings);
            continue;
        }
        let by_request = percent(lowered.policy.metrics.get(index).map(|it| &it.rule));
        if by_request && pod.view.request(resource, container.as_deref()).is_err() {
            let key = (resource.to_string(), container.as_deref().unwrap_or_default().to_owned());
            if !told.contains(&key) {
                missing_request(subject, workload, metric, pod, findings);
                told.push(key);
            }
            continue;
        }
        if container.is_none() && by_request && pod.containers().len() > 1 {
            containers_added_up(subject, metric, pod, findings);
        }
        out_of_reach(subject, lowered, index, pod, findings);
    }
}

fn unknown_resource(subject: &Subject<'_>, metric: &MetricView, findings: &mut Vec<Finding>) {
    let Source::Resource { name, .. } = &metric.source else { return };
    if matches!(&**name, "cpu" | "memory") {
        return;
    }
    let message =
        format!("the resource metrics API serves cpu and memory, not {name}: this metric will not be found");
    findings.push(
        subject
            .finding(Code::UnknownResource, message)
            .field(metric.field.clone())
            .fix("use cpu or memory, or a metric of type Pods, Object or External"),
    );
}

fn no_such_container(
    subject: &Subject<'_>,
    lowered: &Lowered,
    index: usize,
    pod: &TemplatePod,
    findings: &mut Vec<Finding>,
) {
    let Some(MetricView { source: Source::Resource { name, container: Some(container), .. }, field, .. }) =
        lowered.metrics.get(index)
    else {
        return;
    };
    // While a container is renamed, its old and its new name are tracked side by side.
    let renamed = lowered.metrics.iter().any(|it| match &it.source {
        Source::Resource { name: other, container: Some(container), .. } => {
            other == name && pod.containers().contains(&&**container)
        }
        _ => false,
    });
    if renamed {
        return;
    }
    let message = format!(
        "there is no container {container} in the pods of {}/{}: this metric can never be read, and shrinking waits \
         for it",
        subject.target.kind, subject.target.name
    );
    findings.push(
        subject
            .finding(Code::NoSuchContainer, message)
            .field(format!("{field}.containerResource.container"))
            .fix(format!("the containers are: {}", pod.containers().join(", "))),
    );
}

fn missing_request(
    subject: &Subject<'_>,
    workload: &Workload<'_>,
    metric: &MetricView,
    pod: &TemplatePod,
    findings: &mut Vec<Finding>,
) {
    let Source::Resource { name: resource, container, .. } = &metric.source else { return };
    let lacking = match container {
        Some(container) => vec![&**container],
        None => pod.without_request(resource),
    };
    let (containers, verb) = match lacking.as_slice() {
        [one] => (format!("container {one}"), "does"),
        many => (format!("containers {}", many.join(", ")), "do"),
    };
    let message = format!(
        "{containers} {verb} not request {resource}, but {} of {}/{} is a percentage of that request: it cannot be \
         worked out, and nothing is scaled by it",
        metric.field, subject.document.kind, subject.name
    );
    let mut found = finding(workload.document, Code::MissingRequest, message)
        .field(format!("{}.resources.requests", pod.field_of(lacking.first().copied().unwrap_or_default())))
        .fix(format!(
            "write resources: {{requests: {{{resource}: ...}}}} for each of them (unless a LimitRange of the namespace \
             fills it in)"
        ));
    if container.is_none() && lacking.len() < pod.containers().len() {
        found = found.fix("or measure one container only: type ContainerResource");
    } else {
        found = found.fix("or hold an AverageValue, which needs no request");
    }
    findings.push(found);
}

fn containers_added_up(
    subject: &Subject<'_>,
    metric: &MetricView,
    pod: &TemplatePod,
    findings: &mut Vec<Finding>,
) {
    let containers = pod.containers();
    let message = format!(
        "{} is measured over all {} containers ({}) together: a busy one can hide behind an idle one that requests much",
        metric.shown.name,
        containers.len(),
        containers.join(", ")
    );
    findings.push(
        subject
            .finding(Code::ContainersAddedUp, message)
            .field(metric.field.clone())
            .fix("to follow one container, use type ContainerResource and name it"),
    );
}

/// A metric that cannot ask for more even when every pod is at its limit.
fn out_of_reach(
    subject: &Subject<'_>,
    lowered: &Lowered,
    index: usize,
    pod: &TemplatePod,
    findings: &mut Vec<Finding>,
) {
    let Some(metric) = lowered.metrics.get(index) else { return };
    let Source::Resource { name: resource, container, .. } = &metric.source else { return };
    let Some(limit) = pod.limit(resource, container.as_deref()).filter(|it| *it > 0) else { return };
    let by_request = percent(lowered.policy.metrics.get(index).map(|it| &it.rule));
    let most = if by_request {
        match pod.view.request(resource, container.as_deref()) {
            Ok(request) if request > 0 => limit as f64 * 100.0 / request as f64,
            _ => return,
        }
    } else {
        limit as f64
    };
    let probe = Probe::new(&lowered.policy, &lowered.metrics);
    let asks_for_more = probe.bid(index, most, MANY).is_none_or(|bid| bid.to > MANY);
    if asks_for_more {
        return;
    }
    let at_limit = if &**resource == "memory" { "killed" } else { "slowed down" };
    let message = format!(
        "never makes it grow: the pods are {at_limit} at their limit, which is {}, and even there {} asks for no more \
         replicas",
        level(&metric.shown, most),
        metric.shown.name
    );
    findings.push(
        subject
            .finding(Code::GoalOutOfReach, message)
            .field(metric.field.clone())
            .fix("lower the goal, or raise the limit (or the limit in proportion to the request)"),
    );
}
