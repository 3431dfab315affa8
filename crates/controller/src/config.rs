//! How the controller is set up: every flag as a value. The command line maps to this and nothing else does.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use plimsoll_api::selector;

use crate::key::Kind;
use crate::kinds::tag;

/// Everything that can be set from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The kinds of object that are managed.
    pub manage: BTreeSet<Kind>,
    /// The namespaces that are looked at; all if there are none.
    pub namespaces: Vec<String>,
    /// A label selector that managed objects must match.
    pub selector: Option<String>,
    /// The in-tree controller's flags.
    pub hpa: HpaFlags,
    /// How many objects may be synced at the same time.
    pub concurrent_syncs: usize,
    /// Leader election; `None` runs without it.
    pub election: Option<Election>,
    /// Where health, metrics and explanations are served; `None` serves nothing.
    pub bind: Option<SocketAddr>,
    /// How the metric APIs are asked.
    pub metrics: MetricsFlags,
    /// Where Prometheus is, and where it may be.
    pub prometheus: PrometheusFlags,
    /// Where records of every decision are written.
    pub journal: Option<PathBuf>,
    /// The labels of WPAs that are shown beside their numbers.
    pub labels_as_tags: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            manage: BTreeSet::from([Kind::Autoscaler]),
            namespaces: Vec::new(),
            selector: None,
            hpa: HpaFlags::default(),
            concurrent_syncs: 5,
            election: None,
            bind: None,
            metrics: MetricsFlags::default(),
            prometheus: PrometheusFlags::default(),
            journal: None,
            labels_as_tags: Vec::new(),
        }
    }
}

/// The flags of the in-tree controller, with its defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct HpaFlags {
    /// How often each object is synced.
    pub sync_period: Duration,
    /// The window for shrinking of objects without a behavior.
    pub downscale_stabilization: Duration,
    /// The tolerance of objects that do not set their own.
    pub tolerance: f64,
    /// How long after a pod's start its CPU samples may be skipped.
    pub cpu_initialization_period: Duration,
    /// How long after a pod's start a change of readiness is the first one.
    pub initial_readiness_delay: Duration,
}

impl Default for HpaFlags {
    fn default() -> Self {
        HpaFlags {
            sync_period: Duration::from_secs(15),
            downscale_stabilization: Duration::from_secs(300),
            tolerance: 0.1,
            cpu_initialization_period: Duration::from_secs(300),
            initial_readiness_delay: Duration::from_secs(30),
        }
    }
}

/// How one leader is found among several replicas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Election {
    /// The namespace of the Lease; `None` for the client's own.
    pub namespace: Option<String>,
    /// The name of the Lease.
    pub name: String,
    /// Who this replica is; must differ between replicas.
    pub identity: String,
    /// How long others wait after the last renewal they saw.
    pub lease_duration: Duration,
    /// How long this replica goes on writing after its last renewal. Must be shorter than the lease.
    pub renew_deadline: Duration,
    /// How long to wait between attempts.
    pub retry_period: Duration,
}

impl Election {
    /// The usual times for a replica of this identity.
    #[must_use]
    pub fn new(identity: String) -> Self {
        Election {
            namespace: None,
            name: "plimsoll".to_owned(),
            identity,
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }
}

/// How the metric APIs are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricsFlags {
    /// How long one request may take.
    pub timeout: Duration,
    /// How many requests to one backend may be under way.
    pub concurrency: usize,
}

impl Default for MetricsFlags {
    fn default() -> Self {
        MetricsFlags { timeout: Duration::from_secs(10), concurrency: 16 }
    }
}

/// Where Prometheus is, and where it may be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PrometheusFlags {
    /// The server asked when a metric names none.
    pub server: Option<String>,
    /// The servers a metric may name: a whole address, or one that ends in `*`.
    pub allowed: Vec<String>,
}

impl PrometheusFlags {
    /// Whether a metric may name this server.
    #[must_use]
    pub fn allows(&self, server: &str) -> bool {
        let server = server.trim_end_matches('/');
        self.server.as_deref().is_some_and(|own| own.trim_end_matches('/') == server)
            || self.allowed.iter().any(|pattern| match pattern.strip_suffix('*') {
                Some(start) => server.starts_with(start),
                None => pattern.trim_end_matches('/') == server,
            })
    }
}

/// A setting that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{flag}: {problem}")]
pub struct BadConfig {
    /// The flag.
    pub flag: &'static str,
    /// What is wrong with it, and what to do.
    pub problem: String,
}

impl Config {
    /// Checks that the settings make sense together.
    ///
    /// # Errors
    /// Names the first flag that does not.
    pub fn check(&self) -> Result<(), BadConfig> {
        let bad = |flag, problem: &str| Err(BadConfig { flag, problem: problem.to_owned() });
        if self.manage.is_empty() {
            return bad("--manage", "name at least one of autoscalers, hpas, wpas");
        }
        if let Some(Err(error)) = self.selector.as_deref().map(selector::parse) {
            return bad("--selector", &format!("{error}; give one like team=shop,tier!=batch"));
        }
        let tags: Vec<String> = self.labels_as_tags.iter().map(|label| tag(label)).collect();
        let own = ["wpa_name", "wpa_namespace", "resource_namespace", "namespace"];
        let taken = |(place, tag): &(usize, &String)| {
            tag.is_empty()
                || own.contains(&tag.as_str())
                || tags.iter().take(*place).any(|other| other == *tag)
        };
        if let Some((_, tag)) = tags.iter().enumerate().find(taken) {
            return bad(
                "--labels-as-tags",
                &format!("{tag:?} would be there twice or has no name; leave it out"),
            );
        }
        if self.hpa.sync_period < Duration::from_millis(100) {
            return bad("--horizontal-pod-autoscaler-sync-period", "must be at least 100ms");
        }
        if !self.hpa.tolerance.is_finite() || self.hpa.tolerance < 0.0 {
            return bad("--horizontal-pod-autoscaler-tolerance", "must be a number that is not negative");
        }
        if self.concurrent_syncs == 0 {
            return bad("--concurrent-horizontal-pod-autoscaler-syncs", "must be greater than 0");
        }
        if self.metrics.concurrency == 0 {
            return bad("--metrics-concurrency", "must be greater than 0");
        }
        if self.metrics.timeout.is_zero() {
            return bad("--metrics-timeout", "must be longer than 0s");
        }
        match &self.election {
            Some(election) if election.renew_deadline >= election.lease_duration => {
                bad("--leader-elect-renew-deadline", "must be shorter than --leader-elect-lease-duration")
            }
            Some(election) if election.retry_period >= election.renew_deadline => {
                bad("--leader-elect-retry-period", "must be shorter than --leader-elect-renew-deadline")
            }
            Some(election) if election.lease_duration < Duration::from_secs(1) => {
                bad("--leader-elect-lease-duration", "must be at least 1s")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_make_sense() {
        assert_eq!(Config::default().check(), Ok(()));
        let election = Some(Election::new("me".to_owned()));
        assert_eq!(Config { election, ..Config::default() }.check(), Ok(()));
    }

    #[test]
    fn a_bad_setting_is_named() {
        let nothing = Config { manage: BTreeSet::new(), ..Config::default() };
        assert_eq!(nothing.check().unwrap_err().flag, "--manage");
        let unclear = Config { selector: Some("team in shop".to_owned()), ..Config::default() };
        assert_eq!(unclear.check().unwrap_err().flag, "--selector");
        for labels in [vec!["namespace"], vec!["a.b", "a/b"], vec![""]] {
            let labels_as_tags = labels.into_iter().map(str::to_owned).collect();
            let twice = Config { labels_as_tags, ..Config::default() };
            assert_eq!(twice.check().unwrap_err().flag, "--labels-as-tags");
        }
        let slow = Election { renew_deadline: Duration::from_secs(15), ..Election::new("me".to_owned()) };
        let slow = Config { election: Some(slow), ..Config::default() };
        assert_eq!(slow.check().unwrap_err().flag, "--leader-elect-renew-deadline");
    }

    #[test]
    fn only_listed_servers_may_be_asked() {
        let flags = PrometheusFlags {
            server: Some("http://prometheus:9090/".to_owned()),
            allowed: vec!["https://thanos.example".to_owned(), "http://team-*".to_owned()],
        };
        assert!(flags.allows("http://prometheus:9090"));
        assert!(flags.allows("https://thanos.example/"));
        assert!(flags.allows("http://team-a:9090"));
        assert!(!flags.allows("https://thanos.example.evil"));
        assert!(!flags.allows("http://169.254.169.254"));
    }
}
