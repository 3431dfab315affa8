//! The controller under test, as a story runs it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rustix::process::Signal;
use tokio::process::Command;

use crate::context::Context;
use crate::plane::Plane;
use crate::plane::process::Process;
use crate::wait;

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
    run: Arc<Run>,
}

/// What a controller is started with, and its process while it runs.
pub(crate) struct Run {
    program: PathBuf,
    kubeconfig: PathBuf,
    arguments: Vec<String>,
    context: Context,
    process: Mutex<Option<Process>>,
}

impl Controller {
    /// Starts `plimsoll run` for the story's namespace, with the rights of the shipped ClusterRole and nothing more.
    /// With the in-tree controller as the subject nothing is started: it is running already.
    pub async fn start(context: &Context, arguments: &[&str]) -> Result<Controller> {
        let mut all = vec![
            "run".to_owned(),
            format!("--namespaces={}", context.namespace()),
            format!("--journal={}", context.fresh_journal().display()),
        ];
        let flag = |argument: &str| argument.split('=').next().unwrap_or_default().to_owned();
        let given: Vec<String> = arguments.iter().map(|argument| flag(argument)).collect();
        let usual = QUICK.iter().filter(|usual| !given.contains(&flag(usual)));
        all.extend(usual.chain(arguments).map(|&one| one.to_owned()));
        let (program, kubeconfig) = match &context.shared().subject {
            Subject::InTree(_) => (PathBuf::new(), PathBuf::new()),
            Subject::Plimsoll(path) => (path.clone(), context.product_kubeconfig().await?),
        };
        let process = Mutex::default();
        let run = Arc::new(Run { program, kubeconfig, arguments: all, context: context.clone(), process });
        run.start()?;
        context.remember(&run);
        Ok(Controller { run })
    }

    /// Starts it again, with the same arguments, after [`Controller::stop`] or [`Controller::kill`].
    pub fn start_again(&self) -> Result<()> {
        self.run.start()
    }

    /// Ends it with SIGTERM and returns its exit code. It need not have seen anything of the cluster yet.
    pub async fn stop(&self) -> Result<Option<i32>> {
        self.run.stop().await
    }

    /// Ends it with SIGKILL.
    pub async fn kill(&self) -> Result<()> {
        match self.run.take() {
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

    /// What it has printed since it was last started.
    pub fn log(&self) -> String {
        self.run.running().as_ref().map(Process::log).unwrap_or_default()
    }

    /// The address it serves on when it was started with `--bind=127.0.0.1:0`.
    pub async fn address(&self) -> Result<String> {
        let address = || {
            let log = self.log();
            let (_, after) = log.split_once("address=")?;
            after.split_whitespace().next().map(|address| format!("http://{address}"))
        };
        wait::until("the controller to serve", Duration::from_secs(20), || async { Ok(address().is_some()) })
            .await?;
        address().context("no address")
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        self.run.running().as_ref().context("the controller is not running")?.signal(signal)
    }
}

impl Run {
    fn running(&self) -> MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Process> {
        self.running().take()
    }

    fn start(&self) -> Result<()> {
        let mut process = self.running();
        if process.is_none() && !self.program.as_os_str().is_empty() {
            let mut command = Command::new(&self.program);
            command.args(&self.arguments).env("KUBECONFIG", &self.kubeconfig);
            let log = self.context.fresh_log();
            *process = Some(Process::spawn(self.context.plane().reaper(), "plimsoll", command, &log)?);
        }
        Ok(())
    }

    async fn stop(&self) -> Result<Option<i32>> {
        self.until_it_says("is starting").await?;
        match self.take() {
            Some(mut process) => process.stop().await,
            None => Ok(None),
        }
    }

    async fn until_it_says(&self, words: &str) -> Result<()> {
        let said = || self.running().as_ref().is_none_or(|process| process.log().contains(words));
        let what = format!("the controller to say `{words}`");
        wait::until(&what, Duration::from_secs(30), || async { Ok(said()) }).await
    }

    /// Ends it in good order and starts it again, if it is running.
    pub(crate) async fn restart(&self) -> Result<()> {
        if self.running().is_some() {
            // One that has hardly begun has nothing to lose yet.
            self.until_it_says("is listed").await?;
            let code = self.stop().await?;
            ensure!(code == Some(0), "plimsoll ended with {code:?} on SIGTERM");
            self.start()?;
        }
        Ok(())
    }
}
