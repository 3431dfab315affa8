//! What is counted and measured, served as `/metrics`: the in-tree controller's names for HPAs, and our own.

mod gauges;
mod points;
pub(crate) mod wpa;

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

pub(crate) use gauges::{Gauges, Point};
pub(crate) use points::points;

use crate::key::{Key, Kind};
use crate::kinds::Target;
use crate::metrics::fetch::{Blame, Trouble};

type Labels = Vec<(&'static str, String)>;

/// What a sync came to, in the in-tree controller's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// `scale_up`, `scale_down` or `none`.
    pub action: &'static str,
    /// `spec`, `internal` or `none`.
    pub error: &'static str,
}

/// Everything that is measured.
#[derive(Debug)]
pub(crate) struct Telemetry {
    registry: Registry,
    gauges: std::sync::Arc<Gauges>,
    reconciliations: Family<Labels, Counter>,
    reconciliation_seconds: Family<Labels, Histogram>,
    computations: Family<Labels, Counter>,
    computation_seconds: Family<Labels, Histogram>,
    hpas: Gauge,
    syncs: Family<Labels, Counter>,
    requests: Family<Labels, Histogram>,
    open_circuits: Family<Labels, Gauge>,
    leader: Gauge,
    foreign_writer: Gauge,
    writes: Family<Labels, Counter>,
    wpa_grown: Family<Labels, Counter>,
    wpa_shrunk: Family<Labels, Counter>,
    behind: Gauge<f64, AtomicU64>,
}

impl Default for Telemetry {
    fn default() -> Self {
        Telemetry::new()
    }
}

/// The in-tree controller's buckets: from 1 ms, doubling, 15 of them.
fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 2.0, 15))
}

impl Telemetry {
    /// Nothing measured yet.
    #[must_use]
    pub(crate) fn new() -> Self {
        let mut it = Telemetry {
            registry: Registry::default(),
            gauges: std::sync::Arc::default(),
            reconciliations: Family::default(),
            reconciliation_seconds: Family::new_with_constructor(histogram),
            computations: Family::default(),
            computation_seconds: Family::new_with_constructor(histogram),
            hpas: Gauge::default(),
            syncs: Family::default(),
            requests: Family::new_with_constructor(histogram),
            open_circuits: Family::default(),
            leader: Gauge::default(),
            foreign_writer: Gauge::default(),
            writes: Family::default(),
            wpa_grown: Family::default(),
            wpa_shrunk: Family::default(),
            behind: Gauge::default(),
        };
        it.register_upstream();
        it.register_own();
        it
    }

    fn register_upstream(&mut self) {
        let hpa = self.registry.sub_registry_with_prefix("horizontal_pod_autoscaler_controller");
        hpa.register(
            "reconciliations",
            "Number of reconciliations of HPA controller, by action (scale_down, scale_up, none) and error (spec, internal, none)",
            self.reconciliations.clone(),
        );
        hpa.register(
            "reconciliation_duration_seconds",
            "The time(seconds) that the HPA controller takes to reconcile once",
            self.reconciliation_seconds.clone(),
        );
        hpa.register(
            "metric_computation",
            "Number of metric computations, by action, error and metric_type",
            self.computations.clone(),
        );
        hpa.register(
            "metric_computation_duration_seconds",
            "The time(seconds) that the HPA controller takes to calculate one metric",
            self.computation_seconds.clone(),
        );
        hpa.register(
            "num_horizontal_pod_autoscalers",
            "Current number of controlled HPA objects",
            self.hpas.clone(),
        );
    }

    fn register_own(&mut self) {
        let own = self.registry.sub_registry_with_prefix("plimsoll");
        own.register("syncs", "Syncs by kind, action and error", self.syncs.clone());
        own.register(
            "backend_request_duration_seconds",
            "How long requests to a metrics backend took, by backend and result (ok, refused, failed)",
            self.requests.clone(),
        );
        own.register(
            "backend_open_circuits",
            "How many things are not asked of a backend for a while, because asking kept failing",
            self.open_circuits.clone(),
        );
        own.register("leader", "Whether this replica is the leader", self.leader.clone());
        own.register(
            "foreign_writer",
            "Whether someone else was seen writing the status of managed HPAs (then none is written)",
            self.foreign_writer.clone(),
        );
        own.register("writes", "Writes to the API server, by what and result", self.writes.clone());
        own.register("schedule_delay_seconds", "How late the last sync began", self.behind.clone());
        let wpa = self.registry.sub_registry_with_prefix("wpa_controller");
        wpa.register("upscale_replicas", "How many replicas were added", self.wpa_grown.clone());
        wpa.register("downscale_replicas", "How many replicas were removed", self.wpa_shrunk.clone());
        self.registry.register_collector(Box::new(self.gauges.clone()));
    }

    /// A request to a metrics backend has ended.
    pub(crate) fn asked(&self, backend: &str, took: Duration, trouble: Option<&Trouble>) {
        let result = match trouble.map(|trouble| trouble.blame) {
            None => "ok",
            Some(Blame::Backend) => "failed",
            Some(Blame::Request | Blame::Path) => "refused",
        };
        let labels = vec![("backend", backend.to_owned()), ("result", result.to_owned())];
        self.requests.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// How many circuits to a backend are open.
    pub(crate) fn circuits(&self, backend: &str, open: usize) {
        let labels = vec![("backend", backend.to_owned())];
        self.open_circuits.get_or_create(&labels).set(i64::try_from(open).unwrap_or(i64::MAX));
    }

    /// A sync has ended.
    pub(crate) fn synced(
        &self,
        key: &Key,
        verdict: Verdict,
        took: Duration,
        metrics: &[(&'static str, Verdict, Duration)],
    ) {
        let both = |verdict: Verdict| {
            vec![("action", verdict.action.to_owned()), ("error", verdict.error.to_owned())]
        };
        let mut labels = both(verdict);
        labels.insert(0, ("kind", key.kind.short().to_owned()));
        self.syncs.get_or_create(&labels).inc();
        if key.kind != Kind::Hpa {
            return;
        }
        self.reconciliations.get_or_create(&both(verdict)).inc();
        self.reconciliation_seconds.get_or_create(&both(verdict)).observe(took.as_secs_f64());
        for (metric_type, verdict, took) in metrics {
            let mut labels = both(*verdict);
            labels.push(("metric_type", (*metric_type).to_owned()));
            self.computations.get_or_create(&labels).inc();
            self.computation_seconds.get_or_create(&labels).observe(took.as_secs_f64());
        }
    }

    /// A WPA was scaled.
    pub(crate) fn wpa_scaled(&self, key: &Key, target: &Target, from: i32, to: i32) {
        let family = if to > from { &self.wpa_grown } else { &self.wpa_shrunk };
        let labels = vec![
            ("wpa_name", key.name.clone()),
            ("wpa_namespace", key.namespace.clone()),
            ("resource_namespace", key.namespace.clone()),
            ("namespace", key.namespace.clone()),
            ("resource_name", target.name.clone()),
            ("resource_kind", target.kind.clone()),
            ("target_name", target.name.clone()),
        ];
        family.get_or_create(&labels).inc_by(u64::from(to.abs_diff(from)));
    }

    /// How many HPAs are managed.
    pub(crate) fn hpas(&self, count: usize) {
        self.hpas.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// What is known of one object now.
    pub(crate) fn show(&self, key: &Key, points: Vec<Point>) {
        self.gauges.set(key.clone(), points);
    }

    /// An object is gone.
    pub(crate) fn forget(&self, key: &Key) {
        self.gauges.remove(key);
    }

    /// No object is managed any more.
    pub(crate) fn forget_all(&self) {
        self.gauges.clear();
    }

    /// Whether this replica is the leader.
    pub(crate) fn leads(&self, leader: Leader) {
        self.leader.set(i64::from(leader == Leader::Yes));
    }

    /// Whether someone else was seen writing the status of HPAs.
    pub(crate) fn foreign_writer(&self, seen: bool) {
        self.foreign_writer.set(i64::from(seen));
    }

    /// Something was written to the API server, or refused.
    pub(crate) fn wrote(&self, what: &str, result: &str) {
        let labels = vec![("what", what.to_owned()), ("result", result.to_owned())];
        self.writes.get_or_create(&labels).inc();
    }

    /// A sync began this much later than planned.
    pub(crate) fn began_late(&self, by: Duration) {
        self.behind.set(by.as_secs_f64());
    }

    /// Everything, as text that Prometheus reads.
    #[must_use]
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Whether a replica is the leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leader {
    /// It is.
    Yes,
    /// It is not.
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_that_dashboards_know() {
        let telemetry = Telemetry::new();
        let key = Key { kind: Kind::Hpa, namespace: "prod".to_owned(), name: "web".to_owned() };
        let verdict = Verdict { action: "scale_up", error: "none" };
        let (whole, one) = (Duration::from_millis(30), Duration::from_millis(3));
        telemetry.synced(&key, verdict, whole, &[("Resource", verdict, one)]);
        telemetry.hpas(1);
        telemetry.show(&key, vec![Point::new("plimsoll_desired_replicas", 3.0)]);
        let text = telemetry.text();
        for line in [
            "horizontal_pod_autoscaler_controller_reconciliations_total{action=\"scale_up\",error=\"none\"} 1",
            "horizontal_pod_autoscaler_controller_reconciliation_duration_seconds_count{action=\"scale_up\",error=\"none\"} 1",
            "horizontal_pod_autoscaler_controller_metric_computation_total{action=\"scale_up\",error=\"none\",metric_type=\"Resource\"} 1",
            "horizontal_pod_autoscaler_controller_metric_computation_duration_seconds_sum{action=\"scale_up\",error=\"none\",metric_type=\"Resource\"} 0.003",
            "horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers 1",
            "plimsoll_desired_replicas{kind=\"hpa\",namespace=\"prod\",name=\"web\"} 3",
        ] {
            assert!(text.contains(line), "{line} is missing from:\n{text}");
        }
        telemetry.forget(&key);
        assert!(!telemetry.text().contains("plimsoll_desired_replicas{"), "what is gone is not shown");
    }
}
