//! Finds what in a world feeds a metric, and how the metric is shown.

use crate::error::BadInput;
use crate::subject::{Feed, Given, Measured, Spread, Workload};
use crate::world::{Overload, Quantity, World};
use plimsoll_api::explain::Shown;
use plimsoll_api::source::Source;
use plimsoll_engine::{Metric, Text};

fn name(source: &Source) -> &str {
    match source {
        Source::Resource { name, .. }
        | Source::Pods { name, .. }
        | Source::Object { name, .. }
        | Source::External { name, .. } => name,
        Source::Prometheus { query, .. } => query,
    }
}

/// What in the world feeds this metric.
pub(super) fn feed(
    from: &Source,
    given: &Given,
    workload: &Workload,
    world: &World,
    place: &str,
) -> Result<Feed, BadInput> {
    let name = name(from);
    let (source, quantity, spread) = match from {
        Source::Resource { name, .. } => match &**name {
            "cpu" => (Measured::Cpu, Quantity::Requests, Spread::PerPod),
            "memory" => (Measured::Memory, Quantity::Requests, Spread::PerPod),
            other => {
                let what = format!("the world does not produce the resource metric {other}");
                return Err(BadInput::new(place, what, "only cpu and memory are simulated"));
            }
        },
        Source::Pods { .. } => (Measured::Series, series(name, world, place)?, Spread::PerPod),
        Source::Object { .. } | Source::External { .. } | Source::Prometheus { .. } => {
            (Measured::Series, series(name, world, place)?, Spread::Whole)
        }
    };
    let (request, portion) = request(from, given, workload, place)?;
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
    from: &Source,
    given: &Given,
    workload: &Workload,
    place: &str,
) -> Result<(Result<i64, Text>, f64), BadInput> {
    let Source::Resource { name, container, .. } = from else { return Ok((Ok(0), 1.0)) };
    let whole = if &**name == "cpu" { workload.cpu_request_milli } else { workload.memory_request_milli };
    let Some(containers) = &given.containers else {
        return Ok((Ok(whole), 1.0));
    };
    let of = |c: &crate::subject::ContainerGiven| {
        if &**name == "cpu" { c.cpu_request_milli } else { c.memory_request_milli }
    };
    let Some(wanted) = container else {
        let missing = containers.iter().find(|c| of(c).is_none());
        // The world file may say what the manifest does not.
        let said = if &**name == "cpu" { workload.cpu_request_said } else { workload.memory_request_said };
        return Ok(match missing {
            Some(c) if !said => {
                (Err(format!("missing request for {name} in container {}", c.name).into()), 1.0)
            }
            _ => (Ok(whole), 1.0),
        });
    };
    let Some(found) = containers.iter().find(|c| c.name == **wanted) else {
        let known: Vec<&str> = containers.iter().map(|c| c.name.as_str()).collect();
        let what = format!("there is no container {wanted} in the workload");
        return Err(BadInput::new(place, what, format!("use one of {}", known.join(", "))));
    };
    Ok(match of(found) {
        Some(request) => (Ok(request), request as f64 / whole.max(1) as f64),
        None => (Err(format!("missing request for {name} in container {wanted}").into()), 1.0),
    })
}

/// The metric in words; what a metric with a name of its own counts, only the world knows.
pub(super) fn shown(source: &Source, metric: &Metric, world: &World) -> Shown {
    let mut shown = Shown::new(source, metric);
    if !matches!(source, Source::Resource { .. }) {
        let what = match world.metrics.find(name(source)) {
            Some(Quantity::Queue) => "waiting",
            _ => "requests/s",
        };
        shown.unit = format!("{what} {}", shown.unit).trim_end().to_string();
    }
    shown
}
