//! `plimsoll convert`: one kind of autoscaler as another, with every difference named.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use plimsoll_api::autoscaler::Autoscaler;
use plimsoll_api::convert::{
    Converted, Difference, Impossible, autoscaler_to_hpa, hpa_to_autoscaler, to_yaml, wpa_to_autoscaler,
};
use plimsoll_api::hpa::v1::from_v1;
use plimsoll_api::manifest::{self, Document, Object};

/// Turn autoscalers into another kind, and name whatever will not be the same.
///
/// A HorizontalPodAutoscaler or a WatermarkPodAutoscaler becomes an Autoscaler; an Autoscaler (or a
/// WatermarkPodAutoscaler, by way of one) becomes a HorizontalPodAutoscaler. What differs is printed on stderr and stands
/// as a comment in the result.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  plimsoll convert hpa.yaml --to autoscaler > autoscaler.yaml
  kubectl get wpa web -o yaml | plimsoll convert - --to autoscaler
  plimsoll convert autoscaler.yaml --to hpa")]
pub(crate) struct Args {
    /// The manifest to convert; `-` reads standard input. Other objects in it are left out.
    file: PathBuf,
    /// The kind to make of each autoscaler.
    #[arg(long, value_enum)]
    to: Kind,
}

/// The kind to make.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Autoscaler (plimsoll.dev/v1alpha1).
    Autoscaler,
    /// HorizontalPodAutoscaler (autoscaling/v2).
    Hpa,
}

/// Converts every autoscaler of the file.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let name = args.file.display().to_string();
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).context("standard input")?;
        bytes
    } else {
        std::fs::read(&args.file).with_context(|| name.clone())?
    };
    let mut texts = Vec::new();
    for document in manifest::read(&name, &bytes)? {
        let place = format!("{}:{}", document.source, document.line);
        if let Some((text, differences)) = one(&document, args.to).with_context(|| place.clone())? {
            for difference in &differences {
                eprintln!("{place}: {difference}");
            }
            texts.push(text);
        }
    }
    if texts.is_empty() {
        let kinds = match args.to {
            Kind::Autoscaler => "a HorizontalPodAutoscaler or a WatermarkPodAutoscaler",
            Kind::Hpa => "an Autoscaler or a WatermarkPodAutoscaler",
        };
        bail!("{name}: there is nothing to convert in it: give {kinds}");
    }
    io::stdout().lock().write_all(texts.join("---\n").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// One document as the other kind, with its differences; nothing if it is no autoscaler or of that kind already.
fn one(document: &Document, to: Kind) -> anyhow::Result<Option<(String, Vec<Difference>)>> {
    Ok(match (&document.object, to) {
        (Object::Hpa(hpa), Kind::Autoscaler) => Some(written(hpa_to_autoscaler(hpa).map_err(in_one_line)?)),
        (Object::HpaV1(hpa), Kind::Autoscaler) => {
            Some(written(hpa_to_autoscaler(&from_v1(hpa)).map_err(in_one_line)?))
        }
        (Object::Wpa(wpa), Kind::Autoscaler) => Some(written(wpa_to_autoscaler(wpa).map_err(in_one_line)?)),
        (Object::Autoscaler(autoscaler), Kind::Hpa) => {
            Some(written(autoscaler_to_hpa(autoscaler).map_err(in_one_line)?))
        }
        (Object::Wpa(wpa), Kind::Hpa) => {
            Some(written(wpa_to_autoscaler(wpa).and_then(by_way_of).map_err(in_one_line)?))
        }
        _ => None,
    })
}

/// What an Autoscaler that was made on the way becomes, with the differences of both ways.
fn by_way_of(first: Converted<Autoscaler>) -> Result<Converted<plimsoll_api::hpa::Hpa>, Impossible> {
    let second = autoscaler_to_hpa(&first.object)?;
    let differences = first.differences.into_iter().chain(second.differences).collect();
    Ok(Converted { object: second.object, differences })
}

fn written<T: serde::Serialize>(converted: Converted<T>) -> (String, Vec<Difference>) {
    (to_yaml(&converted.object, &converted.differences), converted.differences)
}

/// Each layer of the error words it anew; once is enough.
fn in_one_line(impossible: Impossible) -> anyhow::Error {
    anyhow::Error::msg(impossible.to_string())
}
