//! What is wrong with a file, in one line that says where.

use std::fmt;

use super::node::At;

/// A file that cannot be used. Its `Display` is one line: `file:line:column: field: what is wrong`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// The file.
    pub source: String,
    /// Line and column, from 1, where they are known.
    pub at: Option<(usize, usize)>,
    /// The field, for example `spec.maxReplicas`; empty when it is about the whole.
    pub field: String,
    /// What is wrong and, where it can be said, what to do.
    pub what: String,
}

impl ManifestError {
    pub(super) fn new(source: &str, at: At, field: String, what: &str) -> Self {
        let at = (at.line > 0).then_some((at.line as usize, at.column as usize));
        Self { source: source.to_owned(), at, field, what: on_one_line(what) }
    }

    pub(super) fn of_file(source: &str, what: &str) -> Self {
        Self::new(source, At::default(), String::new(), what)
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        if let Some((line, column)) = self.at {
            write!(f, ":{line}:{column}")?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", self.field)?;
        }
        write!(f, ": {}", self.what)
    }
}

impl std::error::Error for ManifestError {}

fn on_one_line(text: &str) -> String {
    text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ")
}
