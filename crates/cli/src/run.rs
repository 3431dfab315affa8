//! `plimsoll run`: the controller.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use plimsoll_controller::CancellationToken;
use plimsoll_controller::config::{Config, Election, HpaFlags, MetricsFlags, PrometheusFlags};
use plimsoll_controller::key::Kind;

/// Run the controller: in a cluster with its ServiceAccount, outside with a kubeconfig.
///
/// Every flag can also be given in the environment, as PLIMSOLL_ and its name: PLIMSOLL_MANAGE=hpas.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  plimsoll run\n  plimsoll run --manage autoscalers,hpas --namespaces shop,checkout"
)]
pub(crate) struct Args {
    /// What to manage: autoscalers, hpas, wpas (HPAs only where the in-tree controller is off)
    #[arg(
        long,
        env = "PLIMSOLL_MANAGE",
        value_name = "KINDS",
        value_delimiter = ',',
        default_value = "autoscalers"
    )]
    manage: Vec<Kind>,

    /// Look only at these namespaces [default: all]
    #[arg(long, env = "PLIMSOLL_NAMESPACES", value_name = "NAMES", value_delimiter = ',')]
    namespaces: Vec<String>,

    /// Manage only objects whose labels match
    #[arg(long, env = "PLIMSOLL_SELECTOR", value_name = "SELECTOR")]
    selector: Option<String>,

    /// The kubeconfig's context to use
    #[arg(long, env = "PLIMSOLL_CONTEXT", value_name = "NAME")]
    context: Option<String>,

    #[command(flatten)]
    hpa: Hpa,

    /// How many objects may be synced at the same time
    #[arg(
        long = "concurrent-horizontal-pod-autoscaler-syncs",
        visible_alias = "concurrent-syncs",
        env = "PLIMSOLL_CONCURRENT_HORIZONTAL_POD_AUTOSCALER_SYNCS",
        value_name = "N",
        default_value_t = 5
    )]
    concurrent_syncs: usize,

    #[command(flatten)]
    election: Elect,

    #[command(flatten)]
    metrics: Metrics,

    /// Serve /healthz, /readyz, /metrics and /explain on this address [default: serve nothing]
    #[arg(long, env = "PLIMSOLL_BIND", value_name = "ADDRESS:PORT")]
    bind: Option<SocketAddr>,

    /// Record every decision in files in this directory
    #[arg(long, env = "PLIMSOLL_JOURNAL", value_name = "DIR")]
    journal: Option<PathBuf>,

    /// Show these labels of WPAs in wpa_controller_labels_info
    #[arg(long, env = "PLIMSOLL_LABELS_AS_TAGS", value_name = "LABELS", value_delimiter = ',')]
    labels_as_tags: Vec<String>,

    /// How the log is written
    #[arg(long, env = "PLIMSOLL_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,

    /// What is logged: error, warn, info, debug, trace, or by part as in info,plimsoll_controller=debug
    #[arg(long, env = "PLIMSOLL_LOG_LEVEL", value_name = "FILTER", default_value = "info")]
    log_level: String,
}

/// The in-tree controller's flags, under its names and shorter ones.
#[derive(clap::Args, Debug)]
pub(crate) struct Hpa {
    /// How often each object is synced
    #[arg(long = "horizontal-pod-autoscaler-sync-period", visible_alias = "sync-period",
          env = "PLIMSOLL_HORIZONTAL_POD_AUTOSCALER_SYNC_PERIOD",
          value_name = "DURATION", default_value = "15s", value_parser = duration)]
    sync_period: Duration,

    /// The window for shrinking of HPAs without a behavior
    #[arg(long = "horizontal-pod-autoscaler-downscale-stabilization",
          visible_aliases = ["downscale-stabilization", "horizontal-pod-autoscaler-downscale-stabilization-window"],
          env = "PLIMSOLL_HORIZONTAL_POD_AUTOSCALER_DOWNSCALE_STABILIZATION",
          value_name = "DURATION", default_value = "5m0s", value_parser = duration)]
    downscale_stabilization: Duration,

    /// How far from 1.0 the ratio of value and target may be before anything changes
    #[arg(
        long = "horizontal-pod-autoscaler-tolerance",
        visible_alias = "tolerance",
        env = "PLIMSOLL_HORIZONTAL_POD_AUTOSCALER_TOLERANCE",
        value_name = "NUMBER",
        default_value_t = 0.1
    )]
    tolerance: f64,

    /// How long after a pod's start its CPU samples may be skipped
    #[arg(long = "horizontal-pod-autoscaler-cpu-initialization-period", visible_alias = "cpu-initialization-period",
          env = "PLIMSOLL_HORIZONTAL_POD_AUTOSCALER_CPU_INITIALIZATION_PERIOD",
          value_name = "DURATION", default_value = "5m0s", value_parser = duration)]
    cpu_initialization_period: Duration,

    /// How long after a pod's start a change of readiness counts as its first
    #[arg(long = "horizontal-pod-autoscaler-initial-readiness-delay", visible_alias = "initial-readiness-delay",
          env = "PLIMSOLL_HORIZONTAL_POD_AUTOSCALER_INITIAL_READINESS_DELAY",
          value_name = "DURATION", default_value = "30s", value_parser = duration)]
    initial_readiness_delay: Duration,
}

/// Leader election, under the names that Kubernetes' own components use.
#[derive(clap::Args, Debug)]
struct Elect {
    /// Let one of several replicas lead, and the others wait
    #[arg(long, env = "PLIMSOLL_LEADER_ELECT", value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_value_t = false, default_missing_value = "true", action = clap::ArgAction::Set)]
    leader_elect: bool,

    /// The namespace of the Lease [default: the pod's or the context's own]
    #[arg(long, env = "PLIMSOLL_LEADER_ELECT_RESOURCE_NAMESPACE", value_name = "NAME")]
    leader_elect_resource_namespace: Option<String>,

    /// The name of the Lease
    #[arg(
        long,
        env = "PLIMSOLL_LEADER_ELECT_RESOURCE_NAME",
        value_name = "NAME",
        default_value = "plimsoll"
    )]
    leader_elect_resource_name: String,

    /// How long other replicas wait after the last renewal they saw
    #[arg(long, env = "PLIMSOLL_LEADER_ELECT_LEASE_DURATION", value_name = "DURATION", default_value = "15s", value_parser = duration)]
    leader_elect_lease_duration: Duration,

    /// How long the leader goes on after its last renewal
    #[arg(long, env = "PLIMSOLL_LEADER_ELECT_RENEW_DEADLINE", value_name = "DURATION", default_value = "10s", value_parser = duration)]
    leader_elect_renew_deadline: Duration,

    /// How long to wait between attempts
    #[arg(long, env = "PLIMSOLL_LEADER_ELECT_RETRY_PERIOD", value_name = "DURATION", default_value = "2s", value_parser = duration)]
    leader_elect_retry_period: Duration,

    /// Who this replica is: the name of its pod, if it has one [default: the host's name and a number]
    #[arg(long, env = "PLIMSOLL_IDENTITY", value_name = "NAME")]
    identity: Option<String>,
}

/// How metrics are asked for.
#[derive(clap::Args, Debug)]
struct Metrics {
    /// How long a request for metrics may take
    #[arg(long, env = "PLIMSOLL_METRICS_TIMEOUT", value_name = "DURATION", default_value = "10s", value_parser = duration)]
    metrics_timeout: Duration,

    /// How many requests to one metrics backend may be under way
    #[arg(long, env = "PLIMSOLL_METRICS_CONCURRENCY", value_name = "N", default_value_t = 16)]
    metrics_concurrency: usize,

    /// The Prometheus server to ask when a metric names none
    #[arg(long, env = "PLIMSOLL_PROMETHEUS_SERVER", value_name = "URL")]
    prometheus_server: Option<String>,

    /// Other servers that a metric may name; an ending * stands for anything
    #[arg(long, env = "PLIMSOLL_PROMETHEUS_ALLOW", value_name = "URLS", value_delimiter = ',')]
    prometheus_allow: Vec<String>,
}

/// How the log is written.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// A duration as Kubernetes' flags take it: 15s, 1m30s, 500ms.
fn duration(text: &str) -> Result<Duration, String> {
    let us = plimsoll_api::observe::duration::parse_us(text).and_then(|us| u64::try_from(us).ok());
    us.map(Duration::from_micros).ok_or_else(|| "give a duration like 15s, 1m30s or 500ms".to_owned())
}

impl Hpa {
    /// As the controller takes them.
    pub(crate) fn flags(&self) -> HpaFlags {
        HpaFlags {
            sync_period: self.sync_period,
            downscale_stabilization: self.downscale_stabilization,
            tolerance: self.tolerance,
            cpu_initialization_period: self.cpu_initialization_period,
            initial_readiness_delay: self.initial_readiness_delay,
        }
    }
}

impl Args {
    fn config(&self) -> Config {
        let election = self.election.leader_elect.then(|| Election {
            namespace: self.election.leader_elect_resource_namespace.clone(),
            name: self.election.leader_elect_resource_name.clone(),
            identity: self.identity(),
            lease_duration: self.election.leader_elect_lease_duration,
            renew_deadline: self.election.leader_elect_renew_deadline,
            retry_period: self.election.leader_elect_retry_period,
        });
        Config {
            manage: self.manage.iter().copied().collect(),
            namespaces: self.namespaces.clone(),
            selector: self.selector.clone(),
            hpa: self.hpa.flags(),
            concurrent_syncs: self.concurrent_syncs,
            election,
            bind: self.bind,
            metrics: MetricsFlags {
                timeout: self.metrics.metrics_timeout,
                concurrency: self.metrics.metrics_concurrency,
            },
            prometheus: PrometheusFlags {
                server: self.metrics.prometheus_server.clone(),
                allowed: self.metrics.prometheus_allow.clone(),
            },
            journal: self.journal.clone(),
            labels_as_tags: self.labels_as_tags.clone(),
        }
    }

    /// A name that no other replica has: that of the pod, or the host's with the number of this process.
    fn identity(&self) -> String {
        let host = || {
            let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
            format!("{}_{}", host.trim(), std::process::id())
        };
        self.election.identity.clone().unwrap_or_else(host)
    }

    fn start_log(&self) -> anyhow::Result<()> {
        use tracing_subscriber::EnvFilter;
        // The client's own words about failed requests: every caller tells them better.
        let filter = EnvFilter::try_new(format!("kube_client=off,kube_runtime=off,{}", self.log_level))
            .with_context(|| format!("--log-level {}: not a filter", self.log_level))?;
        let log =
            tracing_subscriber::fmt().with_env_filter(filter).with_target(false).with_writer(std::io::stderr);
        match self.log_format {
            LogFormat::Text => log.with_ansi(false).init(),
            LogFormat::Json => log.json().flatten_event(true).init(),
        }
        Ok(())
    }
}

/// Runs the controller until it is told to stop.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let config = args.config();
    config.check()?;
    args.start_log()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        // First of all, so that whoever stops it while it starts sees it end in good order too.
        let stop = CancellationToken::new();
        stop_on_signals(stop.clone())?;
        tracing::info!(version = env!("CARGO_PKG_VERSION"), "plimsoll is starting");
        let client = plimsoll_controller::client(args.context.as_deref()).await?;
        Ok(plimsoll_controller::run(client, config, stop).await?)
    })
}

fn stop_on_signals(stop: CancellationToken) -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stop.cancel();
    });
    Ok(())
}
