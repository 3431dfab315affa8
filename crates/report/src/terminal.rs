//! Charts and tables as text. The caller says how wide and whether colour is wanted; nothing here asks the terminal.

mod canvas;
mod chart;
mod table;

pub use chart::{chart, compare_chart};
pub use table::{changes, compare_table, score_table};

/// How text is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Columns there are; less than 40 is treated as 40.
    pub width: usize,
    /// Whether escape codes may be written.
    pub color: Color,
}

impl Options {
    /// Room for at least a small chart, and an end to what is sensible.
    fn columns(&self) -> usize {
        self.width.clamp(40, 500)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 80, color: Color::Never }
    }
}

/// Whether escape codes may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// A terminal that shows colour.
    Always,
    /// A pipe, a file, or someone who set `NO_COLOR`.
    Never,
}

/// What a piece of text stands for; each has a colour of the user's own sixteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ink {
    Plain,
    Dim,
    Strong,
    Load,
    Capacity,
    Unmet,
    Spec,
    Ready,
    Good,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Dim => "2",
            Self::Strong => "1",
            Self::Load => "33",
            Self::Capacity => "36",
            Self::Unmet => "1;31",
            Self::Spec => "1;34",
            Self::Ready => "36",
            Self::Good => "1;32",
        }
    }

    /// The text in this ink, or as it is.
    fn paint(self, text: &str, color: Color) -> String {
        if color == Color::Never || self == Self::Plain || text.is_empty() {
            text.to_owned()
        } else {
            format!("\u{1b}[{}m{text}\u{1b}[0m", self.code())
        }
    }
}

/// Words from outside must not steer the terminal.
fn tame(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Cuts to `width`, with an ellipsis where something was cut.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept.push('…');
    kept
}

/// Breaks words into lines of at most `width`; a longer word has a line of its own.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let needed = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && needed > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}
