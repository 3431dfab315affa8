//! `plimsoll check` as users run it: exact output, exit codes, and input that is bad in every way.
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

#[test]
fn what_is_printed() {
    trycmd::TestCases::new().case("tests/cmd/check.trycmd");
}

/// Gives bytes to `plimsoll check` on standard input.
fn check(bytes: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    child.wait_with_output().unwrap()
}

/// Exit code 2, one line on stderr with those words, and nothing on stdout.
#[track_caller]
fn refused(bytes: &[u8], words: &str) {
    let output = check(bytes);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert_eq!(output.stdout, b"", "nothing half-done");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("plimsoll: standard input"), "{stderr}");
    assert!(stderr.contains(words) && stderr.len() < 300, "{stderr}");
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    refused(&b"[".repeat(10_000_000), "nest");
    refused(&b"{a: ".repeat(2_500_000), "nest");
    refused(b"kind: \xff\xfe", "UTF-8");
    refused(b"a: 1\na: 2\n", "a");
    refused(b"", "there is no autoscaler in it");
    refused(b"kind: [1, 2\n", ":");
    refused(b"\0\0\0\0", ":");
}

#[test]
fn a_sound_object_is_exit_code_0_and_no_colour_without_a_terminal() {
    let output = check(include_bytes!("cmd/check.in/web.yaml"));
    assert_eq!(output.status.code(), Some(0));
    assert!(!output.stdout.contains(&0x1b));
}

#[test]
fn alone_it_says_what_to_try_first() {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout.contains("Try first:") && stdout.contains("plimsoll check hpa.yaml"), "{stdout}");
}
