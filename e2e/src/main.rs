//! Runs the end-to-end suite from the command line.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Instant;
use tracing_subscriber::EnvFilter;

use plimsoll_e2e::adapter::Adapter;
use plimsoll_e2e::context::Shared;
use plimsoll_e2e::controller::Subject;
use plimsoll_e2e::install::install;
use plimsoll_e2e::plane::Plane;
use plimsoll_e2e::plane::reaper::{REAP, Reaper, reap};
use plimsoll_e2e::story::{Keep, Story, Tally, run_all};

/// Runs Plimsoll against a real Kubernetes control plane.
#[derive(Parser)]
#[command(name = "plimsoll-e2e", version)]
struct Options {
    /// Run only stories whose name contains this (may be given more than once)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// List the stories and end
    #[arg(long)]
    list: bool,
    /// Leave the plane running after the stories, until Ctrl-C, and keep its directory
    #[arg(long)]
    keep: bool,
    /// How many stories run side by side
    #[arg(long, value_name = "N", default_value_t = 6)]
    at_once: usize,
    /// Run the stories with kube-controller-manager's own HPA controller instead of Plimsoll, to check the stories
    #[arg(long)]
    in_tree: bool,
    /// The binary under test [default: `plimsoll` beside this one]
    #[arg(long, env = "PLIMSOLL_BIN", value_name = "PATH")]
    plimsoll: Option<PathBuf>,
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(REAP) {
        reap();
        return ExitCode::SUCCESS;
    }
    let options = Options::parse();
    let mut stories = chosen(&options.only);
    stories.retain(|story| story.fits_in_tree() || !options.in_tree);
    if options.list {
        stories.iter().for_each(|story| println!("{}", story.name()));
        return ExitCode::SUCCESS;
    }
    if stories.is_empty() {
        eprintln!("plimsoll-e2e: no story is called {}; --list names them", options.only.join(" or "));
        return ExitCode::from(2);
    }
    // The client complains of every refused connection, and here API servers are stopped on purpose.
    let quiet = || EnvFilter::new("warn,kube_client=off");
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_| quiet()))
        .with_writer(std::io::stderr)
        .init();
    match start(options, stories) {
        Ok(tally) => {
            println!("{} passed, {} failed", tally.passed, tally.failed);
            if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("plimsoll-e2e: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn chosen(only: &[String]) -> Vec<Story> {
    let mut stories = plimsoll_e2e::stories::all();
    stories.retain(|story| only.is_empty() || only.iter().any(|part| story.name().contains(part.as_str())));
    stories
}

#[tokio::main]
async fn start(options: Options, stories: Vec<Story>) -> Result<Tally> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    // Whichever way this ends, what was started is dropped here, and dropping a process kills it.
    tokio::select! {
        done = run(options, stories) => done,
        _ = interrupt.recv() => Err(anyhow!("interrupted")),
        _ = terminate.recv() => Err(anyhow!("terminated")),
    }
}

async fn run(options: Options, stories: Vec<Story>) -> Result<Tally> {
    let keep = if options.keep { Keep::Everything } else { Keep::Nothing };
    let started = Instant::now();
    let reaper = Reaper::start()?;
    let dir = tempfile::Builder::new()
        .prefix("plimsoll-e2e.")
        .disable_cleanup(keep == Keep::Everything)
        .tempdir()
        .context("making a temporary directory")?;
    if keep == Keep::Nothing {
        reaper.watch_dir(dir.path());
    }
    let plane = Plane::start(dir.path(), reaper).await.context("starting the control plane")?;
    println!("the control plane is up after {:.1} s", started.elapsed().as_secs_f64());
    let adapter = Adapter::start(&plane).await.context("starting the metrics adapter")?;
    println!("the metric APIs answer after {:.1} s", started.elapsed().as_secs_f64());

    install(&plane).await.context("installing Plimsoll from deploy/")?;
    println!("Plimsoll is installed after {:.1} s", started.elapsed().as_secs_f64());

    let subject = match options.plimsoll {
        _ if options.in_tree => Subject::in_tree(&plane)?,
        Some(path) => Subject::Plimsoll(path),
        None => Subject::Plimsoll(std::env::current_exe()?.with_file_name("plimsoll")),
    };
    let shared = Arc::new(Shared { plane, adapter, subject });
    let tally = run_all(&shared, stories, options.at_once, keep).await;
    if keep == Keep::Everything {
        println!("{} passed, {} failed; the plane is kept until Ctrl-C:", tally.passed, tally.failed);
        println!("  export KUBECONFIG={}", shared.plane.admin_kubeconfig().display());
        std::future::pending::<()>().await;
    }
    println!("the whole run took {:.1} s", started.elapsed().as_secs_f64());
    if let Ok(shared) = Arc::try_unwrap(shared) {
        shared.plane.stop().await;
    }
    Ok(tally)
}
