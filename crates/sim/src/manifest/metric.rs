//! Finds what in a world feeds a metric, and how the metric is shown.

use crate::error::BadInput;
use crate::record::{Goal, MetricInfo, StepInfo};
use crate::subject::{Feed, Given, Shown, Shows, Source, Spread, Workload};
use crate::world::{Overload, Quantity, World};
use plimsoll_engine::rule::marks::{Algorithm, Unit};
use plimsoll_engine::rule::steps::Adjust;
use plimsoll_engine::{Rule, Text};

/// Where a metric comes from, whatever kind of autoscaler names it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Origin {
    Resource { name: String, container: Option<String> },
    Pods { name: String },
    Object { name: String },
    External { name: String },
}

impl Origin {
    fn name(&self) -> &str {
        match self {
            Origin::Resource { name, .. }
            | Origin::Pods { name }
            | Origin::Object { name }
            | Origin::External { name } => name,
        }
    }

    fn shown_name(&self) -> String {
        match self {
            Origin::Resource { name, container: Some(container) } => format!("{name} of {container}"),
            _ => self.name().to_string(),
        }
    }
}

/// What in the world feeds this metric.
pub(super) fn feed(
    origin: &Origin,
    given: &Given,
    workload: &Workload,
    world: &World,
    place: &str,
) -> Result<Feed, BadInput> {
    let name = origin.name();
    let (source, quantity, spread) = match origin {
        Origin::Resource { name, .. } => match name.as_str() {
            "cpu" => (Source::Cpu, Quantity::Requests, Spread::PerPod),
            "memory" => (Source::Memory, Quantity::Requests, Spread::PerPod),
            other => {
                let what = format!("the world does not produce the resource metric {other}");
                return Err(BadInput::new(place, what, "only cpu and memory are simulated"));
            }
        },
        Origin::Pods { .. } => (Source::Series, series(name, world, place)?, Spread::PerPod),
        Origin::Object { .. } | Origin::External { .. } => {
            (Source::Series, series(name, world, place)?, Spread::Whole)
        }
    };
    let (request, portion) = request(origin, given, workload, place)?;
    Ok(Feed {
        source,
        quantity,
        spread,
        request,
        portion,
        name: name.to_string(),
        outage: Text::from("the metrics API does not answer (simulated outage)"),
    })
}

fn series(name: &str, world: &World, place: &str) -> Result<Quantity, BadInput> {
    let Some(quantity) = world.metrics.find(name) else {
        return Err(BadInput::new(
            place,
            format!("the world does not produce the metric {name}"),
            format!(
                "say what it is in the world file: `metrics: {{series: [{{name: {name}, is: requests}}]}}` (or is: queue)"
            ),
        ));
    };
    if quantity == Quantity::Queue && world.overload == Overload::Shed {
        return Err(BadInput::new(
            place,
            format!("the metric {name} is a queue, but in this world requests never wait"),
            "write `overload: queue` in the world file",
        ));
    }
    Ok(quantity)
}

/// What each pod requests of a resource (or that it does not say), and the container's share of the pod.
fn request(
    origin: &Origin,
    given: &Given,
    workload: &Workload,
    place: &str,
) -> Result<(Result<i64, Text>, f64), BadInput> {
    let Origin::Resource { name, container } = origin else { return Ok((Ok(0), 1.0)) };
    let whole = if name == "cpu" { workload.cpu_request_milli } else { workload.memory_request_milli };
    let Some(containers) = &given.containers else {
        return Ok((Ok(whole), 1.0));
    };
    let of = |c: &crate::subject::ContainerGiven| {
        if name == "cpu" { c.cpu_request_milli } else { c.memory_request_milli }
    };
    let Some(wanted) = container else {
        let missing = containers.iter().find(|c| of(c).is_none());
        // The world file may say what the manifest does not.
        let said = if name == "cpu" { workload.cpu_request_said } else { workload.memory_request_said };
        return Ok(match missing {
            Some(c) if !said => {
                (Err(format!("missing request for {name} in container {}", c.name).into()), 1.0)
            }
            _ => (Ok(whole), 1.0),
        });
    };
    let Some(found) = containers.iter().find(|c| c.name == *wanted) else {
        let known: Vec<&str> = containers.iter().map(|c| c.name.as_str()).collect();
        let what = format!("there is no container {wanted} in the workload");
        return Err(BadInput::new(place, what, format!("use one of {}", known.join(", "))));
    };
    Ok(match of(found) {
        Some(request) => (Ok(request), request as f64 / whole.max(1) as f64),
        None => (Err(format!("missing request for {name} in container {wanted}").into()), 1.0),
    })
}

/// The metric in words, with its goal in the unit it is shown in.
pub(super) fn shown(origin: &Origin, rule: &Rule, world: &World) -> Shown {
    let percent = match rule {
        Rule::Utilization { .. } => true,
        Rule::Marks(marks) => marks.unit == Unit::Percent,
        Rule::Steps(steps) => steps.unit == Unit::Percent,
        Rule::Average { .. } | Rule::Value { .. } | Rule::PerReplica { .. } => false,
    };
    let (unit, scale) =
        if percent { ("% of request".to_string(), Shows::Percent) } else { unit(origin, rule, world) };
    let show = |value: f64| match scale {
        Shows::Percent => value,
        Shows::Milli(divisor) => value / divisor,
    };
    let goal = match rule {
        Rule::Utilization { percent } => Goal::Target { value: f64::from(*percent) },
        Rule::Average { milli } | Rule::Value { milli } | Rule::PerReplica { milli, .. } => {
            Goal::Target { value: show(*milli as f64) }
        }
        Rule::Marks(marks) => Goal::Watermarks { low: show(marks.low as f64), high: show(marks.high as f64) },
        Rule::Steps(steps) => Goal::Steps {
            steps: steps
                .table
                .iter()
                .map(|s| StepInfo {
                    lower: s.lower.map(show),
                    upper: s.upper.map(show),
                    adjustment: adjust(s.adjust),
                })
                .collect(),
        },
    };
    Shown { info: MetricInfo { name: origin.shown_name(), unit, goal }, scale }
}

fn unit(origin: &Origin, rule: &Rule, world: &World) -> (String, Shows) {
    let per_pod = match (origin, rule) {
        (Origin::Resource { .. } | Origin::Pods { .. }, _) => true,
        (_, Rule::PerReplica { .. }) => true,
        (_, Rule::Marks(marks)) => marks.algorithm == Algorithm::Average,
        (_, Rule::Steps(steps)) => steps.algorithm == Algorithm::Average,
        _ => false,
    };
    let each = if per_pod { " per pod" } else { "" };
    match origin {
        Origin::Resource { name, .. } if name == "memory" => {
            (format!("MiB{each}"), Shows::Milli(1_048_576_000.0))
        }
        Origin::Resource { .. } => (format!("cores{each}"), Shows::Milli(1_000.0)),
        _ => match world.metrics.find(origin.name()) {
            Some(Quantity::Queue) => (format!("waiting{each}"), Shows::Milli(1_000.0)),
            _ => (format!("requests/s{each}"), Shows::Milli(1_000.0)),
        },
    }
}

fn adjust(adjust: Adjust) -> String {
    match adjust {
        Adjust::Pods(n) => format!("{n:+}"),
        Adjust::Percent(n) => format!("{n:+}%"),
        Adjust::Exact(n) => format!("={n}"),
    }
}
