//! What `simulate` and `compare` share: the flags, reading the inputs, running, and putting the results out.

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use plimsoll_api::manifest::{self, Document};
use plimsoll_report::terminal::{Color, Options};
use plimsoll_sim::record::{Run, TrailWords};
use plimsoll_sim::time::Span;
use plimsoll_sim::{Assertion, BadInput, Load, Setup, Simulation, Subject, Words, World};

/// The load when none is given: two hours with a wave, a burst and some noise.
const USUAL_LOAD: &str = "sine:20..120/2h + spike:+80@80m/10m + noise:5%";
/// The duration when neither a flag nor a recording says one.
const USUAL_FOR: Span = Span::from_secs(7_200);
/// The largest file that is read.
const LARGEST_FILE: u64 = 512 << 20;
/// Decisions between two looks at the progress bar.
const PROGRESS_EVERY: u64 = 2_000;

/// Inputs and outputs of a simulation.
#[derive(clap::Args, Debug)]
pub(crate) struct Inputs {
    /// Manifests of autoscalers (HorizontalPodAutoscaler, Autoscaler, WatermarkPodAutoscaler) and their workloads; `-`
    /// reads standard input
    #[arg(required = true, value_name = "MANIFEST")]
    manifests: Vec<PathBuf>,
    /// What users ask for: a shape like `step:5->80@10m` or `sine:20..200/24h + noise:5%`, a YAML file of shapes, CSV
    /// (time,value), or the JSON of a Prometheus range query
    #[arg(long, value_name = "SHAPE|FILE", default_value = USUAL_LOAD)]
    load: String,
    /// How pods, metrics and the controller behave (YAML); every field has a default
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// How long, for example 2h or 7d (at most 366d) [default: the length of a recorded load, else 2h]
    #[arg(long = "for", value_name = "DURATION")]
    duration: Option<String>,
    /// Seed of every random number: same inputs and seed, same bytes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write a report: one HTML file that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the series
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// How to print the result
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    output: Format,
    /// Print every decision with its steps
    #[arg(long)]
    trace_decisions: bool,
    /// Fail (exit code 1) unless this holds, for example 'unmet<1%' or 'flaps<=2'; may be given several times
    #[arg(long = "assert", value_name = "CONDITION")]
    asserts: Vec<String>,
}

/// How results are printed.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Charts and tables.
    Table,
    /// The whole record.
    Json,
}

/// Everything read and ready to run.
pub(crate) struct Scenario {
    setup: Setup,
    subjects: Vec<Subject>,
    assertions: Vec<Assertion>,
}

impl Inputs {
    /// How results are printed.
    pub(crate) fn output(&self) -> Format {
        self.output
    }

    /// Reads every input; nothing runs and nothing is written before all of them make sense.
    pub(crate) fn read(&self) -> Result<Scenario> {
        let world = match &self.world {
            None => World::default(),
            Some(path) => World::parse(&name(path), &text(path)?)?,
        };
        let load = Load::parse(&self.load, &mut |file| {
            text(Path::new(file))
                .map_err(|error| BadInput::new(file, format!("{:#}", error.root_cause()), ""))
        })?;
        let duration = match &self.duration {
            Some(written) => Span::parse(written).map_err(|what| BadInput::new("--for", what, ""))?,
            None => load.length().filter(|l| *l > Span::ZERO).unwrap_or(USUAL_FOR),
        };
        let mut documents: Vec<Document> = Vec::new();
        for path in &self.manifests {
            documents.extend(manifest::read(&name(path), text(path)?.as_bytes())?);
        }
        let subjects = Subject::all(&documents, &world)?;
        let assertions = self.asserts.iter().map(|a| Assertion::parse(a)).collect::<Result<_, _>>()?;
        let setup = Setup { load, world, duration, seed: self.seed, words: Words::Told };
        Ok(Scenario { setup, subjects, assertions })
    }

    /// Writes the files that were asked for.
    pub(crate) fn write_files<'a>(&self, subject: plimsoll_report::Subject<'a>) -> Result<()> {
        if let Some(path) = &self.html {
            write(path, &plimsoll_report::html::page(subject))?;
        }
        if let Some(path) = &self.svg {
            write(path, &plimsoll_report::svg::chart(subject))?;
        }
        if let Some(path) = &self.csv {
            let tables: Vec<String> = subject.runs().iter().map(plimsoll_report::csv::table).collect();
            write(path, &tables.join("\n"))?;
        }
        Ok(())
    }
}

impl Scenario {
    /// Runs every autoscaler in its own copy of the world, one after the other.
    pub(crate) fn run(&self, args: &Inputs) -> Result<Vec<Run>> {
        let bar = progress(&self.setup, self.subjects.len());
        let mut runs = Vec::new();
        for subject in &self.subjects {
            let mut simulation = Simulation::new(self.setup.clone(), subject.clone())?;
            bar.set_message(subject.name.clone());
            let mut out = Traced::new(args);
            out.heading(&subject.name, self.subjects.len())?;
            while simulation.step()? {
                out.decision(&simulation)?;
                if simulation.decisions() % PROGRESS_EVERY == 0 {
                    bar.inc(PROGRESS_EVERY);
                }
            }
            runs.push(simulation.finish());
        }
        bar.finish_and_clear();
        Ok(runs)
    }

    /// Holds the assertions against every run: failures go to standard error.
    pub(crate) fn verdict(&self, runs: &[Run]) -> ExitCode {
        let mut code = ExitCode::SUCCESS;
        for run in runs {
            for assertion in &self.assertions {
                let verdict = assertion.check(&run.score);
                if !verdict.holds {
                    eprintln!("plimsoll: {}: {}", run.name, verdict.words);
                    code = ExitCode::from(1);
                }
            }
        }
        code
    }
}

/// Prints decisions while they are made, if asked to.
struct Traced {
    wanted: bool,
    before: Option<TrailWords>,
}

impl Traced {
    fn new(args: &Inputs) -> Self {
        Self { wanted: args.trace_decisions && args.output == Format::Table, before: None }
    }

    fn heading(&self, name: &str, of: usize) -> Result<()> {
        if self.wanted && of > 1 { print(&format!("{name}\n")) } else { Ok(()) }
    }

    fn decision(&mut self, simulation: &Simulation) -> Result<()> {
        if !self.wanted {
            return Ok(());
        }
        let words = simulation.words();
        let moment = plimsoll_report::units::moment(simulation.now_secs());
        let mut text = format!("{moment:>9}  {}\n", words.why);
        // Steps that say the same as before are not said again.
        if self.before.as_ref().map(|b| &b.steps) != Some(&words.steps) {
            for step in &words.steps {
                text.push_str(&format!("{:>9}    {step}\n", ""));
            }
        }
        self.before = Some(words);
        print(&text)
    }
}

/// A progress bar on a terminal, nothing elsewhere.
fn progress(setup: &Setup, subjects: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let period = setup.world.sync_period.unwrap_or(Span::from_secs(15)).micros().max(1);
    let decisions = (setup.duration.micros() / period).unsigned_abs() * subjects as u64;
    if decisions < 5 * PROGRESS_EVERY {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(decisions);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:30}] {percent} %") {
        bar.set_style(style);
    }
    bar
}

/// Which load, world and seed made this, in one line.
pub(crate) fn heading(run: &Run) -> String {
    let length = plimsoll_report::units::duration(run.duration_secs);
    format!("{} ({}): {length} of {}, seed {}\n", run.name, run.kind, run.load, run.seed)
}

/// How to draw on this terminal.
pub(crate) fn terminal() -> Options {
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let width =
        columns.or_else(|| terminal_size::terminal_size().map(|(w, _)| usize::from(w.0))).unwrap_or(80);
    let colored = io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb");
    Options { width, color: if colored { Color::Always } else { Color::Never } }
}

/// Prints.
pub(crate) fn print(text: &str) -> Result<()> {
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_string() } else { path.display().to_string() }
}

/// Reads a file, or standard input for `-`.
fn text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let from_stdin = path.as_os_str() == "-";
    let read = if from_stdin {
        io::stdin().lock().take(LARGEST_FILE + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| anyhow!("cannot be read: {error}")).with_context(|| name(path))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(anyhow!("{}: larger than 512 MiB; give a smaller file", name(path)));
    }
    String::from_utf8(bytes)
        .map_err(|error| anyhow!("{}: not UTF-8 after byte {}", name(path), error.utf8_error().valid_up_to()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|error| anyhow!("{}: cannot be written: {error}", path.display()))
}
