//! `plimsoll check`: what manifests mean in plain words, and what is wrong with them.

mod text;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use plimsoll_api::check::{Report, Severity, check};
use plimsoll_api::hpa::Flags;
use plimsoll_api::manifest::{self, Document};
use serde::Serialize;

/// The file name that means standard input.
const STDIN: &str = "-";

/// Explain what autoscalers mean, with worked numbers, and find what is wrong with them.
///
/// Give the workloads too (a Deployment beside its HorizontalPodAutoscaler): many mistakes are seen only when both are
/// known. All files are looked at together. Every number is worked out by the engine that would scale for real.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  plimsoll check hpa.yaml deployment.yaml
  plimsoll check k8s/                            every .yaml, .yml and .json file in a directory
  helm template . | plimsoll check -             from standard input
  plimsoll check -o json --fail-on error k8s/    for CI

Exit codes: 0 fine, 1 there are findings (see --fail-on), 2 the input cannot be read.")]
pub(crate) struct Args {
    /// Files or directories with manifests in YAML or JSON; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How to print the result.
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    output: Format,

    /// Print findings only, no explanations.
    #[arg(short, long)]
    quiet: bool,

    /// From which severity on findings make the exit code 1.
    #[arg(long, value_enum, default_value_t = FailOn::Warning)]
    fail_on: FailOn,

    /// The controller's tolerance, where the object has none of its own.
    #[arg(long, value_name = "SHARE", default_value_t = Flags::default().tolerance)]
    tolerance: f64,

    /// The controller's time between two looks, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = Flags::default().sync_period_secs, value_parser = clap::value_parser!(i64).range(1..=3600))]
    sync_period: i64,

    /// The controller's window for shrinking, in seconds, where the object has none of its own.
    #[arg(long, value_name = "SECONDS", default_value_t = Flags::default().downscale_stabilization_secs, value_parser = clap::value_parser!(i64).range(0..=86_400))]
    downscale_stabilization: i64,
}

/// How to print the result.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// From which severity on findings make the exit code 1.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum FailOn {
    /// Errors only.
    Error,
    /// Warnings and errors.
    Warning,
    /// Nothing.
    Never,
}

/// The result for programs.
#[derive(Serialize)]
struct Printed<'a> {
    version: u32,
    summary: Summary,
    #[serde(flatten)]
    report: &'a Report,
}

#[derive(Serialize)]
struct Summary {
    autoscalers: usize,
    errors: usize,
    warnings: usize,
    infos: usize,
}

/// Reads everything first; a file that cannot be read leaves nothing half-done.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (documents, files) = match read_all(&args.files) {
        Ok(read) => read,
        Err(faults) => {
            let mut stderr = io::stderr().lock();
            for fault in faults {
                writeln!(stderr, "plimsoll: {fault}")?;
            }
            return Ok(ExitCode::from(2));
        }
    };
    let flags = Flags {
        tolerance: args.tolerance,
        sync_period_secs: args.sync_period,
        downscale_stabilization_secs: args.downscale_stabilization,
        ..Flags::default()
    };
    let mut report = check(&documents, &flags);
    report.locate(&documents, |name| files.get(name).map(Vec::as_slice));
    if report.autoscalers.is_empty() {
        let names: Vec<String> = args.files.iter().map(|it| name(it)).collect();
        anyhow::bail!(
            "{}: there is no autoscaler in it: give a HorizontalPodAutoscaler, an Autoscaler or a WatermarkPodAutoscaler",
            names.join(", ")
        );
    }
    let mut stdout = io::stdout().lock();
    match args.output {
        Format::Json => {
            let summary = Summary {
                autoscalers: report.autoscalers.len(),
                errors: report.count(Severity::Error),
                warnings: report.count(Severity::Warning),
                infos: report.count(Severity::Info),
            };
            let printed = Printed { version: 1, summary, report: &report };
            writeln!(stdout, "{}", serde_json::to_string_pretty(&printed)?)?;
        }
        Format::Text => {
            let colored = stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
            let page = text::Page::new(if colored { text::Ink::Colors } else { text::Ink::Plain });
            let amount = if args.quiet { text::Amount::Findings } else { text::Amount::All };
            stdout.write_all(page.print(&report, amount).as_bytes())?;
        }
    }
    let fails = report.findings.iter().any(|it| match args.fail_on {
        FailOn::Error => it.severity >= Severity::Error,
        FailOn::Warning => it.severity >= Severity::Warning,
        FailOn::Never => false,
    });
    Ok(ExitCode::from(u8::from(fails)))
}

/// What was read, by the name of the file.
type Files = BTreeMap<String, Vec<u8>>;

/// All documents of all files, or one line for each file that cannot be used.
fn read_all(files: &[PathBuf]) -> Result<(Vec<Document>, Files), Vec<String>> {
    let (mut documents, mut bytes_of, mut faults) = (Vec::new(), Files::new(), Vec::new());
    for file in files {
        let paths = match listed(file) {
            Ok(paths) => paths,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        for path in paths {
            match read(&path) {
                Ok((name, bytes, read)) => {
                    documents.extend(read);
                    bytes_of.insert(name, bytes);
                }
                Err(fault) => faults.push(fault),
            }
        }
    }
    if faults.is_empty() { Ok((documents, bytes_of)) } else { Err(faults) }
}

/// The file itself, or the manifests in a directory, by name.
fn listed(file: &Path) -> Result<Vec<PathBuf>, String> {
    if !file.is_dir() {
        return Ok(vec![file.to_owned()]);
    }
    let fault = |error: io::Error| format!("{}: cannot be read: {error}", file.display());
    let mut paths = Vec::new();
    for entry in file.read_dir().map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        let manifest = path
            .extension()
            .and_then(|it| it.to_str())
            .is_some_and(|it| matches!(it, "yaml" | "yml" | "json"));
        if manifest && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(format!("{}: there is no .yaml, .yml or .json file in it", file.display()));
    }
    Ok(paths)
}

/// What a file is called in messages.
fn name(path: &Path) -> String {
    if path.as_os_str() == STDIN { "standard input".to_owned() } else { path.display().to_string() }
}

fn read(path: &Path) -> Result<(String, Vec<u8>, Vec<Document>), String> {
    let name = name(path);
    let bytes = if path.as_os_str() == STDIN {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|error| format!("{name}: cannot be read: {error}"))?;
    let documents = manifest::read(&name, &bytes).map_err(|error| error.to_string())?;
    Ok((name, bytes, documents))
}
