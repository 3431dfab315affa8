//! Leader election by a Lease: the algorithm that Kubernetes' own components use, and a fence that stops a leader
//! which could not renew in time, even one that was asleep.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::PostParams;
use kube::core::ObjectMeta;
use kube::{Api, Client};
use plimsoll_engine::At;

use crate::FIELD_MANAGER;
use crate::act;
use crate::clock::{self, Tick};
use crate::config::Election;

/// Where on the Lease it stands on which port the leader serves.
pub(crate) const SERVED_PORT: &str = "plimsoll.dev/port";

/// Says whether this replica may write.
///
/// It may until its own renew deadline has passed since it *began* its last successful renewal. Others wait for the
/// whole lease since they *saw* that renewal, which is longer and later, so at no moment may two write.
#[derive(Debug, Default)]
pub(crate) struct Fence {
    until: Mutex<Option<(Tick, Duration)>>,
}

impl Fence {
    /// A fence that is always open, for a single replica without election.
    #[must_use]
    pub(crate) fn open() -> Self {
        Fence { until: Mutex::new(Some((Tick::now(), Duration::MAX))) }
    }

    /// Whether writing is allowed now.
    #[must_use]
    pub(crate) fn allows(&self, now: Tick) -> bool {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|(since, limit)| now.since(since) < limit)
    }

    fn extend(&self, since: Tick, limit: Duration) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = Some((since, limit));
    }

    fn close(&self) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// What is to be done about the Lease.
#[derive(Debug, Clone, PartialEq)]
enum Move {
    /// Create it.
    Create(LeaseSpec),
    /// Write this over the version that was read.
    Write(LeaseSpec),
    /// Someone else holds it.
    Wait,
}

/// What one candidate knows.
#[derive(Debug)]
struct Candidate {
    election: Election,
    /// The Lease as last seen, and when it was first seen like that.
    seen: Option<(LeaseSpec, Tick)>,
}

impl Candidate {
    fn new(election: Election) -> Self {
        Candidate { election, seen: None }
    }

    /// Decides what to do, given the Lease as it was just read.
    fn consider(&mut self, found: Option<&LeaseSpec>, now: Tick, day: At) -> Move {
        let Some(found) = found else {
            return Move::Create(self.claim(None, day));
        };
        if self.seen.as_ref().is_none_or(|(seen, _)| seen != found) {
            self.seen = Some((found.clone(), now));
        }
        let holder = found.holder_identity.as_deref().unwrap_or_default();
        let mine = holder == self.election.identity;
        if !mine && !holder.is_empty() && !self.time_left(now).is_zero() {
            return Move::Wait;
        }
        Move::Write(self.claim(Some(found), day))
    }

    /// How long the Lease as last seen is still valid, counted from when this replica saw the last renewal: clocks of
    /// different machines are never compared.
    fn time_left(&self, now: Tick) -> Duration {
        let Some((lease, since)) = &self.seen else { return Duration::ZERO };
        let secs = u64::try_from(lease.lease_duration_seconds.unwrap_or(0)).unwrap_or(0);
        Duration::from_secs(secs).saturating_sub(now.since(*since))
    }

    /// How long to wait before trying again to become the leader: no longer than the Lease is valid, so that a leader
    /// that is gone is followed at once.
    fn pause(&self, now: Tick) -> Duration {
        let retry = self.election.retry_period;
        Some(self.time_left(now)).filter(|left| !left.is_zero()).map_or(retry, |left| left.min(retry))
    }

    fn claim(&self, found: Option<&LeaseSpec>, day: At) -> LeaseSpec {
        let now = MicroTime(clock::timestamp(day));
        let mine = found.filter(|found| found.holder_identity.as_deref() == Some(&self.election.identity));
        let transitions = found.and_then(|found| found.lease_transitions).unwrap_or(0);
        LeaseSpec {
            holder_identity: Some(self.election.identity.clone()),
            lease_duration_seconds: Some(
                i32::try_from(self.election.lease_duration.as_secs()).unwrap_or(i32::MAX),
            ),
            acquire_time: mine.and_then(|mine| mine.acquire_time.clone()).or_else(|| Some(now.clone())),
            renew_time: Some(now),
            lease_transitions: Some(match (found, mine) {
                (Some(_), None) => transitions.saturating_add(1),
                _ => transitions,
            }),
            ..LeaseSpec::default()
        }
    }
}

/// A candidate with a client.
pub(crate) struct Elector {
    candidate: Candidate,
    api: Api<Lease>,
    served_port: Option<u16>,
    leading: Option<(Tick, Lease)>,
}

impl Elector {
    /// A candidate that has not tried yet.
    #[must_use]
    pub(crate) fn new(client: Client, election: Election, served_port: Option<u16>) -> Self {
        let namespace = election.namespace.clone().unwrap_or_else(|| client.default_namespace().to_owned());
        Elector {
            api: Api::namespaced(client, &namespace),
            candidate: Candidate::new(election),
            served_port,
            leading: None,
        }
    }

    /// Tries until this replica is the leader; then the fence is open.
    pub(crate) async fn acquire(&mut self, fence: &Fence) {
        loop {
            match act::within_limit(self.attempt()).await {
                Ok(true) => return self.keep_open(fence),
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, "cannot read or write the Lease; trying again"),
            }
            tokio::time::sleep(self.candidate.pause(Tick::now())).await;
        }
    }

    /// Renews until that fails for too long; then the fence is closed and this replica is no longer the leader.
    pub(crate) async fn renew(&mut self, fence: &Fence) {
        loop {
            tokio::time::sleep(self.candidate.election.retry_period).await;
            let limit = self.candidate.election.renew_deadline;
            let left = self
                .leading
                .as_ref()
                .map_or(Duration::ZERO, |(since, _)| limit.saturating_sub(Tick::now().since(*since)));
            match tokio::time::timeout(left, self.attempt()).await {
                Ok(Ok(true)) => self.keep_open(fence),
                Ok(Ok(false)) => {
                    tracing::warn!("another replica has become the leader");
                    return self.lose(fence);
                }
                Ok(Err(error)) => tracing::warn!(%error, "cannot renew the Lease; trying again"),
                Err(_) => {
                    tracing::warn!("the Lease could not be renewed in time: no longer the leader");
                    return self.lose(fence);
                }
            }
        }
    }

    /// Gives the Lease up, so that another replica need not wait for it to expire.
    pub(crate) async fn release(&mut self, fence: &Fence) {
        fence.close();
        let Some((_, mut lease)) = self.leading.take() else { return };
        if let Some(spec) = lease.spec.as_mut() {
            spec.holder_identity = Some(String::new());
            spec.lease_duration_seconds = Some(1);
        }
        let params = params();
        let write = self.api.replace(&self.candidate.election.name, &params, &lease);
        match tokio::time::timeout(Duration::from_secs(3), write).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the Lease could not be released"),
            Err(_) => tracing::warn!("the Lease could not be released in time"),
        }
    }

    fn keep_open(&self, fence: &Fence) {
        if let Some((since, _)) = &self.leading {
            fence.extend(*since, self.candidate.election.renew_deadline);
        }
    }

    fn lose(&mut self, fence: &Fence) {
        fence.close();
        self.leading = None;
    }

    /// One attempt to get or keep the Lease; true when this replica holds it.
    async fn attempt(&mut self) -> Result<bool, kube::Error> {
        let start = Tick::now();
        let name = self.candidate.election.name.clone();
        let found = self.api.get_opt(&name).await?;
        let spec = found.as_ref().map(|lease| lease.spec.clone().unwrap_or_default());
        let written = match self.candidate.consider(spec.as_ref(), Tick::now(), clock::now()) {
            Move::Wait => return Ok(false),
            Move::Create(spec) => {
                let mut metadata = ObjectMeta { name: Some(name), ..ObjectMeta::default() };
                self.sign(&mut metadata);
                self.api.create(&params(), &Lease { metadata, spec: Some(spec) }).await
            }
            Move::Write(spec) => {
                // The version that was read goes with it: of two who try at once, one is refused.
                let mut metadata = found.map(|lease| lease.metadata).unwrap_or_default();
                self.sign(&mut metadata);
                self.api.replace(&name, &params(), &Lease { metadata, spec: Some(spec) }).await
            }
        };
        match written {
            Ok(lease) => {
                self.leading = Some((start, lease));
                Ok(true)
            }
            Err(kube::Error::Api(status)) if status.code == 409 => {
                Ok(self.leading.is_some() && self.still_mine().await?)
            }
            Err(error) => Err(error),
        }
    }

    /// Says on which port the one who holds the Lease serves, so that it can be asked through the API server.
    fn sign(&self, metadata: &mut ObjectMeta) {
        let annotations = metadata.annotations.get_or_insert_default();
        match self.served_port {
            Some(port) => drop(annotations.insert(SERVED_PORT.to_owned(), port.to_string())),
            None => drop(annotations.remove(SERVED_PORT)),
        }
    }

    /// After a conflict: whether the Lease still names this replica (someone touched it without taking it).
    async fn still_mine(&mut self) -> Result<bool, kube::Error> {
        let found = self.api.get_opt(&self.candidate.election.name).await?;
        let holder = found.and_then(|lease| lease.spec).and_then(|spec| spec.holder_identity);
        Ok(holder.as_deref() == Some(&self.candidate.election.identity))
    }
}

fn params() -> PostParams {
    PostParams { dry_run: false, field_manager: Some(FIELD_MANAGER.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(name: &str) -> Candidate {
        Candidate::new(Election::new(name.to_owned()))
    }

    fn written(action: Move) -> LeaseSpec {
        match action {
            Move::Create(spec) | Move::Write(spec) => spec,
            Move::Wait => panic!("waits"),
        }
    }

    #[test]
    fn the_first_creates_and_the_second_waits_for_the_whole_lease() {
        let (mut one, mut two) = (candidate("one"), candidate("two"));
        let (start, day) = (Tick::now(), At::from_secs(1000));
        let lease = written(one.consider(None, start, day));
        assert_eq!(two.consider(Some(&lease), start, day), Move::Wait);
        let almost = start.plus(Duration::from_millis(14_999));
        assert_eq!(two.consider(Some(&lease), almost, day), Move::Wait);
        let taken = written(two.consider(Some(&lease), start.plus(Duration::from_secs(15)), day));
        assert_eq!(taken.holder_identity.as_deref(), Some("two"));
        assert_eq!(taken.lease_transitions, Some(1));
    }

    #[test]
    fn a_renewal_starts_the_wait_anew() {
        let (mut one, mut two) = (candidate("one"), candidate("two"));
        let (start, day) = (Tick::now(), At::from_secs(1000));
        let lease = written(one.consider(None, start, day));
        two.consider(Some(&lease), start, day);
        let ten = start.plus(Duration::from_secs(10));
        let renewed = written(one.consider(Some(&lease), ten, At::from_secs(1010)));
        assert_eq!(renewed.acquire_time, lease.acquire_time);
        assert_eq!(renewed.lease_transitions, Some(0));
        assert_eq!(two.consider(Some(&renewed), ten, day), Move::Wait);
        assert_eq!(two.consider(Some(&renewed), start.plus(Duration::from_secs(24)), day), Move::Wait);
        assert_ne!(two.consider(Some(&renewed), start.plus(Duration::from_secs(25)), day), Move::Wait);
    }

    #[test]
    fn the_last_pause_ends_with_the_lease() {
        let (mut one, mut two) = (candidate("one"), candidate("two"));
        let (start, day) = (Tick::now(), At::from_secs(1000));
        let lease = written(one.consider(None, start, day));
        two.consider(Some(&lease), start, day);
        assert_eq!(two.pause(start), Duration::from_secs(2));
        assert_eq!(two.pause(start.plus(Duration::from_millis(14_500))), Duration::from_millis(500));
        assert_eq!(two.pause(start.plus(Duration::from_secs(16))), Duration::from_secs(2));
    }

    #[test]
    fn a_released_lease_is_taken_at_once() {
        let mut two = candidate("two");
        let released = LeaseSpec { holder_identity: Some(String::new()), ..LeaseSpec::default() };
        assert_ne!(two.consider(Some(&released), Tick::now(), At::from_secs(1)), Move::Wait);
    }

    #[test]
    fn the_fence_closes_by_itself_before_the_lease_ends() {
        let fence = Fence::default();
        let start = Tick::now();
        assert!(!fence.allows(start));
        let election = Election::new("me".to_owned());
        fence.extend(start, election.renew_deadline);
        assert!(fence.allows(start.plus(Duration::from_secs(9))));
        assert!(
            !fence.allows(start.plus(Duration::from_secs(10))),
            "a paused leader that wakes up must not write"
        );
        assert!(election.renew_deadline < election.lease_duration);
    }
}
