//! What survives, and when it is written.

use plimsoll_engine::{At, Change, History, Memory, MetricMemory, seconds};

use super::*;

fn memory(proposals: &[(i64, i32)]) -> Memory {
    let slots = proposals.iter().map(|(secs, replicas)| (At::from_secs(*secs), *replicas)).collect();
    Memory { history: History::Slots(slots), ..Memory::default() }
}

fn data(memory: &Memory, clean: bool) -> Data {
    Data {
        autoscaler: "HorizontalPodAutoscaler/web".to_owned(),
        target_uid: "target".to_owned(),
        at: 0,
        clean,
        memory: wire::write(memory),
    }
}

#[test]
fn after_a_clean_stop_nothing_is_lost() {
    let mut memory = memory(&[(1, 3), (2, 4)]);
    memory.grown.push(Change { at: At(1_763_244_000_123_456), by: 2, outdated: true });
    memory.metrics.push(MetricMemory { last: None, failing_since: Some(At(7)) });
    memory.recalled.above_since = Some(At(8));
    assert_eq!(judge(&data(&memory, true), "target", 9, At::from_secs(3)), Restored::Whole(memory.clone()));
    let skylines = History::Skylines { peaks: vec![(At(1), 5), (At(2), 3)], troughs: vec![(At(2), 3)] };
    let memory = Memory { history: skylines, ..memory };
    assert_eq!(judge(&data(&memory, true), "target", 9, At::from_secs(3)), Restored::Whole(memory));
}

#[test]
fn after_a_crash_the_missing_end_counts_as_the_current_replicas() {
    let found = judge(&data(&memory(&[(1, 3)]), false), "target", 9, At::from_secs(50));
    assert_eq!(found, Restored::Cut(memory(&[(1, 3), (50, 9)])));
}

#[test]
fn the_history_of_another_target_is_not_ours() {
    assert_eq!(judge(&data(&memory(&[(1, 3)]), true), "other", 9, At::from_secs(50)), Restored::Nothing);
    let broken = Data { memory: "{".to_owned(), ..data(&memory(&[]), true) };
    assert_eq!(judge(&broken, "target", 9, At::from_secs(50)), Restored::Nothing);
}

#[test]
fn a_steady_fleet_writes_nothing_and_a_scaling_is_written_at_once() {
    let mut kept = Kept::default();
    let (now, next) = (At::from_secs(100), At::from_secs(115));
    assert_eq!(kept.due(&memory(&[(1, 3)]), now, next), Due::Now, "the first is written");
    kept.written(&memory(&[(1, 3)]), Some("1".to_owned()));
    assert_eq!(kept.due(&memory(&[(1, 3), (15, 3)]), now, next), Due::Never);
    let mut scaled = memory(&[(1, 3), (15, 3)]);
    scaled.grown.push(Change { at: now, by: 1, outdated: false });
    assert_eq!(kept.due(&scaled, now, next), Due::Now);
}

#[test]
fn a_changed_recommendation_is_written_within_half_a_minute() {
    let mut kept = Kept::default();
    kept.written(&memory(&[(1, 3)]), Some("1".to_owned()));
    let changed = memory(&[(1, 3), (100, 4)]);
    let at = At::from_secs;
    assert_eq!(kept.due(&changed, at(100), at(115)), Due::Later);
    assert_eq!(kept.due(&changed, at(115), at(130)), Due::Now, "the next chance would be too late");
    let mut slow = Kept::default();
    slow.written(&memory(&[(1, 3)]), Some("1".to_owned()));
    assert_eq!(slow.due(&changed, at(100), at(160)), Due::Now);
}

#[test]
fn what_is_too_large_is_shortened_on_the_safe_side() {
    let mut large = memory(&(0..4096).map(|n| (1_763_244_000 + n, 7)).collect::<Vec<_>>());
    for n in 0..1024 {
        let at = At(1_763_244_000_123_456 + seconds(n));
        large.grown.push(Change { at, by: 1, outdated: false });
        large.shrunk.push(Change { at, by: 1, outdated: false });
    }
    let text = wire::write(&large);
    assert!(text.len() <= wire::LARGEST, "{} bytes", text.len());
    let kept = wire::read(&text).unwrap();
    let sum = |changes: &[Change]| changes.iter().map(|change| change.by).sum::<i32>();
    assert_eq!((sum(&kept.grown), sum(&kept.shrunk)), (1024, 1024), "no scaling is forgotten");
    let newest = |memory: &Memory| memory.history.proposals().map(|(at, _)| at).max();
    assert_eq!(newest(&kept), newest(&large));
}
