//! An autoscaling/v2 spec is a valid Autoscaler spec, and decides the same numbers for the same reasons.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use std::path::PathBuf;

use plimsoll_conformance::{Report, run_file_as_autoscaler};

#[track_caller]
fn same(name: &str, cases: u64) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name);
    let mut report = Report::default();
    run_file_as_autoscaler(&path, &mut report).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.failed(), 0, "\n{report}");
    assert_eq!(report.passed(), cases, "cases of {name}");
}

#[test]
fn scenarios() {
    same("hpa-scenarios.jsonl.gz", 11_262);
}

#[test]
fn scenarios_with_pods_of_all_sorts() {
    same("hpa-scenarios-pods.jsonl.gz", 3_582);
}

#[test]
fn objects() {
    same("hpa-objects.jsonl.gz", 809);
}
