//! The journal: one line for each decision, from which it can be made again, byte for byte.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::record::Record;

/// A file of the journal is ended when it has this many bytes.
const LARGEST_FILE: u64 = 64 << 20;
/// How many files are kept.
const MOST_FILES: usize = 16;

/// Writes records to files in a directory. The oldest go when there are too many.
pub struct Journal {
    dir: PathBuf,
    open: Mutex<Open>,
}

struct Open {
    file: File,
    number: u64,
    size: u64,
}

impl Journal {
    /// Begins a new file in a directory, which is made if it is not there.
    ///
    /// # Errors
    /// When the directory or the file cannot be written.
    pub fn open(dir: &Path) -> io::Result<Journal> {
        std::fs::create_dir_all(dir)?;
        let number = numbers(dir)?.last().map_or(0, |number| number + 1);
        let file = create(dir, number)?;
        Ok(Journal { dir: dir.to_owned(), open: Mutex::new(Open { file, number, size: 0 }) })
    }

    /// Writes a record. One that cannot be written is logged; deciding goes on.
    pub(crate) fn write(&self, record: &Record) {
        if let Err(error) = self.append(record) {
            tracing::warn!(%error, dir = %self.dir.display(), "a decision was not written to the journal");
        }
    }

    fn append(&self, record: &Record) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.size >= LARGEST_FILE {
            let number = open.number + 1;
            *open = Open { file: create(&self.dir, number)?, number, size: 0 };
            self.drop_oldest()?;
        }
        open.file.write_all(&line)?;
        open.size += line.len() as u64;
        Ok(())
    }

    fn drop_oldest(&self) -> io::Result<()> {
        let numbers = numbers(&self.dir)?;
        let too_many = numbers.len().saturating_sub(MOST_FILES);
        for number in numbers.iter().take(too_many) {
            std::fs::remove_file(self.dir.join(name(*number)))?;
        }
        Ok(())
    }
}

fn name(number: u64) -> String {
    format!("journal-{number:06}.jsonl")
}

fn create(dir: &Path, number: u64) -> io::Result<File> {
    OpenOptions::new().create_new(true).append(true).open(dir.join(name(number)))
}

/// The files of a journal, in the order they were written.
///
/// # Errors
/// When the directory cannot be read.
pub fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(numbers(dir)?.into_iter().map(|number| dir.join(name(number))).collect())
}

/// The numbers of the files in a directory, in order.
fn numbers(dir: &Path) -> io::Result<Vec<u64>> {
    let mut numbers: Vec<u64> = std::fs::read_dir(dir)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|file| file.strip_prefix("journal-")?.strip_suffix(".jsonl")?.parse().ok())
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Why a line of a journal does not repeat.
#[derive(Debug, thiserror::Error)]
pub enum Unlike {
    /// It is no record.
    #[error("not a record of a decision: {0}")]
    NoRecord(#[from] serde_json::Error),
    /// It is a record of another decision than would be made today.
    #[error("{} comes out differently today", .0.key)]
    Different(Box<Record>),
}

/// Makes the decision of one line again and gives its record.
///
/// # Errors
/// When that is not the same, byte for byte.
pub fn repeat_line(line: &str) -> Result<Record, Unlike> {
    let record: Record = serde_json::from_str(line)?;
    let again = serde_json::to_string(&record.again())?;
    if again == line { Ok(record) } else { Err(Unlike::Different(Box::new(record))) }
}

#[cfg(test)]
mod tests {
    use plimsoll_engine::{At, Bounds, Memory, Observation, Outcome, Policy, Scale, Tolerance};

    use super::*;
    use crate::key::{Key, Kind};
    use crate::record::About;

    fn record(secs: i64, spec: i32) -> Record {
        let policy = Policy { bounds: Bounds { min: 2, max: 3 }, ..Policy::plain() };
        let seen =
            Observation { scale: Ok(Scale { spec, status: spec }), ..Observation::at(At::from_secs(secs)) };
        let about = About {
            key: Key { kind: Kind::Hpa, namespace: "prod".to_owned(), name: "web".to_owned() },
            uid: "u".to_owned(),
            target: "Deployment/web".to_owned(),
            metrics: Vec::new(),
            shown: std::sync::Arc::default(),
        };
        let before = Memory::new(&policy);
        Record::made(about, policy, seen, before, Outcome::Written)
    }

    #[test]
    fn every_decision_can_be_made_again_from_what_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(dir.path()).unwrap();
        journal.write(&record(100, 1));
        journal.write(&record(115, 9));
        let second = Journal::open(dir.path()).unwrap();
        second.write(&record(130, 2));
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        let first = read("journal-000000.jsonl");
        let repeated = |text: &str| text.lines().filter(|line| repeat_line(line).is_ok()).count();
        assert_eq!(repeated(&first), 2);
        assert_eq!(repeated(&read("journal-000001.jsonl")), 1, "a new run begins a new file");
        assert_eq!(files(dir.path()).unwrap().len(), 2);
        let changed = first.replacen("\"spec\":1", "\"spec\":3", 1);
        let unlike = repeat_line(changed.lines().next().unwrap()).unwrap_err();
        assert!(matches!(unlike, Unlike::Different(_)), "what does not repeat is found");
        assert!(matches!(repeat_line("{}").unwrap_err(), Unlike::NoRecord(_)));
    }

    #[test]
    fn fractions_survive() {
        let mut record = record(100, 1);
        record.policy.metrics.push(plimsoll_engine::Metric {
            roll: plimsoll_engine::Roll::Running,
            rule: plimsoll_engine::Rule::Value { milli: 1 },
            tolerance: Tolerance { up: 0.1 + 0.2, down: f64::MIN_POSITIVE },
            multiple: 1,
            on_missing: plimsoll_engine::OnMissing::Fail,
            max_age_us: None,
        });
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }
}
