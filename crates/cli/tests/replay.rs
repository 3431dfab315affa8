//! `plimsoll replay` on a journal of two decisions.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::path::Path;
use std::process::Output;

use plimsoll_controller::key::{Key, Kind};
use plimsoll_controller::record::{About, Record};
use plimsoll_engine::{At, Bounds, Memory, Observation, Outcome, Policy, Scale};

/// What the controller writes when it finds so many replicas where 2 or 3 are allowed.
fn line(secs: i64, replicas: i32) -> String {
    let policy = Policy { bounds: Bounds { min: 2, max: 3 }, ..Policy::plain() };
    let scale = Ok(Scale { spec: replicas, status: replicas });
    let seen = Observation { scale, ..Observation::at(At::from_secs(secs)) };
    let about = About {
        key: Key { kind: Kind::Hpa, namespace: "shop".to_owned(), name: "web".to_owned() },
        uid: "u".to_owned(),
        target: "Deployment/web".to_owned(),
        metrics: Vec::new(),
        shown: std::sync::Arc::default(),
    };
    let before = Memory::new(&policy);
    let record = Record::made(about, policy, seen, before, Outcome::Written);
    serde_json::to_string(&record).unwrap() + "\n"
}

fn replay(dir: &Path, arguments: &[&str]) -> (i32, String, String) {
    let program = env!("CARGO_BIN_EXE_plimsoll");
    let done: Output =
        std::process::Command::new(program).arg("replay").args(arguments).current_dir(dir).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (done.status.code().unwrap_or(-1), text(done.stdout), text(done.stderr))
}

fn journal(text: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("journal-000000.jsonl"), text).unwrap();
    dir
}

#[test]
fn what_changed_is_told_and_everything_is_made_again() {
    let dir = journal(&(line(1_700_000_000, 9) + &line(1_700_000_015, 3)));
    let (code, out, _) = replay(dir.path(), &["."]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].starts_with("2023-11-14T22:13:20Z  hpa/web in shop  "), "{out}");
    assert!(lines[0].contains('3'), "{out}");
    assert_eq!(lines[1], "2 decisions of 1 file made again: all came out the same");
    let (_, all, _) = replay(dir.path(), &[".", "--all"]);
    assert_eq!(all.lines().count(), 3, "{all}");
    let (_, steps, _) = replay(dir.path(), &[".", "--explain", "--object", "hpa/web", "-n", "shop"]);
    assert!(steps.contains("(the journal)") && steps.contains("next:"), "{steps}");
    let (_, other, _) = replay(dir.path(), &[".", "--object", "hpa/api"]);
    assert_eq!(other.lines().count(), 1, "{other}");
    let (_, json, _) = replay(dir.path(), &[".", "-o", "json"]);
    let told: serde_json::Value = serde_json::from_str(json.trim()).unwrap();
    assert_eq!(told["record"]["decision"]["to"], 3);
}

#[test]
fn what_comes_out_differently_is_a_finding() {
    let dir = journal(&line(1_700_000_000, 9).replacen("\"spec\":9", "\"spec\":1", 1));
    let (code, out, err) = replay(dir.path(), &["journal-000000.jsonl"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(err.contains("journal-000000.jsonl:1: hpa/web in shop comes out differently"), "{err}");
    assert!(out.ends_with("1 came out differently\n"), "{out}");
}

#[test]
fn what_is_no_journal_is_said() {
    let (code, _, err) = replay(tempfile::tempdir().unwrap().path(), &["."]);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    let (code, _, err) = replay(journal("{}\n").path(), &["."]);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    let whole = line(1_700_000_000, 9);
    let (code, out, err) = replay(journal(&(whole.clone() + &whole[..40])).path(), &["."]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains(":2: the line is cut") && out.contains("1 decision of 1 file"), "{out}{err}");
}
