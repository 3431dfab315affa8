//! The plimsoll binary: one file per subcommand.

use std::process::ExitCode;

use clap::Parser;

mod crd;

/// Horizontal pod autoscaling: decide, explain, simulate.
#[derive(Parser, Debug)]
#[command(name = "plimsoll", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Crd(crd::Args),
}

/// 0: fine; 1: a finding or a failed assertion; 2: bad input or usage.
fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Crd(args) => crd::run(&args).map(|()| ExitCode::SUCCESS),
    };
    done.unwrap_or_else(|error| {
        eprintln!("plimsoll: {error:#}");
        ExitCode::from(2)
    })
}
