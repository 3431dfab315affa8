//! A grid of characters with two kinds of lines that differ without colour: dots (braille) and steps (box drawing).

use super::{Color, Ink};

#[derive(Clone, Copy)]
struct Cell {
    symbol: char,
    ink: Ink,
}

/// A grid of `columns` by `rows` whose values go from 0 at the bottom to `high` at the top.
pub(super) struct Canvas {
    columns: usize,
    rows: usize,
    high: f64,
    cells: Vec<Cell>,
}

/// The bit of a braille character for a dot at (x, y) of its two by four.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
const BRAILLE: u32 = 0x2800;

impl Canvas {
    pub(super) fn new(columns: usize, rows: usize, high: f64) -> Self {
        let high = if high.is_finite() && high > 0.0 { high } else { 1.0 };
        let blank = Cell { symbol: ' ', ink: Ink::Plain };
        Self { columns, rows, high, cells: vec![blank; columns * rows] }
    }

    fn put(&mut self, column: usize, row: usize, symbol: char, ink: Ink) {
        if column < self.columns
            && let Some(cell) = self.cells.get_mut(row * self.columns + column)
        {
            *cell = Cell { symbol, ink };
        }
    }

    /// A value's place counted from the top, in `per_row` parts of a row.
    fn place(&self, value: f64, per_row: usize) -> usize {
        let last = (self.rows * per_row).saturating_sub(1) as f64;
        let share = (value / self.high).clamp(0.0, 1.0);
        if share.is_nan() { last as usize } else { (last - (share * last).round()) as usize }
    }

    /// A line of steps through one value per column; `None` leaves a gap.
    pub(super) fn steps(&mut self, values: &[Option<f64>], ink: Ink) {
        let mut before: Option<usize> = None;
        for (column, value) in values.iter().enumerate() {
            let Some(value) = value else {
                before = None;
                continue;
            };
            let row = self.place(*value, 1);
            match before {
                Some(was) if was != row => {
                    let (leaves, arrives) = if row < was { ('╯', '╭') } else { ('╮', '╰') };
                    self.put(column, was, leaves, ink);
                    for between in was.min(row) + 1..was.max(row) {
                        self.put(column, between, '│', ink);
                    }
                    self.put(column, row, arrives, ink);
                }
                _ => self.put(column, row, '─', ink),
            }
            before = Some(row);
        }
    }

    /// A line of dots through two values per column.
    pub(super) fn dots(&mut self, values: &[Option<f64>], ink: Ink) {
        let mut before: Option<usize> = None;
        for (x, value) in values.iter().enumerate() {
            let Some(value) = value else {
                before = None;
                continue;
            };
            let y = self.place(*value, 4);
            let (from, to) = match before {
                Some(was) if was + 1 < y => (was + 1, y),
                Some(was) if y + 1 < was => (y, was - 1),
                _ => (y, y),
            };
            for each in from..=to {
                self.dot(x, each, ink);
            }
            before = Some(y);
        }
    }

    fn dot(&mut self, x: usize, y: usize, ink: Ink) {
        let (column, row) = (x / 2, y / 4);
        let bit = DOTS.get(x % 2).and_then(|dots| dots.get(y % 4)).copied().unwrap_or(0);
        if column >= self.columns {
            return;
        }
        if let Some(cell) = self.cells.get_mut(row * self.columns + column) {
            let now = u32::from(cell.symbol);
            let dots = if (BRAILLE..BRAILLE + 256).contains(&now) { now - BRAILLE } else { 0 };
            *cell = Cell { symbol: char::from_u32(BRAILLE + (dots | bit)).unwrap_or('.'), ink };
        }
    }

    /// One row as text, without trailing blanks.
    pub(super) fn row(&self, row: usize, color: Color) -> String {
        let start = row * self.columns;
        let cells = self.cells.get(start..start + self.columns).unwrap_or_default();
        let used = cells.iter().rposition(|cell| cell.symbol != ' ').map_or(0, |last| last + 1);
        let mut out = String::new();
        for run in cells.get(..used).unwrap_or_default().chunk_by(|a, b| a.ink == b.ink) {
            let text: String = run.iter().map(|cell| cell.symbol).collect();
            out.push_str(&run.first().map_or(Ink::Plain, |cell| cell.ink).paint(&text, color));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_turn_corners_and_dots_rise() {
        let mut canvas = Canvas::new(4, 3, 2.0);
        canvas.steps(&[Some(0.0), Some(2.0), Some(2.0), Some(1.0)], Ink::Spec);
        let text: Vec<String> = (0..3).map(|row| canvas.row(row, Color::Never)).collect();
        assert_eq!(text, [" ╭─╮", " │ ╰", "─╯"]);

        let mut canvas = Canvas::new(2, 1, 3.0);
        canvas.dots(&[Some(0.0), Some(1.0), Some(2.0), Some(3.0)], Ink::Load);
        assert_eq!(canvas.row(0, Color::Never), "⡠⠊");
        assert_eq!(canvas.row(0, Color::Always), "\u{1b}[33m⡠⠊\u{1b}[0m");
    }

    #[test]
    fn odd_numbers_stay_on_the_canvas() {
        let mut canvas = Canvas::new(3, 2, f64::NAN);
        canvas.steps(&[Some(f64::NAN), None, Some(f64::INFINITY)], Ink::Spec);
        canvas.dots(&[Some(-5.0); 9], Ink::Load);
        assert!(!canvas.row(1, Color::Never).is_empty());
    }
}
