//! One child process in a process group of its own, with its output in a file.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::reaper::Reaper;

/// How long a process may take to end after SIGTERM before it is killed.
const GRACE: Duration = Duration::from_secs(20);

/// A running program. Dropping it kills its whole process group.
pub struct Process {
    name: String,
    child: Child,
    group: Pid,
    log: PathBuf,
    reaper: Reaper,
    ended: bool,
}

impl Process {
    /// Starts `command` with standard output and error appended to `log`.
    pub fn spawn(reaper: &Reaper, name: &str, mut command: Command, log: &Path) -> Result<Process> {
        let out = File::options()
            .create(true)
            .append(true)
            .open(log)
            .with_context(|| format!("opening {}", log.display()))?;
        let err = out.try_clone()?;
        let child = command
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("starting {name}"))?;
        let group = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw)
            .with_context(|| format!("{name} ended at once"))?;
        reaper.watch_group(group);
        Ok(Process {
            name: name.to_owned(),
            child,
            group,
            log: log.to_owned(),
            reaper: reaper.clone(),
            ended: false,
        })
    }

    /// Sends a signal to the process and its children: `Signal::STOP` pauses, `Signal::CONT` goes on.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        if self.ended {
            bail!("{} has already ended", self.name);
        }
        kill_process_group(self.group, signal).with_context(|| format!("signalling {}", self.name))
    }

    /// Fails, with the end of its log, when the process has ended on its own.
    pub fn check_running(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => {
                self.mark_ended();
                bail!("{} ended with {status}:\n{}", self.name, self.log_tail(15))
            }
        }
    }

    /// Asks the process to end (SIGTERM), kills it when it does not, and returns its exit code if it had one.
    pub async fn stop(&mut self) -> Result<Option<i32>> {
        if self.ended {
            return Ok(None);
        }
        let _ = kill_process_group(self.group, Signal::TERM);
        let status = match timeout(GRACE, self.child.wait()).await {
            Ok(status) => status?,
            Err(_) => {
                let _ = kill_process_group(self.group, Signal::KILL);
                self.child.wait().await?
            }
        };
        self.mark_ended();
        Ok(status.code())
    }

    /// Kills the process with SIGKILL and waits until it is gone.
    pub async fn kill(&mut self) -> Result<()> {
        if !self.ended {
            let _ = kill_process_group(self.group, Signal::KILL);
            self.child.wait().await?;
            self.mark_ended();
        }
        Ok(())
    }

    /// Everything the process has printed so far.
    pub fn log(&self) -> String {
        std::fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// The last lines the process has printed.
    pub fn log_tail(&self, lines: usize) -> String {
        let log = self.log();
        let all: Vec<&str> = log.lines().collect();
        let from = all.len().saturating_sub(lines);
        all.get(from..).unwrap_or_default().join("\n")
    }

    fn mark_ended(&mut self) {
        self.ended = true;
        self.reaper.forget_group(self.group);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.ended {
            let _ = kill_process_group(self.group, Signal::KILL);
            self.reaper.forget_group(self.group);
        }
    }
}
