//! Converted objects, replayed beside the originals: every difference in replicas is one that the conversion named.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

use std::path::PathBuf;

use plimsoll_conformance::{Replay, replay_converted};

fn replayed(name: &str) -> Replay {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name);
    let mut replay = Replay::default();
    replay_converted(&path, &mut replay).unwrap_or_else(|error| panic!("{error}"));
    println!("{name}: {replay}");
    assert!(replay.unnamed.is_empty(), "\n{replay}");
    replay
}

#[test]
fn a_watermark_pod_autoscaler_differs_only_as_named() {
    let replay = replayed("wpa-scenarios.jsonl.gz");
    assert!(replay.objects > 100 && replay.alike > 0, "\n{replay}");
}

#[test]
fn a_horizontal_pod_autoscaler_does_not_differ() {
    let replay = replayed("hpa-scenarios.jsonl.gz");
    assert_eq!(replay.objects, replay.alike, "\n{replay}");
}
