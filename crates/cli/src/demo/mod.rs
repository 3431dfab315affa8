//! `plimsoll demo`: a web shop and four autoscalers, live in a browser, without a cluster.

mod cluster;
mod control;
mod pace;
mod page;
mod server;
mod shop;
mod theater;
mod window;

use std::process::{ExitCode, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use plimsoll_report::terminal;

use crate::scenario;
use cluster::Cluster;
use theater::Theater;

/// Watch four autoscalers at work on a web shop, live in a browser, without a cluster.
///
/// The same decisions as on a cluster, in fast motion: a day with a flash sale at noon. On the page you can push the
/// load, break the metrics, slow down images, roll out an update, and read why each autoscaler does what it does.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  plimsoll demo --open
  plimsoll demo --once")]
pub(crate) struct Args {
    /// The page's port on 127.0.0.1; 0 takes any that is free
    #[arg(long, default_value_t = 8321, value_name = "PORT")]
    port: u16,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
    /// Run one day to its end and print how the four compare, without a page
    #[arg(long, conflicts_with_all = ["open", "port"])]
    once: bool,
}

/// Shows the demo until Ctrl-C, or prints one day.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.once {
        return once();
    }
    let runtime = tokio::runtime::Runtime::new().context("cannot start")?;
    let done = runtime.block_on(show(args));
    // Open pages hold connections that never end by themselves: nobody waits for them.
    runtime.shutdown_background();
    done
}

/// One day, as text.
fn once() -> Result<ExitCode> {
    let comparison = cluster::one_day()?;
    let options = scenario::terminal();
    scenario::print(&format!(
        "A web shop's day, four autoscalers, each with pods of its own and the same visitors.\n\n{}\n{}",
        terminal::compare_chart(&comparison, &options),
        terminal::compare_table(&comparison, &options)
    ))?;
    Ok(ExitCode::SUCCESS)
}

async fn show(args: &Args) -> Result<ExitCode> {
    let listener = server::bind(args.port).await?;
    let cluster = Cluster::start()?;
    let page = page::render(&cluster.blank());
    let theater = Arc::new(Theater::new(cluster));
    let address = format!("http://{}/", listener.local_addr()?);
    scenario::print(&format!(
        "The shop is open: {address}\nTime passes while a page is open. Ctrl-C ends it.\n"
    ))?;
    if args.open {
        open(&address);
    }
    tokio::select! {
        served = server::serve(listener, Arc::clone(&theater), page) => served.map(|()| ExitCode::SUCCESS),
        Err(error) = pace::keep(&theater) => Err(error),
        () = asked_to_end() => {
            scenario::print("\nThe shop is closed.\n")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Ctrl-C, or a polite request of the system.
async fn asked_to_end() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let terminate = async {
            match signal(SignalKind::terminate()) {
                Ok(mut terminate) => drop(terminate.recv().await),
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! { () = interrupt => {}, () = terminate => {} }
    }
    #[cfg(not(unix))]
    interrupt.await;
}

/// Asks the system for a browser; without one, the address is there to be copied.
fn open(address: &str) {
    let mut command = if cfg!(target_os = "macos") {
        tokio::process::Command::new("open")
    } else if cfg!(windows) {
        let mut command = tokio::process::Command::new("cmd");
        command.args(["/C", "start", ""]);
        command
    } else {
        tokio::process::Command::new("xdg-open")
    };
    let started =
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = started {
        eprintln!("plimsoll: no browser could be opened ({error}); open {address} yourself");
    }
}
