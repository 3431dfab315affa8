//! The binary on files that are not in order: one line that names file and line, exit code 2.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use std::io::Write;
use std::process::{Command, Output};

use flate2::{Compression, write::GzEncoder};

const GOOD: &str =
    r#"{"in":"1k","ok":true,"canonical":"1k","milliValue":1000000,"value":1000,"approx":1000}"#;
const WRONG: &str =
    r#"{"in":"1k","ok":true,"canonical":"2k","milliValue":1000000,"value":1000,"approx":1000}"#;

fn run(name: &str, content: &[u8]) -> (Output, String) {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("a file in the temporary directory");
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll-conformance"))
        .arg(&path)
        .output()
        .expect("the binary runs");
    (output, path.display().to_string())
}

#[track_caller]
fn refused(name: &str, content: &[u8], message: &str) {
    let (output, path) = run(name, content);
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("error: {path}{message}\n"));
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()));
}

fn gzipped(content: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content.as_bytes()).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn gzip_is_told_by_content_and_blank_lines_hold_nothing() {
    for (name, content) in [
        ("plain.jsonl.gz", format!("{GOOD}\n\n{GOOD}").into_bytes()),
        ("zipped.jsonl", gzipped(&format!("{GOOD}\n{GOOD}\n"))),
    ] {
        let (output, _) = run(name, &content);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "2 passed, 0 failed\n");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn a_mismatch_is_shown_and_fails() {
    let (output, _) = run("mismatch.jsonl", format!("{GOOD}\n{WRONG}\n").as_bytes());
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "\"1k\" canonical: expected \"2k\", got \"1k\"\nmismatches by path:\n      1 canonical\n1 passed, 1 failed\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn broken_files_are_errors() {
    refused("empty.jsonl", b"\n", ": holds no vectors");
    refused("cut.jsonl", format!("{GOOD}\n{{\"in\":").as_bytes(), ":2: column 6: EOF while parsing a value");
    refused("list.jsonl", b"[]", ":1: column 0: invalid type: sequence, expected a JSON object");
    refused(
        "unknown.jsonl",
        format!("{GOOD}\n{{\"question\":1,\"answer\":42}}").as_bytes(),
        ":2: unknown kind of vector, with the fields answer, question",
    );
    refused("twice.jsonl", br#"{"in":"1","ok":true,"in":"2"}"#, ":1: column 24: duplicate key \"in\"");
    refused(
        "deep.jsonl",
        "[".repeat(10_000_000).as_bytes(),
        ":1: column 0: invalid type: sequence, expected a JSON object",
    );
    let deep = format!("{{\"in\":{}", "[".repeat(10_000_000));
    refused("deeper.jsonl", deep.as_bytes(), ":1: column 133: recursion limit exceeded");
    refused("latin1.jsonl", b"{\"in\":\"\xe9\"}", ":1: column 8: not UTF-8");
    refused(
        "type.jsonl",
        br#"{"in":1,"ok":true}"#,
        ":1: column 7: invalid type: integer `1`, expected a string",
    );
    let mut cut = gzipped(&format!("{GOOD}\n").repeat(100));
    cut.truncate(40);
    refused("cut.gz", &cut, ":1: cannot be read: incomplete deflate stream");
}

#[test]
fn an_unknown_field_is_named() {
    let line = GOOD.replace("\"approx\"", "\"approximately\"");
    refused(
        "field.jsonl",
        line.as_bytes(),
        ":1: column 87: unknown field `approximately`, expected one of `in`, `ok`, `canonical`, `approx`, `milliValue`, `value`",
    );
}

#[test]
fn a_missing_file_and_missing_arguments_are_errors() {
    let binary = env!("CARGO_BIN_EXE_plimsoll-conformance");
    let output = Command::new(binary).arg("no-such-file").output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: no-such-file: No such file"));
    assert_eq!(Command::new(binary).output().expect("the binary runs").status.code(), Some(2));
}
