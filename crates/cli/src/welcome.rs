//! `plimsoll` alone: what it is, and what to try first.

use std::io::{self, Write};
use std::process::ExitCode;

/// What to try first, in this order, as far as this build has it.
const FIRST: [(&str, &str, &str); 3] = [
    ("demo", "plimsoll demo", "an autoscaler at work, live, without a cluster"),
    ("check", "plimsoll check hpa.yaml", "what a manifest means in plain words, and what is wrong with it"),
    ("simulate", "plimsoll simulate --help", "what a manifest would do under a given load"),
];

/// Prints it.
pub(crate) fn run(command: &clap::Command) -> anyhow::Result<ExitCode> {
    let known = |name: &str| command.get_subcommands().any(|it| it.get_name() == name);
    let mut text =
        String::from("Plimsoll: horizontal pod autoscaling you can try out, check and understand.\n");
    text.push_str("\nTry first:\n");
    for (_, line, what) in FIRST.iter().filter(|(name, ..)| known(name)) {
        text.push_str(&format!("  {line:<26} {what}\n"));
    }
    text.push_str("\nAll commands:\n");
    for subcommand in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
        text.push_str(&format!("  {:<12} {about}\n", subcommand.get_name()));
    }
    text.push_str("\n`plimsoll COMMAND --help` says more about a command.\n");
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
