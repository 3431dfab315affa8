//! The metrics pipeline: what metrics-server and adapters would say at a moment, late, noisy, or not at all.
//!
//! Only a few numbers of the whole fleet are kept at each scrape. A pod's own sample follows from them and from the
//! moments of its life when someone asks, and its noise and loss from its serial number and the scrape's, so the
//! pipeline costs nothing while nobody looks.

use crate::fleet::{Fleet, NEVER, SimPod};
use crate::random::{Purpose, bell, unit};
use crate::subject::{Feed, Measured, Workload};
use crate::time::secs;
use crate::traffic::Traffic;
use crate::world::{Quantity, World};
use plimsoll_engine::{At, Observation, Phase, Pod, Reading, Ready, Sample};

/// What is kept of one scrape.
#[derive(Debug, Clone, Copy, Default)]
struct Scrape {
    at: i64,
    served_per_pod: f64,
    rate_per_pod: f64,
    offered: f64,
    queue: f64,
}

/// From the pods to the autoscaler's eyes.
#[derive(Debug)]
pub(crate) struct Pipeline {
    scrape_us: i64,
    window_scrapes: i64,
    lag_us: i64,
    loss: f64,
    noise: f64,
    seed: u64,
    ring: Vec<Scrape>,
    newest: i64,
    /// What held before the start: requests per second of one pod, and of all.
    before: (f64, f64),
    gauges: Gauges,
}

/// What a pod's use of CPU and memory comes from.
#[derive(Debug, Clone, Copy)]
struct Gauges {
    cpu_request_milli: f64,
    requests_at_full: f64,
    idle_cpu: f64,
    boot_cpu: f64,
    ceiling: f64,
    idle_memory: f64,
    memory_per_request: f64,
}

impl Pipeline {
    pub(crate) fn new(world: &World, workload: &Workload, seed: u64, before: (f64, f64)) -> Self {
        let m = &world.metrics;
        let scrape_us = m.scrape.micros().max(1);
        let window = m.window.unwrap_or(m.scrape).micros();
        let window_scrapes = (window + scrape_us - 1) / scrape_us;
        let lag_scrapes = m.lag.micros() / scrape_us + 2;
        let kept = usize::try_from(window_scrapes + lag_scrapes + 1).unwrap_or(4);
        Self {
            scrape_us,
            window_scrapes: window_scrapes.max(1),
            lag_us: m.lag.micros(),
            loss: m.loss.fraction(),
            noise: m.noise.fraction(),
            seed,
            ring: vec![Scrape::default(); kept],
            newest: -1,
            before,
            gauges: Gauges {
                cpu_request_milli: workload.cpu_request_milli as f64,
                requests_at_full: world.pod.requests_per_second.get(),
                idle_cpu: world.pod.idle_cpu.fraction(),
                boot_cpu: world.startup.boot_cpu.fraction(),
                ceiling: workload.cpu_ceiling,
                idle_memory: world.pod.idle_memory.get() as f64,
                memory_per_request: world.pod.memory_per_request.get() as f64,
            },
        }
    }

    /// When the next measurement is taken.
    pub(crate) fn next_at(&self) -> i64 {
        (self.newest + 1).saturating_mul(self.scrape_us)
    }

    /// Takes a measurement of the whole fleet.
    pub(crate) fn scrape(&mut self, at: i64, traffic: &Traffic) {
        self.newest = at / self.scrape_us;
        let slot = self.slot(self.newest);
        if let Some(scrape) = self.ring.get_mut(slot) {
            *scrape = Scrape {
                at,
                served_per_pod: traffic.served_per_pod,
                rate_per_pod: if at == 0 { self.before.0 } else { traffic.rate_per_pod },
                offered: traffic.offered,
                queue: traffic.queue,
            };
        }
    }

    fn slot(&self, number: i64) -> usize {
        usize::try_from(number.rem_euclid(self.ring.len().max(1) as i64)).unwrap_or(0)
    }

    /// A scrape by number; those before the start show the same load for ever.
    fn get(&self, number: i64) -> Scrape {
        if number >= 0 {
            return self.ring.get(self.slot(number)).copied().unwrap_or_default();
        }
        let at = number * self.scrape_us;
        let (each, all) = self.before;
        Scrape {
            at,
            served_per_pod: each * secs(at),
            rate_per_pod: each,
            offered: all * secs(at),
            queue: 0.0,
        }
    }

    /// Fills in the pods and every reading that is not cut off.
    pub(crate) fn fill(
        &self,
        seen: &mut Observation,
        now: i64,
        start_us: i64,
        fleet: &Fleet,
        feeds: &[Feed],
    ) {
        seen.pods.clear();
        seen.pods.extend(fleet.pods.iter().map(|p| facts(p, now, start_us)));
        let number = (now - self.lag_us).div_euclid(self.scrape_us);
        let view = View {
            first: self.get(number - self.window_scrapes),
            last: self.get(number),
            start_us,
            serving: f64::from(fleet.serving.max(1)),
        };
        for (index, (reading, feed)) in seen.readings.iter_mut().zip(feeds).enumerate() {
            match reading {
                Reading::PerPod(per_pod) => {
                    per_pod.samples.clear();
                    let samples = fleet.pods.iter().map(|pod| {
                        let salt = number.unsigned_abs().wrapping_mul(64).wrapping_add(index as u64);
                        self.sample(pod, feed, &view, salt)
                    });
                    per_pod.samples.extend(samples);
                    if let (Ok(requests), Ok(each)) = (&mut per_pod.requests, &feed.request) {
                        requests.clear();
                        requests.resize(fleet.pods.len(), *each);
                    }
                }
                Reading::Series { values, taken } => {
                    let value = match feed.quantity {
                        Quantity::Requests => view.offered_rate(),
                        Quantity::Queue => view.last.queue,
                    };
                    let value = self.noisy(value, u64::MAX, number.unsigned_abs().wrapping_add(index as u64));
                    values.clear();
                    values.push(milli(value));
                    *taken = Some(At(start_us + view.last.at));
                }
                Reading::Missing(_) => {}
            }
        }
    }

    fn noisy(&self, value: f64, who: u64, salt: u64) -> f64 {
        if self.noise <= 0.0 {
            return value;
        }
        (value * (1.0 + self.noise * bell(self.seed, Purpose::MetricNoise, who, salt))).max(0.0)
    }

    /// One pod's sample, if its containers had run for a whole scrape.
    fn sample(&self, pod: &SimPod, feed: &Feed, view: &View, salt: u64) -> Option<Sample> {
        let View { first, last, .. } = view;
        if pod.started > last.at - self.scrape_us || pod.deleted <= last.at {
            return None;
        }
        if self.loss > 0.0 && unit(self.seed, Purpose::MetricLoss, pod.serial, salt) < self.loss {
            return None;
        }
        let from = first.at.max(pod.started);
        let span = secs(last.at - from).max(1e-6);
        let value = match feed.source {
            Measured::Cpu => self.gauges.cpu(pod, first, last, from, span),
            Measured::Memory => self.gauges.memory(pod, last),
            Measured::Series => match feed.quantity {
                Quantity::Requests => served(pod, first, last) / span,
                Quantity::Queue => last.queue / view.serving,
            },
        };
        let value = self.noisy(value * feed.portion, pod.serial, salt);
        Some(Sample { milli: milli(value), at: At(view.start_us + last.at), window_us: last.at - first.at })
    }
}

/// What can be seen at one moment: two scrapes a window apart.
struct View {
    first: Scrape,
    last: Scrape,
    start_us: i64,
    serving: f64,
}

impl View {
    fn offered_rate(&self) -> f64 {
        (self.last.offered - self.first.offered) / secs(self.last.at - self.first.at).max(1e-6)
    }
}

/// Requests that a pod served between two scrapes.
fn served(pod: &SimPod, first: &Scrape, last: &Scrape) -> f64 {
    if pod.ready > last.at {
        return 0.0;
    }
    let before = if pod.ready <= first.at { first.served_per_pod } else { pod.served_before };
    (last.served_per_pod - before).max(0.0) * pod.share
}

impl Gauges {
    /// Cores: what requests, idling and booting took on average.
    fn cpu(&self, pod: &SimPod, first: &Scrape, last: &Scrape, from: i64, span: f64) -> f64 {
        let overlap = |a: i64, b: i64| secs((b.min(last.at) - a.max(from)).max(0)) / span;
        let work = served(pod, first, last) / span / self.requests_at_full;
        let idle = self.idle_cpu * overlap(pod.up, i64::MAX);
        let boot = self.boot_cpu * overlap(pod.started, pod.up);
        (work + idle + boot).min(self.ceiling) * self.cpu_request_milli / 1_000.0
    }

    /// Bytes.
    fn memory(&self, pod: &SimPod, last: &Scrape) -> f64 {
        let rate = if pod.ready <= last.at { last.rate_per_pod * pod.share } else { 0.0 };
        self.idle_memory + self.memory_per_request * rate
    }
}

fn milli(value: f64) -> i64 {
    libm::round(value * 1_000.0) as i64
}

/// What the API server would say of a pod.
fn facts(pod: &SimPod, now: i64, start_us: i64) -> Pod {
    let at = |t: i64| At(start_us.saturating_add(t));
    let ready = pod.ready <= now && pod.scheduled != NEVER;
    Pod {
        phase: if pod.started <= now { Phase::Running } else { Phase::Pending },
        ready: match (ready, pod.scheduled <= now) {
            (true, _) => Ready::True,
            (false, true) => Ready::False,
            (false, false) => Ready::Unsaid,
        },
        ready_since: if ready { at(pod.ready) } else { at(pod.created.max(pod.scheduled.min(now))) },
        start: (pod.scheduled <= now).then(|| at(pod.scheduled)),
        deleted: pod.deleted <= now,
        owned: true,
    }
}
