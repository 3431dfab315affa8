//! The page in a real browser: the charts are not empty, a click says why, keys work, nothing overlaps.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;
mod driver;

use driver::Browser;
use plimsoll_report::html::{self, Document};
use plimsoll_report::{live, units};
use plimsoll_sim::record::Run;

const RIGHT: char = '\u{e014}';
const ENTER: char = '\u{e007}';
const ESCAPE: char = '\u{e00c}';
const PAGE_DOWN: char = '\u{e00f}';

/// The place on the screen of a moment in a chart, as a person would find it: by the time axis' own labels.
fn place(browser: &Browser, chart: &str, run: &Run, t: f64) -> (f64, f64) {
    browser
        .run(&format!("document.querySelector('[data-chart={chart}]').scrollIntoView({{block: 'center'}})"));
    browser.settle();
    let grid = browser.run(&format!(
        "const svg = document.querySelector('[data-chart={chart}] svg');
         const base = svg.querySelector('.plm-base').getBoundingClientRect();
         return [base.left, base.right, base.top]"
    ));
    let at = |i: usize| grid[i].as_f64().unwrap();
    (at(0) + t / run.duration_secs * (at(1) - at(0)), at(2) - 40.0)
}

/// What the panel says now must be what the run recorded at the moment it names. Returns that moment.
fn said(browser: &Browser, run: &Run) -> f64 {
    let shown = browser.text(".plm-moment");
    let point = run.points.iter().find(|p| units::moment(p.t) == shown).expect("a recorded moment");
    let words = &run.trails[point.trail.unwrap() as usize];
    assert_eq!(browser.text(".plm-why"), words.why);
    let steps =
        browser.run("return [...document.querySelectorAll('.plm-steps li')].map((li) => li.innerText)");
    assert_eq!(steps, serde_json::json!(words.steps));
    point.t
}

#[test]
fn charts_are_not_empty() {
    let browser = Browser::open(1200, 900);
    let run = common::shop();
    browser.show("charts.html", &html::page(&run));
    for series in [
        "load",
        "capacity",
        "unmet",
        "spec",
        "ready",
        "proposed",
        "stabilized",
        "allowed",
        "metric-0",
        "metric-1",
    ] {
        let area = browser.number(&format!(
            "const box = document.querySelector('[data-series={series}]').getBBox(); return box.width * box.height"
        ));
        assert!(area > 40.0, "{series} is flat or missing: {area}");
    }
    // As many corners as there were changes: the line follows the run.
    let corners = browser.number(
        "return document.querySelector('[data-series=spec]').getAttribute('d').split('V').length - 1",
    );
    assert!(
        (corners - run.changes.len() as f64).abs() <= 4.0,
        "{corners} corners for {} changes",
        run.changes.len()
    );
    let marks = browser.number(
        "return [...document.querySelectorAll('[data-series^=changes-]')].map((p) => p.getAttribute('d').split('M').length - 1).reduce((a, b) => a + b)",
    );
    assert_eq!(marks as usize, run.changes.len());
    assert_eq!(browser.number("return document.querySelectorAll('.plm-tile').length"), 7.0);
    assert!(browser.text(".plm-changes").contains("kubectl scale"));
}

#[test]
fn a_click_shows_why() {
    let browser = Browser::open(1200, 900);
    let run = common::shop();
    browser.show("click.html", &html::page(&run));
    for change in [&run.changes[3], &run.changes[run.changes.len() - 2]] {
        browser.click(place(&browser, "replicas", &run, change.t));
        let at = said(&browser, &run);
        assert!((at - change.t).abs() <= 30.0, "clicked at {}, shown {at}", change.t);
        assert_eq!(browser.text(".plm-inspect .plm-button[aria-pressed]"), "Unpin");
    }
    // Pinned, it stays; after Escape it follows the pointer again, on any chart.
    let pinned = said(&browser, &run);
    browser.hover(place(&browser, "load", &run, 600.0));
    assert_eq!(said(&browser, &run), pinned);
    browser.key(ESCAPE);
    browser.hover(place(&browser, "metric-0", &run, 1800.0));
    assert!((said(&browser, &run) - 1800.0).abs() <= 30.0);
    // Words from outside are words.
    browser.click(place(&browser, "load", &run, run.duration_secs * 0.69));
    said(&browser, &run);
    assert!(browser.text(".plm-steps").contains("<within 10 s> & gave up"));
    browser.no_complaints();
}

#[test]
fn keys_move_pin_and_zoom() {
    let browser = Browser::open(1200, 900);
    let run = common::shop();
    browser.show("keys.html", &html::page(&run));
    browser.run("document.querySelector('.plm-plot[tabindex=\"0\"]').focus()");
    let start = said(&browser, &run);
    browser.key(RIGHT);
    browser.key(RIGHT);
    assert_eq!(said(&browser, &run), start + 2.0 * run.sync_period_secs);
    let outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle");
    assert_eq!(outline, "solid", "the focus must be seen");
    browser.key(ENTER);
    assert_eq!(browser.text(".plm-inspect .plm-button[aria-pressed]"), "Unpin");
    browser.key(PAGE_DOWN);
    let next = run.changes.iter().find(|c| c.t > start + 2.0 * run.sync_period_secs).unwrap();
    assert_eq!(said(&browser, &run), next.t);
    std::thread::sleep(std::time::Duration::from_millis(400));
    let heard = browser.run("return document.querySelector('[aria-live=polite]').textContent");
    assert!(heard.as_str().unwrap().contains(&next.reason), "a listener hears nothing: {heard}");
    let spoken = browser.run("return document.activeElement.getAttribute('aria-valuetext')");
    assert!(spoken.as_str().unwrap().contains(&next.reason));

    let ticks = || {
        browser.run("return [...document.querySelectorAll('[data-chart=load] .plm-tick')].map((t) => t.textContent).join()")
    };
    let all = ticks();
    browser.key('+');
    browser.key('+');
    assert_ne!(ticks(), all);
    assert!(!browser.text(".plm-range:not(p)").is_empty());
    browser.key('0');
    assert_eq!(ticks(), all);
    // A drag zooms to what was dragged over, with the seconds that were under the pointer.
    let (from, to) = (place(&browser, "load", &run, 1800.0), place(&browser, "load", &run, 3600.0));
    browser.drag(from, to);
    assert!(
        browser.text(".plm-range:not(p)").starts_with("30m")
            || browser.text(".plm-range:not(p)").starts_with("29m")
    );
    assert_eq!(browser.number("return document.querySelectorAll('.plm-select').length"), 0.0);
    browser.run(
        "[...document.querySelectorAll('.plm-button')].find((b) => b.textContent === 'Show all').click()",
    );
    browser.settle();
    assert_eq!(ticks(), all);
}

#[test]
fn a_legend_hides_and_a_theme_turns_dark() {
    let browser = Browser::open(1200, 900);
    browser.show("legend.html", &html::page(&common::shop()));
    let lines = "return document.querySelectorAll('[data-series=proposed]').length";
    let chip = "[...document.querySelectorAll('.plm-chip')].find((c) => c.innerText.includes('proposed'))";
    assert_eq!(browser.number(lines), 1.0);
    browser.run(&format!("{chip}.click()"));
    assert_eq!(browser.number(lines), 0.0);
    assert_eq!(browser.run(&format!("return {chip}.getAttribute('aria-pressed')")), "false");
    browser.run(&format!("{chip}.click()"));
    assert_eq!(browser.number(lines), 1.0);
    let ground = || browser.run("return getComputedStyle(document.body).backgroundColor");
    let mut seen = vec![ground()];
    for _ in 0..2 {
        browser.run("document.querySelector('.plm-theme').click()");
        seen.push(ground());
    }
    assert_eq!(seen[0], seen[1], "light is what this browser prefers");
    assert_ne!(seen[1], seen[2], "dark is another colour");
    browser.run("document.querySelector('.plm-theme').click()");
    browser.prefer("dark");
    assert_eq!(ground(), seen[2], "left to itself, the page does as the system prefers");
}

#[test]
fn a_long_run_tells_of_changes_between_its_points() {
    let browser = Browser::open(1200, 900);
    let week = common::run(&common::Wish {
        name: "week",
        kind: "Autoscaler",
        style: common::Style::Target,
        hours: 168.0,
        start_secs: 45.0,
    });
    let change =
        week.changes.iter().find(|c| week.points.iter().all(|p| p.t != c.t)).expect("one between points");
    browser.show("week.html", &html::page(&week));
    let row = week.changes.iter().position(|c| c == change).unwrap();
    browser.run(&format!("document.querySelectorAll('.plm-time')[{row}].click()"));
    let card = browser.text(".plm-card");
    assert!(card.contains(&change.reason) || card.contains(&units::moment(change.t)), "{change:?}: {card}");
    assert!(!browser.text(".plm-why").starts_with("Stays"), "{card}");
}

#[test]
fn a_comparison_shows_all_and_marks_the_best() {
    let browser = Browser::open(1400, 1000);
    let contest = common::contest();
    browser.show("compare.html", &html::page(&contest));
    let runs = contest.runs.len() as f64;
    let count =
        |selector: &str| browser.number(&format!("return document.querySelectorAll('{selector}').length"));
    assert_eq!(count("[data-chart=replicas] [data-series^=run-]"), runs);
    assert_eq!(count(".plm-card"), runs);
    let marked: usize =
        contest.columns.iter().filter(|c| c.best.len() < contest.runs.len()).map(|c| c.best.len()).sum();
    assert_eq!(count(".plm-best"), marked as f64);
    for sentence in &contest.words {
        assert!(browser.text(".plm-words").contains(sentence));
    }
    let change = &contest.runs[1].changes[4];
    browser.click(place(&browser, "replicas", &contest.runs[1], change.t));
    let card = browser.text(".plm-card[data-run='1']");
    assert!(card.contains(&change.reason), "{card}");

    let press = |label: &str| {
        browser.run(&format!("[...document.querySelectorAll('.plm-modes button')].find((b) => b.innerText.trim() === {label:?}).click()"));
        browser.settle();
    };
    press("Side by side");
    assert_eq!(count(".plm-column"), runs);
    assert_eq!(count(".plm-chart"), runs * 3.0);
    press("web-steps");
    assert!(count("[data-chart=metric-0] .plm-zone") >= 3.0, "the steps of the table are zones");
    browser.no_complaints();
}

/// Texts of one chart that lie over each other, and anything wider than the window.
const FAULTS: &str = "
    const faults = [];
    for (const svg of document.querySelectorAll('.plm-canvas')) {
      const frame = svg.getBoundingClientRect();
      const boxes = [...svg.querySelectorAll('text')].map((t) => [t.textContent, t.getBoundingClientRect()]);
      boxes.forEach(([a, p], i) => {
        if (p.left < frame.left - 1 || p.right > frame.right + 1 || p.top < frame.top - 1 || p.bottom > frame.bottom + 1) faults.push(`${a} is cut`);
        for (const [b, q] of boxes.slice(i + 1)) {
          if (p.left < q.right && q.left < p.right && p.top + 3 < q.bottom && q.top + 3 < p.bottom) faults.push(`${a} over ${b}`);
        }
      });
    }
    for (const node of document.querySelectorAll('.plm-host *, .plm-top *')) {
      if (node.closest('svg, .plm-hidden, .plm-scroll') || !node.offsetParent) continue;
      if (node.getBoundingClientRect().right > innerWidth + 1) faults.push(`${node.className} leaves the window`);
    }
    if (document.documentElement.scrollWidth > innerWidth) faults.push(`scrolls sideways: ${document.documentElement.scrollWidth} > ${innerWidth}`);
    return faults";

#[test]
fn nothing_overlaps_or_is_cut_at_any_width() {
    let browser = Browser::open(1200, 900);
    let week = common::run(&common::Wish {
        name: "a-name-that-is-as-long-as-names-of-autoscalers-in-large-firms-tend-to-be",
        kind: "Autoscaler",
        style: common::Style::Steps,
        hours: 168.0,
        start_secs: 45.0,
    });
    let pages = [html::page(&common::shop()), html::page(&common::contest()), html::page(&week)];
    for (index, page) in pages.iter().enumerate() {
        browser.show(&format!("widths-{index}.html"), page);
        for width in [400, 560, 761, 1040, 1200, 2000] {
            browser.resize(width, 900);
            assert_eq!(browser.run(FAULTS), serde_json::json!([]), "page {index} at {width}");
        }
    }
}

#[test]
fn on_a_phone_the_words_are_in_sight() {
    let browser = Browser::open(1200, 900);
    browser.resize(400, 800);
    let run = common::shop();
    browser.show("phone.html", &html::page(&run));
    let (x, y) = place(&browser, "load", &run, 600.0);
    browser.click((x, y));
    assert!((said(&browser, &run) - 600.0).abs() <= 60.0);
    let words = browser.run("const box = document.querySelector('.plm-why').getBoundingClientRect(); return [box.top, box.bottom]");
    let (top, bottom) = (words[0].as_f64().unwrap(), words[1].as_f64().unwrap());
    assert!(top > y && bottom < 800.0, "the words are at {top} to {bottom}, the finger at {y}");
}

#[test]
fn a_live_page_grows() {
    let browser = Browser::open(1200, 900);
    let whole = common::shop();
    let mut begun = whole.clone();
    begun.points.truncate(100);
    begun.trails.truncate(100);
    begun.changes.retain(|change| change.t <= begun.points[99].t);
    begun.duration_secs = begun.points[99].t;
    let (known, first) = (begun.changes.len(), begun.points[99].t);
    let document = Document {
        script: "window.view = view;",
        options: "{\"followSecs\": 3600, \"keepSecs\": 7200}",
        ..Document::new((&begun).into())
    };
    browser.show("live.html", &document.render());
    assert_eq!(browser.text(".plm-moment"), units::moment(first), "without a cursor it shows now");
    let width = "return document.querySelector('[data-series=spec]').getBBox().width";
    let before = browser.number(width);
    let delta = live::Delta {
        run: 0,
        points: &whole.points[100..200],
        changes: &whole.changes[known..known + 4],
        incidents: &whole.incidents,
        trails_from: 100,
        trails: &whole.trails[100..200],
        scored: Some(&whole),
    };
    browser.run(&format!("view.append({})", delta.json()));
    browser.settle();
    assert!(browser.number(width) > before * 1.5);
    assert_eq!(said(&browser, &whole), whole.points[199].t);
    assert!(browser.text(".plm-changes h2").starts_with(&(known + 4).to_string()));
    assert!(browser.text(".plm-score").contains("0.27 %"));
    browser.no_complaints();
}

#[test]
fn it_prints() {
    let browser = Browser::open(1200, 900);
    browser.show("print.html", &html::page(&common::shop()));
    browser.run("document.querySelector('.plm-theme').click(); document.querySelector('.plm-theme').click()");
    let paper = browser.print();
    // "JVBERi" is "%PDF-" in base64.
    assert!(paper.starts_with("JVBERi") && paper.len() > 40_000, "{} characters", paper.len());
    browser.settle();
    assert_eq!(browser.run(FAULTS), serde_json::json!([]), "the screen is as it was");
}
