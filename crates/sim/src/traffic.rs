//! The requests: a fluid that flows through the ready pods, with a queue in front or the surplus turned away.

use crate::time::secs;
use crate::world::{Overload, World};

/// What flows, and what has flowed so far.
#[derive(Debug, Clone)]
pub(crate) struct Traffic {
    /// Requests per second that one ready pod can serve.
    pub(crate) pod_capacity: f64,
    overload: Overload,
    longest: f64,
    patience_secs: f64,
    /// Requests that wait.
    pub(crate) queue: f64,
    /// Requests offered so far.
    pub(crate) offered: f64,
    /// Requests that a pod ready since the start has served so far.
    pub(crate) served_per_pod: f64,
    /// What a ready pod serves now, requests per second.
    pub(crate) rate_per_pod: f64,
}

/// What one stretch of time did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Flowed {
    /// Its length in microseconds.
    pub(crate) us: i64,
    /// Its length in seconds.
    pub(crate) secs: f64,
    /// Load, requests per second.
    pub(crate) load: f64,
    /// Capacity, requests per second.
    pub(crate) capacity: f64,
    /// Requests turned away.
    pub(crate) lost: f64,
    /// Requests that had to wait too long.
    pub(crate) delayed: f64,
}

impl Traffic {
    pub(crate) fn new(world: &World, ceiling: f64) -> Self {
        let pod = &world.pod;
        Self {
            pod_capacity: pod.requests_per_second.get() * (ceiling - pod.idle_cpu.fraction()).max(0.0),
            overload: world.overload,
            longest: world.queue.longest.get(),
            patience_secs: world.queue.patience.secs(),
            queue: 0.0,
            offered: 0.0,
            served_per_pod: 0.0,
            rate_per_pod: 0.0,
        }
    }

    /// Lets `us` microseconds pass with this load and this many ready pods.
    pub(crate) fn flow(&mut self, us: i64, load: f64, pods: i32) -> Flowed {
        let secs = secs(us);
        let capacity = f64::from(pods) * self.pod_capacity;
        let arrived = load * secs;
        let waiting = self.queue + arrived;
        let served = waiting.min(capacity * secs);
        let rest = waiting - served;
        let (queue, lost) = match self.overload {
            Overload::Shed => (0.0, rest),
            Overload::Queue => (rest.min(self.longest), (rest - self.longest).max(0.0)),
        };
        let wait_secs = if capacity > 0.0 {
            (self.queue + queue) / 2.0 / capacity
        } else if queue > 0.0 {
            f64::INFINITY
        } else {
            0.0
        };
        let delayed = if wait_secs > self.patience_secs { (arrived - lost).max(0.0) } else { 0.0 };
        self.queue = queue;
        self.offered += arrived;
        if pods > 0 && secs > 0.0 {
            let each = served / f64::from(pods);
            self.served_per_pod += each;
            self.rate_per_pod = each / secs;
        } else {
            self.rate_per_pod = 0.0;
        }
        Flowed { us, secs, load, capacity, lost, delayed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SECOND;

    fn world(overload: Overload) -> World {
        World { overload, ..World::default() }
    }

    #[test]
    fn shed_turns_the_surplus_away() {
        let mut traffic = Traffic::new(&world(Overload::Shed), 1.0);
        let flowed = traffic.flow(5 * SECOND, 30.0, 2);
        assert_eq!((flowed.capacity, flowed.lost, flowed.delayed), (20.0, 50.0, 0.0));
        assert_eq!((traffic.queue, traffic.rate_per_pod), (0.0, 10.0));
    }

    #[test]
    fn a_queue_keeps_the_surplus_and_is_worked_off() {
        let mut traffic = Traffic::new(&world(Overload::Queue), 1.0);
        let flowed = traffic.flow(10 * SECOND, 30.0, 2);
        assert_eq!((flowed.lost, flowed.delayed, traffic.queue), (0.0, 300.0, 100.0));
        let flowed = traffic.flow(10 * SECOND, 10.0, 2);
        assert_eq!((flowed.lost, traffic.queue, traffic.rate_per_pod), (0.0, 0.0, 10.0));
        assert_eq!(traffic.flow(10 * SECOND, 10.0, 2).delayed, 0.0);
    }

    proptest::proptest! {
        /// Nothing is made and nothing vanishes: what was offered was served, was lost, or waits.
        #[test]
        fn what_is_offered_is_served_lost_or_waits(
            queues in proptest::bool::ANY,
            stretches in proptest::collection::vec((1..30_000_000i64, 0.0..500.0f64, 0..40i32), 1..60),
        ) {
            let mut traffic = Traffic::new(&world(if queues { Overload::Queue } else { Overload::Shed }), 1.0);
            let (mut served, mut lost) = (0.0, 0.0);
            for (us, load, pods) in stretches {
                let flowed = traffic.flow(us, load, pods);
                let now = traffic.rate_per_pod * f64::from(pods) * flowed.secs;
                proptest::prop_assert!(now <= flowed.capacity * flowed.secs * (1.0 + 1e-9));
                proptest::prop_assert!(flowed.lost >= 0.0 && flowed.delayed >= 0.0 && traffic.queue >= 0.0);
                served += now;
                lost += flowed.lost;
            }
            let told = served + lost + traffic.queue;
            proptest::prop_assert!((told - traffic.offered).abs() <= 1e-6 * (1.0 + traffic.offered));
        }
    }

    #[test]
    fn without_pods_a_full_queue_loses_what_comes() {
        let mut traffic = Traffic::new(&world(Overload::Queue), 1.0);
        let flowed = traffic.flow(100 * SECOND, 30.0, 0);
        assert_eq!((flowed.lost, traffic.queue, traffic.rate_per_pod), (2_000.0, 1_000.0, 0.0));
        assert_eq!(flowed.delayed, 1_000.0);
    }
}
