//! `plimsoll replay`: the decisions of a journal, made again and told.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use plimsoll_controller::explain::{Explained, Origin};
use plimsoll_controller::journal::{self, Unlike};
use plimsoll_controller::key::Kind;
use plimsoll_controller::record::Record;
use plimsoll_engine::Outcome;

use crate::explain::{object, words};

/// Make the decisions of a journal again, and tell what changed and why.
///
/// `plimsoll run --journal DIR` writes one line for each decision, with everything it was made from. Each of them is
/// made again; the exit code is 1 when one comes out differently, as it may with another version of Plimsoll.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  plimsoll replay journal/\n  plimsoll replay journal/ --object hpa/web -n shop --explain"
)]
pub(crate) struct Args {
    /// The directory of a journal, or some of its files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Tell only of this autoscaler: KIND/NAME
    #[arg(long, value_name = "KIND/NAME")]
    object: Option<String>,

    /// Tell only of this namespace
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,

    /// Tell also of decisions that left the replicas as they were
    #[arg(long)]
    all: bool,

    /// Tell each decision step by step, with all numbers
    #[arg(long)]
    explain: bool,

    /// How to print them
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    output: Format,
}

/// How to print them.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// For people.
    Text,
    /// Everything, as one line of JSON for each decision.
    Json,
}

/// What has been gone through.
#[derive(Default)]
struct Count {
    decisions: usize,
    different: usize,
}

/// Replays.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let only = args.object.as_ref().map(|words| object(std::slice::from_ref(words))).transpose()?;
    let mut files = Vec::new();
    for path in &args.paths {
        files.extend(files_of(path)?);
    }
    let mut count = Count::default();
    let mut out = io::stdout().lock();
    for file in &files {
        replay(args, only.as_ref(), file, &mut count, &mut out)?;
    }
    if args.output == Format::Text {
        let same = match count.different {
            0 => "all came out the same".to_owned(),
            different => format!("{different} came out differently"),
        };
        writeln!(
            out,
            "{} of {} made again: {same}",
            counted(count.decisions, "decision"),
            counted(files.len(), "file")
        )?;
    }
    Ok(if count.different == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The files of a journal, or the file itself.
fn files_of(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let files = journal::files(path).with_context(|| path.display().to_string())?;
    if files.is_empty() {
        bail!("{}: no journal in it: give the directory of `plimsoll run --journal`", path.display());
    }
    Ok(files)
}

fn replay(
    args: &Args,
    only: Option<&(Kind, String)>,
    path: &Path,
    count: &mut Count,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let name = path.display();
    let mut file = BufReader::new(File::open(path).with_context(|| name.to_string())?);
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        if file.read_line(&mut line).with_context(|| format!("{name}:{number}"))? == 0 {
            break;
        }
        let Some(whole) = line.strip_suffix('\n') else {
            eprintln!(
                "plimsoll: {name}:{number}: the line is cut, as when a controller was killed; left out"
            );
            break;
        };
        let record = match journal::repeat_line(whole) {
            Ok(record) => record,
            Err(unlike) => {
                let place = format!("{name}:{number}: {unlike}");
                let Unlike::Different(record) = unlike else { bail!(place) };
                eprintln!("plimsoll: {place}");
                count.different += 1;
                *record
            }
        };
        count.decisions += 1;
        if wanted(args, only, &record) {
            tell(args, &record.explained(Origin::Journal), out)?;
        }
    }
    Ok(())
}

/// Whether a decision is to be told.
fn wanted(args: &Args, only: Option<&(Kind, String)>, record: &Record) -> bool {
    let key = &record.key;
    let moved = record.outcome != Outcome::NotTried && record.decision.from != record.decision.to;
    (args.all || moved)
        && only.is_none_or(|(kind, name)| *kind == key.kind && *name == key.name)
        && args.namespace.as_ref().is_none_or(|namespace| *namespace == key.namespace)
}

fn tell(args: &Args, explained: &Explained, out: &mut impl Write) -> anyhow::Result<()> {
    if args.output == Format::Json {
        writeln!(out, "{}", serde_json::to_string(explained)?)?;
    } else if args.explain {
        writeln!(out, "{}", words(explained))?;
    } else {
        let record = &explained.record;
        let at = jiff::Timestamp::from_microsecond(record.decision.at.0).unwrap_or_default();
        let outcome = match &record.outcome {
            Outcome::DryRun => " (dry run)".to_owned(),
            Outcome::Refused(why) => format!(" (not written: {why})"),
            Outcome::Written | Outcome::NotTried => String::new(),
        };
        writeln!(out, "{at:.0}  {}  {}{outcome}", record.key, explained.words.why)?;
    }
    Ok(())
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
