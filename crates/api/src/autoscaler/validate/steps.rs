//! What is wrong with a step table, and on which side of the hold zone each step of a good one lies.

use std::cmp::Ordering;

use plimsoll_engine::rule::steps::Zone;

use super::super::metrics::{Adjustment, Step};
use super::super::scalars::Level;
use super::{Mark, Request, level, mark, within};
use crate::field::{FieldError, FieldPath};

/// One step, read.
#[derive(Clone, Copy, Debug)]
struct Range {
    index: usize,
    lower: Option<i64>,
    upper: Option<i64>,
    /// Which way it goes; `None` for `exact`, which may go either way.
    sign: Option<Sign>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    Shrinks,
    Grows,
}

pub(super) fn check(steps: &[Step], request: Request, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if steps.is_empty() {
        errors.push(path.required("write at least one step"));
    }
    let before = errors.len();
    let mut first = None;
    for (index, step) in steps.iter().enumerate() {
        one(step, request, &path.index(index), &mut first, errors);
    }
    // The table as a whole can only be judged when each step makes sense.
    if errors.len() == before {
        let mut ranges: Vec<Range> =
            steps.iter().enumerate().map(|(index, step)| range(index, step)).collect();
        open_ends(&ranges, path, errors);
        if errors.len() == before {
            ranges.sort_by(|a, b| by_lower(a.lower, b.lower));
            neighbours(&ranges, steps, path, errors);
            reach(&ranges, steps, path, errors);
        }
    }
}

/// One step on its own; `first` is the first bound of the table, with whose unit all others must agree.
fn one(
    step: &Step,
    request: Request,
    path: &FieldPath,
    first: &mut Option<(Mark, String)>,
    errors: &mut Vec<FieldError>,
) {
    adjustment(&step.adjustment, &path.child("adjustment"), errors);
    let mut read = |field: &str, text: Option<&Level>| {
        let path = path.child(field);
        let text = text?;
        let mark = level(text, request, &path, errors)?;
        let (other, other_text) = first.get_or_insert_with(|| (mark, text.0.clone()));
        if other.unit != mark.unit {
            let detail = format!(
                "must be of the same kind as the other bounds, such as {other_text}: all quantities or all percentages"
            );
            errors.push(path.invalid(text.0.as_str(), &detail));
        }
        Some(mark.value)
    };
    let lower = read("lowerBound", step.lower_bound.as_ref());
    let upper = read("upperBound", step.upper_bound.as_ref());
    if step.lower_bound.is_none() && step.upper_bound.is_none() {
        let detail = "give lowerBound or upperBound: a step that is open at both ends would always apply";
        errors.push(path.child("lowerBound").required(detail));
    }
    if let (Some(lower), Some(upper), Some(lower_text), Some(upper_text)) =
        (lower, upper, &step.lower_bound, &step.upper_bound)
        && lower >= upper
    {
        let detail = format!("must be greater than lowerBound, which is {lower_text}");
        errors.push(path.child("upperBound").invalid(upper_text.0.as_str(), &detail));
    }
}

fn adjustment(adjustment: &Adjustment, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let given: Vec<&str> = [
        ("replicas", adjustment.replicas.is_some()),
        ("percent", adjustment.percent.is_some()),
        ("exact", adjustment.exact.is_some()),
    ]
    .into_iter()
    .filter_map(|(field, given)| given.then_some(field))
    .collect();
    match given.as_slice() {
        [] => errors.push(path.required("give exactly one of replicas, percent and exact")),
        [_] => {}
        [first, others @ ..] => {
            for field in others {
                let detail = format!("{first} is given too: give exactly one of replicas, percent and exact");
                errors.push(path.child(field).forbidden(&detail));
            }
        }
    }
    within(adjustment.replicas, -1_000_000..=1_000_000, &path.child("replicas"), errors);
    within(adjustment.percent, -100..=10_000, &path.child("percent"), errors);
    within(adjustment.exact, 0..=1_000_000, &path.child("exact"), errors);
    for (field, value) in [("replicas", adjustment.replicas), ("percent", adjustment.percent)] {
        if value == Some(0) {
            let detail = "changes nothing: leave this step out, the gap it leaves is the hold zone";
            errors.push(path.child(field).invalid(0, detail));
        }
    }
}

fn range(index: usize, step: &Step) -> Range {
    let read = |text: Option<&Level>| text.and_then(|it| mark(it).ok()).map(|it| it.value);
    let change = step.adjustment.replicas.or(step.adjustment.percent);
    let sign = change.map(|it| if it < 0 { Sign::Shrinks } else { Sign::Grows });
    Range { index, lower: read(step.lower_bound.as_ref()), upper: read(step.upper_bound.as_ref()), sign }
}

/// Without a lower end comes first.
fn by_lower(a: Option<i64>, b: Option<i64>) -> Ordering {
    a.cmp(&b)
}

/// At most one step is open below, and at most one above.
fn open_ends(ranges: &[Range], path: &FieldPath, errors: &mut Vec<FieldError>) {
    let below = ranges.iter().filter(|it| it.lower.is_none());
    let above = ranges.iter().filter(|it| it.upper.is_none());
    let mut complain = |field: &str, side: &str, mut open: Vec<usize>| {
        if open.len() > 1 {
            let first = open.remove(0);
            for index in open {
                let detail =
                    format!("steps[{first}] is open {side} already, and only one may be: give {field}");
                errors.push(path.index(index).child(field).required(&detail));
            }
        }
    };
    complain("lowerBound", "below", below.map(|it| it.index).collect());
    complain("upperBound", "above", above.map(|it| it.index).collect());
}

/// No overlap; no gap but one, where the sign changes; no change of sign anywhere else.
fn neighbours(ranges: &[Range], steps: &[Step], path: &FieldPath, errors: &mut Vec<FieldError>) {
    let text = |bound: Option<&Level>| bound.map_or(String::new(), |it| it.0.clone());
    let mut sign = ranges.first().and_then(|it| it.sign);
    let mut hold_zone: Option<String> = None;
    for (lower, upper) in ranges.iter().zip(ranges.iter().skip(1)) {
        let (Some(lower_step), Some(upper_step)) = (steps.get(lower.index), steps.get(upper.index)) else {
            continue;
        };
        let (end, begin) = (text(lower_step.upper_bound.as_ref()), text(upper_step.lower_bound.as_ref()));
        let at = path.index(upper.index).child("lowerBound");
        let changes = matches!((sign, upper.sign), (Some(a), Some(b)) if a != b);
        match (lower.upper, upper.lower) {
            (Some(ends), Some(begins)) if ends == begins => {
                if changes {
                    let detail = format!(
                        "shrinking and growing meet here, where both would apply: leave a gap to steps[{}] as the hold zone",
                        lower.index
                    );
                    errors.push(at.invalid(begin.as_str(), &detail));
                }
                sign = upper.sign.or(sign);
            }
            (Some(ends), Some(begins)) if ends < begins => {
                let alike = matches!((sign, upper.sign), (Some(a), Some(b)) if a == b);
                if let Some(zone) = &hold_zone {
                    let detail = format!(
                        "leaves a second gap, from {end}; {zone} is the hold zone, the only one: write {end}"
                    );
                    errors.push(at.invalid(begin.as_str(), &detail));
                } else if alike {
                    let detail = format!(
                        "leaves a gap from {end} in which nothing is decided; only the hold zone between shrinking and growing may be left out: write {end}"
                    );
                    errors.push(at.invalid(begin.as_str(), &detail));
                }
                hold_zone.get_or_insert_with(|| format!("{end} to {begin}"));
                sign = upper.sign;
            }
            (None, _) => {
                let detail = format!(
                    "overlaps steps[{0}], which is open above: give steps[{0}] an upperBound",
                    lower.index
                );
                errors.push(at.invalid(begin.as_str(), &detail));
                sign = upper.sign.or(sign);
            }
            _ => {
                let detail =
                    format!("overlaps steps[{}], which ends at {end}: write {end} or more", lower.index);
                errors.push(at.invalid(begin.as_str(), &detail));
                sign = upper.sign.or(sign);
            }
        }
    }
}

/// A negative bound needs a step that is open below, a positive one a step that is open above.
fn reach(ranges: &[Range], steps: &[Step], path: &FieldPath, errors: &mut Vec<FieldError>) {
    let mut bounds = ranges.iter().flat_map(|it| [it.lower, it.upper]).flatten();
    let (negative, positive) = (bounds.clone().any(|it| it < 0), bounds.any(|it| it > 0));
    if let Some(first) = ranges.first().filter(|it| negative && it.lower.is_some()) {
        let text =
            steps.get(first.index).and_then(|it| it.lower_bound.as_ref()).map_or("", |it| it.0.as_str());
        let detail = "a negative bound needs a step that is open below: leave this lowerBound out";
        errors.push(path.index(first.index).child("lowerBound").invalid(text, detail));
    }
    if let Some(last) = ranges.last().filter(|it| positive && it.upper.is_some()) {
        let text =
            steps.get(last.index).and_then(|it| it.upper_bound.as_ref()).map_or("", |it| it.0.as_str());
        let detail = "a positive bound needs a step that is open above: leave this upperBound out, or add a step without one";
        errors.push(path.index(last.index).child("upperBound").invalid(text, detail));
    }
}

/// On which side of the hold zone each step of a good table lies, in the order of the table.
///
/// The hold zone is the gap; without one it is what the table leaves out at one end; a table that leaves out nothing
/// is taken to be below it when it shrinks.
pub fn zones(steps: &[Step]) -> Vec<Zone> {
    let mut ranges: Vec<Range> = steps.iter().enumerate().map(|(index, step)| range(index, step)).collect();
    ranges.sort_by(|a, b| by_lower(a.lower, b.lower));
    let gap = ranges.windows(2).find_map(|pair| match pair {
        [lower, upper] if lower.upper < upper.lower => upper.lower,
        _ => None,
    });
    let whole = || {
        let open = (ranges.iter().any(|it| it.lower.is_none()), ranges.iter().any(|it| it.upper.is_none()));
        let shrinks = ranges.iter().any(|it| it.sign == Some(Sign::Shrinks));
        if open == (true, false) || (open == (true, true) && shrinks) { Zone::Below } else { Zone::Above }
    };
    let one_side = whole();
    steps
        .iter()
        .enumerate()
        .map(|(index, step)| match gap {
            Some(gap) if range(index, step).lower >= Some(gap) => Zone::Above,
            Some(_) => Zone::Below,
            None => one_side,
        })
        .collect()
}
