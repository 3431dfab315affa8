//! What every request to a metrics backend goes through: a circuit breaker, a limit on how many are under way, and a
//! timeout that counts from the moment of asking.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::clock::Tick;
use crate::config::MetricsFlags;
use crate::metrics::breaker::{Breaker, State};
use crate::metrics::fetch::Trouble;
use crate::telemetry::Telemetry;

/// The way to one backend.
pub(crate) struct Gate {
    backend: &'static str,
    flags: MetricsFlags,
    /// By server: one that is slow must not hold up those who ask another.
    permits: Mutex<BTreeMap<String, Arc<Semaphore>>>,
    /// By what is asked for: one metric that always fails must not close the way to the others.
    breakers: Mutex<BTreeMap<String, Breaker>>,
    telemetry: Arc<Telemetry>,
}

impl Gate {
    /// A gate to the backend of this name.
    #[must_use]
    pub(crate) fn new(backend: &'static str, flags: &MetricsFlags, telemetry: Arc<Telemetry>) -> Self {
        Gate {
            backend,
            flags: flags.clone(),
            permits: Mutex::default(),
            breakers: Mutex::default(),
            telemetry,
        }
    }

    /// Sends a request through. `circuit` names what is asked for.
    pub(crate) async fn pass<T>(
        &self,
        circuit: &str,
        call: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        self.pass_to("", self.flags.timeout, circuit, call).await
    }

    /// The same to one of several servers, with a timeout of its own.
    pub(crate) async fn pass_to<T>(
        &self,
        server: &str,
        limit: Duration,
        circuit: &str,
        call: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        let start = Tick::now();
        self.admit(circuit, start)?;
        let permits = self.permits(server);
        let answer = timeout(limit, async {
            let _permit = permits.acquire().await;
            call.await
        });
        let answer = answer
            .await
            .unwrap_or_else(|_| Err(Trouble::backend(format!("no answer within {} s", limit.as_secs_f64()))));
        let end = Tick::now();
        self.note(circuit, end, answer.as_ref().err());
        self.telemetry.asked(self.backend, end.since(start), answer.as_ref().err());
        answer
    }

    fn permits(&self, server: &str) -> Arc<Semaphore> {
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        match permits.get(server) {
            Some(known) => known.clone(),
            None => {
                let new = Arc::new(Semaphore::new(self.flags.concurrency));
                permits.insert(server.to_owned(), new.clone());
                new
            }
        }
    }

    fn admit(&self, circuit: &str, now: Tick) -> Result<(), Trouble> {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        breakers.get_mut(circuit).map_or(Ok(()), |breaker| breaker.admit(now))
    }

    fn note(&self, circuit: &str, now: Tick, trouble: Option<&Trouble>) {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        match trouble {
            Some(trouble) => breakers.entry(circuit.to_owned()).or_default().failed(now, trouble),
            None => drop(breakers.remove(circuit)),
        }
        let open = breakers.values().filter(|breaker| breaker.state() == State::Open).count();
        drop(breakers);
        self.telemetry.circuits(self.backend, open);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(concurrency: usize) -> Gate {
        let flags = MetricsFlags { timeout: Duration::from_millis(20), concurrency };
        Gate::new("resource", &flags, Arc::new(Telemetry::new()))
    }

    #[tokio::test]
    async fn a_slow_backend_is_given_up_on_and_then_left_alone() {
        let gate = gate(1);
        for _ in 0..3 {
            let slow = tokio::time::sleep(Duration::from_secs(30));
            let answer: Result<(), Trouble> = gate
                .pass("prod", async {
                    slow.await;
                    Ok(())
                })
                .await;
            assert_eq!(&*answer.unwrap_err().text, "no answer within 0.02 s");
        }
        let answer = gate.pass("prod", async { Ok(1) }).await;
        assert_eq!(&*answer.unwrap_err().text, "no answer within 0.02 s", "it is not asked again so soon");
        assert_eq!(gate.pass("other", async { Ok(2) }).await, Ok(2), "others are not held up");
    }

    #[tokio::test]
    async fn a_slow_server_does_not_hold_up_another() {
        let gate = gate(1);
        let limit = Duration::from_millis(20);
        let slow = gate.pass_to::<i32>("a", limit, "a query", std::future::pending());
        let quick = gate.pass_to("b", limit, "b query", async { Ok(1) });
        let (slow, quick) = tokio::join!(slow, quick);
        assert!(slow.is_err());
        assert_eq!(quick, Ok(1));
    }
}
