//! From the answers of the metric APIs to readings: samples joined to pods by position, once.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use plimsoll_engine::{At, Others, PerPod, Reading, SECOND_US, Sample, Text};

use super::duration::parse_us;
use super::lists::{ExternalMetricValueList, MetricValue, MetricValueList, PodMetrics};
use super::pods::PodView;
use crate::condition::from_time;
use crate::source::Source;

/// How long a custom metric was measured over when it does not say.
const DEFAULT_WINDOW_SECS: i64 = 60;

/// What pods use of a resource. `list` holds the pods that were asked for and no others.
pub fn resource<'a>(
    source: &Source,
    list: impl IntoIterator<Item = &'a PodMetrics>,
    pods: &[&PodView],
    resource: &str,
    container: Option<&str>,
) -> Reading {
    let mut samples = BTreeMap::new();
    let mut empty = true;
    for metrics in list {
        empty = false;
        let used = match container {
            Some(container) => used_by_container(metrics, resource, container),
            None => used_by_pod(metrics, resource),
        };
        if let Some(milli) = used {
            let window_us = parse_us(&metrics.window).unwrap_or_default();
            let sample = Sample { milli, at: taken(metrics.timestamp.as_ref()), window_us };
            samples.insert(metrics.metadata.name.as_str(), sample);
        }
    }
    if empty {
        return Reading::Missing(source.nothing_returned());
    }
    join(samples, pods, requests(pods, resource, container))
}

/// What pods say of a custom metric.
#[must_use]
pub fn per_pod_custom(source: &Source, list: &MetricValueList, pods: &[&PodView]) -> Reading {
    if list.items.is_empty() {
        return Reading::Missing(source.nothing_returned());
    }
    let samples = list.items.iter().map(|item| {
        let window_secs = item.window_seconds.unwrap_or(DEFAULT_WINDOW_SECS);
        let sample = Sample {
            milli: item.value.milli_value(),
            at: taken(item.timestamp.as_ref()),
            window_us: window_secs.saturating_mul(SECOND_US),
        };
        (item.described_object.name.as_str(), sample)
    });
    join(samples.collect(), pods, Ok(Vec::new()))
}

/// What one object says.
#[must_use]
pub fn object(value: &MetricValue) -> Reading {
    Reading::Series {
        values: vec![value.value.milli_value()],
        taken: value.timestamp.as_ref().map(from_time),
    }
}

/// What an external metric says.
#[must_use]
pub fn external(source: &Source, list: &ExternalMetricValueList) -> Reading {
    if list.items.is_empty() {
        return Reading::Missing(source.nothing_returned());
    }
    Reading::Series {
        values: list.items.iter().map(|item| item.value.milli_value()).collect(),
        taken: list.items.iter().filter_map(|item| item.timestamp.as_ref()).map(from_time).min(),
    }
}

fn taken(time: Option<&Time>) -> At {
    time.map_or(At::YEAR_ONE, from_time)
}

fn used_by_container(metrics: &PodMetrics, resource: &str, container: &str) -> Option<i64> {
    let found = metrics.containers.iter().find(|one| one.name == container)?;
    found.usage.get(resource).map(|used| used.milli_value())
}

/// The sum over the containers; unknown as soon as one does not say.
fn used_by_pod(metrics: &PodMetrics, resource: &str) -> Option<i64> {
    if metrics.containers.is_empty() {
        return None;
    }
    let mut sum = 0i64;
    for container in &metrics.containers {
        sum = sum.wrapping_add(container.usage.get(resource)?.milli_value());
    }
    Some(sum)
}

/// What each pod requests, or the first reason why that is not known.
fn requests(pods: &[&PodView], resource: &str, container: Option<&str>) -> Result<Vec<i64>, Text> {
    let known: Result<Vec<i64>, String> = pods.iter().map(|pod| pod.request(resource, container)).collect();
    known.map_err(Text::from)
}

fn join(mut samples: BTreeMap<&str, Sample>, pods: &[&PodView], requests: Result<Vec<i64>, Text>) -> Reading {
    let joined = pods.iter().map(|pod| samples.remove(&*pod.name)).collect();
    let others = samples.values().fold(Others::default(), |others, sample| Others {
        count: others.count + 1,
        milli: others.milli.wrapping_add(sample.milli),
    });
    Reading::PerPod(PerPod { samples: joined, requests, others })
}
