//! Every recorded vector, one test per file: none may fail.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use std::path::PathBuf;

use plimsoll_conformance::{Report, run_file};

fn all_pass(name: &str, cases: u64) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name);
    let mut report = Report::default();
    run_file(&path, &mut report).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.failed(), 0, "\n{report}");
    assert_eq!(report.passed(), cases, "cases of {name}");
}

#[test]
fn quantities() {
    all_pass("quantities.jsonl.gz", 1250);
}

#[test]
fn wpa_objects() {
    all_pass("wpa-objects.jsonl.gz", 600);
}

#[test]
fn hpa_objects() {
    all_pass("hpa-objects.jsonl.gz", 1500);
}

#[test]
fn hpa_scenarios() {
    all_pass("hpa-scenarios.jsonl.gz", 11_262);
}

#[test]
fn hpa_scenarios_with_pods_of_all_sorts() {
    all_pass("hpa-scenarios-pods.jsonl.gz", 3_582);
}

#[test]
fn hpa_scenarios_with_changing_specs() {
    all_pass("hpa-scenarios-respec.jsonl.gz", 5_416);
}

#[test]
fn wpa_scenarios() {
    all_pass("wpa-scenarios.jsonl.gz", 4_652);
}

#[test]
fn quantities_wide() {
    all_pass("quantities-wide.jsonl.gz", 4649);
}

#[test]
fn hpa_objects_wide() {
    all_pass("hpa-objects-wide.jsonl.gz", 1500);
}
