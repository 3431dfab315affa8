//! `plimsoll compare`: several autoscalers under the same load, side by side.

use std::process::ExitCode;

use anyhow::{Result, bail};
use plimsoll_report::terminal;
use plimsoll_sim::record::Comparison;

use crate::scenario::{self, Format};

/// Put autoscalers side by side: the same load, the same world, one table and the differences in words.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:
  plimsoll compare hpa.yaml autoscaler.yaml --load 'sine:20..200/24h + noise:5%' --for 24h --html report.html")]
pub(crate) struct Args {
    #[command(flatten)]
    scenario: scenario::Inputs,
}

/// Reads, runs, shows.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let scenario = args.scenario.read()?;
    let runs = scenario.run(&args.scenario)?;
    if runs.len() < 2 {
        bail!("compare: there is only one autoscaler; give at least two, or use `plimsoll simulate`");
    }
    let comparison = Comparison::new(runs);
    args.scenario.write_files((&comparison).into())?;
    match args.scenario.output() {
        Format::Json => scenario::print(&format!("{}\n", serde_json::to_string(&comparison)?))?,
        Format::Table => {
            let options = scenario::terminal();
            for run in &comparison.runs {
                scenario::print(&scenario::heading(run))?;
            }
            scenario::print(&format!(
                "\n{}\n{}",
                terminal::compare_chart(&comparison, &options),
                terminal::compare_table(&comparison, &options)
            ))?;
        }
    }
    Ok(scenario.verdict(&comparison.runs))
}
