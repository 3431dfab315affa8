//! The plimsoll binary: one file per subcommand.

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

mod check;
mod compare;
mod convert;
mod crd;
mod demo;
mod explain;
mod replay;
mod run;
mod scenario;
mod simulate;
mod welcome;

/// Horizontal pod autoscaling you can try out, check and understand.
#[derive(Parser, Debug)]
#[command(
    name = "plimsoll",
    version,
    after_help = "Exit codes: 0 fine, 1 a finding or a failed assertion, 2 bad input or usage."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Demo(demo::Args),
    Check(check::Args),
    Simulate(simulate::Args),
    Compare(compare::Args),
    Convert(convert::Args),
    Crd(crd::Args),
    Explain(explain::Args),
    Replay(replay::Args),
    Run(Box<run::Args>),
}

/// 0: fine; 1: a finding or a failed assertion; 2: bad input or usage.
fn main() -> ExitCode {
    let done = match Cli::parse().command {
        None => welcome::run(&Cli::command()),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Simulate(args)) => simulate::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Convert(args)) => convert::run(&args),
        Some(Command::Crd(args)) => crd::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Explain(args)) => explain::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Replay(args)) => replay::run(&args),
        Some(Command::Run(args)) => run::run(&args).map(|()| ExitCode::SUCCESS),
    };
    done.unwrap_or_else(|error| {
        if reader_left(&error) {
            return ExitCode::SUCCESS;
        }
        eprintln!("plimsoll: {error:#}");
        ExitCode::from(2)
    })
}

/// Whether all that went wrong is that nobody reads on, as with `plimsoll ... | head`.
fn reader_left(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_subcommand_shows_an_example() {
        for subcommand in Cli::command().get_subcommands_mut() {
            let help = subcommand.render_long_help().to_string();
            let name = subcommand.get_name();
            assert!(
                help.contains(&format!("plimsoll {name}")) && help.contains("Example"),
                "{name}:\n{help}"
            );
        }
    }
}
