//! What passed, what failed, and where: the first mismatches in full, all of them counted by path.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::diff::{Difference, diff, without_indexes};

/// How many mismatches are shown in full.
const SHOWN: usize = 20;

/// One place where a case differs from the reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Which vector.
    pub id: String,
    /// Which step of a scenario, counted from 0.
    pub step: Option<usize>,
    /// Where and how.
    pub difference: Difference,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { path, expected, got } = &self.difference;
        write!(f, "{}", self.id)?;
        if let Some(step) = self.step {
            write!(f, " step {step}")?;
        }
        let path = if path.is_empty() { "(all)" } else { path };
        write!(f, " {path}: expected {expected}, got {got}")
    }
}

/// The outcome of all vectors run so far. A step of a scenario, an object, a quantity is one case.
#[derive(Clone, Debug, Default)]
pub struct Report {
    passed: u64,
    failed: u64,
    first: Vec<Mismatch>,
    by_path: BTreeMap<String, u64>,
}

impl Report {
    /// Counts a case by comparing what the reference has with what Plimsoll has. Whether it passed.
    pub fn check(&mut self, id: &str, step: Option<usize>, expected: &Value, got: &Value) -> bool {
        self.case(id, step, diff(expected, got))
    }

    /// Counts a case whose differences are known. Whether it passed.
    pub fn case(&mut self, id: &str, step: Option<usize>, differences: Vec<Difference>) -> bool {
        let passed = differences.is_empty();
        *(if passed { &mut self.passed } else { &mut self.failed }) += 1;
        for difference in differences {
            *self.by_path.entry(without_indexes(&difference.path)).or_default() += 1;
            if self.first.len() < SHOWN {
                self.first.push(Mismatch { id: id.to_owned(), step, difference });
            }
        }
        passed
    }

    /// How many cases passed.
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// How many cases failed.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// The first mismatches, in order.
    pub fn first(&self) -> &[Mismatch] {
        &self.first
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mismatch in &self.first {
            writeln!(f, "{mismatch}")?;
        }
        if !self.by_path.is_empty() {
            writeln!(f, "mismatches by path:")?;
        }
        for (path, count) in &self.by_path {
            writeln!(f, "{count:>7} {}", if path.is_empty() { "(all)" } else { path })?;
        }
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shows_the_first_twenty_counts_all_and_ends_with_the_sum() {
        let mut report = Report::default();
        assert!(report.check("fine", None, &json!({"a": 1}), &json!({"a": 1})));
        for step in 0..25 {
            assert!(!report.check("bad", Some(step), &json!({"a": [1]}), &json!({"a": [2]})));
        }
        let text = report.to_string();
        assert_eq!(text.lines().next(), Some("bad step 0 a[0]: expected 1, got 2"));
        assert_eq!(text.lines().filter(|it| it.starts_with("bad step")).count(), 20);
        assert!(text.ends_with("\nmismatches by path:\n     25 a[*]\n1 passed, 25 failed"), "{text}");
    }
}
