//! Findings that need several objects: the target, its other autoscalers, its neighbours.

use crate::manifest::Document;

use super::finding::{Code, Finding};
use super::subject::{Subject, finding};
use super::workload::Workload;

/// Kinds that Kubernetes has and that have no scale, and why.
const NOT_SCALABLE: [(&str, &str, &str); 4] = [
    ("apps", "DaemonSet", "it runs one pod on each node, so there is no number of replicas"),
    ("batch", "Job", "it runs a fixed number of pods to their end; spec.parallelism is not a scale"),
    ("batch", "CronJob", "it makes Jobs, which have no scale either"),
    ("", "Pod", "it is a single pod; put it into a Deployment"),
];

/// Kinds that Kubernetes has and that can be scaled, with their groups.
const SCALABLE: [(&str, &str); 4] =
    [("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "ReplicaSet"), ("", "ReplicationController")];

/// The same object more than once: only the last one applied counts.
pub(super) fn given_twice(documents: &[Document], findings: &mut Vec<Finding>) {
    let id = |it: &Document| {
        let metadata = it.object.metadata()?;
        let name = metadata.name.clone()?;
        Some((group(&it.api_version).to_owned(), it.kind.clone(), metadata.namespace.clone(), name))
    };
    for (index, document) in documents.iter().enumerate() {
        let Some(own) = id(document) else { continue };
        let before = documents.iter().take(index).find(|it| id(it).as_ref() == Some(&own));
        if let Some(first) = before {
            let message = format!(
                "is already given at {}:{}: the one that is applied last wins",
                first.source, first.line
            );
            findings.push(
                finding(document, Code::GivenTwice, message)
                    .fix("remove one of them, or check them one by one"),
            );
        }
    }
}

/// Findings about the target; gives the workload itself if it is among the documents.
pub(super) fn target<'w, 'a>(
    subject: &Subject<'a>,
    subjects: &[Subject<'a>],
    workloads: &'w [Workload<'a>],
    findings: &mut Vec<Finding>,
) -> Option<&'w Workload<'a>> {
    scalable(subject, findings);
    alone(subject, subjects, findings);
    let near = |it: &&Workload<'_>| same_namespace(subject.namespace, it.metadata.namespace.as_deref());
    let fits = |it: &&Workload<'_>| it.document.kind == subject.target.kind;
    let found = workloads.iter().filter(near).filter(fits).find(|it| it.name() == subject.target.name);
    let Some(workload) = found else {
        let others: Vec<&str> = workloads.iter().filter(near).filter(fits).map(Workload::name).collect();
        not_given(subject, &others, findings);
        return None;
    };
    replicas_set(subject, workload, findings);
    overlap(subject, workload, workloads, findings);
    Some(workload)
}

fn scalable(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let target = &subject.target;
    let written = group(&target.api_version);
    let field = "spec.scaleTargetRef";
    let no_scale = NOT_SCALABLE.iter().find(|(_, kind, _)| *kind == target.kind);
    if let Some((_, kind, why)) = no_scale.filter(|(group, ..)| *group == written) {
        let message = format!("a {kind} cannot be scaled: {why}");
        findings.push(
            subject
                .finding(Code::NotScalable, message)
                .field(field)
                .fix("scale a Deployment, a StatefulSet, or a custom resource with a scale subresource"),
        );
        return;
    }
    // An older version of the right group is converted; another group is another kind.
    let Some((group, kind)) = SCALABLE.iter().find(|(_, kind)| *kind == target.kind) else { return };
    if *group != written && !target.api_version.is_empty() && subject.refusals.is_empty() {
        let right = if group.is_empty() { "v1".to_owned() } else { format!("{group}/v1") };
        let message =
            format!("there is no {kind} in {:?}, so the target will not be found", target.api_version);
        findings.push(
            subject
                .finding(Code::NotScalable, message)
                .field(format!("{field}.apiVersion"))
                .fix(format!("write apiVersion: {right}")),
        );
    }
}

/// Another autoscaler with the same target. Told once for each pair, at the later one.
fn alone(subject: &Subject<'_>, subjects: &[Subject<'_>], findings: &mut Vec<Finding>) {
    let earlier = subjects.iter().take_while(|it| !std::ptr::eq(*it, subject));
    let rival = earlier.into_iter().find(|it| {
        it.target.kind == subject.target.kind
            && it.target.name == subject.target.name
            && same_group(&it.target.api_version, &subject.target.api_version)
            && same_namespace(it.namespace, subject.namespace)
            // The same object twice is told as that.
            && !(it.name == subject.name && it.document.kind == subject.document.kind)
    });
    let Some(rival) = rival else { return };
    let both_hpas = rival.document.kind == "HorizontalPodAutoscaler"
        && subject.document.kind == "HorizontalPodAutoscaler";
    let follows = if both_hpas {
        "then neither scales it (condition AmbiguousSelector)"
    } else {
        "they undo each other's work at every look"
    };
    let message = format!(
        "{}/{} is also scaled by {}/{} ({}:{}): {follows}",
        subject.target.kind,
        subject.target.name,
        rival.document.kind,
        rival.name,
        rival.document.source,
        rival.document.line
    );
    findings.push(
        subject.finding(Code::TwoAutoscalers, message).field("spec.scaleTargetRef").fix(
            "keep one of them and give it the metrics of both: of several metrics the largest wish wins",
        ),
    );
}

fn not_given(subject: &Subject<'_>, others: &[&str], findings: &mut Vec<Finding>) {
    let target = &subject.target;
    if others.is_empty() || target.name.is_empty() {
        return;
    }
    let message = format!(
        "{}/{} is not among the files, but {} is: is the name right?",
        target.kind,
        target.name,
        others.join(", ")
    );
    findings.push(subject.finding(Code::TargetNotGiven, message).field("spec.scaleTargetRef.name"));
}

fn replicas_set(subject: &Subject<'_>, workload: &Workload<'_>, findings: &mut Vec<Finding>) {
    let Some(replicas) = workload.replicas else { return };
    let (kind, name) = (&workload.document.kind, workload.name());
    let resource = format!("{}/{name}", kind.to_lowercase());
    let file = &workload.document.source;
    let message = format!(
        "spec.replicas is {replicas}, so every apply of this manifest sets {kind}/{name} to {replicas} pods, \
         whatever {}/{} has decided",
        subject.document.kind, subject.name
    );
    let handover = format!(
        "apiVersion: {}, kind: {kind}, metadata: {{name: {name}}}, spec: {{replicas: <as many as run now>}}",
        workload.document.api_version
    );
    findings.push(
        finding(workload.document, Code::ReplicasSet, message)
            .field("spec.replicas")
            .fix("do not just delete the line: the next apply would then go to 1 pod, the default. Instead:")
            .fix(format!(
                "with `kubectl apply`: run `kubectl apply edit-last-applied {resource}` and remove spec.replicas \
                 there (no pod changes), then remove it from {file}"
            ))
            .fix(format!(
                "with `kubectl apply --server-side`: apply a file with only {{{handover}}} using \
                 `--server-side --field-manager=handover --validate=false`, then remove spec.replicas from {file} and apply it \
                 as usual: the number stays, owned by `handover` until the autoscaler first writes it"
            )),
    );
}

/// The target's selector must match its own pods only: the autoscaler counts every pod that it matches.
fn overlap(
    subject: &Subject<'_>,
    workload: &Workload<'_>,
    workloads: &[Workload<'_>],
    findings: &mut Vec<Finding>,
) {
    let by_owner = subject
        .lowered
        .as_ref()
        .is_some_and(|it| it.policy.roster.strangers == plimsoll_engine::Strangers::Ignore);
    if by_owner {
        return;
    }
    let others = workloads.iter().filter(|it| {
        let same = it.name() == workload.name() && it.document.kind == workload.document.kind;
        !same && same_namespace(workload.metadata.namespace.as_deref(), it.metadata.namespace.as_deref())
    });
    for other in others.filter(|it| workload.catches(it)) {
        let message = format!(
            "its selector also matches the pods of {}/{}: {}/{} counts and measures them as if they were its own",
            other.document.kind,
            other.name(),
            subject.document.kind,
            subject.name
        );
        findings.push(finding(workload.document, Code::SelectorOverlap, message).field("spec.selector").fix(
            "give each workload a label of its own and select by it (a selector cannot be changed later)",
        ));
    }
}

fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// Whether two references can mean the same group: some kinds let the version be left out.
fn same_group(one: &str, other: &str) -> bool {
    one.is_empty() || other.is_empty() || group(one) == group(other)
}

/// Whether two objects can be in the same namespace: one that is not written is whatever it is applied to.
fn same_namespace(one: Option<&str>, other: Option<&str>) -> bool {
    one.zip(other).is_none_or(|(one, other)| one == other)
}
