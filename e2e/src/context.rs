//! What a story works with: its own namespace on the shared plane, and short words for what it does there.

use std::future::Future;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use k8s_openapi::api::core::v1::{Namespace, Pod, ServiceAccount};
use kube::api::{DeleteParams, DynamicObject, ListParams, PostParams};
use kube::discovery::ApiResource;
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};

use crate::adapter::Adapter;
use crate::adapter::values::Metrics;
use crate::controller::{Controller, Run, Subject};
use crate::plane::audit::Entry;
use crate::plane::{Output, Plane};
use crate::wait;

/// What all stories of a run share.
pub struct Shared {
    /// The control plane.
    pub plane: Plane,
    /// The metrics adapter.
    pub adapter: Adapter,
    /// Who scales.
    pub subject: Subject,
}

/// One story's view of the run. Cloning it is cheap.
#[derive(Clone)]
pub struct Context {
    shared: Arc<Shared>,
    namespace: String,
    logs: Arc<Mutex<Vec<PathBuf>>>,
    files: Arc<AtomicU32>,
    restarts: Restarts,
    controllers: Arc<Mutex<Vec<Weak<Run>>>>,
}

/// Whether the story's controllers are restarted while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restarts {
    /// Only when the story says so.
    Never,
    /// Whenever something that was waited for has come true, in good order.
    BetweenSteps,
}

impl Context {
    /// Creates the story's namespace and waits until pods can be created in it.
    pub async fn new(shared: Arc<Shared>, namespace: &str, restarts: Restarts) -> Result<Context> {
        let client = shared.plane.client();
        let namespaces: Api<Namespace> = Api::all(client.clone());
        let body = serde_json::from_value(json!({"metadata": {"name": namespace}}))?;
        namespaces
            .create(&PostParams::default(), &body)
            .await
            .with_context(|| format!("creating namespace {namespace}"))?;
        let accounts: Api<ServiceAccount> = Api::namespaced(client, namespace);
        wait::until("the namespace's default ServiceAccount", Duration::from_secs(30), || async {
            Ok(accounts.get_opt("default").await?.is_some())
        })
        .await?;
        Ok(Context {
            shared,
            namespace: namespace.to_owned(),
            logs: Arc::default(),
            files: Arc::default(),
            restarts,
            controllers: Arc::default(),
        })
    }

    /// The control plane.
    pub fn plane(&self) -> &Plane {
        &self.shared.plane
    }

    /// The run's shared parts.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// A client with every right.
    pub fn client(&self) -> Client {
        self.shared.plane.client()
    }

    /// The story's own namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Sets what the metric APIs say about the story's namespace.
    pub fn metrics(&self) -> Metrics {
        self.shared.adapter.values().namespace(&self.namespace)
    }

    /// The base address of the Prometheus query API that [`Metrics::prometheus`] fills.
    pub fn prometheus_url(&self) -> &str {
        self.shared.adapter.prometheus_url()
    }

    /// Runs kubectl in the story's namespace; a failure is an error with what kubectl said.
    pub async fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        self.kubectl_with(arguments, "").await
    }

    /// The same with text on standard input.
    pub async fn kubectl_with(&self, arguments: &[&str], input: &str) -> Result<String> {
        let output = self.try_kubectl(arguments, input).await?;
        if output.code != 0 {
            bail!("kubectl {}: {}", arguments.join(" "), output.stderr.trim());
        }
        Ok(output.stdout)
    }

    /// Runs kubectl in the story's namespace, whatever comes of it.
    pub async fn try_kubectl(&self, arguments: &[&str], input: &str) -> Result<Output> {
        let namespace = format!("--namespace={}", self.namespace);
        let all: Vec<&str> = std::iter::once(namespace.as_str()).chain(arguments.iter().copied()).collect();
        self.plane().kubectl(&all, input).await
    }

    /// Applies a manifest to the story's namespace.
    pub async fn apply(&self, manifest: &str) -> Result<()> {
        self.kubectl_with(&["apply", "-f", "-"], manifest).await.map(drop)
    }

    /// Installs a CustomResourceDefinition and waits until objects of its kind can be created.
    pub async fn install_crd(&self, manifest: &str, name: &str) -> Result<()> {
        self.kubectl_with(&["apply", "--server-side", "-f", "-"], manifest).await?;
        let crd = format!("crd/{name}");
        // kubectl refuses to wait for one that has no conditions at all yet.
        wait::until("the new kind to be served", Duration::from_secs(30), || async {
            self.kubectl(&["wait", "--for=condition=Established", "--timeout=5s", &crd]).await.map(|_| true)
        })
        .await
    }

    /// Creates a Deployment of so many pods, labelled `app: NAME`, with one container `main` that requests 100m cpu
    /// and 64Mi of memory.
    pub async fn deployment(&self, name: &str, replicas: u32) -> Result<()> {
        let manifest = workload("Deployment", name, replicas);
        self.apply(&manifest.to_string()).await
    }

    /// The same as a StatefulSet.
    pub async fn stateful_set(&self, name: &str, replicas: u32) -> Result<()> {
        let manifest = workload("StatefulSet", name, replicas);
        self.apply(&manifest.to_string()).await
    }

    /// Reads any object: `get("apps/v1", "Deployment", "web")`.
    pub async fn get(&self, api_version: &str, kind: &str, name: &str) -> Result<Value> {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let resource = ApiResource::from_gvk(&kube::core::GroupVersionKind::gvk(group, version, kind));
        let objects: Api<DynamicObject> = Api::namespaced_with(self.client(), &self.namespace, &resource);
        let object =
            objects.get(name).await.with_context(|| format!("reading {kind} {}/{name}", self.namespace))?;
        Ok(serde_json::to_value(object)?)
    }

    /// `spec.replicas` of a Deployment, StatefulSet, ReplicaSet or ReplicationController.
    pub async fn replicas(&self, kind: &str, name: &str) -> Result<i64> {
        let api_version = if kind == "ReplicationController" { "v1" } else { "apps/v1" };
        let object = self.get(api_version, kind, name).await?;
        object.pointer("/spec/replicas").and_then(Value::as_i64).context("no spec.replicas")
    }

    /// How many pods labelled `app: NAME` are ready and not on their way out.
    pub async fn ready_pods(&self, app: &str) -> Result<usize> {
        let pods = self.pods(app).await?;
        let ready = |pod: &Pod| {
            let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
            conditions.into_iter().any(|one| one.type_ == "Ready" && one.status == "True")
        };
        Ok(pods.iter().filter(|pod| pod.metadata.deletion_timestamp.is_none() && ready(pod)).count())
    }

    /// The pods labelled `app: NAME`, by name.
    pub async fn pods(&self, app: &str) -> Result<Vec<Pod>> {
        let pods: Api<Pod> = Api::namespaced(self.client(), &self.namespace);
        let mut items = pods.list(&ListParams::default().labels(&format!("app={app}"))).await?.items;
        items.sort_by_key(ResourceExt::name_any);
        Ok(items)
    }

    /// Waits until so many pods labelled `app: NAME` are ready, no more and no less.
    pub async fn until_ready(&self, app: &str, count: usize) -> Result<()> {
        let seen = Mutex::new(0);
        let result = self
            .until(&format!("{count} pods of {app} to be ready"), 60, || async {
                let now = self.ready_pods(app).await?;
                *seen.lock().unwrap_or_else(PoisonError::into_inner) = now;
                Ok(now == count)
            })
            .await;
        result.with_context(|| {
            format!("{} pods are ready", seen.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    /// Waits until a workload's `spec.replicas` is `count`.
    pub async fn until_replicas(&self, kind: &str, name: &str, count: i64, limit_secs: u64) -> Result<()> {
        self.until(&format!("{kind} {name} to have {count} replicas"), limit_secs, || async {
            let now = self.replicas(kind, name).await?;
            ensure!(now == count, "it has {now}");
            Ok(true)
        })
        .await
    }

    /// Waits until `look` says true; its errors count as "not yet". That is a step of the story.
    pub async fn until<F, Fut>(&self, what: &str, limit_secs: u64, look: F) -> Result<()>
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Result<bool>>,
    {
        wait::until(what, Duration::from_secs(limit_secs), look).await?;
        self.step().await
    }

    /// The end of a step: in a story told with restarts, its controllers are restarted here.
    pub async fn step(&self) -> Result<()> {
        if self.restarts == Restarts::BetweenSteps {
            let running: Vec<Arc<Run>> =
                self.with_controllers(|all| all.iter().filter_map(Weak::upgrade).collect());
            for run in running {
                run.restart().await?;
            }
        }
        Ok(())
    }

    /// A controller that restarts between steps, if the story is told so.
    pub(crate) fn remember(&self, run: &Arc<Run>) {
        self.with_controllers(|all| all.push(Arc::downgrade(run)));
    }

    fn with_controllers<T>(&self, work: impl FnOnce(&mut Vec<Weak<Run>>) -> T) -> T {
        work(&mut self.controllers.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts the controller under test for the story's namespace, with more arguments than the usual ones.
    pub async fn controller(&self, arguments: &[&str]) -> Result<Controller> {
        Controller::start(self, arguments).await
    }

    /// A fresh kubeconfig with the rights Plimsoll is shipped with, and a token that nobody else has.
    pub async fn product_kubeconfig(&self) -> Result<PathBuf> {
        let path = self.fresh_path("kubeconfig");
        self.plane().service_account_kubeconfig("plimsoll-system", "plimsoll", &path).await?;
        Ok(path)
    }

    /// What Plimsoll has written in the story's namespace, in order.
    pub fn writes(&self) -> Result<Vec<Entry>> {
        let mut entries = self.plane().audit()?;
        entries.retain(|entry| entry.object_ref.namespace == self.namespace && entry.is_write());
        Ok(entries)
    }

    /// A path for a file or directory of the story's, with this ending, that does not exist yet.
    pub fn fresh_path(&self, ending: &str) -> PathBuf {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        self.plane().dir().join(format!("logs/{}-{number}.{ending}", self.namespace))
    }

    /// A directory for the journal of one of the story's controllers.
    pub fn fresh_journal(&self) -> PathBuf {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        self.plane().dir().join(format!("journals/{}-{number}", self.namespace))
    }

    /// Runs `plimsoll` as the administrator would, and gives what it printed.
    pub async fn plimsoll(&self, arguments: &[&str]) -> Result<String> {
        let output = crate::plane::run(self.plimsoll_command(arguments)?, "").await?;
        ensure!(output.code == 0, "plimsoll {}: {}", arguments.join(" "), output.stderr.trim());
        Ok(output.stdout)
    }

    /// `plimsoll` as the administrator would run it.
    pub fn plimsoll_command(&self, arguments: &[&str]) -> Result<tokio::process::Command> {
        let Subject::Plimsoll(program) = &self.shared.subject else { bail!("there is no plimsoll") };
        let mut command = tokio::process::Command::new(program);
        command.args(arguments).env("KUBECONFIG", self.plane().admin_kubeconfig());
        Ok(command)
    }

    /// Everything that is answered to a plain `GET http://ADDRESS/PATH`, from the status line on.
    pub async fn http_get(&self, url: &str) -> Result<String> {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let rest = url.strip_prefix("http://").with_context(|| format!("{url} is not plain HTTP"))?;
        let (address, path) = rest.split_once('/').unwrap_or((rest, ""));
        let mut connection = tokio::net::TcpStream::connect(address).await?;
        let request = format!("GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        connection.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await?;
        Ok(answer)
    }

    /// Runs `kubectl plimsoll ...`, with the binary installed as kubectl wants its plugins.
    pub async fn kubectl_plimsoll(&self, arguments: &[&str]) -> Result<String> {
        let Subject::Plimsoll(program) = &self.shared.subject else { bail!("there is no plimsoll") };
        let dir = self.fresh_path("bin");
        std::fs::create_dir(&dir)?;
        std::os::unix::fs::symlink(std::path::absolute(program)?, dir.join("kubectl-plimsoll"))?;
        let output = self.plane().kubectl_plugin("plimsoll", arguments, &dir).await?;
        ensure!(output.code == 0, "kubectl plimsoll {}: {}", arguments.join(" "), output.stderr.trim());
        Ok(output.stdout)
    }

    /// A fresh path for a log that is shown when the story fails.
    pub fn fresh_log(&self) -> PathBuf {
        let path = self.fresh_path("log");
        self.logs.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        path
    }

    /// The log files of everything the story started.
    pub fn logs(&self) -> Vec<PathBuf> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Deletes the story's namespace, without waiting for it to be gone.
    pub async fn clean_up(&self) -> Result<()> {
        let namespaces: Api<Namespace> = Api::all(self.client());
        namespaces.delete(&self.namespace, &DeleteParams::background()).await?;
        Ok(())
    }
}

/// A manifest of an apps/v1 workload as [`Context::deployment`] creates it, to be changed before it is applied.
pub fn workload(kind: &str, name: &str, replicas: u32) -> Value {
    let mut manifest = json!({
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {
                    "terminationGracePeriodSeconds": 0,
                    "containers": [{
                        "name": "main",
                        "image": "example.com/app:1",
                        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
                    }],
                },
            },
        },
    });
    if kind == "StatefulSet"
        && let Some(spec) = manifest.pointer_mut("/spec").and_then(Value::as_object_mut)
    {
        spec.insert("serviceName".to_owned(), json!(name));
        spec.insert("podManagementPolicy".to_owned(), json!("Parallel"));
    }
    manifest
}
