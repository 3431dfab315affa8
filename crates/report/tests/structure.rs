//! The shape of what is drawn: complete, self-contained, safe with hostile words, and never empty.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod common;

use plimsoll_report::terminal::{self, Color, Options};
use plimsoll_report::{csv, html, live, svg};
use plimsoll_sim::record::{Comparison, Run};

fn data(page: &str) -> serde_json::Value {
    let start = page.find("id=\"plimsoll-data\">").expect("data element") + "id=\"plimsoll-data\">".len();
    let end = start + page[start..].find("</script>").expect("end of data");
    serde_json::from_str(&page[start..end]).expect("data is JSON")
}

/// A run as a simulator may give it at worst: no points at all, odd numbers, hostile names.
fn odd() -> Run {
    let mut run = common::shop();
    run.name = "</script><script>alert(1)</script>{{data}}\u{1b}[31m".into();
    run.points.truncate(3);
    run.points[1].load = f64::NAN;
    run.points[1].capacity = f64::INFINITY;
    run.points[2].metrics.clear();
    run
}

#[test]
fn a_page_is_complete_and_talks_to_nobody() {
    let page = html::page(&common::shop());
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(!page.contains("{{"), "a place was left unfilled");
    assert!(page.contains("default-src 'none'"));
    let addresses = page.matches("http").count();
    let allowed = page.matches("http://www.w3.org/2000/svg").count()
        + page.matches("http-equiv").count()
        + page.matches("http_requests_per_second").count();
    assert_eq!(addresses, allowed, "an address of the outside world");
    assert!(page.len() < 220_000, "{} bytes", page.len());
}

#[test]
fn a_page_holds_every_point_change_and_word() {
    let run = common::shop();
    let data = data(&html::page(&run));
    let shown = &data["runs"][0];
    assert_eq!(shown["points"]["t"].as_array().unwrap().len(), run.points.len());
    assert_eq!(shown["changes"].as_array().unwrap().len(), run.changes.len());
    let place = run.points[100].trail.unwrap() as usize;
    let row = shown["trails"]["rows"][place].as_array().unwrap();
    let said: Vec<&str> = row
        .iter()
        .map(|at| shown["trails"]["sentences"][at.as_u64().unwrap() as usize].as_str().unwrap())
        .collect();
    assert_eq!(said[0], run.trails[place].why);
    assert_eq!(said[1..], run.trails[place].steps);
    assert_eq!(shown["score"][0]["label"], "unmet");
}

#[test]
fn hostile_words_stay_words() {
    let page = html::page(&odd());
    assert_eq!(page.matches("<script>alert").count(), 0);
    assert_eq!(page.matches("</html>").count(), 1);
    assert!(data(&page)["runs"][0]["points"]["load"][1].is_null(), "what is no number is null");
    let picture = svg::chart(&odd());
    assert!(!picture.contains("<script>") && !picture.contains("NaN") && !picture.contains('\u{1b}'));
    let text = terminal::chart(&odd(), &Options::default());
    assert!(!text.contains('\u{1b}'), "a name steers the terminal");
}

#[test]
fn nothing_recorded_is_no_reason_to_stop() {
    let mut run = common::shop();
    run.points.clear();
    run.changes.clear();
    run.trails.clear();
    run.duration_secs = 0.0;
    let options = Options { width: 0, color: Color::Always };
    for text in [
        html::page(&run),
        svg::chart(&run),
        terminal::chart(&run, &options),
        terminal::score_table(&run, &options),
    ] {
        assert!(!text.is_empty());
    }
    assert_eq!(terminal::changes(&run, &options), "no changes\n");
    let none = Comparison { runs: vec![], columns: vec![], words: vec![] };
    assert!(!html::page(&none).is_empty() && !svg::chart(&none).is_empty());
    terminal::compare_chart(&none, &options);
    terminal::compare_table(&none, &options);
}

#[test]
fn a_picture_has_words_for_those_who_do_not_see_it() {
    let run = common::shop();
    let picture = svg::chart(&run);
    assert!(picture.contains("<title>web</title>"));
    assert!(picture.contains("<desc>Load against capacity, and replicas, over 2 h. web: unmet 0."));
    let longest = picture.split("d=\"").skip(1).map(|rest| rest.find('"').unwrap_or(0)).max();
    assert!(longest > Some(1_000), "no curve: {longest:?}");
    assert!(picture.len() < 60_000, "{} bytes", picture.len());
    let compared = svg::chart(&common::contest());
    assert!(compared.contains("web-marks capacity") && compared.contains("stroke-dasharray"));
}

#[test]
fn a_terminal_gets_its_width_and_no_colour_unasked() {
    let (run, contest) = (common::shop(), common::contest());
    for width in [40, 60, 80, 132, 240] {
        let options = Options { width, color: Color::Never };
        let texts = [
            terminal::chart(&run, &options),
            terminal::changes(&run, &options),
            terminal::score_table(&run, &options),
            terminal::compare_chart(&contest, &options),
            terminal::compare_table(&contest, &options),
        ];
        for text in &texts {
            assert!(!text.contains('\u{1b}'));
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(longest <= width, "{longest} columns in {width}:\n{text}");
        }
    }
    let painted = terminal::chart(&run, &Options { width: 80, color: Color::Always });
    let plain: String = painted
        .split("\u{1b}[")
        .enumerate()
        .map(|(i, s)| if i == 0 { s } else { s.split_once('m').unwrap().1 })
        .collect();
    assert_eq!(plain, terminal::chart(&run, &Options { width: 80, color: Color::Never }));
}

#[test]
fn terminal_pictures_as_they_stand() {
    let options = Options::default();
    let (run, contest) = (common::shop(), common::contest());
    insta::assert_snapshot!("chart", terminal::chart(&run, &options));
    insta::assert_snapshot!("score", terminal::score_table(&run, &options));
    insta::assert_snapshot!("changes", terminal::changes(&run, &options));
    insta::assert_snapshot!("compare_chart", terminal::compare_chart(&contest, &options));
    insta::assert_snapshot!("compare_table", terminal::compare_table(&contest, &options));
    insta::assert_snapshot!(
        "compare_table_narrow",
        terminal::compare_table(&contest, &Options { width: 48, ..options })
    );
}

#[test]
fn a_table_for_spreadsheets_has_a_row_for_each_point() {
    let run = common::shop();
    let table = csv::table(&run);
    assert_eq!(table.lines().count(), run.points.len() + 1);
    let columns = table.lines().next().unwrap().split(',').count();
    assert!(table.lines().all(|line| line.split(',').count() == columns));
    assert!(table.lines().next().unwrap().ends_with("max,cpu,memory"));
}

#[test]
fn a_live_piece_says_what_is_new() {
    let run = common::shop();
    let delta = live::Delta {
        run: 1,
        points: &run.points[10..12],
        changes: &run.changes[..1],
        incidents: &run.incidents,
        trails_from: 10,
        trails: &run.trails[10..12],
        scored: Some(&run),
    };
    let piece: serde_json::Value = serde_json::from_str(&delta.json()).unwrap();
    assert_eq!(piece["points"]["t"], serde_json::json!([150, 165]));
    assert_eq!(piece["trailsFrom"], 10);
    assert_eq!(piece["score"][0]["label"], "unmet");
    assert!(live::table_json(&common::contest()).contains("pod-hours"));
}
