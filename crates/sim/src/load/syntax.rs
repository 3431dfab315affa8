//! The compact form of a load on the command line: `step:5->80@10m + noise:5%`.

use super::{Load, MOST, Noise, Part, Size};
use crate::error::{BadInput, one_line};
use crate::time::Span;

/// The shapes with an example each, for messages.
pub(crate) const SHAPES: &str = "constant:50, step:5->80@10m, ramp:10->200@5m/30m, sine:20..200/24h, \
     spike:+300@2h/10m, noise:10%, trace:FILE, joined with ' + '";

const NAMES: [&str; 7] = ["constant", "step", "ramp", "sine", "spike", "noise", "trace"];

/// One term as it was read.
pub(crate) enum Term {
    Part(Part),
    Noise(Noise),
    /// A file that holds a trace; its holes are bridged by a straight line if so written.
    File {
        name: String,
        bridge: super::trace::Holes,
    },
}

/// Whether the text means a shape rather than the name of a file.
pub(crate) fn is_shape(text: &str) -> bool {
    let first = text.trim();
    first.parse::<f64>().is_ok()
        || first.split_once(':').is_some_and(|(name, _)| NAMES.contains(&name.trim()))
}

/// Reads the terms of a sum.
pub(crate) fn terms(place: &str, text: &str) -> Result<Vec<Term>, BadInput> {
    split_sum(text).into_iter().map(|t| term(place, t)).collect()
}

/// Puts terms together; `open` reads the files that they name.
pub(crate) fn build(
    place: &str,
    terms: Vec<Term>,
    open: &mut dyn FnMut(&str) -> Result<String, BadInput>,
) -> Result<Load, BadInput> {
    let mut load = Load { parts: Vec::new(), noise: Vec::new() };
    for term in terms {
        match term {
            Term::Part(part) => load.parts.push(part),
            Term::Noise(noise) => load.noise.push(noise),
            Term::File { name, bridge } => {
                let text = open(&name)?;
                load.parts.push(Part::Trace(super::read::trace(&name, &text, bridge)?));
            }
        }
    }
    if load.parts.is_empty() {
        return Err(BadInput::new(
            place,
            "noise alone is not a load",
            "add what it disturbs, for example `constant:50 + noise:10%`",
        ));
    }
    Ok(load)
}

/// Splits at each `+` that begins a new term: one that is followed by a letter.
fn split_sum(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(found) = rest.get(from..).and_then(|r| r.find('+')) {
        let at = from + found;
        let next = rest.get(at + 1..).unwrap_or("").trim_start();
        if next.chars().next().is_some_and(|c| c.is_ascii_alphabetic()) {
            out.push(rest.get(..at).unwrap_or("").trim());
            rest = next;
            from = 0;
        } else {
            from = at + 1;
        }
    }
    out.push(rest.trim());
    out
}

fn term(place: &str, text: &str) -> Result<Term, BadInput> {
    if let Ok(rate) = text.parse::<f64>() {
        return rate_ok(place, text, rate).map(|rate| Term::Part(Part::Constant { rate }));
    }
    let Some((name, rest)) = text.split_once(':') else {
        return Err(BadInput::new(
            place,
            format!("`{}` is not a load", one_line(text)),
            format!("write one of {SHAPES}"),
        ));
    };
    let rest = rest.trim();
    match name.trim() {
        "constant" => Ok(Term::Part(Part::Constant { rate: rate(place, rest)? })),
        "step" => step(place, rest),
        "ramp" => ramp(place, rest),
        "sine" => sine(place, rest),
        "spike" => spike(place, rest),
        "noise" => noise(place, rest),
        "trace" => Ok(file(rest)),
        other => Err(BadInput::new(
            place,
            format!("`{}` is not a shape of load", one_line(other)),
            format!("write one of {SHAPES}"),
        )),
    }
}

fn step(place: &str, text: &str) -> Result<Term, BadInput> {
    let form = || wrong(place, "step", text, "step:FROM->TO@WHEN (and more ->TO@WHEN), as in step:5->80@10m");
    let mut pieces = text.split("->");
    let from = rate(place, pieces.next().unwrap_or(""))?;
    let mut steps: Vec<(i64, f64)> = Vec::new();
    for piece in pieces {
        let (to, at) = piece.split_once('@').ok_or_else(form)?;
        let at = span(place, at)?;
        if steps.last().is_some_and(|(before, _)| *before >= at) {
            return Err(BadInput::new(
                place,
                format!("the steps of `step:{}` are not in time order", one_line(text)),
                "write the earliest first",
            ));
        }
        steps.push((at, rate(place, to)?));
    }
    if steps.is_empty() {
        return Err(form());
    }
    Ok(Term::Part(Part::Step { from, steps }))
}

fn ramp(place: &str, text: &str) -> Result<Term, BadInput> {
    let form = || wrong(place, "ramp", text, "ramp:FROM->TO@WHEN/HOWLONG, as in ramp:10->200@5m/30m");
    let (from, rest) = text.split_once("->").ok_or_else(form)?;
    let (to, rest) = rest.split_once('@').ok_or_else(form)?;
    let (at, over) = rest.split_once('/').ok_or_else(form)?;
    let over = positive(place, over)?;
    Ok(Term::Part(Part::Ramp { from: rate(place, from)?, to: rate(place, to)?, at: span(place, at)?, over }))
}

fn sine(place: &str, text: &str) -> Result<Term, BadInput> {
    let form = || wrong(place, "sine", text, "sine:LOW..HIGH/PERIOD[@PEAK], as in sine:20..200/24h@14h");
    let (range, rest) = text.split_once('/').ok_or_else(form)?;
    let (low, high) = range.split_once("..").ok_or_else(form)?;
    let (period, peak) = rest.split_once('@').map_or((rest, None), |(p, at)| (p, Some(at)));
    let period = positive(place, period)?;
    let peak = peak.map(|p| span(place, p)).transpose()?.unwrap_or(period / 2);
    sine_ok(place, rate(place, low)?, rate(place, high)?, period, peak).map(Term::Part)
}

pub(crate) fn sine_ok(place: &str, low: f64, high: f64, period: i64, peak: i64) -> Result<Part, BadInput> {
    if low > high {
        return Err(BadInput::new(
            place,
            format!("the low of the sine ({low}) is above its high ({high})"),
            "write the smaller number first",
        ));
    }
    Ok(Part::Sine { low, high, period, peak })
}

fn spike(place: &str, text: &str) -> Result<Term, BadInput> {
    let form = || wrong(place, "spike", text, "spike:+EXTRA@WHEN/HOWLONG, as in spike:+300@2h/10m");
    let (add, rest) = text.split_once('@').ok_or_else(form)?;
    let (at, length) = rest.split_once('/').ok_or_else(form)?;
    let add = rate(place, add.trim().trim_start_matches('+'))?;
    Ok(Term::Part(Part::Spike { add, at: span(place, at)?, length: positive(place, length)? }))
}

fn noise(place: &str, text: &str) -> Result<Term, BadInput> {
    let (size, every) = text.split_once('/').map_or((text, None), |(s, e)| (s, Some(e)));
    let every = every.map(|e| positive(place, e)).transpose()?.unwrap_or(Noise::EVERY);
    let size = match size.trim().strip_suffix('%') {
        Some(percent) => Size::Share(noise_percent(place, rate(place, percent)?)? / 100.0),
        None => Size::Rate(rate(place, size)?),
    };
    Ok(Term::Noise(Noise { size, every }))
}

pub(crate) fn noise_percent(place: &str, percent: f64) -> Result<f64, BadInput> {
    if percent <= 100.0 {
        return Ok(percent);
    }
    Err(BadInput::new(place, format!("noise of {percent}% is more than the load itself"), "use at most 100%"))
}

fn file(text: &str) -> Term {
    use super::trace::Holes;
    match text.strip_suffix(",bridge") {
        Some(name) => Term::File { name: name.trim().to_string(), bridge: Holes::Bridge },
        None => Term::File { name: text.to_string(), bridge: Holes::Refuse },
    }
}

fn wrong(place: &str, shape: &str, text: &str, form: &str) -> BadInput {
    BadInput::new(place, format!("`{shape}:{}` is incomplete", one_line(text)), format!("write {form}"))
}

fn rate(place: &str, text: &str) -> Result<f64, BadInput> {
    let text = text.trim();
    let value = text.parse::<f64>().map_err(|_| {
        BadInput::new(
            place,
            format!("`{}` is not a number of requests per second", one_line(text)),
            "write one like 50 or 12.5",
        )
    })?;
    rate_ok(place, text, value)
}

pub(crate) fn rate_ok(place: &str, text: &str, value: f64) -> Result<f64, BadInput> {
    let what = if value.is_nan() {
        "is not a number"
    } else if value < 0.0 {
        "is negative"
    } else if value > MOST {
        "is more than 1e9 requests per second"
    } else {
        return Ok(value);
    };
    Err(BadInput::new(place, format!("load `{}` {what}", one_line(text)), "write a number from 0 to 1e9"))
}

fn span(place: &str, text: &str) -> Result<i64, BadInput> {
    Span::parse(text).map(Span::micros).map_err(|what| BadInput::new(place, what, ""))
}

fn positive(place: &str, text: &str) -> Result<i64, BadInput> {
    let us = span(place, text)?;
    if us > 0 {
        return Ok(us);
    }
    Err(BadInput::new(
        place,
        format!("`{}` is no time at all", one_line(text)),
        "write a duration above zero",
    ))
}
