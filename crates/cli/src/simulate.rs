//! `plimsoll simulate`: one autoscaler (or several, one after the other) in a simulated world.

use std::process::ExitCode;

use anyhow::Result;
use plimsoll_report::terminal;
use plimsoll_sim::record::{Comparison, Run};
use serde_json::json;

use crate::scenario::{self, Format};

/// See what an autoscaler would do: the same decisions as on a cluster, under virtual time.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  plimsoll simulate hpa.yaml deployment.yaml --load 'step:5->80@10m' --for 1h
  plimsoll simulate hpa.yaml --load day.csv --world world.yaml --html report.html
  kubectl get hpa web -o yaml | plimsoll simulate - --assert 'unmet<1%'")]
pub(crate) struct Args {
    #[command(flatten)]
    scenario: scenario::Inputs,
}

/// Reads, runs, shows.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let scenario = args.scenario.read()?;
    let runs = scenario.run(&args.scenario)?;
    match runs.as_slice() {
        [one] => args.scenario.write_files(one.into())?,
        several => args.scenario.write_files((&Comparison::new(several.to_vec())).into())?,
    }
    match args.scenario.output() {
        Format::Json => scenario::print(&format!("{}\n", json!({ "runs": runs })))?,
        Format::Table => {
            for run in &runs {
                scenario::print(&page(run))?;
            }
        }
    }
    Ok(scenario.verdict(&runs))
}

fn page(run: &Run) -> String {
    let options = scenario::terminal();
    format!(
        "{}\n{}\nchanges\n{}\nscore\n{}\n",
        scenario::heading(run),
        terminal::chart(run, &options),
        terminal::changes(run, &options),
        terminal::score_table(run, &options)
    )
}
