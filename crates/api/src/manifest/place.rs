//! Where in a file: what errors say, kept without a single allocation until there is one.

use std::fmt;

use super::error::ManifestError;
use super::node::{At, Node};

/// Where in a file: the file and the way to a field.
pub(super) struct Place<'a> {
    source: &'a str,
    pub(super) step: Step<'a>,
}

pub(super) enum Step<'a> {
    Root,
    Key(&'a Place<'a>, &'a str),
    Index(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    pub(super) fn root(source: &'a str) -> Self {
        Self { source, step: Step::Root }
    }

    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self { source: self.source, step: Step::Key(self, key) }
    }

    pub(super) fn index(&'a self, index: usize) -> Self {
        Self { source: self.source, step: Step::Index(self, index) }
    }

    pub(super) fn error(&self, node: &Node, what: &str) -> ManifestError {
        self.error_at(node.at, what)
    }

    pub(super) fn error_at(&self, at: At, what: &str) -> ManifestError {
        ManifestError::new(self.source, at, self.to_string(), what)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.step {
            Step::Root => Ok(()),
            Step::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Step::Key(parent, key) if key.contains(['.', '/', '[', ' ']) || key.is_empty() => {
                write!(f, "{parent}[{key:?}]")
            }
            Step::Key(parent, key) if matches!(parent.step, Step::Root) => f.write_str(key),
            Step::Key(parent, key) => write!(f, "{parent}.{key}"),
        }
    }
}
