//! Changes, scores and comparisons as plain tables that also read well in a pipe.

use plimsoll_sim::record::{Author, Change, Comparison, Run};

use super::{Ink, Options, cut, tame, wrap};
use crate::score::{self, Mood};
use crate::units::{grouped, moment};

/// Every change with its reason, wrapped to the width.
pub fn changes(run: &Run, options: &Options) -> String {
    if run.changes.is_empty() {
        return "no changes\n".to_owned();
    }
    let mut out = String::new();
    let times: Vec<String> = run.changes.iter().map(|change| moment(change.t)).collect();
    let time_width = times.iter().map(String::len).max().unwrap_or(0);
    let count_width =
        run.changes.iter().map(|c| c.from.to_string().len().max(c.to.to_string().len())).max().unwrap_or(1);
    for (change, time) in run.changes.iter().zip(&times) {
        let head = format!(
            "{time:>time_width$}  {:>count_width$} {} {:<count_width$}",
            change.from,
            Ink::Strong.paint(arrow(change), options.color),
            change.to
        );
        let indent = time_width + 2 + count_width * 2 + 3 + 2;
        for (index, line) in
            wrap(&reason(change), options.columns().saturating_sub(indent).max(20)).iter().enumerate()
        {
            let lead = if index == 0 { head.clone() } else { " ".repeat(indent - 2) };
            out.push_str(&format!("{lead}  {line}\n"));
        }
    }
    if run.changes_left_out > 0 {
        let more = grouped(i64::try_from(run.changes_left_out).unwrap_or(i64::MAX));
        out.push_str(&format!("{:>time_width$}  and {more} more\n", "…"));
    }
    out
}

fn arrow(change: &Change) -> &'static str {
    if change.to > change.from { "↗" } else { "↘" }
}

fn reason(change: &Change) -> String {
    match change.by {
        Author::Autoscaler => tame(&change.reason),
        Author::Hand => format!("by hand: {}", tame(&change.reason)),
    }
}

/// The score, one figure per line.
pub fn score_table(run: &Run, options: &Options) -> String {
    let rows = score::rows(run);
    let label_width = rows.iter().map(|row| row.label.len()).max().unwrap_or(0);
    let value_width = rows.iter().map(|row| row.value.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for row in rows {
        let ink = match row.mood {
            Mood::Good => Ink::Good,
            Mood::Plain => Ink::Strong,
            Mood::Look => Ink::Unmet,
        };
        let value = format!("{:>value_width$}", row.value);
        let detail = cut(&row.detail, options.columns().saturating_sub(label_width + value_width + 4));
        let line = format!(
            "{:<label_width$}  {}  {}",
            row.label,
            ink.paint(&value, options.color),
            Ink::Dim.paint(&detail, options.color)
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The comparison: one row per run, the best of each column marked with a star, then the differences in words.
pub fn compare_table(comparison: &Comparison, options: &Options) -> String {
    let mut grid = wide(comparison);
    if width(&grid) > options.columns() {
        grid = tall(comparison, options);
    }
    if width(&grid) > options.columns() {
        grid = stacked(comparison, options);
    }
    let mut out = draw(&grid, options);
    if grid.iter().flatten().any(|cell| cell.best) {
        out.push_str(&Ink::Dim.paint("* best", options.color));
        out.push('\n');
    }
    if !comparison.words.is_empty() {
        out.push('\n');
    }
    for sentence in &comparison.words {
        for (index, line) in wrap(&tame(sentence), options.columns() - 2).iter().enumerate() {
            out.push_str(if index == 0 { "- " } else { "  " });
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

struct Cell {
    text: String,
    best: bool,
}

impl Cell {
    fn plain(text: &str) -> Self {
        Self { text: tame(text), best: false }
    }

    fn width(&self) -> usize {
        self.text.chars().count() + 1
    }
}

/// One row per run.
fn wide(comparison: &Comparison) -> Vec<Vec<Cell>> {
    let mut head = vec![Cell::plain("")];
    head.extend(comparison.columns.iter().map(|column| Cell::plain(&column.label)));
    let mut grid = vec![head];
    for (index, run) in comparison.runs.iter().enumerate() {
        let mut row = vec![Cell::plain(&run.name)];
        row.extend((0..comparison.columns.len()).map(|column| figure(comparison, column, index)));
        grid.push(row);
    }
    grid
}

/// One row per figure, for narrow terminals.
fn tall(comparison: &Comparison, options: &Options) -> Vec<Vec<Cell>> {
    let labels = comparison.columns.iter().map(|c| c.label.chars().count()).max().unwrap_or(0);
    let room = (options.columns().saturating_sub(labels + 1) / comparison.runs.len().max(1))
        .saturating_sub(3)
        .max(6);
    let mut head = vec![Cell::plain("")];
    head.extend(comparison.runs.iter().map(|run| Cell::plain(&cut(&run.name, room))));
    let mut grid = vec![head];
    for (index, column) in comparison.columns.iter().enumerate() {
        let mut row = vec![Cell::plain(&column.label)];
        row.extend((0..comparison.runs.len()).map(|run| figure(comparison, index, run)));
        grid.push(row);
    }
    grid
}

/// One block per run, for many runs on a narrow terminal.
fn stacked(comparison: &Comparison, options: &Options) -> Vec<Vec<Cell>> {
    let mut grid = vec![Vec::new()];
    for (run, named) in comparison.runs.iter().enumerate() {
        grid.push(vec![Cell::plain(&cut(&named.name, options.columns() / 2))]);
        for (index, column) in comparison.columns.iter().enumerate() {
            grid.push(vec![Cell::plain(&format!("  {}", column.label)), figure(comparison, index, run)]);
        }
    }
    grid
}

fn figure(comparison: &Comparison, column: usize, run: usize) -> Cell {
    let Some(column) = comparison.columns.get(column) else { return Cell::plain("") };
    let text = column.cells.get(run).map(String::as_str).unwrap_or_default();
    // Where all are equal there is no best.
    let best = column.best.contains(&run) && column.best.len() < comparison.runs.len();
    Cell { best, ..Cell::plain(text) }
}

fn widths(grid: &[Vec<Cell>]) -> Vec<usize> {
    let columns = grid.iter().map(Vec::len).max().unwrap_or(0);
    (0..columns)
        .map(|c| grid.iter().filter_map(|row| row.get(c)).map(Cell::width).max().unwrap_or(0))
        .collect()
}

fn width(grid: &[Vec<Cell>]) -> usize {
    widths(grid).iter().map(|w| w + 2).sum::<usize>().saturating_sub(2)
}

fn draw(grid: &[Vec<Cell>], options: &Options) -> String {
    let widths = widths(grid);
    let mut out = String::new();
    for (row_index, row) in grid.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let text = if cell.best { format!("{}*", cell.text) } else { format!("{} ", cell.text) };
            let text = if index == 0 { format!("{text:<width$}") } else { format!("  {text:>width$}") };
            let ink = match (row_index, cell.best) {
                (0, _) => Ink::Dim,
                (_, true) => Ink::Good,
                _ => Ink::Plain,
            };
            line.push_str(&ink.paint(&text, options.color));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
