//! The examples of the repository, run end to end: what each is there to show must come out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop"
)]

mod common;

use plimsoll_api::manifest;
use plimsoll_sim::record::{Comparison, Run};
use plimsoll_sim::time::Span;
use plimsoll_sim::{Load, Setup, Simulation, Subject, Words, World};

fn text(file: &str) -> String {
    let path = format!("{}/../../examples/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn runs(manifests: &[&str], world: &str, load: &str, secs: i64) -> Vec<Run> {
    let world = World::parse(world, &text(world)).unwrap();
    let mut documents = Vec::new();
    for file in manifests {
        documents.extend(manifest::read(file, text(file).as_bytes()).unwrap());
    }
    let load = Load::parse(load, &mut |file| Ok(text(file))).unwrap();
    let subjects = Subject::all(&documents, &world).unwrap_or_else(|e| panic!("{e}"));
    let setup = Setup { load, world, duration: Span::from_secs(secs), seed: 1, words: Words::Told };
    subjects.into_iter().map(|s| Simulation::new(setup.clone(), s).unwrap().run().unwrap()).collect()
}

fn one(manifest: &str, world: &str, load: &str, secs: i64) -> Run {
    runs(&[manifest], world, load, secs).remove(0)
}

fn steps(run: &Run) -> Vec<i32> {
    run.changes.iter().map(|c| c.to).collect()
}

#[test]
fn the_tables_of_the_step_proposal() {
    let files =
        ["step-proposal/target-80.yaml", "step-proposal/target-50.yaml", "step-proposal/by-steps.yaml"];
    let runs = runs(&files, "step-proposal/world.yaml", "step:5->80@15s", 300);
    assert_eq!(steps(&runs[0]), [2, 3, 4, 5, 7, 9, 10]);
    assert_eq!(steps(&runs[1]), [2, 4, 8, 16]);
    assert_eq!(steps(&runs[2]), [3, 5, 7, 9, 10]);
    let gentle = |file| steps(&one(file, "step-proposal/world.yaml", "constant:6", 300));
    assert_eq!(gentle("step-proposal/target-50.yaml"), [2]);
    assert_eq!(gentle("step-proposal/by-steps.yaml"), [] as [i32; 0]);
}

#[test]
fn as_fast_as_it_gets() {
    let run = one("velocity/up-fast.yaml", "velocity/world.yaml", "step:1->9000@1m", 600);
    assert_eq!(steps(&run), [10, 100, 1_000]);
}

#[test]
fn one_pod_at_a_time() {
    let run = one("velocity/up-gently.yaml", "velocity/world.yaml", "step:1->40@1m", 900);
    assert_eq!(steps(&run), [2, 3, 4, 5, 6, 7, 8, 9, 10]);
    let gaps: Vec<f64> = run.changes.windows(2).map(|w| w[1].t - w[0].t).collect();
    assert!(gaps.iter().all(|g| *g == 60.0), "{gaps:?}");
}

#[test]
fn one_pod_fewer_every_ten_minutes() {
    let run = one("velocity/down-slowly.yaml", "velocity/world.yaml", "step:60->1@20m", 7_200);
    let down: Vec<_> = run.changes.iter().filter(|c| c.to < c.from).collect();
    assert!(down.len() >= 5 && down.iter().all(|c| c.from - c.to == 1), "{down:?}");
    assert!(down.windows(2).all(|w| w[1].t - w[0].t == 600.0), "{down:?}");
}

#[test]
fn never_fewer() {
    let run = one("velocity/down-never.yaml", "velocity/world.yaml", "step:60->1@10m", 3_600);
    assert!(run.changes.iter().all(|c| c.to > c.from));
    assert_eq!(run.points.last().unwrap().spec, 12);
}

#[test]
fn a_rise_and_a_fall_must_last() {
    let run = one("velocity/wait.yaml", "velocity/world.yaml", "step:20->60@10m->20@20m", 3_600);
    let first_up = run.changes.iter().find(|c| c.t > 600.0).unwrap();
    assert!((720.0..=750.0).contains(&first_up.t), "{first_up:?}");
    let first_down = run.changes.iter().find(|c| c.to < c.from).unwrap();
    assert!((1_800.0..=1_830.0).contains(&first_down.t), "{first_down:?}");
}

/// The wishes of the proposals' stabilization stories, one a minute, as a load.
const WISHES: &str = "step:10->9@30s->8@90s->9@150s->8@270s->9@330s->8@390s->9@450s->8@510s->7@570s";

/// When it changed, and to what.
fn course(manifest: &str, world: &str, load: &str, secs: i64) -> Vec<(f64, i32)> {
    one(manifest, world, load, secs).changes.iter().map(|c| (c.t, c.to)).collect()
}

#[test]
fn the_highest_wish_of_ten_minutes_and_the_lowest_of_five() {
    let minutes = "velocity/minutes.yaml";
    assert_eq!(course("velocity/stabilize-down.yaml", minutes, WISHES, 660), [(600.0, 9)]);
    let rising = "step:2->3@25s->19@75s->10@125s->3@175s->4@225s->7@275s";
    assert_eq!(course("velocity/stabilize-up.yaml", "velocity/rounds.yaml", rising, 350), [(300.0, 3)]);
}

#[test]
fn the_stories_in_the_form_of_constraints() {
    let course = |file: &str, load, secs| {
        course(&format!("constraints/{file}.yaml"), "velocity/minutes.yaml", load, secs)
    };
    assert_eq!(course("up-fast", "1000", 300), [(0.0, 10), (60.0, 100), (120.0, 1_000)]);
    let down = course("down-slowly", "step:20->1@1m", 3_600);
    assert_eq!(down, [(360.0, 19), (960.0, 18), (1_560.0, 17), (2_160.0, 16), (2_760.0, 15), (3_360.0, 14)]);
    assert_eq!(course("up-gently", "1000", 180), [(0.0, 2), (60.0, 3), (120.0, 4)]);
    assert_eq!(course("down-never", "step:10->1@1m->14@30m", 3_600), [(1_860.0, 14)]);
    assert_eq!(course("delay", WISHES, 660), [(600.0, 9)]);
}

#[test]
fn the_stories_of_two_watermarks() {
    let course = |file: &str, load, secs| {
        course(&format!("watermarks/{file}.yaml"), "watermarks/world.yaml", load, secs)
    };
    for same in ["band", "wpa"] {
        assert_eq!(course(same, "step:20->40@5m->10@15m", 1_800), [(315.0, 5), (915.0, 4)], "{same}");
    }
    assert_eq!(course("limit", "step:70->112@5m", 900), [(315.0, 13), (330.0, 14)]);
    let back_and_forth = course("forbidden-windows", "step:70->96@1m->20@75s->96@150s", 600);
    assert_eq!(back_and_forth, [(75.0, 12), (135.0, 6), (165.0, 12)]);
}

#[test]
fn a_day_in_the_shop_four_ways() {
    let files =
        ["hpa", "hpa-behavior", "watermarks", "steps", "deployment"].map(|f| format!("shop/{f}.yaml"));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let comparison = Comparison::new(runs(&files, "shop/world.yaml", "shop/load.yaml", 86_400));
    assert_eq!(comparison.runs.len(), 4);
    assert_eq!(comparison.words.len(), 3);
    for run in &comparison.runs {
        assert!(run.score.unmet_percent < 5.0, "{}: {:?}", run.name, run.score);
        assert!(run.score.peak_replicas > 30 && run.score.changes > 5, "{}: {:?}", run.name, run.score);
        assert!(run.points.iter().any(|p| p.metrics[0].is_some()));
    }
    for column in &comparison.columns {
        assert!(!column.best.is_empty() && column.cells.len() == 4, "{column:?}");
    }
}
