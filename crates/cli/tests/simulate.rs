//! `plimsoll simulate` and `plimsoll compare` as a user meets them: output, files, exit codes, bad input.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop"
)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn plimsoll(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(args)
        .current_dir(examples())
        .env("COLUMNS", "100")
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_run_shows_chart_changes_and_score_and_repeats_byte_for_byte() {
    let args = [
        "simulate",
        "shop/hpa.yaml",
        "shop/deployment.yaml",
        "--load",
        "step:20->200@10m + noise:5%",
        "--for",
        "1h",
    ];
    let first = out(&plimsoll(&args));
    assert_eq!(first, out(&plimsoll(&args)));
    for part in [
        "hpa (HorizontalPodAutoscaler): 1 h of step:20->200@10m + noise:5%, seed 1",
        "changes",
        "score",
        "goal 65",
        "pod-hours",
    ] {
        assert!(first.contains(part), "{part}\n{first}");
    }
    assert!(!first.contains('\u{1b}'), "colour in a pipe");
    let other = out(&plimsoll(&[&args[..], &["--seed", "2"]].concat()));
    assert_ne!(first, other);
}

#[test]
fn standard_input_works_as_from_kubectl() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["simulate", "-", "--for", "10m", "-o", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = std::fs::read(examples().join("shop/hpa.yaml")).unwrap();
    child.stdin.take().unwrap().write_all(&text).unwrap();
    let output = child.wait_with_output().unwrap();
    let json: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(json["runs"][0]["name"], "hpa");
    assert_eq!(json["runs"][0]["points"].as_array().unwrap().len(), 40);
    assert_eq!(json["runs"][0]["decisions"], 40);
}

#[test]
fn files_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (html, svg, csv) = (path("r.html"), path("r.svg"), path("r.csv"));
    out(&plimsoll(&[
        "simulate",
        "shop/hpa.yaml",
        "--for",
        "30m",
        "--html",
        &html,
        "--svg",
        &svg,
        "--csv",
        &csv,
    ]));
    assert!(std::fs::read_to_string(html).unwrap().contains("</html>"));
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg"));
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 121);
}

#[test]
fn every_decision_can_be_traced() {
    let text =
        out(&plimsoll(&["simulate", "shop/hpa.yaml", "--for", "2m", "--trace-decisions", "--load", "80"]));
    assert!(text.lines().next().unwrap().contains("00:00:00"), "{text}");
    assert!(text.contains("limits allow"), "{text}");
}

#[test]
fn assertions_decide_the_exit_code() {
    let run = |assert: &str| {
        plimsoll(&[
            "simulate",
            "shop/hpa.yaml",
            "--load",
            "step:20->400@10m",
            "--for",
            "30m",
            "--assert",
            assert,
        ])
    };
    assert_eq!(run("unmet<100%").status.code(), Some(0));
    let failed = run("unmet<0.001%");
    assert_eq!(failed.status.code(), Some(1));
    let words = String::from_utf8(failed.stderr).unwrap();
    assert!(words.starts_with("plimsoll: hpa: unmet<0.001%: ") && words.contains("does not hold"), "{words}");
}

#[test]
fn compare_marks_the_best_and_says_the_difference() {
    let args = [
        "compare",
        "step-proposal/target-80.yaml",
        "step-proposal/target-50.yaml",
        "step-proposal/by-steps.yaml",
        "--world",
        "step-proposal/world.yaml",
        "--load",
        "step:5->80@15s",
        "--for",
        "5m",
    ];
    let text = out(&plimsoll(&args));
    assert!(text.contains("* best"), "{text}");
    assert!(text.contains("Compared with target-80, target-50 reaches 80 requests/s"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&out(&plimsoll(&[&args[..], &["-o", "json"]].concat()))).unwrap();
    assert_eq!(json["runs"].as_array().unwrap().len(), 3);
}

#[test]
fn bad_input_is_one_line_and_exit_code_two() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let back = file("back.csv", b"0,1\n60,2\n30,3\n");
    let empty = file("empty.csv", b"");
    let world = file("world.yaml", b"pod:\n  requestPerSecond: 4\n");
    let latin = file("latin.yaml", b"a: \xe9\n");
    for (args, part) in [
        (vec!["shop/hpa.yaml", "--load", &back], "back.csv:3: time goes back by 30 s"),
        (vec!["shop/hpa.yaml", "--load", &empty], "empty.csv: the file is empty"),
        (vec!["shop/hpa.yaml", "--load", "wave:5"], "--load: `wave` is not a shape of load"),
        (vec!["shop/hpa.yaml", "--world", &world], "world.yaml:2: "),
        (vec!["shop/hpa.yaml", "--for", "400d"], "--for: `400d` is too long: at most 366d is accepted"),
        (vec!["shop/hpa.yaml", "--for", "0s"], "--for: no time to simulate"),
        (vec!["shop/hpa.yaml", "--assert", "speed<3"], "--assert: `speed` is not a figure"),
        (vec!["missing.yaml"], "missing.yaml: cannot be read"),
        (vec![latin.as_str()], "latin.yaml: not UTF-8"),
        (vec!["shop/deployment.yaml"], "shop/deployment.yaml: there is no autoscaler in it"),
    ] {
        let output = plimsoll(&[&["simulate"], &args[..]].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.starts_with("plimsoll: ") && error.contains(part), "{args:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{args:?}: {error}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    let alone = plimsoll(&["compare", "shop/hpa.yaml"]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&alone.stderr).contains("give at least two"));
}
