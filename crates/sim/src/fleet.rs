//! The pods: created, scheduled, started, ready, ended, gone; and the workload controller that makes and ends them.
//!
//! A pod's whole way to readiness is drawn when it gets a node, so nothing is looked at between two moments that
//! matter: [`Fleet::next_at`] says when the next one is.

use crate::random::{Purpose, bell};
use crate::subject::Workload;
use crate::time::SECOND;
use crate::world::{Delay, RollingUpdate, Startup, World};

/// Never, as a moment.
pub(crate) const NEVER: i64 = i64::MAX;

/// One pod. Moments are microseconds of virtual time; [`NEVER`] where it is not known yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimPod {
    /// Its place in the order of creation; what is drawn for it depends on nothing else.
    pub(crate) serial: u64,
    /// Which version of the workload it runs.
    pub(crate) revision: u32,
    /// When it was made.
    pub(crate) created: i64,
    /// When it has a node.
    pub(crate) scheduled: i64,
    /// When its containers start.
    pub(crate) started: i64,
    /// When its program is up.
    pub(crate) up: i64,
    /// When it becomes ready.
    pub(crate) ready: i64,
    /// When it was told to end.
    pub(crate) deleted: i64,
    /// When it is gone.
    pub(crate) gone: i64,
    /// Its share of the requests, 1 for an even one.
    pub(crate) share: f64,
    /// Requests that a ready pod had served in all when this one became ready.
    pub(crate) served_before: f64,
    /// Whether it has become ready and was not told to end.
    pub(crate) serving: bool,
}

impl SimPod {
    fn live(&self) -> bool {
        self.deleted == NEVER
    }

    /// When it next changes: ready, or gone.
    fn next_at(&self) -> i64 {
        match (self.live(), self.serving) {
            (false, _) => self.gone,
            (true, true) => NEVER,
            (true, false) => self.ready,
        }
    }

    /// Who is ended first: pods without a node, then unready ones, then the youngest.
    fn worth(&self, now: i64) -> (u8, i64) {
        let stage = if self.scheduled > now {
            0
        } else if !self.serving {
            1
        } else {
            2
        };
        (stage, self.created.saturating_neg())
    }
}

/// All pods of one workload.
#[derive(Debug)]
pub(crate) struct Fleet {
    pub(crate) pods: Vec<SimPod>,
    /// `spec.replicas`.
    pub(crate) spec: i32,
    /// Pods that are ready and take requests.
    pub(crate) serving: i32,
    /// Pods that have a place on a node.
    pub(crate) placed: i32,
    /// When the next pod becomes ready or is gone.
    pub(crate) next_at: i64,
    /// How much longer images take than the world says.
    pub(crate) image_factor: f64,
    startup: Startup,
    readiness: Delay,
    ready_not_before_us: i64,
    termination: Delay,
    skew: f64,
    room: i32,
    seed: u64,
    serial: u64,
    revision: u32,
    rolling: Option<RollingUpdate>,
    scratch: Vec<usize>,
}

impl Fleet {
    /// A workload that has run for an hour with this many ready pods.
    pub(crate) fn new(world: &World, workload: &Workload, seed: u64) -> Self {
        let replicas = workload.replicas;
        let mut fleet = Self {
            pods: Vec::new(),
            spec: replicas,
            serving: 0,
            placed: 0,
            next_at: NEVER,
            image_factor: 1.0,
            startup: world.startup.clone(),
            readiness: workload.readiness,
            ready_not_before_us: workload.ready_not_before_us,
            termination: world.termination,
            skew: world.pod.skew.fraction(),
            room: world.nodes.pods,
            seed,
            serial: 0,
            revision: 0,
            rolling: None,
            scratch: Vec::new(),
        };
        let since = -3_600 * SECOND;
        for _ in 0..replicas.max(0) {
            let mut pod = fleet.new_pod(since);
            if fleet.placed < fleet.room {
                fleet.placed += 1;
                fleet.serving += 1;
                pod = SimPod {
                    scheduled: since,
                    started: since,
                    up: since,
                    ready: since,
                    serving: true,
                    ..pod
                };
            }
            fleet.pods.push(pod);
        }
        fleet
    }

    fn new_pod(&mut self, now: i64) -> SimPod {
        let serial = self.serial;
        self.serial += 1;
        let share = if self.skew > 0.0 {
            (1.0 + self.skew * bell(self.seed, Purpose::PodSkew, serial, 0)).max(0.05)
        } else {
            1.0
        };
        SimPod {
            serial,
            revision: self.revision,
            created: now,
            scheduled: NEVER,
            started: NEVER,
            up: NEVER,
            ready: NEVER,
            deleted: NEVER,
            gone: NEVER,
            share,
            served_before: 0.0,
            serving: false,
        }
    }

    /// Draws the way of a pod that got a place on a node.
    fn place(&self, pod: &mut SimPod, now: i64) {
        let draw = |delay: &Delay, purpose| delay.draw(self.seed, purpose, pod.serial);
        let s = &self.startup;
        let image = libm::round(draw(&s.image, Purpose::Image) as f64 * self.image_factor) as i64;
        let scheduled = now.saturating_add(draw(&s.scheduling, Purpose::Scheduling));
        let started = scheduled.saturating_add(image);
        let up = started.saturating_add(draw(&s.boot, Purpose::Boot));
        let ready = up
            .saturating_add(draw(&self.readiness, Purpose::Readiness))
            .max(started.saturating_add(self.ready_not_before_us));
        *pod = SimPod { scheduled, started, up, ready, ..*pod };
    }

    /// Pods that exist and are not being ended: `status.replicas`.
    pub(crate) fn live(&self) -> i32 {
        count(self.pods.iter().filter(|p| p.live()))
    }

    /// Sets `spec.replicas`; the workload controller follows at once.
    pub(crate) fn scale(&mut self, to: i32, now: i64, served: f64) {
        self.spec = to.max(0);
        self.reconcile(now, served);
    }

    /// Starts replacing every pod.
    pub(crate) fn roll(&mut self, how: RollingUpdate, now: i64, served: f64) {
        self.revision += 1;
        self.rolling = Some(how);
        self.reconcile(now, served);
    }

    /// Whether pods are being replaced.
    pub(crate) fn is_rolling(&self) -> bool {
        self.rolling.is_some()
    }

    /// Lets time pass up to `now`: pods become ready and go. `served` is what one ready pod served in all so far.
    pub(crate) fn advance(&mut self, now: i64, served: f64) {
        if now < self.next_at {
            return;
        }
        let mut freed = 0;
        self.pods.retain_mut(|pod| {
            if pod.gone <= now {
                freed += i32::from(pod.scheduled != NEVER);
                return false;
            }
            true
        });
        self.placed -= freed;
        self.reconcile(now, served);
    }

    /// The workload controller: makes and ends pods until there are as many as asked for, then looks when to look again.
    fn reconcile(&mut self, now: i64, served: f64) {
        self.settle_ready(now, served);
        match self.rolling {
            Some(how) if self.pods.iter().any(|p| p.live() && p.revision < self.revision) => {
                self.replace(how, now)
            }
            _ => {
                self.rolling = None;
                let surplus = self.live() - self.spec;
                if surplus > 0 {
                    self.end(surplus, now, |_| true);
                } else {
                    self.make(-surplus, now);
                }
            }
        }
        self.fill_room(now);
        self.settle_ready(now, served);
        self.next_at = self.pods.iter().map(SimPod::next_at).min().unwrap_or(NEVER);
    }

    fn settle_ready(&mut self, now: i64, served: f64) {
        for pod in &mut self.pods {
            if !pod.serving && pod.ready <= now && pod.deleted == NEVER {
                pod.serving = true;
                pod.served_before = served;
                self.serving += 1;
            }
        }
    }

    fn make(&mut self, n: i32, now: i64) {
        for _ in 0..n.max(0) {
            let pod = self.new_pod(now);
            self.pods.push(pod);
        }
    }

    /// Gives places to pods that wait for one, in the order of their creation.
    fn fill_room(&mut self, now: i64) {
        if self.placed >= self.room {
            return;
        }
        let mut pods = std::mem::take(&mut self.pods);
        for pod in pods.iter_mut().filter(|p| p.scheduled == NEVER && p.deleted == NEVER) {
            if self.placed >= self.room {
                break;
            }
            self.placed += 1;
            self.place(pod, now);
        }
        self.pods = pods;
    }

    /// Ends the `n` pods that are worth least among those that may be chosen.
    fn end(&mut self, n: i32, now: i64, may: impl Fn(&SimPod) -> bool) {
        let mut order = std::mem::take(&mut self.scratch);
        order.clear();
        order.extend(self.pods.iter().enumerate().filter(|(_, p)| p.live() && may(p)).map(|(i, _)| i));
        order.sort_by_key(|i| self.pods.get(*i).map(|p| p.worth(now)));
        for index in order.iter().take(usize::try_from(n).unwrap_or(0)) {
            let Some(pod) = self.pods.get_mut(*index) else { continue };
            pod.deleted = now;
            self.serving -= i32::from(pod.serving);
            // A pod without a node has nothing to end.
            let lasts = if pod.scheduled > now {
                0
            } else {
                self.termination.draw(self.seed, Purpose::Termination, pod.serial)
            };
            pod.gone = now.saturating_add(lasts.max(1));
            pod.serving = false;
        }
        self.scratch = order;
    }

    /// One round of a rolling update: new pods up to the surge, old ones away as far as enough stay ready.
    fn replace(&mut self, how: RollingUpdate, now: i64) {
        let share = |fraction: f64| f64::from(self.spec) * fraction;
        let surge = libm::ceil(share(how.surge.fraction())) as i32;
        let mut unavailable = libm::floor(share(how.unavailable.fraction())) as i32;
        if surge == 0 && unavailable == 0 {
            unavailable = 1;
        }
        let revision = self.revision;
        let fresh = count(self.pods.iter().filter(|p| p.live() && p.revision == revision));
        let live = self.live();
        self.make((self.spec - fresh).min(self.spec + surge - live), now);
        let live = self.live();
        let unready_fresh =
            count(self.pods.iter().filter(|p| p.live() && p.revision == revision && !p.serving));
        let spare = live - (self.spec - unavailable) - unready_fresh;
        self.end(spare, now, |p| p.revision < revision);
    }
}

fn count<T>(iter: impl Iterator<Item = T>) -> i32 {
    i32::try_from(iter.count()).unwrap_or(i32::MAX)
}
