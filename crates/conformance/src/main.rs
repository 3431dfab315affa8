//! `plimsoll-conformance FILE...`: runs vector files and ends with `N passed, M failed`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use plimsoll_conformance::{Report, run_file};

const USAGE: &str = "usage: plimsoll-conformance FILE...
Runs recorded vectors (.jsonl, gzipped or not; what they are is told by their content) and says where Plimsoll differs.
Exit code: 0 when all pass, 1 when some fail, 2 when a file cannot be read or understood.";

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    if arguments.iter().any(|it| it == "--help" || it == "-h") {
        return say(std::io::stdout(), USAGE, ExitCode::SUCCESS);
    }
    let option = arguments.iter().find(|it| it.to_string_lossy().starts_with("--"));
    if let Some(option) = option {
        let unknown = format!("error: unknown option {}\n{USAGE}", option.to_string_lossy());
        return say(std::io::stderr(), &unknown, ExitCode::from(2));
    }
    if arguments.is_empty() {
        return say(std::io::stderr(), USAGE, ExitCode::from(2));
    }
    let mut report = Report::default();
    for path in arguments.iter().map(PathBuf::from) {
        if let Err(error) = run_file(&path, &mut report) {
            return say(std::io::stderr(), &format!("error: {error}"), ExitCode::from(2));
        }
    }
    let code = if report.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) };
    say(std::io::stdout(), &report.to_string(), code)
}

/// Prints and passes the exit code on; a reader that went away (`| head`) is no reason to fail otherwise.
fn say(mut to: impl Write, text: &str, code: ExitCode) -> ExitCode {
    let _ = writeln!(to, "{text}");
    code
}
