//! Runs vectors recorded from the reference controllers through api and engine, and says where they differ.
//!
//! A vector file is JSON lines, gzipped or not; each line is told apart by what it holds ([`vectors::Kind`]) and run by
//! the module of its kind. To add a kind: a variant there, a module with a `run`, an arm in [`run_line`].

pub mod diff;
pub mod report;
pub mod vectors;

mod objects;
mod quantities;
mod scenarios;
mod wpa_objects;

use std::path::Path;

pub use report::Report;
pub use scenarios::convert::Replay;
pub use vectors::{Fault, Kind, VectorError};

/// Runs every vector of a file. An error means that the file is broken, not that a vector failed.
pub fn run_file(path: &Path, report: &mut Report) -> Result<(), VectorError> {
    each_line(path, |line| run_line(line, report))
}

/// Runs every vector of a HorizontalPodAutoscaler as if its object were an Autoscaler with the same spec.
pub fn run_file_as_autoscaler(path: &Path, report: &mut Report) -> Result<(), VectorError> {
    each_line(path, |line| match vectors::kind(line)? {
        Kind::HpaScenario => scenarios::autoscaler::run(line, report),
        Kind::HpaObject => objects::run_as_autoscaler(line, report),
        kind => Err(Fault::new(format!("{kind} cannot be read as Autoscalers"))),
    })
}

/// Converts the objects of a file of scenarios to Autoscalers and follows both: every difference in replicas must be one
/// that the conversion named.
pub fn replay_converted(path: &Path, replay: &mut Replay) -> Result<(), VectorError> {
    each_line(path, |line| match vectors::kind(line)? {
        Kind::HpaScenario => scenarios::convert::replay_hpa(line, replay),
        Kind::WpaScenario => scenarios::convert::replay_wpa(line, replay),
        kind => Err(Fault::new(format!("{kind} cannot be followed"))),
    })
}

fn each_line(path: &Path, each: impl FnMut(&str) -> Result<(), Fault>) -> Result<(), VectorError> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|error| VectorError {
        file: name.clone(),
        line: None,
        fault: Fault::new(error),
    })?;
    vectors::read(&name, file, each)
}

/// Runs the vectors of one line.
pub fn run_line(line: &str, report: &mut Report) -> Result<(), Fault> {
    match vectors::kind(line)? {
        Kind::Quantity => quantities::run(line, report),
        Kind::HpaObject => objects::run(line, report),
        Kind::WpaObject => wpa_objects::run(line, report),
        Kind::HpaScenario => scenarios::hpa::run(line, report),
        Kind::WpaScenario => scenarios::wpa::run(line, report),
    }
}
