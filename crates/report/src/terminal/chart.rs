//! The chart in a terminal: load against capacity, what was unmet, replicas, changes, and one time axis below.

use plimsoll_sim::record::{Comparison, Point, Run};

use super::canvas::Canvas;
use super::{Color, Ink, Options, cut, tame};
use crate::units::{self, Ticks};

const GUTTER: usize = 8;
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One run: load against capacity, unmet, replicas and changes over time. Whose run it is, the caller has said.
pub fn chart(run: &Run, options: &Options) -> String {
    let mut page = Page::new(run.duration_secs, options);
    page.load(run, 9);
    page.unmet(run);
    page.line("");
    page.replicas(run, 9);
    page.changes(run);
    page.axis();
    page.out
}

/// Several runs: the load once, then each run's replicas, what it left unmet, and its changes.
pub fn compare_chart(comparison: &Comparison, options: &Options) -> String {
    let longest = comparison.runs.iter().map(|run| run.duration_secs).fold(0.0, f64::max);
    let mut page = Page::new(longest, options);
    if let Some(first) = comparison.runs.first() {
        page.heading("load, requests/s", &first.load);
        let high = first.points.iter().map(|p| p.load_peak.max(p.load)).fold(0.0, f64::max);
        let dots = page.sample(first, page.columns * 2, |p| Some(p.load));
        page.panel(high, 4, Ticks::Any, |canvas| canvas.dots(&dots, Ink::Load));
    }
    let most =
        comparison.runs.iter().flat_map(|run| &run.points).map(|p| p.spec.max(p.ready)).max().unwrap_or(1);
    for run in &comparison.runs {
        page.line("");
        page.heading(&format!("{}  replicas", run.name), &run.kind);
        let spec = page.sample(run, page.columns * 2, |p| Some(f64::from(p.spec)));
        page.panel(f64::from(most), 4, Ticks::Whole, |canvas| canvas.dots(&spec, Ink::Spec));
        page.unmet(run);
        page.changes(run);
    }
    page.axis();
    page.out
}

struct Page {
    columns: usize,
    duration: f64,
    color: Color,
    out: String,
}

impl Page {
    fn new(duration: f64, options: &Options) -> Self {
        let duration = if duration.is_finite() && duration > 0.0 { duration } else { 1.0 };
        Self { columns: options.columns() - GUTTER - 1, duration, color: options.color, out: String::new() }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    /// A strong heading and dim words after it, cut to the width.
    fn heading(&mut self, strong: &str, dim: &str) {
        let width = self.columns + GUTTER + 1;
        let strong = cut(&tame(strong), width);
        let left = width.saturating_sub(strong.chars().count() + 2);
        let dim = if left > 8 { cut(&tame(dim), left) } else { String::new() };
        let text =
            format!("{}  {}", Ink::Strong.paint(&strong, self.color), Ink::Dim.paint(&dim, self.color));
        self.line(&text);
    }

    fn legend(&mut self, title: &str, entries: &[(char, &str, Ink)]) {
        let words: Vec<String> = entries
            .iter()
            .map(|(mark, name, ink)| format!("{} {name}", ink.paint(&mark.to_string(), self.color)))
            .collect();
        let text = format!("{title:GUTTER$} {}", words.join("   "));
        self.line(&text);
    }

    /// One value for each of `count` slots of time: the last point at or before the slot's end.
    fn sample(&self, run: &Run, count: usize, value: impl Fn(&Point) -> Option<f64>) -> Vec<Option<f64>> {
        (0..count)
            .map(|slot| {
                let end = self.duration * (slot + 1) as f64 / count as f64;
                let next = run.points.partition_point(|p| p.t <= end);
                run.points.get(next.checked_sub(1)?).filter(|_| self.reaches(run, end)).and_then(&value)
            })
            .collect()
    }

    /// Whether the run was still going, give or take a sync, so that a shorter one ends where it ended.
    fn reaches(&self, run: &Run, at: f64) -> bool {
        at <= run.duration_secs + run.sync_period_secs.max(self.duration / self.columns as f64)
    }

    /// Rows of a canvas with the values of its lowest, middle and highest row beside it.
    fn panel(&mut self, high: f64, rows: usize, kind: Ticks, draw: impl FnOnce(&mut Canvas)) {
        let top = units::value_ticks(high, 6, kind).last().copied().unwrap_or(1.0);
        let mut canvas = Canvas::new(self.columns, rows, top);
        draw(&mut canvas);
        for row in 0..rows {
            let named = match row {
                0 => Some(top),
                row if row + 1 == rows => Some(0.0),
                row if rows > 5 && row == (rows - 1) / 2 => {
                    Some(top * (rows - 1 - row) as f64 / (rows - 1) as f64)
                }
                _ => None,
            };
            let label = named.map(units::number).unwrap_or_default();
            let edge = if named.is_some() { '┤' } else { '│' };
            let gutter = Ink::Dim.paint(&format!("{label:>GUTTER$}{edge}"), self.color);
            let text = format!("{gutter}{}", canvas.row(row, self.color));
            self.line(&text);
        }
    }

    fn load(&mut self, run: &Run, rows: usize) {
        self.legend("load", &[('⠒', "requests/s", Ink::Load), ('─', "capacity", Ink::Capacity)]);
        let load = self.sample(run, self.columns * 2, |p| Some(p.load));
        let capacity = self.sample(run, self.columns, |p| Some(p.capacity));
        let highest_load = run.points.iter().map(|p| p.load).fold(0.0, f64::max);
        // Much idle capacity must not flatten the load.
        let high = load
            .iter()
            .chain(&capacity)
            .flatten()
            .copied()
            .fold(0.0, f64::max)
            .min(highest_load.max(1e-9) * 3.0);
        self.panel(high, rows, Ticks::Any, |canvas| {
            canvas.steps(&capacity, Ink::Capacity);
            canvas.dots(&load, Ink::Load);
        });
    }

    /// The largest share of the load left unmet, one block per column.
    fn unmet(&mut self, run: &Run) {
        let mut shares = vec![0.0_f64; self.columns];
        for point in &run.points {
            let share = if point.load > 0.0 {
                point.unmet / point.load
            } else if point.unmet > 0.0 {
                1.0
            } else {
                0.0
            };
            if let Some(slot) = shares.get_mut(self.column(point.t)) {
                *slot = slot.max(share);
            }
        }
        if shares.iter().all(|share| *share <= 0.0) {
            return;
        }
        let symbols: String = shares
            .iter()
            .map(
                |share| {
                    if *share <= 0.0 { ' ' } else { *BLOCKS.get((share * 8.0) as usize).unwrap_or(&'█') }
                },
            )
            .collect();
        self.strip("unmet", symbols.trim_end(), Ink::Unmet);
    }

    fn replicas(&mut self, run: &Run, rows: usize) {
        self.legend("replicas", &[('─', "wanted", Ink::Spec), ('⠒', "ready", Ink::Ready)]);
        let spec = self.sample(run, self.columns, |p| Some(f64::from(p.spec)));
        let ready = self.sample(run, self.columns * 2, |p| Some(f64::from(p.ready)));
        let high = run.points.iter().map(|p| p.spec.max(p.ready)).max().unwrap_or(1);
        self.panel(f64::from(high), rows, Ticks::Whole, |canvas| {
            canvas.dots(&ready, Ink::Ready);
            canvas.steps(&spec, Ink::Spec);
        });
    }

    /// An arrow in each column in which the replicas changed; both ways in one column is a double arrow.
    fn changes(&mut self, run: &Run) {
        let mut marks = vec![' '; self.columns];
        for change in &run.changes {
            let column = self.column(change.t);
            if let Some(mark) = marks.get_mut(column) {
                let now = if change.to > change.from { '▲' } else { '▼' };
                *mark = if *mark == ' ' || *mark == now { now } else { '↕' };
            }
        }
        let marks: String = marks.into_iter().collect();
        self.strip("changes", marks.trim_end(), Ink::Plain);
    }

    fn strip(&mut self, label: &str, symbols: &str, ink: Ink) {
        let gutter = Ink::Dim.paint(&format!("{label:>GUTTER$} "), self.color);
        let text = format!("{gutter}{}", ink.paint(symbols, self.color));
        self.line(&text);
    }

    fn column(&self, t: f64) -> usize {
        ((t / self.duration * self.columns as f64) as usize).min(self.columns - 1)
    }

    fn axis(&mut self) {
        let ticks = units::time_ticks(0.0, self.duration, (self.columns / 10).max(2));
        let mut rule = vec!['─'; self.columns];
        let mut words = vec![' '; self.columns + GUTTER + 1];
        for tick in ticks {
            let column = self.column(tick);
            if let Some(cell) = rule.get_mut(column) {
                *cell = '┬';
            }
            let label = units::tick(tick);
            let length = label.chars().count();
            let start =
                (column + GUTTER + 1).saturating_sub(length / 2).min(words.len() - length.min(words.len()));
            // A label that would touch its neighbour is left out.
            let free = words
                .get(start.saturating_sub(1)..start + length)
                .is_some_and(|w| w.iter().all(|c| *c == ' '));
            if free {
                for (cell, symbol) in words.iter_mut().skip(start).zip(label.chars()) {
                    *cell = symbol;
                }
            }
        }
        let rule: String = rule.into_iter().collect();
        let words: String = words.into_iter().collect();
        let blank = " ".repeat(GUTTER);
        let rule = Ink::Dim.paint(&format!("{blank}└{rule}"), self.color);
        let words = Ink::Dim.paint(words.trim_end(), self.color);
        self.line(&rule);
        self.line(&words);
    }
}
