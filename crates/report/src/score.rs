//! The score of a run as rows of words, so that a page and a terminal say the same.

use plimsoll_sim::record::{Recovery, Run};
use serde::Serialize;

use crate::units::{duration, grouped, moment, number, percent};

/// One figure of a score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// What it is: `unmet`.
    pub label: &'static str,
    /// The figure with its unit.
    pub value: String,
    /// What stands behind it, or nothing.
    pub detail: String,
    /// Whether a person should look at it.
    pub mood: Mood,
}

/// Whether a figure is good, or worth a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Mood {
    /// As it should be.
    Good,
    /// Neither good nor bad by itself.
    Plain,
    /// Worth a look.
    Look,
}

/// The score's rows, the most important first.
pub fn rows(run: &Run) -> Vec<Row> {
    let score = &run.score;
    let row = |label, value, detail, mood| Row { label, value, detail, mood };
    let zero_is_good = |value: f64| if value > 0.0 { Mood::Look } else { Mood::Good };
    vec![
        row("unmet", percent(score.unmet_percent), unmet_detail(run), zero_is_good(score.unmet_percent)),
        row(
            "under capacity",
            duration(score.under_capacity_secs),
            under_detail(run),
            zero_is_good(score.under_capacity_secs),
        ),
        recovery_row(score.recovery),
        row("pod-hours", number(score.pod_hours), mean_pods(run), Mood::Plain),
        row("peak", count(score.peak_replicas.into(), "replica"), String::new(), Mood::Plain),
        row("changes", grouped(clamp(score.changes)), changes_detail(run), Mood::Plain),
        row(
            "flaps",
            grouped(clamp(score.flaps)),
            reversals(score.reversals),
            zero_is_good(score.flaps as f64),
        ),
    ]
}

fn unmet_detail(run: &Run) -> String {
    let score = &run.score;
    let total = number(score.total_requests);
    match (score.lost_requests > 0.0, score.delayed_requests > 0.0) {
        (false, false) => format!("of {total} requests"),
        (true, false) => format!("{} lost of {total} requests", number(score.lost_requests)),
        (false, true) => format!("{} delayed of {total} requests", number(score.delayed_requests)),
        (true, true) => format!(
            "{} lost, {} delayed of {total} requests",
            number(score.lost_requests),
            number(score.delayed_requests)
        ),
    }
}

fn under_detail(run: &Run) -> String {
    if run.duration_secs <= 0.0 || run.score.under_capacity_secs <= 0.0 {
        return format!("in {}", duration(run.duration_secs));
    }
    let share = percent(run.score.under_capacity_secs / run.duration_secs * 100.0);
    format!("{share} of {}", duration(run.duration_secs))
}

fn recovery_row(recovery: Recovery) -> Row {
    let (value, detail, mood) = match recovery {
        Recovery::NoJump => ("no jump".to_owned(), "the load never jumped".to_owned(), Mood::Plain),
        Recovery::After { at, secs } => {
            (duration(secs), format!("after the jump at {}", moment(at)), Mood::Plain)
        }
        Recovery::Never { at } => {
            ("never".to_owned(), format!("after the jump at {}", moment(at)), Mood::Look)
        }
    };
    Row { label: "recovery", value, detail, mood }
}

fn mean_pods(run: &Run) -> String {
    if run.duration_secs <= 0.0 {
        return String::new();
    }
    format!("{} pods on average", number(run.score.pod_hours * 3_600.0 / run.duration_secs))
}

fn changes_detail(run: &Run) -> String {
    if run.decisions == 0 { String::new() } else { format!("in {}", count(clamp(run.decisions), "decision")) }
}

fn reversals(count_of: u64) -> String {
    if count_of == 0 { String::new() } else { format!("{} in all", count(clamp(count_of), "reversal")) }
}

fn count(value: i64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(value), if value == 1 { "" } else { "s" })
}

fn clamp(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
