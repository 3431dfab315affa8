//! `plimsoll crd`: print the CustomResourceDefinition of the Autoscaler.

use std::io::{self, Write};

use plimsoll_api::autoscaler::crd;

/// Print the CustomResourceDefinition of the Autoscaler, ready for `kubectl apply -f -`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plimsoll crd | kubectl apply -f -")]
pub(crate) struct Args {
    /// How to print it.
    #[arg(short, long, value_enum, default_value_t = Format::Yaml)]
    output: Format,
}

/// How to print it.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Format {
    /// As YAML.
    Yaml,
    /// As JSON.
    Json,
}

/// Prints it.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let text = match args.output {
        Format::Yaml => crd::crd_yaml(),
        Format::Json => format!("{:#}\n", crd::crd()),
    };
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}
