//! Loads: what each shape means, how recordings are read, and one clear line for every bad one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop"
)]

use plimsoll_sim::Load;
use plimsoll_sim::time::{HOUR, MINUTE, SECOND};

fn none(name: &str) -> Result<String, plimsoll_sim::BadInput> {
    Err(plimsoll_sim::BadInput::new(name, "cannot be read: no such file", ""))
}

fn shape(text: &str) -> Load {
    Load::parse(text, &mut none).unwrap()
}

fn file(name: &str, text: &str) -> Result<Load, String> {
    let mut open = |asked: &str| if asked == name { Ok(text.to_string()) } else { none(asked) };
    Load::parse(name, &mut open).map_err(|e| e.to_string())
}

fn refused(name: &str, text: &str) -> String {
    file(name, text).expect_err(text)
}

#[test]
fn shapes_mean_what_they_say() {
    assert_eq!(shape("constant:50").at(HOUR, 1), 50.0);
    assert_eq!(shape("12.5").at(0, 1), 12.5);
    let step = shape("step:5->80@10m->20@1h");
    assert_eq!([step.at(0, 1), step.at(10 * MINUTE, 1), step.at(2 * HOUR, 1)], [5.0, 80.0, 20.0]);
    let ramp = shape("ramp:10->200@5m/30m");
    assert_eq!([ramp.at(0, 1), ramp.at(20 * MINUTE, 1), ramp.at(HOUR, 1)], [10.0, 105.0, 200.0]);
    let sine = shape("sine:20..200/24h");
    assert_eq!([sine.at(0, 1), sine.at(12 * HOUR, 1)], [20.0, 200.0]);
    assert!((sine.at(6 * HOUR, 1) - 110.0).abs() < 1e-9);
    assert_eq!(shape("sine:20..200/24h@14h").at(14 * HOUR, 1), 200.0);
    let spike = shape("constant:10 + spike:+300@2h/10m");
    assert_eq!(
        [spike.at(2 * HOUR - 1, 1), spike.at(2 * HOUR, 1), spike.at(2 * HOUR + 10 * MINUTE, 1)],
        [10.0, 310.0, 10.0]
    );
}

#[test]
fn noise_repeats_with_its_seed_and_stays_within_its_cell() {
    let load = shape("constant:100+noise:10%");
    assert_eq!(load.at(0, 7).to_bits(), load.at(14 * SECOND, 7).to_bits());
    assert_ne!(load.at(0, 7).to_bits(), load.at(15 * SECOND, 7).to_bits());
    assert_ne!(load.at(0, 7).to_bits(), load.at(0, 8).to_bits());
    for second in 0..10_000 {
        let rate = load.at(second * SECOND, 7);
        assert!((65.0..135.0).contains(&rate), "{rate}");
    }
}

#[test]
fn words_can_be_read_back() {
    for text in [
        "constant:50",
        "step:5->80@10m->20@1h",
        "ramp:10->200@5m/30m",
        "sine:20..200/1d@14h",
        "constant:10 + spike:+300@2h/10m + noise:7%/30s",
    ] {
        assert_eq!(shape(text).words(), text);
    }
}

#[test]
fn bad_shapes_are_refused_in_one_line() {
    let list = "constant:50, step:5->80@10m, ramp:10->200@5m/30m, sine:20..200/24h, spike:+300@2h/10m, \
                noise:10%, trace:FILE, joined with ' + '";
    for (text, message) in [
        ("", format!("--load: it is empty; write one of {list}")),
        ("stp:5->80@10m", format!("--load: `stp` is not a shape of load; write one of {list}")),
        ("constant:-5", "--load: load `-5` is negative; write a number from 0 to 1e9".into()),
        ("constant:NaN", "--load: load `NaN` is not a number; write a number from 0 to 1e9".into()),
        ("constant:fast", "--load: `fast` is not a number of requests per second; write one like 50 or 12.5".into()),
        (
            "step:5->80",
            "--load: `step:5->80` is incomplete; write step:FROM->TO@WHEN (and more ->TO@WHEN), as in step:5->80@10m"
                .into(),
        ),
        (
            "step:5->80@10m->9@5m",
            "--load: the steps of `step:5->80@10m->9@5m` are not in time order; write the earliest first".into(),
        ),
        ("step:5->80@soon", "--load: `soon` is not a duration: write one like 45s, 10m, 1h30m or 2d".into()),
        ("sine:9..3/1h", "--load: the low of the sine (9) is above its high (3); write the smaller number first".into()),
        ("sine:3..9/0s", "--load: `0s` is no time at all; write a duration above zero".into()),
        (
            "noise:10%",
            "--load: noise alone is not a load; add what it disturbs, for example `constant:50 + noise:10%`".into(),
        ),
        ("constant:5 + noise:500%", "--load: noise of 500% is more than the load itself; use at most 100%".into()),
        (
            "missing.csv",
            format!("missing.csv: cannot be read: no such file; name a file that exists, or write a shape: {list}"),
        ),
    ] {
        assert_eq!(Load::parse(text, &mut none).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn yaml_holds_the_same_shapes() {
    let text = "# a shop\nload:\n  - constant: 50\n  - step:5->80@10m\n  - sine: {low: 20, high: 200, period: 24h}\n  \
                - spike: {add: 300, at: 2h, for: 10m}\n  - noise: {percent: 5}\n";
    assert_eq!(
        file("shop.yaml", text).unwrap().words(),
        "constant:50 + step:5->80@10m + sine:20..200/1d + spike:+300@2h/10m + noise:5%"
    );
    assert_eq!(file("one.yml", "load: sine:1..9/1h\n").unwrap().words(), "sine:1..9/1h");
    let error = refused("shop.yaml", "load:\n  - spke: {add: 3}\n");
    assert!(error.starts_with("shop.yaml:2: ") && error.contains("spke"), "{error}");
    let error = refused("shop.yaml", "load: []\n");
    assert!(error.starts_with("shop.yaml: noise alone") || error.contains("is not a load"), "{error}");
}

#[test]
fn csv_is_read_with_and_without_header_and_in_three_forms_of_time() {
    for text in [
        "0,10\n60,20\n120,40\n",
        "time,value\n0,10\n60,20\n120,40\n",
        "1767571200,10\n1767571260,20\n1767571320,40\n",
        "1767571200000,10\n1767571260000,20\n1767571320000,40\n",
        "timestamp;rps\n2026-01-05T00:00:00Z;10\n2026-01-05T00:01:00Z;20\n2026-01-05T00:02:00Z;40\n",
        "\u{feff}# comment\ntime\tvalue\n0\t10\n60\t20\n120\t40\n",
    ] {
        let load = file("day.csv", text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(
            [0, 30, 60, 120, 600].map(|s| load.at(s * SECOND, 1)),
            [10.0, 15.0, 20.0, 40.0, 40.0],
            "{text}"
        );
        assert_eq!(load.length().unwrap().micros(), 2 * MINUTE);
    }
    let dated = file("day.csv", "2026-01-05T00:00:00Z,1\n2026-01-05T00:01:00Z,2\n").unwrap();
    assert_eq!(dated.start_us(), Some(1_767_571_200 * SECOND));
}

#[test]
fn bad_recordings_are_refused_with_file_and_line() {
    let form = "each line is `time,value` with time as RFC 3339, epoch or seconds, and value in requests/s";
    for (text, message) in [
        (
            "",
            "day.csv: the file is empty; give time,value lines or the JSON of a Prometheus range query".to_string(),
        ),
        ("time,value\n", format!("day.csv: the file has no data; {form}")),
        (
            "0,1\n60,2\n30,3\n",
            "day.csv:3: time goes back by 30 s; sort the file by time and keep one value for each moment".into(),
        ),
        (
            "0,1\n60,2\n60,3\n",
            "day.csv:3: the same time as on the line before; sort the file by time and keep one value for each moment"
                .into(),
        ),
        ("0,1\n60,\n", "day.csv:2: a hole: there is no value; write what the load was, or take the line out".into()),
        (
            "0,1\n60,2\n120,3\n180,3\n9000,4\n",
            "day.csv:5: a hole of 2 h 27 min before it, where points are usually 1 min apart; fill it in, or write \
             `trace:day.csv,bridge` to draw a straight line across every hole"
                .into(),
        ),
        ("0,1\n60,NaN\n", "day.csv:2: the value is NaN; write what the load was, or take the line out".into()),
        (
            "time,value\n0,1\n60,-4\n",
            "day.csv:3: the load is negative; requests per second cannot be below 0: record a rate, not a difference"
                .into(),
        ),
        (
            "50,2026-01-05T00:00:00Z\n51,2026-01-05T00:01:00Z\n",
            "day.csv:1: the second column looks like time and the first does not; swap the columns: time first, then \
             the value"
                .into(),
        ),
        (
            "50,0\n40,60\n70,120\n60,180\n",
            "day.csv:1: the second column looks like time and the first does not; swap the columns: time first, then \
             the value"
                .into(),
        ),
        ("value,time\n5,0\n", "day.csv:1: the columns are `value,time`; swap them: time first, then the value".into()),
        ("0,1,2\n", format!("day.csv:1: 3 columns where there should be 2; {form}")),
        (
            "0,1\nnoon,2\n",
            "day.csv:2: `noon` is not a time; write RFC 3339 (2026-01-05T12:00:00Z), epoch or seconds".into(),
        ),
        ("0,1\n60,inf\n", "day.csv:2: the value is infinite; write what the load was, or take the line out".into()),
        (
            "0,1\n60,2e9\n",
            "day.csv:2: the load is above 1e9 requests per second; give the load in requests per second".into(),
        ),
        ("0,1\n99999999,2\n", "day.csv: it covers 1157 d 9 h; at most 366 d is accepted".into()),
        (
            "-1e15,1\n0,2\n",
            "day.csv:1: `-1e15` is not a time; write RFC 3339 (2026-01-05T12:00:00Z), epoch or seconds".into(),
        ),
        (
            "0,1\nNaN,2\n",
            "day.csv:2: `NaN` is not a time; write RFC 3339 (2026-01-05T12:00:00Z), epoch or seconds".into(),
        ),
        (" \n\n", "day.csv: the file is empty; give time,value lines or the JSON of a Prometheus range query".into()),
        ("0,1\n60,many\n", "day.csv:2: `many` is not a number of requests/s; write a number like 50 or 12.5".into()),
        (
            "0,1\n1767571260,2\n",
            "day.csv:2: time `1767571260` is of another kind than on the first line; use one form of time in the whole \
             file"
                .into(),
        ),
    ] {
        assert_eq!(refused("day.csv", text), message, "{text}");
    }
}

#[test]
fn a_hole_is_bridged_when_asked() {
    let mut open = |_: &str| Ok("0,1\n60,2\n120,3\n180,3\n9000,4\n".to_string());
    let load = Load::parse("trace:day.csv,bridge", &mut open).unwrap();
    assert_eq!(load.at(4_590 * SECOND, 1), 3.5);
}

#[test]
fn prometheus_answers_are_read_from_promtool_and_from_the_api() {
    let series =
        r#"[{"metric":{"job":"web"},"values":[[1767571200,"10"],[1767571260,"20"],[1767571320.5,"40"]]}]"#;
    let api = format!(r#"{{"status":"success","data":{{"resultType":"matrix","result":{series}}}}}"#);
    for text in [series, &api] {
        let load = file("day.json", text).unwrap();
        assert_eq!(load.at(30 * SECOND, 1), 15.0);
        assert_eq!(load.start_us(), Some(1_767_571_200 * SECOND));
    }
}

#[test]
fn bad_prometheus_answers_are_refused() {
    let how = "use `promtool query range -o json` or the answer of /api/v1/query_range";
    for (text, message) in [
        (
            r#"{"status":"error","errorType":"bad_data","error":"parse error"}"#,
            "day.json: it holds an error instead of data: parse error; correct the query and save its answer again"
                .to_string(),
        ),
        ("[]", "day.json: the query found no series; check its name and its time range".into()),
        (
            r#"{"status":"success","data":{"resultType":"vector","result":[]}}"#,
            format!("day.json: the result is a vector, not a range; {how}"),
        ),
        (
            r#"[{"metric":{"a":"1"},"values":[[1,"1"]]},{"metric":{"a":"2"},"values":[[1,"1"]]}]"#,
            r#"day.json: 2 series, among them {"a":"1"} and {"a":"2"}; a load is one series: wrap the query in sum(...)"#
                .into(),
        ),
        (
            r#"[{"metric":{},"values":[[1,"1"],[2,"NaN"]]}]"#,
            "day.json: sample 2: the value is NaN; write what the load was, or take the line out".into(),
        ),
        (
            r#"[{"metric":{},"values":[[9,"1"],[2,"1"]]}]"#,
            "day.json: sample 2: time goes back by 7 s; sort the file by time and keep one value for each moment".into(),
        ),
        (
            r#"[{"metric":{},"values":[[1,"1"],[2,"-3"]]}]"#,
            "day.json: sample 2: the load is negative; requests per second cannot be below 0: record a rate, not a \
             difference"
                .into(),
        ),
        (
            r#"[{"metric":{},"values":[[1,"1"],[2,"+Inf"]]}]"#,
            "day.json: sample 2: the value is infinite; write what the load was, or take the line out".into(),
        ),
        ("[{\n\"metric\":{", format!("day.json:2: not the JSON of a range query: EOF while parsing an object; {how}")),
    ] {
        assert_eq!(refused("day.json", text), message, "{text}");
    }
}
