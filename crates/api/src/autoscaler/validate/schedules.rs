//! What is wrong with the schedules: names, cron lines, time zones, durations, bounds.

use super::super::calendar::{ever_fires, parse_cron, time_zone};
use super::super::spec::{AutoscalerSpec, Schedule};
use super::within;
use crate::field::{FieldError, FieldPath};

/// The longest duration: 366 days.
const LONGEST_SECS: i32 = 31_622_400;

pub(super) fn check(spec: &AutoscalerSpec, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let schedules = spec.schedules.as_deref().unwrap_or_default();
    for (index, schedule) in schedules.iter().enumerate() {
        let path = path.index(index);
        let name = path.child("name");
        if schedule.name.is_empty() {
            errors.push(name.required("write a name, such as office-hours"));
        } else if let Some(first) = schedules.iter().take(index).position(|it| it.name == schedule.name) {
            let detail = format!("schedules[{first}] has the same name: write another");
            errors.push(name.invalid(schedule.name.as_str(), &detail));
        }
        one(schedule, &path, errors);
    }
}

fn one(schedule: &Schedule, path: &FieldPath, errors: &mut Vec<FieldError>) {
    cron(&schedule.cron, &path.child("cron"), errors);
    if time_zone(schedule.time_zone.as_deref()).is_none() {
        let name = schedule.time_zone.as_deref().unwrap_or_default();
        let detail = "is no known time zone: write an IANA name such as Europe/Berlin or UTC";
        errors.push(path.child("timeZone").invalid(name, detail));
    }
    let duration = path.child("durationSeconds");
    if schedule.duration_seconds == 0 {
        errors.push(duration.required("write how many seconds it lasts, such as 3600"));
    } else {
        within(Some(schedule.duration_seconds), 1..=LONGEST_SECS, &duration, errors);
    }
    within(schedule.min_replicas, 0..=i32::MAX, &path.child("minReplicas"), errors);
    within(schedule.max_replicas, 1..=i32::MAX, &path.child("maxReplicas"), errors);
    match (schedule.min_replicas, schedule.max_replicas) {
        (None, None) => {
            let detail = "the schedule changes nothing: give minReplicas, maxReplicas or both";
            errors.push(path.child("minReplicas").required(detail));
        }
        (Some(min), Some(max)) if min > max => {
            let detail = format!("must be at least minReplicas, which is {min}");
            errors.push(path.child("maxReplicas").invalid(max, &detail));
        }
        _ => {}
    }
}

fn cron(text: &str, path: &FieldPath, errors: &mut Vec<FieldError>) {
    const HINT: &str = "write five fields (minute, hour, day, month, weekday), such as 0 8 * * MON-FRI";
    if text.trim().is_empty() {
        errors.push(path.required(HINT));
        return;
    }
    match parse_cron(text) {
        Err(_) => errors.push(path.invalid(text, &format!("is no cron line: {HINT}"))),
        Ok(cron) if !ever_fires(&cron) => {
            let detail = "never fires: no month it names has such a day; correct the day or the month";
            errors.push(path.invalid(text, detail));
        }
        Ok(_) => {}
    }
}
