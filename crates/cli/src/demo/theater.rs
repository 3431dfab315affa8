//! Where the cluster and those who watch it meet: one lock around it, and a channel on which nobody can hold up the others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use tokio::sync::broadcast::{Receiver, Sender, channel};

use super::cluster::Cluster;
use super::control::Control;

/// How many messages a slow watcher may lag behind before it is told everything anew.
const BACKLOG: usize = 32;

/// The cluster on a stage.
pub(crate) struct Theater {
    cluster: Mutex<Cluster>,
    news: Sender<Arc<str>>,
}

impl Theater {
    /// Puts a cluster on the stage.
    pub(crate) fn new(cluster: Cluster) -> Self {
        Self { cluster: Mutex::new(cluster), news: channel(BACKLOG).0 }
    }

    fn cluster(&self) -> MutexGuard<'_, Cluster> {
        self.cluster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets time pass, but only while someone watches: whoever comes late has missed nothing.
    pub(crate) fn pass(&self, wall_secs: f64) -> Result<()> {
        let mut cluster = self.cluster();
        if self.news.receiver_count() > 0 {
            cluster.pass(wall_secs)?;
            self.tell(&mut cluster);
        }
        Ok(())
    }

    /// Turns a knob; everyone sees it at once.
    pub(crate) fn turn(&self, control: Control) -> Result<(), String> {
        let mut cluster = self.cluster();
        cluster.turn(control)?;
        self.tell(&mut cluster);
        Ok(())
    }

    /// Under the lock, so that nobody who comes in between hears a thing twice or never.
    fn tell(&self, cluster: &mut Cluster) {
        // An error only says that nobody listens.
        let _ = self.news.send(cluster.news().into());
    }

    /// Takes a seat: everything so far, and an ear for what follows.
    pub(crate) fn enter(&self) -> (Receiver<Arc<str>>, Arc<str>) {
        let cluster = self.cluster();
        (self.news.subscribe(), cluster.hello().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use tokio::sync::broadcast::error::TryRecvError;

    fn theater() -> Theater {
        Theater::new(Cluster::start().unwrap())
    }

    fn secs(message: &str) -> i64 {
        let message: Value = serde_json::from_str(message).unwrap();
        message["state"]["secs"].as_i64().unwrap()
    }

    #[test]
    fn time_waits_for_the_first_visitor() {
        let theater = theater();
        theater.pass(1.0).unwrap();
        let (mut ear, hello) = theater.enter();
        assert_eq!(secs(&hello), 11 * 3600);
        theater.pass(1.0).unwrap();
        assert_eq!(secs(&ear.try_recv().unwrap()), 11 * 3600 + 120);
    }

    #[test]
    fn who_does_not_listen_holds_up_nobody() {
        let theater = theater();
        let (mut slow, _) = theater.enter();
        let (mut quick, _) = theater.enter();
        for round in 1..=100 {
            theater.pass(0.1).unwrap();
            assert_eq!(secs(&quick.try_recv().unwrap()), 11 * 3600 + 12 * round);
        }
        assert!(matches!(slow.try_recv(), Err(TryRecvError::Lagged(_))));
        assert_eq!(secs(&theater.enter().1), 11 * 3600 + 1200);
    }

    #[test]
    fn a_knob_is_seen_at_once_and_nonsense_is_not() {
        let theater = theater();
        let (mut ear, _) = theater.enter();
        theater.turn(Control::ExtraLoad(200.0)).unwrap();
        assert!(ear.try_recv().unwrap().contains("\"extraLoad\":200.0"));
        theater.turn(Control::Speed(0)).unwrap_err();
        assert!(matches!(ear.try_recv(), Err(TryRecvError::Empty)));
    }
}
