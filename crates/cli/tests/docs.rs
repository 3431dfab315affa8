//! Every command in the documentation is run, and its output compared with what the page shows.
//!
//! Each page has a fresh directory with a copy of `examples/`. A fence ```` ```yaml NAME ```` writes that file; in a fence
//! ```` ```console ```` each `$ ` begins a command, `> ` continues it, and what follows is its output; a line `...` stands for
//! any lines. `plimsoll` is the one just built; other programs that a page needs are in `tests/docs/bin`.
//! After a deliberate change: `PLIMSOLL_DOCS=overwrite cargo test -p plimsoll-cli --test docs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// What a command prints to both outputs, without spaces at the end of lines.
fn run(dir: &Path, command: &str) -> String {
    let built = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap().to_path_buf();
    let others = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/docs/bin");
    let system = std::env::var_os("PATH").unwrap_or_default();
    let paths = [built, others].into_iter().chain(std::env::split_paths(&system));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(dir)
        .env("PATH", std::env::join_paths(paths).unwrap())
        .env("COLUMNS", "80")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().fold(String::new(), |all, line| all + line.trim_end() + "\n")
}

/// Whether the output is the one that is shown; `...` stands for any lines.
fn matches(shown: &[&str], got: &[&str]) -> bool {
    match shown.split_first() {
        None => got.is_empty(),
        Some((&"...", rest)) => (0..=got.len()).any(|skip| matches(rest, &got[skip..])),
        Some((line, rest)) => got.first() == Some(line) && matches(rest, &got[1..]),
    }
}

/// The page as it is when every output is the real one; fences with `...` that match are left as they are.
fn made(page: &str, dir: &Path) -> String {
    let mut out = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        match info.split_once(' ') {
            None if info == "console" => out.push_str(&console(&body, dir)),
            Some((_, name)) => {
                std::fs::write(dir.join(name), body.join("\n") + "\n").unwrap();
                body.iter().for_each(|l| writeln!(out, "{l}").unwrap());
            }
            _ => body.iter().for_each(|l| writeln!(out, "{l}").unwrap()),
        }
        out.push_str("```\n");
    }
    out
}

fn console(body: &[&str], dir: &Path) -> String {
    let mut out = String::new();
    let mut rest = body;
    while let Some((first, after)) = rest.split_first() {
        let mut command =
            first.strip_prefix("$ ").unwrap_or_else(|| panic!("not a command: {first}")).to_string();
        writeln!(out, "{first}").unwrap();
        let more = after.iter().take_while(|l| l.starts_with("> ")).count();
        for line in &after[..more] {
            writeln!(out, "{line}").unwrap();
            command = command + "\n" + &line[2..];
        }
        let after = &after[more..];
        let length = after.iter().position(|l| l.starts_with("$ ")).unwrap_or(after.len());
        let got = run(dir, &command);
        let got_lines: Vec<&str> = got.lines().collect();
        if matches(&after[..length], &got_lines) {
            after[..length].iter().for_each(|l| writeln!(out, "{l}").unwrap());
        } else {
            out.push_str(&got);
        }
        rest = &after[length..];
    }
    out
}

/// Runs a page and holds it against itself.
#[track_caller]
fn holds(name: &str) {
    let path = root().join(name);
    let page = std::fs::read_to_string(&path).unwrap();
    let dir = tempfile::tempdir().unwrap();
    copy(&root().join("examples"), &dir.path().join("examples"));
    let made = made(&page, dir.path());
    if made == page {
        return;
    }
    if std::env::var_os("PLIMSOLL_DOCS").is_some_and(|v| v == "overwrite") {
        std::fs::write(&path, &made).unwrap();
        return;
    }
    let at = made.lines().zip(page.lines()).position(|(a, b)| a != b).unwrap_or(0);
    let around = |text: &str| text.lines().skip(at.saturating_sub(3)).take(12).collect::<Vec<_>>().join("\n");
    panic!("{name}:{}: shows\n{}\n\nbut it is\n{}", at + 1, around(&page), around(&made));
}

#[test]
fn the_tutorial() {
    holds("docs/tutorial.md");
}

#[test]
fn the_world_file() {
    holds("docs/world.md");
}

#[test]
fn loads() {
    holds("docs/load.md");
}

#[test]
fn what_is_not_simulated() {
    holds("docs/not-simulated.md");
}

#[test]
fn the_examples() {
    holds("examples/README.md");
}

#[test]
fn a_wrong_output_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let page = "```console\n$ echo a; echo b\na\nb\n$ echo c\n...\n```\n";
    assert_eq!(made(page, dir.path()), page);
    assert_eq!(made(&page.replace("b\n$", "x\n$"), dir.path()), page);
}
