//! The embedded cluster as its visitors meet it.

use super::*;

fn read(message: &str) -> Value {
    serde_json::from_str(message).unwrap()
}

/// Passes this much virtual time and returns what is new.
fn after(cluster: &mut Cluster, secs: f64) -> Value {
    cluster.advance(secs).unwrap();
    read(&cluster.news())
}

#[test]
fn the_first_visitor_sees_a_morning() {
    let mut cluster = Cluster::start().unwrap();
    let hello = read(&cluster.hello());
    assert_eq!(hello["deltas"].as_array().unwrap().len(), 4);
    for delta in hello["deltas"].as_array().unwrap() {
        let times = delta["points"]["t"].as_array().unwrap();
        assert_eq!(times.len(), 11 * 120 + 1);
        assert!(!delta["changes"].as_array().unwrap().is_empty());
    }
    assert_eq!(hello["table"]["columns"][5]["cells"][0], "no sale yet");
    assert_eq!(hello["state"]["secs"], 11 * 3600);
    // All of it has been told: nothing comes twice.
    assert_eq!(read(&cluster.news())["deltas"], json!([]));
}

#[test]
fn the_sale_makes_everyone_grow_and_say_why() {
    let mut cluster = Cluster::start().unwrap();
    let news = after(&mut cluster, 3_600.0 + 300.0);
    assert_eq!(news["state"]["sale"], true);
    for delta in news["deltas"].as_array().unwrap() {
        let changes = delta["changes"].as_array().unwrap();
        let grown = changes.iter().any(|c| c["to"].as_i64() > c["from"].as_i64() && c["reason"] != "");
        assert!(grown, "{changes:?}");
        assert_eq!(delta["incidents"][0]["what"], "flash sale");
    }
}

#[test]
fn time_stands_still_when_paused_and_runs_as_fast_as_told() {
    let mut cluster = Cluster::start().unwrap();
    cluster.turn(Control::Pause(true)).unwrap();
    cluster.pass(10.0).unwrap();
    assert_eq!(cluster.now_secs, FIRST_LOOK_SECS);
    cluster.turn(Control::Pause(false)).unwrap();
    cluster.turn(Control::Speed(600)).unwrap();
    cluster.pass(0.5).unwrap();
    assert_eq!(cluster.now_secs, FIRST_LOOK_SECS + 300.0);
    let news = read(&cluster.news());
    assert!(news["table"].is_null(), "a table twice a second is too much");
    cluster.pass(0.5).unwrap();
    assert!(read(&cluster.news())["table"]["columns"].is_array());
    let state = &news["state"];
    assert_eq!((&state["knobs"]["speed"], &state["knobs"]["paused"]), (&json!(600), &json!(false)));
}

#[test]
fn every_fault_shows() {
    let mut cluster = Cluster::start().unwrap();
    let what = |news: &Value| -> Vec<String> {
        let list = news["deltas"][0]["incidents"].as_array().unwrap().clone();
        list.iter().map(|one| one["what"].as_str().unwrap().to_owned()).collect()
    };
    cluster.turn(Control::MetricsDown(true)).unwrap();
    let news = after(&mut cluster, 300.0);
    assert_eq!(what(&news), ["metrics outage"]);
    assert!(news["deltas"][0]["points"]["metrics"][0].as_array().unwrap().iter().all(Value::is_null));
    cluster.turn(Control::MetricsDown(false)).unwrap();
    cluster.turn(Control::SlowImage(true)).unwrap();
    let news = after(&mut cluster, 60.0);
    assert_eq!(what(&news), ["metrics outage", "slow images"]);
    assert_eq!(news["deltas"][0]["incidents"][0]["until"], 11.0 * 3_600.0 + 300.0);
    cluster.turn(Control::SlowImage(false)).unwrap();
    cluster.turn(Control::RollingUpdate).unwrap();
    let news = after(&mut cluster, 30.0);
    assert_eq!(what(&news).last().unwrap(), "rolling update");
    assert_eq!(news["state"]["rolling"], true);
    assert_eq!(after(&mut cluster, 1_200.0)["state"]["rolling"], false);
}

#[test]
fn pushed_load_arrives() {
    let mut cluster = Cluster::start().unwrap();
    let before = read(&cluster.hello())["state"]["now"][0]["load"].as_f64().unwrap();
    cluster.turn(Control::ExtraLoad(400.0)).unwrap();
    let news = after(&mut cluster, 600.0);
    assert!(news["state"]["now"][0]["load"].as_f64().unwrap() > before + 300.0);
    assert!(news["state"]["now"][0]["wanted"].as_f64().unwrap() > 40.0);
}

#[test]
fn one_day_follows_another_in_bounded_memory() {
    let mut cluster = Cluster::start().unwrap();
    cluster.turn(Control::MetricsDown(true)).unwrap();
    let before: Vec<i32> = cluster.simulations.iter().map(|s| s.point().spec).collect();
    // As the page has it: at most ten minutes at a time.
    for _ in 0..(2 * 144) {
        cluster.advance(600.0).unwrap();
        cluster.news();
        if cluster.day == 1 && cluster.knobs.metrics_down {
            let after: Vec<i32> = cluster.simulations.iter().map(|s| s.point().spec).collect();
            assert_eq!(before, after, "without metrics nobody moves, also not at midnight");
            cluster.turn(Control::MetricsDown(false)).unwrap();
        }
        for window in &cluster.windows {
            let [points, changes, incidents, trails] = window.sizes();
            assert!(points <= 25 * 120 + 60, "{points}");
            assert!(changes < 2_000 && incidents < 20 && trails < 7_000, "{changes} {incidents} {trails}");
        }
    }
    assert_eq!(cluster.day, 2);
    assert!(cluster.windows.iter().all(Window::is_sound));
    let hello = read(&cluster.hello());
    assert_eq!(hello["state"]["day"], 3);
    let times = hello["deltas"][0]["points"]["t"].as_array().unwrap();
    let (first, last) = (times[0].as_f64().unwrap(), times.last().unwrap().as_f64().unwrap());
    assert!(first >= last - 25.5 * 3_600.0 && last > 2.0 * DAY_SECS);
}

#[test]
fn the_same_day_again_is_the_same() {
    assert_eq!(one_day().unwrap(), one_day().unwrap());
}
