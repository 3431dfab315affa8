//! What manifests mean, in plain words with worked numbers, and what is wrong with them: findings with stable codes.
//!
//! [`check`] looks at all documents together, because many mistakes need two objects to be seen: a Deployment beside
//! its autoscaler, or two autoscalers on one target. Every number it tells was decided by the engine itself.

mod finding;
mod limits;
mod meaning;
mod objects;
mod pods;
mod probe;
mod rules;
mod subject;
mod tell;
#[cfg(test)]
mod tests;
mod words;
mod workload;

pub use finding::{Code, Finding, Severity};
pub use meaning::{Example, Line, Meaning, MetricMeaning, Quiet, Topic};
pub use probe::Change;

use serde::Serialize;

use crate::hpa::Flags;
use crate::manifest::{self, Document};
use subject::Subject;
use workload::Workload;

/// What was found out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What each autoscaler means, in the order given.
    pub autoscalers: Vec<Meaning>,
    /// What is wrong or worth knowing: object by object, the worst first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// How many findings of a severity there are.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|it| it.severity == severity).count()
    }

    /// Moves each finding to the line of its field. `bytes_of` gives the files that the documents were read from.
    pub fn locate<'f>(&mut self, documents: &[Document], bytes_of: impl Fn(&str) -> Option<&'f [u8]>) {
        for finding in &mut self.findings {
            let Some(field) = &finding.field else { continue };
            let document = documents.iter().find(|it| {
                *it.source == *finding.file && it.line == finding.line && subject::label(it) == finding.object
            });
            let line = document
                .zip(bytes_of(&finding.file))
                .and_then(|(document, bytes)| manifest::line_of(bytes, document, field));
            finding.line = line.unwrap_or(finding.line);
        }
    }
}

/// Checks all documents together. `flags` are those of the controller that will look after them.
#[must_use]
pub fn check(documents: &[Document], flags: &Flags) -> Report {
    let subjects: Vec<Subject<'_>> = documents.iter().filter_map(|it| Subject::of(it, flags)).collect();
    let workloads: Vec<Workload<'_>> = documents.iter().filter_map(Workload::of).collect();
    let mut findings = Vec::new();
    objects::given_twice(documents, &mut findings);
    for subject in &subjects {
        findings.extend(subject.refusals.iter().map(|refusal| {
            subject.finding(refusal.code, refusal.message.clone()).field(refusal.field.clone())
        }));
        let target = objects::target(subject, &subjects, &workloads, &mut findings);
        let Some(lowered) = &subject.lowered else { continue };
        pods::check(subject, lowered, target, &mut findings);
        rules::check(subject, lowered, &mut findings);
    }
    order(documents, &mut findings);
    Report { autoscalers: subjects.iter().map(tell::tell).collect(), findings }
}

/// Object by object as they were given, and for each the worst first.
fn order(documents: &[Document], findings: &mut [Finding]) {
    let place = |finding: &Finding| {
        documents.iter().position(|it| *it.source == *finding.file && it.line == finding.line)
    };
    findings.sort_by_key(|it| (place(it), std::cmp::Reverse(it.severity), it.code));
}
