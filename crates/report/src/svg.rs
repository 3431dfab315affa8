//! A still picture for a README: two panels, one time axis, readable on light and on dark.

use std::fmt::Write as _;

use plimsoll_sim::record::{Point, Run};

use crate::html::escape;
use crate::units::{self, Ticks};
use crate::{Subject, score};

const WIDTH: f64 = 880.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 868.0;
const LOAD: Panel = Panel { top: 92.0, bottom: 218.0 };
const REPLICAS: Panel = Panel { top: 270.0, bottom: 396.0 };
const HEIGHT: f64 = 428.0;

// Mid-tones with about the same contrast on white and on near-black, told apart by any eye, and by dashes too.
const INK: &str = "#7a818a";
const OFFERED: &str = "#8c8f94";
const UNMET: &str = "#e0552b";
const RUNS: [(&str, &str); 6] = [
    ("#2f86cc", ""),
    ("#d08700", "7 3"),
    ("#129c77", "2 3"),
    ("#c3629a", "9 3 2 3"),
    ("#7f6fd0", "4 4"),
    ("#8f7350", "1 3"),
];

struct Panel {
    top: f64,
    bottom: f64,
}

impl Panel {
    fn y(&self, value: f64, high: f64) -> f64 {
        let share = (value / high).clamp(0.0, 1.0);
        self.bottom - if share.is_nan() { 0.0 } else { share } * (self.bottom - self.top)
    }
}

/// The subject as one SVG document with a title and a description.
pub fn chart<'a>(subject: impl Into<Subject<'a>>) -> String {
    let subject = subject.into();
    let runs = subject.runs();
    let duration = runs.iter().map(|run| run.duration_secs).fold(1.0, f64::max);
    let picture = Picture { runs, duration, out: String::new() };
    picture.draw(&subject)
}

struct Picture<'a> {
    runs: &'a [Run],
    duration: f64,
    out: String,
}

impl Picture<'_> {
    fn draw(mut self, subject: &Subject<'_>) -> String {
        let title = escape(&subject.title());
        let load = self.runs.first().map(|run| escape(&run.load)).unwrap_or_default();
        self.add(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" role=\"img\" \
             aria-label=\"{title}\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif\" \
             font-size=\"11.5\" fill=\"{INK}\">\n<title>{title}</title>\n<desc>{}</desc>\n",
            escape(&self.description())
        ));
        self.add(format!("<text x=\"8\" y=\"22\" font-size=\"16\" font-weight=\"600\">{title}</text>\n"));
        self.add(format!("<text x=\"8\" y=\"42\">{}</text>\n", cut(&load, 140)));
        self.load_panel();
        self.replica_panel();
        self.time_axis();
        self.add("</svg>\n".to_owned());
        self.out
    }

    fn add(&mut self, text: String) {
        self.out.push_str(&text);
    }

    fn description(&self) -> String {
        let each = self.runs.iter().map(|run| {
            let rows = score::rows(run);
            let figures: Vec<String> =
                rows.iter().map(|row| format!("{} {}", row.label, row.value)).collect();
            format!("{}: {}.", run.name, figures.join(", "))
        });
        let each: Vec<String> = each.collect();
        format!(
            "Load against capacity, and replicas, over {}. {}",
            units::duration(self.duration),
            each.join(" ")
        )
    }

    fn x(&self, t: f64) -> f64 {
        LEFT + (t / self.duration).clamp(0.0, 1.0) * (RIGHT - LEFT)
    }

    fn load_panel(&mut self) {
        let loads = self.runs.iter().flat_map(|run| &run.points).map(|p| p.load).fold(0.0, f64::max);
        let capacities = self.runs.iter().flat_map(|run| &run.points).map(|p| p.capacity).fold(0.0, f64::max);
        // Much idle capacity must not flatten the load.
        let high = self.grid(&LOAD, loads.max(capacities.min(loads.max(1.0) * 2.5)), Ticks::Any);
        let runs = self.runs;
        let mut legend = vec![("load".to_owned(), OFFERED, "")];
        for (run, (color, dash)) in runs.iter().zip(RUNS.iter().cycle()) {
            if let [only] = runs {
                let unmet = self.area(only, &LOAD, high, |p| p.load - p.unmet, |p| p.load);
                self.add(format!("<path d=\"{unmet}\" fill=\"{UNMET}\" fill-opacity=\".5\"/>\n"));
                legend.extend([("capacity".to_owned(), *color, *dash), ("unmet".to_owned(), UNMET, "area")]);
            } else {
                legend.push((format!("{} capacity", run.name), *color, *dash));
            }
            let path = self.steps(run, &LOAD, high, |p| p.capacity);
            self.stroke(&path, color, dash, 1.6);
        }
        if let Some(first) = runs.first() {
            let path = self.curve(first, &LOAD, high, |p| p.load);
            self.stroke(&path, OFFERED, "", 1.6);
        }
        self.legend(&LOAD, "requests/s", &legend);
    }

    fn replica_panel(&mut self) {
        let most =
            self.runs.iter().flat_map(|run| &run.points).map(|p| p.spec.max(p.ready)).max().unwrap_or(1);
        let high = self.grid(&REPLICAS, f64::from(most), Ticks::Whole);
        let runs = self.runs;
        let mut legend = Vec::new();
        for (run, (color, dash)) in runs.iter().zip(RUNS.iter().cycle()) {
            if let [only] = runs {
                let start = only.points.first().map_or(LEFT, |p| self.x(p.t));
                let mut ready = self.steps(only, &REPLICAS, high, |p| f64::from(p.ready));
                let _ = write!(ready, "V{}H{start:.1}Z", REPLICAS.bottom);
                self.add(format!("<path d=\"{ready}\" fill=\"{color}\" fill-opacity=\".22\"/>\n"));
                legend.extend([("wanted".to_owned(), *color, *dash), ("ready".to_owned(), *color, "area")]);
            } else {
                legend.push((run.name.clone(), *color, *dash));
            }
            let path = self.steps(run, &REPLICAS, high, |p| f64::from(p.spec));
            self.stroke(&path, color, dash, 1.8);
        }
        self.legend(&REPLICAS, "replicas", &legend);
    }

    /// Horizontal lines with their values; returns the value at the top.
    fn grid(&mut self, panel: &Panel, high: f64, kind: Ticks) -> f64 {
        let ticks = units::value_ticks(high, 4, kind);
        let top = ticks.last().copied().unwrap_or(1.0);
        for tick in ticks {
            let y = panel.y(tick, top);
            self.add(format!("<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"{INK}\" stroke-opacity=\".25\"/>"));
            self.add(format!(
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
                LEFT - 8.0,
                y + 4.0,
                units::number(tick)
            ));
        }
        top
    }

    fn time_axis(&mut self) {
        for tick in units::time_ticks(0.0, self.duration, 8) {
            let x = self.x(tick);
            for panel in [LOAD, REPLICAS] {
                self.add(format!(
                    "<path d=\"M{x:.1} {}v5\" stroke=\"{INK}\" stroke-opacity=\".6\"/>",
                    panel.bottom
                ));
            }
            let anchor = if x > RIGHT - 16.0 { "end" } else { "middle" };
            let label = units::tick(tick);
            self.add(format!(
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{label}</text>\n",
                REPLICAS.bottom + 20.0
            ));
        }
    }

    fn legend(&mut self, panel: &Panel, unit: &str, entries: &[(String, &str, &str)]) {
        let y = panel.top - 20.0;
        self.add(format!("<text x=\"8\" y=\"{}\" font-weight=\"600\">{unit}</text>\n", y + 4.0));
        let mut x = 92.0;
        for (name, color, dash) in entries {
            let name = cut(name, 28);
            if *dash == "area" {
                let top = y - 4.0;
                self.add(format!("<rect x=\"{x}\" y=\"{top}\" width=\"18\" height=\"9\" rx=\"2\" fill=\"{color}\" fill-opacity=\".45\"/>"));
            } else {
                self.stroke(&format!("M{x} {y}h18"), color, dash, 2.0);
            }
            self.add(format!("<text x=\"{}\" y=\"{}\">{}</text>\n", x + 24.0, y + 4.0, escape(&name)));
            x += 24.0 + 16.0 + name.chars().count() as f64 * 6.4;
        }
    }

    fn stroke(&mut self, path: &str, color: &str, dash: &str, width: f64) {
        let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        self.add(format!("<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dash}/>\n"));
    }

    /// A line through the lowest and highest value of each pixel.
    fn curve(&self, run: &Run, panel: &Panel, high: f64, value: impl Fn(&Point) -> f64) -> String {
        let mut path = String::new();
        for bucket in run.points.chunk_by(|a, b| self.x(a.t).floor() == self.x(b.t).floor()) {
            let values = bucket.iter().map(&value);
            let (low, top) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            let Some(first) = bucket.first() else { continue };
            let rising = bucket.last().is_some_and(|last| value(last) >= value(first));
            let ends = if rising { [low, top] } else { [top, low] };
            let distinct = if low == top { 1 } else { 2 };
            for end in ends.iter().take(distinct) {
                let verb = if path.is_empty() { 'M' } else { 'L' };
                // Writing to a String cannot fail.
                let _ = write!(path, "{verb}{:.1} {:.1}", self.x(first.t), panel.y(*end, high));
            }
        }
        path
    }

    /// A line that stays until it changes; only the changes are written.
    fn steps(&self, run: &Run, panel: &Panel, high: f64, value: impl Fn(&Point) -> f64) -> String {
        let mut path = String::new();
        let mut last = f64::NAN;
        for point in &run.points {
            let y = panel.y(value(point), high);
            if path.is_empty() {
                let _ = write!(path, "M{:.1} {y:.1}", self.x(point.t));
            } else if (y - last).abs() >= 0.1 {
                let _ = write!(path, "H{:.1}V{y:.1}", self.x(point.t));
            } else {
                continue;
            }
            last = y;
        }
        if let Some(end) = run.points.last() {
            let _ = write!(path, "H{:.1}", self.x(end.t));
        }
        path
    }

    /// The areas between two values, where they differ.
    fn area(
        &self,
        run: &Run,
        panel: &Panel,
        high: f64,
        low: impl Fn(&Point) -> f64,
        top: impl Fn(&Point) -> f64,
    ) -> String {
        let mut path = String::new();
        for piece in run.points.chunk_by(|a, b| (top(a) > low(a)) == (top(b) > low(b))) {
            if piece.first().is_none_or(|p| top(p) <= low(p)) {
                continue;
            }
            let mut back = Vec::new();
            for point in piece {
                let verb = if back.is_empty() { 'M' } else { 'L' };
                let x = self.x(point.t);
                let _ = write!(path, "{verb}{x:.1} {:.1}", panel.y(top(point), high));
                back.push(format!("L{x:.1} {:.1}", panel.y(low(point), high)));
            }
            path.extend(back.into_iter().rev());
            path.push('Z');
        }
        path
    }
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        text.to_owned()
    } else {
        text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
    }
}
