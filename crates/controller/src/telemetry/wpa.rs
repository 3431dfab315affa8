//! The numbers of a WatermarkPodAutoscaler under the names its own controller gave them, so that dashboards live on.

use plimsoll_api::wpa::{Gate, WpaStatus};
use plimsoll_engine::{Act, At, Bind, DryRun, Rule, Step};

use crate::kinds::Target;
use crate::record::Record;
use crate::telemetry::gauges::Point;

/// The conditions that are shown, and what they are called there.
const CONDITIONS: [(&str, &str); 3] = [
    ("AbleToScale", "able_to_scale"),
    ("ScalingLimited", "scaling_limited"),
    ("ScalingBlocked", "scaling_blocked"),
];

/// What was decided about a WPA.
pub(crate) struct Shown<'a> {
    pub(crate) record: &'a Record,
    pub(crate) target: &'a Target,
    pub(crate) gate: &'a Gate,
    /// The object's own labels that are to be shown, by name.
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) status: &'a WpaStatus,
}

impl Shown<'_> {
    /// All its numbers.
    pub(crate) fn points(&self) -> Vec<Point> {
        let (decision, bounds) = (&self.record.decision, self.record.bounds());
        let mut points = vec![
            self.point("wpa_controller_min_replicas", f64::from(bounds.min)),
            self.point("wpa_controller_max_replicas", f64::from(bounds.max)),
            self.point("wpa_controller_dry_run", truth(self.record.policy.dry_run != DryRun::Off)),
            self.point("wpa_controller_scaling_active", truth(decision.act != Act::Abort)),
        ];
        if decision.act != Act::Abort {
            points.push(self.point("wpa_controller_replicas_scaling_effective", f64::from(decision.to)));
        }
        self.limits(&mut points);
        self.countdown(&mut points);
        for step in &self.record.trail.steps {
            if let Step::Metric { index, bid: Ok(bid) } = step {
                self.metric(usize::from(*index), bid, &mut points);
            }
        }
        points.extend(CONDITIONS.iter().map(|(kind, name)| {
            let holds = self.status.conditions.iter().any(|it| it.kind == *kind && it.status == "True");
            self.point("wpa_controller_conditions", truth(holds)).with("condition", *name)
        }));
        points.extend(self.monitor());
        points.push(self.info());
        points
    }

    /// Whether the monitor in front of it blocks it, if there is one.
    fn monitor(&self) -> Option<Point> {
        matches!(self.gate, Gate::Monitor(_)).then(|| {
            Point::new("wpa_controller_lifecycle_control_status", truth(self.gate.permit().is_err()))
                .with("lifecycle_status", "blocked")
                .with("monitor_name", &self.record.key.name)
                .with("monitor_namespace", &self.record.key.namespace)
        })
    }

    /// Always 1: its labels are what is to be known.
    fn info(&self) -> Point {
        let info = Point::new("wpa_controller_labels_info", 1.0);
        self.labels.iter().fold(info, |info, (name, value)| info.with(name.clone(), value))
    }

    fn point(&self, name: &'static str, value: f64) -> Point {
        let Target { kind, name: target, .. } = self.target;
        Point::new(name, value)
            .with("resource_name", target)
            .with("resource_kind", kind)
            .with("target_name", target)
    }

    /// Which limit bound, if any: one of three is 1.
    fn limits(&self, points: &mut Vec<Point>) {
        let bound = self.record.trail.steps.iter().find_map(|step| match step {
            Step::Bounded { by, .. } => Some(*by),
            _ => None,
        });
        let Some(bound) = bound else { return };
        let reason = match bound {
            Bind::RateUp | Bind::ShareUp | Bind::TooMany => "upscale_capping",
            Bind::RateDown | Bind::ShareDown | Bind::TooFew | Bind::AtLeastOne => "downscale_capping",
            Bind::Within => "within_bounds",
        };
        points.extend(["downscale_capping", "upscale_capping", "within_bounds"].map(|each| {
            self.point("wpa_controller_restricted_scaling", truth(each == reason)).with("reason", each)
        }));
    }

    /// How long each direction must wait for the last scaling to be long enough ago.
    fn countdown(&self, points: &mut Vec<Point>) {
        let cooling = self.record.trail.steps.iter().find_map(|step| match step {
            Step::Cooling { up, down } => Some((*up, *down)),
            _ => None,
        });
        let (up, down) = cooling.unwrap_or((None, None));
        let left = |until: Option<At>| {
            until.map_or(0.0, |until| until.since(self.record.decision.at).max(0) as f64 / 1e6)
        };
        for (transition, until) in [("upscale", up), ("downscale", down)] {
            points.push(
                self.point("wpa_controller_transition_countdown", left(until)).with("transition", transition),
            );
        }
    }

    fn metric(&self, place: usize, bid: &plimsoll_engine::Bid, points: &mut Vec<Point>) {
        let name = self.record.metrics.get(place).cloned().unwrap_or_default();
        let mut push = |metric: &'static str, value: f64| {
            points.push(self.point(metric, value).with("metric_name", name.clone()));
        };
        push("wpa_controller_value", bid.milli as f64);
        push("wpa_controller_replicas_scaling_proposal", f64::from(bid.to));
        if let Some(Rule::Marks(marks)) = self.record.policy.metrics.get(place).map(|metric| &metric.rule) {
            // Both spellings: the first is the one that came first, and dashboards have it.
            for name in ["wpa_controller_high_watermak", "wpa_controller_high_watermark"] {
                push(name, marks.high as f64);
            }
            for name in ["wpa_controller_low_watermak", "wpa_controller_low_watermark"] {
                push(name, marks.low as f64);
            }
        }
    }
}

fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}
