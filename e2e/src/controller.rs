//! The controller under test, as a story runs it.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use rustix::process::Signal;
use tokio::process::Command;

use crate::context::Context;
use crate::plane::Plane;
use crate::plane::process::Process;

/// Flags with which controllers run here, under the names both kinds of controller know: quick, so that stories are.
const QUICK: [&str; 2] =
    ["--horizontal-pod-autoscaler-sync-period=1s", "--horizontal-pod-autoscaler-downscale-stabilization=5s"];

/// Who scales.
pub enum Subject {
    /// Plimsoll: each story runs its own, for its own namespace.
    Plimsoll(PathBuf),
    /// The controller of kube-controller-manager, one for all stories: shows that a story tells of HPAs what is true.
    InTree(Box<Process>),
}

impl Subject {
    /// Starts the in-tree HPA controller.
    pub fn in_tree(plane: &Plane) -> Result<Subject> {
        let mut arguments = vec!["--controllers=horizontal-pod-autoscaler-controller".to_owned()];
        arguments.extend(QUICK.map(str::to_owned));
        Ok(Subject::InTree(Box::new(plane.start_manager("in-tree-hpa-controller", &arguments)?)))
    }
}

/// A running controller. Dropping it kills it.
pub struct Controller {
    program: PathBuf,
    kubeconfig: PathBuf,
    arguments: Vec<String>,
    context: Context,
    process: Option<Process>,
}

impl Controller {
    /// Starts `plimsoll run` for the story's namespace, with the rights of the shipped ClusterRole and nothing more.
    /// With the in-tree controller as the subject nothing is started: it is running already.
    pub async fn start(context: &Context, arguments: &[&str]) -> Result<Controller> {
        let mut all = vec!["run".to_owned(), format!("--namespaces={}", context.namespace())];
        all.extend(QUICK.iter().chain(arguments).map(|&one| one.to_owned()));
        let (program, kubeconfig) = match &context.shared().subject {
            Subject::InTree(_) => (PathBuf::new(), PathBuf::new()),
            Subject::Plimsoll(path) => (path.clone(), context.product_kubeconfig().await?),
        };
        let mut controller =
            Controller { program, kubeconfig, arguments: all, context: context.clone(), process: None };
        controller.start_again()?;
        Ok(controller)
    }

    /// Starts it again, with the same arguments, after [`Controller::stop`] or [`Controller::kill`].
    pub fn start_again(&mut self) -> Result<()> {
        if self.process.is_none() && !self.program.as_os_str().is_empty() {
            let mut command = Command::new(&self.program);
            command.args(&self.arguments).env("KUBECONFIG", &self.kubeconfig);
            let log = self.context.fresh_log();
            self.process = Some(Process::spawn(self.context.plane().reaper(), "plimsoll", command, &log)?);
        }
        Ok(())
    }

    /// Ends it with SIGTERM and returns its exit code.
    pub async fn stop(&mut self) -> Result<Option<i32>> {
        match self.process.take() {
            Some(mut process) => process.stop().await,
            None => Ok(None),
        }
    }

    /// Ends it with SIGKILL.
    pub async fn kill(&mut self) -> Result<()> {
        match self.process.take() {
            Some(mut process) => process.kill().await,
            None => Ok(()),
        }
    }

    /// Stops its clock (SIGSTOP) until [`Controller::unpause`].
    pub fn pause(&self) -> Result<()> {
        self.signal(Signal::STOP)
    }

    /// Lets a paused controller go on (SIGCONT).
    pub fn unpause(&self) -> Result<()> {
        self.signal(Signal::CONT)
    }

    /// What it has printed.
    pub fn log(&self) -> String {
        self.process.as_ref().map(Process::log).unwrap_or_default()
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        self.process.as_ref().context("the controller is not running")?.signal(signal)
    }
}
