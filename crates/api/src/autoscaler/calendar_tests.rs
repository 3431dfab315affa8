//! Schedules against known dates, clock changes, and a plain list of beginnings.

use proptest::prelude::*;

use super::*;

fn at(text: &str) -> At {
    let timestamp: Timestamp = text.parse().unwrap();
    At(timestamp.as_microsecond())
}

fn schedule(name: &str, cron: &str, zone: &str, secs: i32, min: Option<i32>, max: Option<i32>) -> Schedule {
    Schedule {
        name: name.into(),
        cron: cron.into(),
        time_zone: Some(zone.into()),
        duration_seconds: secs,
        min_replicas: min,
        max_replicas: max,
    }
}

fn calendar(schedules: Vec<Schedule>) -> Calendar {
    let spec = AutoscalerSpec {
        min_replicas: Some(2),
        max_replicas: 20,
        schedules: Some(schedules),
        ..AutoscalerSpec::default()
    };
    Calendar::new(&spec)
}

fn bounds(calendar: &Calendar, text: &str) -> (i32, i32) {
    let found = calendar.at(at(text)).bounds;
    (found.min, found.max)
}

#[test]
fn office_hours_follow_the_zone_s_clock() {
    let it = calendar(vec![schedule("office", "0 8 * * MON-FRI", "Europe/Berlin", 36_000, Some(10), None)]);
    // Winter: 8 o'clock is 07:00Z. A Monday.
    assert_eq!(bounds(&it, "2026-01-12T06:59:59.999999Z"), (2, 20));
    assert_eq!(bounds(&it, "2026-01-12T07:00:00Z"), (10, 20));
    assert_eq!(bounds(&it, "2026-01-12T16:59:59.999999Z"), (10, 20));
    assert_eq!(bounds(&it, "2026-01-12T17:00:00Z"), (2, 20));
    // Summer: 8 o'clock is 06:00Z.
    assert_eq!(bounds(&it, "2026-07-13T05:59:59Z"), (2, 20));
    assert_eq!(bounds(&it, "2026-07-13T06:00:00Z"), (10, 20));
    // Not on Saturday.
    assert_eq!(bounds(&it, "2026-01-17T10:00:00Z"), (2, 20));
    assert_eq!(it.at(at("2026-01-12T08:00:00Z")).active, ["office"]);
}

#[test]
fn without_schedules_the_answer_holds_for_good() {
    let found = calendar(vec![]).at(at("2026-01-01T00:00:00Z"));
    assert_eq!((found.bounds.min, found.bounds.max, found.until), (2, 20, None));
}

#[test]
fn without_a_minimum_there_is_one_replica_at_least() {
    let spec = AutoscalerSpec { max_replicas: 5, ..AutoscalerSpec::default() };
    assert_eq!(Calendar::new(&spec).at(At(0)).bounds, Bounds { min: 1, max: 5 });
}

#[test]
fn the_largest_minimum_and_the_smallest_maximum_count_and_the_maximum_wins() {
    let a = schedule("a", "0 0 * * *", "UTC", 86_400, Some(5), Some(15));
    let b = schedule("b", "0 12 * * *", "UTC", 3_600, Some(8), Some(30));
    let c = schedule("c", "30 12 * * *", "UTC", 3_600, None, Some(6));
    let it = calendar(vec![a, b, c]);
    assert_eq!(bounds(&it, "2026-03-03T10:00:00Z"), (5, 15));
    assert_eq!(bounds(&it, "2026-03-03T12:10:00Z"), (8, 15));
    assert_eq!(bounds(&it, "2026-03-03T12:40:00Z"), (6, 6), "8 and 6 cross: the maximum wins");
    assert_eq!(it.at(at("2026-03-03T12:40:00Z")).active, ["a", "b", "c"]);
}

#[test]
fn a_schedule_overrides_in_both_directions() {
    let it = calendar(vec![schedule("night", "0 0 * * *", "UTC", 3_600, Some(0), Some(40))]);
    assert_eq!(bounds(&it, "2026-03-03T00:30:00Z"), (0, 40));
    assert_eq!(bounds(&it, "2026-03-03T01:30:00Z"), (2, 20));
}

#[test]
fn a_minimum_above_the_object_s_maximum_gives_way() {
    let it = calendar(vec![schedule("high", "0 0 * * *", "UTC", 3_600, Some(50), None)]);
    assert_eq!(bounds(&it, "2026-03-03T00:30:00Z"), (20, 20));
}

#[test]
fn a_time_that_the_clock_skips_begins_after_the_gap() {
    // In Berlin, 2026-03-29 has no 02:30: at 02:00 (01:00Z) it becomes 03:00.
    let it = calendar(vec![schedule("x", "30 2 * * *", "Europe/Berlin", 600, Some(9), None)]);
    assert_eq!(bounds(&it, "2026-03-29T00:59:59Z"), (2, 20));
    assert_eq!(bounds(&it, "2026-03-29T01:00:00Z"), (9, 20));
    assert_eq!(bounds(&it, "2026-03-29T01:10:00Z"), (2, 20));
}

#[test]
fn a_time_that_comes_twice_begins_once_and_lasts_as_long_as_ever() {
    // In Berlin, 2026-10-25 has 02:30 twice: at 00:30Z and at 01:30Z.
    let it = calendar(vec![schedule("x", "30 2 * * *", "Europe/Berlin", 600, Some(9), None)]);
    assert_eq!(bounds(&it, "2026-10-25T00:30:00Z"), (9, 20));
    assert_eq!(bounds(&it, "2026-10-25T00:40:00Z"), (2, 20));
    assert_eq!(bounds(&it, "2026-10-25T01:30:00Z"), (2, 20), "not a second time");
    // Four hours are four hours, over the change of the clock too: until 04:30Z, which is 05:30 there.
    let long = calendar(vec![schedule("x", "30 2 * * *", "Europe/Berlin", 14_400, Some(9), None)]);
    assert_eq!(bounds(&long, "2026-10-25T04:29:59Z"), (9, 20));
    assert_eq!(bounds(&long, "2026-10-25T04:30:00Z"), (2, 20));
}

#[test]
fn beginnings_closer_together_than_the_duration_never_end() {
    let it = calendar(vec![schedule("x", "*/10 * * * *", "UTC", 900, Some(9), None)]);
    let found = it.at(at("2026-05-05T10:14:00Z"));
    assert_eq!((found.bounds.min, found.until), (9, Some(at("2026-05-05T10:25:00Z"))));
}

#[test]
fn the_answer_is_kept_until_it_changes() {
    let it = calendar(vec![schedule("x", "0 12 * * *", "UTC", 3_600, Some(9), None)]);
    let mut known = None;
    assert_eq!(it.refresh(&mut known, at("2026-05-05T10:00:00Z")).min, 2);
    let first = known.clone().unwrap();
    assert_eq!(first.until, Some(at("2026-05-05T12:00:00Z")));
    assert_eq!(it.refresh(&mut known, at("2026-05-05T11:59:59Z")).min, 2);
    assert_eq!(known, Some(first), "not worked out again");
    assert_eq!(it.refresh(&mut known, at("2026-05-05T12:00:00Z")).min, 9);
    assert_eq!(known.clone().unwrap().until, Some(at("2026-05-05T13:00:00Z")));
    // Back in time (a replay): the kept answer does not hold there.
    assert_eq!(it.refresh(&mut known, at("2026-05-05T10:00:00Z")).min, 2);
}

#[test]
fn times_beyond_the_calendar_have_the_object_s_bounds() {
    let it = calendar(vec![schedule("x", "0 12 * * *", "UTC", 3_600, Some(9), None)]);
    for extreme in [At(i64::MIN), At(i64::MAX), At::YEAR_ONE] {
        assert_eq!(it.at(extreme).bounds.max, 20);
    }
}

#[test]
fn what_never_fires_is_known() {
    for (cron, fires) in [
        ("0 0 29 2 *", true),
        ("0 0 30 2 *", false),
        ("0 0 31 4,6,9,11 *", false),
        ("0 0 31 * *", true),
        ("* * * * *", true),
        // A day of the month or a weekday: the Mondays of February.
        ("0 0 30 2 MON", true),
    ] {
        assert_eq!(ever_fires(&parse_cron(cron).unwrap()), fires, "{cron}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Being in force is the same as lying within a duration after one of the beginnings, listed one by one.
    #[test]
    fn in_force_means_within_a_duration_of_a_beginning(
        zone in prop::sample::select(vec!["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]),
        cron in prop::sample::select(vec![
            "30 2 * * *", "0 * * * *", "*/20 1-3 * * *", "15 0 * * SUN", "0 2,14 * * *", "59 23 28 * *", "0 3 * 10 *",
        ]),
        duration in 60_i32..200_000,
        day in prop::sample::select(vec![
            "2026-03-28", "2026-03-08", "2026-10-24", "2026-10-31", "2026-04-04", "2026-10-03", "2026-06-15",
        ]),
        offset in 0_i64..200_000,
    ) {
        let it = calendar(vec![schedule("x", cron, zone, duration, Some(9), None)]);
        let base = at(&format!("{day}T00:00:00Z"));
        let now = base.plus(seconds(offset));
        let parsed = parse_cron(cron).unwrap();
        let zone = time_zone(Some(zone)).unwrap();
        let mut cursor = zoned(now.minus(seconds(i64::from(duration))), &zone).unwrap();
        let mut expected = false;
        loop {
            cursor = parsed.find_next_occurrence(&cursor, false).unwrap();
            if instant(&cursor) > now {
                break;
            }
            expected = true;
        }
        let found = it.at(now);
        prop_assert_eq!(!found.active.is_empty(), expected);
        // The answer holds until just before its end, and there the state is worked out anew.
        let until = found.until.unwrap();
        prop_assert!(until > now);
        prop_assert_eq!(it.at(At(until.0 - 1)).bounds, found.bounds);
    }
}
