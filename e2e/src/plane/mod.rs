//! A whole Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager without its HPA
//! controller, and kwok for the pods. Everything lives in one temporary directory and ends with it.

pub mod audit;
pub mod certs;
pub mod kubeconfig;
pub mod nodes;
pub mod parts;
pub mod ports;
pub mod process;
pub mod reaper;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use kube::Client;
use tokio::process::Command;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use self::certs::Authority;
use self::kubeconfig::Server;
use self::parts::{Parts, repository};
use self::ports::free_port;
use self::process::Process;
use self::reaper::Reaper;

/// The controllers that run. The HPA controller is left out: that part is Plimsoll's.
const CONTROLLERS: &str = "clusterrole-aggregation-controller,deployment-controller,\
garbage-collector-controller,namespace-controller,replicaset-controller,\
replicationcontroller-controller,serviceaccount-controller,statefulset-controller";

/// How long any part may take to come up.
const START_LIMIT: Duration = Duration::from_secs(90);

/// What became of a command: its exit code and what it printed.
pub struct Output {
    /// The exit code; -1 when a signal ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// A running control plane.
pub struct Plane {
    dir: PathBuf,
    parts: Parts,
    reaper: Reaper,
    server: Server,
    authority: Authority,
    api_arguments: Vec<String>,
    api: Mutex<Option<Process>>,
    outages: Mutex<Vec<(Timestamp, Option<Timestamp>)>>,
    others: Mutex<Vec<Process>>,
    scheduler: JoinHandle<()>,
    client: Client,
}

impl Plane {
    /// Starts everything in `dir` and returns when a pod could be created.
    pub async fn start(dir: &Path, reaper: Reaper) -> Result<Plane> {
        let parts = Parts::find()?;
        for sub in ["certs", "logs", "etcd", "home"] {
            std::fs::create_dir_all(dir.join(sub))?;
        }
        let authority = Authority::new()?;
        let (etcd_url, etcd) = start_etcd(dir, &parts, &reaper)?;
        let port = free_port()?;
        let server =
            Server { url: format!("https://127.0.0.1:{port}"), authority: authority.pem().to_owned() };
        let admin = dir.join("admin.kubeconfig");
        server.write_for_certificate(&authority.client("admin", Some("system:masters"))?, &admin)?;
        let api_arguments = api_server_arguments(dir, &authority, &etcd_url, port)?;
        let api = spawn(dir, &parts, &reaper, "kube-apiserver", &api_arguments)?;
        let client = kubeconfig::client(&admin).await?;
        let mut plane = Plane {
            dir: dir.to_owned(),
            parts,
            reaper,
            server,
            authority,
            api_arguments,
            api: Mutex::new(Some(api)),
            outages: Mutex::default(),
            others: Mutex::new(vec![etcd]),
            scheduler: tokio::spawn(async {}),
            client,
        };
        plane.wait_for_api_server().await?;
        plane.start_workers(&admin).await?;
        nodes::create_node(&plane.client).await?;
        plane.scheduler = tokio::spawn(nodes::schedule_pods(plane.client.clone()));
        Ok(plane)
    }

    /// A client with every right.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The directory of this run.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The kubeconfig with every right.
    pub fn admin_kubeconfig(&self) -> PathBuf {
        self.dir.join("admin.kubeconfig")
    }

    /// Who signs this run's certificates.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Who cleans up when the suite is killed.
    pub fn reaper(&self) -> &Reaper {
        &self.reaper
    }

    /// Writes a kubeconfig that has exactly the rights of a ServiceAccount.
    pub async fn service_account_kubeconfig(&self, namespace: &str, name: &str, path: &Path) -> Result<()> {
        let token = kubeconfig::token(&self.client, namespace, name).await?;
        self.server.write_for_token(&token, path)
    }

    /// Runs kubectl as the administrator. What it reads on standard input is `input`.
    pub async fn kubectl(&self, arguments: &[&str], input: &str) -> Result<Output> {
        let mut command = Command::new(self.parts.get("kubectl")?);
        command
            .arg(format!("--kubeconfig={}", self.admin_kubeconfig().display()))
            .args(arguments)
            .env("HOME", self.dir.join("home"));
        run(command, input).await
    }

    /// Runs a kubectl plugin from this directory as the administrator.
    pub async fn kubectl_plugin(&self, plugin: &str, arguments: &[&str], dir: &Path) -> Result<Output> {
        let mut command = Command::new(self.parts.get("kubectl")?);
        command
            .arg(plugin)
            .args(arguments)
            .env("KUBECONFIG", self.admin_kubeconfig())
            .env("HOME", self.dir.join("home"))
            .env("PATH", dir);
        run(command, "").await
    }

    /// Everything Plimsoll has asked of the API server so far.
    pub fn audit(&self) -> Result<Vec<audit::Entry>> {
        audit::read(&self.dir)
    }

    /// Stops the API server, as an outage would.
    pub async fn stop_api_server(&self) -> Result<()> {
        let mut api = self.api.lock().await;
        if let Some(mut running) = api.take() {
            running.kill().await?;
        }
        self.outages.lock().await.push((Timestamp::now(), None));
        Ok(())
    }

    /// Starts the API server again and waits until it answers.
    pub async fn start_api_server(&self) -> Result<()> {
        self.start_api_server_with(&[]).await
    }

    /// The same with more flags than usual.
    pub async fn start_api_server_with(&self, more: &[&str]) -> Result<()> {
        let mut api = self.api.lock().await;
        if api.is_none() {
            let mut arguments = self.api_arguments.clone();
            arguments.extend(more.iter().map(|&flag| flag.to_owned()));
            *api = Some(spawn(&self.dir, &self.parts, &self.reaper, "kube-apiserver", &arguments)?);
        }
        drop(api);
        self.wait_for_api_server().await?;
        if let Some((_, end)) = self.outages.lock().await.last_mut() {
            *end = Some(Timestamp::now());
        }
        Ok(())
    }

    /// Whether the API server was down or on its way up at this moment: until it is ready it knows no roles and
    /// refuses everybody.
    pub async fn is_outage(&self, at: Timestamp) -> bool {
        let outages = self.outages.lock().await;
        outages.iter().any(|(start, end)| *start <= at && end.is_none_or(|end| at <= end))
    }

    /// Starts a kube-controller-manager with these arguments; `name` is that of its log.
    pub fn start_manager(&self, name: &str, arguments: &[String]) -> Result<Process> {
        let mut command = Command::new(self.parts.get("kube-controller-manager")?);
        command
            .arg(format!("--kubeconfig={}", self.admin_kubeconfig().display()))
            .args(["--leader-elect=false", "--secure-port=0"])
            .args(["--kube-api-qps=500", "--kube-api-burst=1000"])
            .args(arguments);
        Process::spawn(&self.reaper, name, command, &self.dir.join(format!("logs/{name}.log")))
    }

    /// Fails when a part has ended that should still be running.
    pub async fn check_running(&self) -> Result<()> {
        if let Some(api) = self.api.lock().await.as_mut() {
            api.check_running()?;
        }
        for process in self.others.lock().await.iter_mut() {
            process.check_running()?;
        }
        Ok(())
    }

    /// Ends all parts, the API server last but etcd.
    pub async fn stop(self) {
        self.scheduler.abort();
        let mut others = std::mem::take(&mut *self.others.lock().await);
        for process in others.iter_mut().rev() {
            let _ = process.kill().await;
        }
        let _ = self.stop_api_server().await;
    }

    async fn wait_for_api_server(&self) -> Result<()> {
        let end = Instant::now() + START_LIMIT;
        loop {
            // A part that died will not come up: this says so at once instead of waiting.
            self.check_running().await?;
            let request = http::Request::get("/readyz").body(Vec::new())?;
            match self.client.request_text(request).await {
                Ok(answer) if answer == "ok" => return Ok(()),
                Err(error) if Instant::now() >= end => {
                    bail!("the API server was not ready in {} s: {error}", START_LIMIT.as_secs())
                }
                Ok(_) | Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }

    async fn start_workers(&self, admin: &Path) -> Result<()> {
        let kubeconfig = format!("--kubeconfig={}", admin.display());
        let manager = [format!("--controllers={CONTROLLERS}"), "--concurrent-namespace-syncs=20".to_owned()];
        let mut kwok = vec![
            kubeconfig,
            "--manage-all-nodes".to_owned(),
            "--cidr=10.64.0.0/14".to_owned(),
            "--node-lease-duration-seconds=0".to_owned(),
            format!("--server-address=127.0.0.1:{}", free_port()?),
        ];
        let ours = repository().join("e2e/stages");
        for stages in [self.parts.get("stages")?, ours.as_path()] {
            kwok.extend(yaml_files(stages)?.iter().map(|file| format!("--config={}", file.display())));
        }
        let mut others = self.others.lock().await;
        others.push(self.start_manager("kube-controller-manager", &manager)?);
        others.push(spawn(&self.dir, &self.parts, &self.reaper, "kwok", &kwok)?);
        Ok(())
    }
}

/// Runs a command to its end.
pub async fn run(mut command: Command, input: &str) -> Result<Output> {
    use std::process::Stdio;
    use tokio::io::AsyncWriteExt;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("starting {:?}", command.as_std().get_program()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read its input may have closed it already.
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    let output = child.wait_with_output().await?;
    Ok(Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

fn spawn(dir: &Path, parts: &Parts, reaper: &Reaper, name: &str, arguments: &[String]) -> Result<Process> {
    let mut command = Command::new(parts.get(name)?);
    command.args(arguments).env("HOME", dir.join("home")).current_dir(dir);
    Process::spawn(reaper, name, command, &dir.join(format!("logs/{name}.log")))
}

fn start_etcd(dir: &Path, parts: &Parts, reaper: &Reaper) -> Result<(String, Process)> {
    let url = format!("http://127.0.0.1:{}", free_port()?);
    let peer = format!("http://127.0.0.1:{}", free_port()?);
    let arguments = [
        format!("--data-dir={}", dir.join("etcd").display()),
        format!("--listen-client-urls={url}"),
        format!("--advertise-client-urls={url}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=default={peer}"),
        // Nothing here has to survive a power cut.
        "--unsafe-no-fsync".to_owned(),
    ];
    let process = spawn(dir, parts, reaper, "etcd", &arguments)?;
    Ok((url, process))
}

fn api_server_arguments(dir: &Path, authority: &Authority, etcd_url: &str, port: u16) -> Result<Vec<String>> {
    let certs = dir.join("certs");
    let ca = certs.join("ca.crt");
    std::fs::write(&ca, authority.pem())?;
    let hosts = ["127.0.0.1", "localhost", "kubernetes.default.svc", "10.96.0.1"];
    let (cert, key) = authority.server(&hosts)?.write(&certs, "kube-apiserver")?;
    let (proxy_cert, proxy_key) = authority.client("front-proxy", None)?.write(&certs, "front-proxy")?;
    let (public, private) = certs::service_account_keys(&certs)?;
    let file = |flag: &str, path: &Path| format!("--{flag}={}", path.display());
    let [audit_policy, audit_log] = audit::flags(dir)?;
    Ok(vec![
        audit_policy,
        audit_log,
        format!("--etcd-servers={etcd_url}"),
        format!("--secure-port={port}"),
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        "--endpoint-reconciler-type=none".to_owned(),
        "--service-cluster-ip-range=10.96.0.0/16".to_owned(),
        "--authorization-mode=RBAC".to_owned(),
        // Stricter than the default: who names an owner needs the right to its finalizers.
        "--enable-admission-plugins=OwnerReferencesPermissionEnforcement".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        file("service-account-key-file", &public),
        file("service-account-signing-key-file", &private),
        file("tls-cert-file", &cert),
        file("tls-private-key-file", &key),
        file("client-ca-file", &ca),
        // The aggregation layer, so that metric APIs are served by real APIServices. Services are resolved by their
        // external name: endpoints may not be loopback addresses.
        "--enable-aggregator-routing=false".to_owned(),
        file("requestheader-client-ca-file", &ca),
        "--requestheader-allowed-names=front-proxy".to_owned(),
        "--requestheader-username-headers=X-Remote-User".to_owned(),
        "--requestheader-group-headers=X-Remote-Group".to_owned(),
        "--requestheader-extra-headers-prefix=X-Remote-Extra-".to_owned(),
        file("proxy-client-cert-file", &proxy_cert),
        file("proxy-client-key-file", &proxy_key),
    ])
}

fn yaml_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .with_context(|| format!("reading {}", dir.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    files.sort();
    if files.is_empty() {
        bail!("no stage files in {}", dir.display());
    }
    Ok(files)
}
