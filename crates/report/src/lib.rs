//! Turns recorded runs into HTML, SVG and terminal pictures.
//!
//! Everything here is a pure function from a record (see `plimsoll_sim::record`) to text: no clock, no file, no
//! network. Every picture takes one [`Run`] or a [`Comparison`], whatever turns into a [`Subject`].

use plimsoll_sim::record::{Comparison, Run};

pub mod csv;
pub mod html;
pub mod live;
pub mod score;
pub mod svg;
pub mod terminal;
pub mod units;

mod wire;

/// What a picture shows: one run, or several that saw the same load.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// One autoscaler.
    Run(&'a Run),
    /// Several, side by side.
    Comparison(&'a Comparison),
}

impl<'a> Subject<'a> {
    /// The runs in the order they were named.
    pub fn runs(&self) -> &'a [Run] {
        match self {
            Self::Run(run) => std::slice::from_ref(run),
            Self::Comparison(comparison) => &comparison.runs,
        }
    }

    /// A title for the picture.
    pub fn title(&self) -> String {
        match self {
            Self::Run(run) => run.name.clone(),
            Self::Comparison(comparison) => {
                let names: Vec<&str> = comparison.runs.iter().map(|run| run.name.as_str()).collect();
                names.join(" · ")
            }
        }
    }
}

impl<'a> From<&'a Run> for Subject<'a> {
    fn from(run: &'a Run) -> Self {
        Self::Run(run)
    }
}

impl<'a> From<&'a Comparison> for Subject<'a> {
    fn from(comparison: &'a Comparison) -> Self {
        Self::Comparison(comparison)
    }
}
