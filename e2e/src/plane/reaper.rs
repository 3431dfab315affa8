//! Cleans up after the suite even when the suite itself is killed.
//!
//! The suite starts itself once more as a reaper that reads from a pipe which process groups and directories exist. When
//! the pipe closes, for whatever reason, the reaper kills the groups, removes the directories and ends.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};

/// The hidden argument that makes the suite's binary a reaper.
pub const REAP: &str = "__reap";

/// The suite's end of the pipe to its reaper.
#[derive(Clone)]
pub struct Reaper {
    pipe: Arc<Mutex<ChildStdin>>,
}

impl Reaper {
    /// Starts the reaper, in a process group of its own so that Ctrl-C does not reach it.
    pub fn start() -> Result<Reaper> {
        let own = std::env::current_exe().context("finding the suite's own binary")?;
        let mut child = Command::new(own)
            .arg(REAP)
            .process_group(0)
            .stdin(Stdio::piped())
            .spawn()
            .context("starting the reaper")?;
        let pipe = child.stdin.take().context("the reaper has no pipe")?;
        Ok(Reaper { pipe: Arc::new(Mutex::new(pipe)) })
    }

    /// From now on this process group must not outlive the suite.
    pub fn watch_group(&self, group: Pid) {
        self.say(&format!("group {}", group.as_raw_nonzero()));
    }

    /// The group has ended; its number may be given to someone else.
    pub fn forget_group(&self, group: Pid) {
        self.say(&format!("gone {}", group.as_raw_nonzero()));
    }

    /// From now on this directory must not outlive the suite.
    pub fn watch_dir(&self, dir: &Path) {
        self.say(&format!("dir {}", dir.display()));
    }

    fn say(&self, line: &str) {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        // A reaper that is gone cannot be told; the suite still cleans up on its own way out.
        let _ = writeln!(pipe, "{line}").and_then(|()| pipe.flush());
    }
}

/// The reaper's whole life: read until the pipe closes, then clean up.
pub fn reap() {
    let mut groups = BTreeSet::new();
    let mut dirs = BTreeSet::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match line.split_once(' ') {
            Some(("group", raw)) => drop(raw.parse().map(|id: i32| groups.insert(id))),
            Some(("gone", raw)) => drop(raw.parse().map(|id: i32| groups.remove(&id))),
            Some(("dir", path)) => drop(dirs.insert(PathBuf::from(path))),
            _ => {}
        }
    }
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    for dir in dirs {
        // Dying processes may still be writing: try again for a moment.
        for _ in 0..20 {
            if std::fs::remove_dir_all(&dir).is_ok() || !dir.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }
}
