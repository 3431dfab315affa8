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

/// The numbers of the files in a directory, in order.
fn numbers(dir: &Path) -> io::Result<Vec<u64>> {
    let mut numbers: Vec<u64> = std::fs::read_dir(dir)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|file| file.strip_prefix("journal-")?.strip_suffix(".jsonl")?.parse().ok())
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Makes every decision of a journal's text again.
///
/// # Errors
/// Names the first line that does not repeat.
pub fn repeat(text: &str) -> Result<usize, String> {
    let mut count = 0;
    for (index, line) in text.lines().enumerate() {
        let place = |error: String| format!("line {}: {error}", index + 1);
        let record: Record = serde_json::from_str(line).map_err(|error| place(error.to_string()))?;
        let again = serde_json::to_string(&record.again()).map_err(|error| place(error.to_string()))?;
        if again != line {
            return Err(place(format!("{} decided differently at {}", record.key, record.decision.at.0)));
        }
        count += 1;
    }
    Ok(count)
}
