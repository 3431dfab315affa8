//! One line for every bad input: where it is, what is wrong, what to do.

use std::fmt;

/// Bad input from a person: a file, a flag, a line of either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadInput {
    /// File and line, or the flag: `day.csv:17`, `--load`.
    pub place: String,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: String,
}

impl BadInput {
    /// A complaint about a place.
    pub fn new(place: impl Into<String>, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into(), help: help.into() }
    }

    /// A complaint about a line of a file.
    pub fn at_line(file: &str, line: u64, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(format!("{file}:{line}"), what, help)
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, one_line(&self.what))?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "; {}", one_line(&self.help)) }
    }
}

impl std::error::Error for BadInput {}

/// Text on one line and of bounded length, whatever a file held.
pub(crate) fn one_line(text: &str) -> String {
    const LONGEST: usize = 400;
    let mut out: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        out.push_str("...");
    }
    out
}

/// Turns a YAML error into one line with the place and the text that stands there.
pub(crate) fn from_yaml(file: &str, text: &str, error: &serde_saphyr::Error) -> BadInput {
    let plain = error.without_snippet();
    let mut options = serde_saphyr::RenderOptions::default();
    options.snippets = serde_saphyr::SnippetMode::Off;
    let message = plain.render_with_options(options);
    let message = message.split(" at line ").next().unwrap_or(&message).trim().to_string();
    let line = plain.location().map_or(0, |l| l.line());
    let written = usize::try_from(line)
        .ok()
        .and_then(|n| n.checked_sub(1))
        .and_then(|n| text.lines().nth(n))
        .map(str::trim)
        .filter(|l| !l.is_empty());
    let help = match written {
        Some(l) => format!("it says `{}`", one_line(l)),
        None => "see the documentation of the file's fields".to_string(),
    };
    let place = if line == 0 { file.to_string() } else { format!("{file}:{line}") };
    BadInput { place, what: message, help }
}
