//! The controller as a whole: starts everything, waits for leadership, syncs, and ends in good order.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use kube::Client;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock;
use crate::config::Config;
use crate::context::Context;
use crate::journal::Journal;
use crate::lease::{Elector, Fence};
use crate::sync::{store_for_good, sync};
use crate::telemetry::Leader;
use crate::{http, watch};

/// How many syncs may be under way for each that may act: most of them wait for metrics.
const LOOKING_PER_ACTING: usize = 20;
/// How many checkpoints are written at the same time when the controller ends.
const LAST_WRITES_AT_ONCE: usize = 32;
/// How long the last writes may take.
const LAST_WRITES: Duration = Duration::from_secs(20);

/// Why the controller could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A setting makes no sense.
    #[error(transparent)]
    Config(#[from] crate::config::BadConfig),
    /// There is no way to the cluster.
    #[error("no way to the cluster: {0}; set KUBECONFIG or run in a pod with a ServiceAccount")]
    Cluster(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Bind {
        /// The address.
        address: std::net::SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// The journal cannot be written.
    #[error("--journal {dir}: {error}")]
    Journal {
        /// The directory.
        dir: String,
        /// Why not.
        error: std::io::Error,
    },
}

/// A client from a kubeconfig, or from the pod this runs in.
///
/// # Errors
/// When there is neither.
pub async fn client(context: Option<&str>) -> Result<Client, Failure> {
    let failed = |error: String| Failure::Cluster(error);
    let mut config = match context {
        None => kube::Config::infer().await.map_err(|error| failed(error.to_string()))?,
        Some(context) => {
            let options =
                kube::config::KubeConfigOptions { context: Some(context.to_owned()), ..Default::default() };
            kube::Config::from_kubeconfig(&options).await.map_err(|error| failed(error.to_string()))?
        }
    };
    // Retries would hide how a backend is doing; every caller has its own way of trying again.
    config.default_retry = false;
    config.connect_timeout = Some(Duration::from_secs(10));
    Client::try_from(config).map_err(|error| failed(error.to_string()))
}

/// Runs until `stop` is cancelled, then ends in good order.
///
/// # Errors
/// When it cannot start.
pub async fn run(client: Client, config: Config, stop: CancellationToken) -> Result<(), Failure> {
    config.check()?;
    let journal = match &config.journal {
        None => None,
        Some(dir) => Some(
            Journal::open(dir).map_err(|error| Failure::Journal { dir: dir.display().to_string(), error })?,
        ),
    };
    let election = config.election.clone();
    let bind = config.bind;
    let identity =
        election.as_ref().map_or_else(|| "plimsoll".to_owned(), |election| election.identity.clone());
    let fence = if election.is_some() { Fence::default() } else { Fence::open() };
    let cx = Arc::new(Context::new(client.clone(), config, fence, journal, identity));

    let mut tasks = JoinSet::new();
    let ready = watch::start(&cx, &client, &mut tasks);
    let server_stop = CancellationToken::new();
    let mut served_port = None;
    if let Some(address) = bind {
        let listener = http::listen(address).await.map_err(|error| Failure::Bind { address, error })?;
        let address = listener.local_addr().unwrap_or(address);
        served_port = Some(address.port());
        tracing::info!(%address, "serving health, metrics and explanations");
        let (cx, ready, stop) = (cx.clone(), ready.clone(), server_stop.clone());
        tasks.spawn(async move {
            if let Err(error) = http::serve(cx, ready, listener, stop).await {
                tracing::error!(%error, "the HTTP server has ended");
            }
        });
    }
    tokio::select! {
        () = ready.wait() => {}
        () = stop.cancelled() => return Ok(()),
    }
    tracing::info!(objects = cx.index().all_subjects().count(), "everything is listed");
    match election {
        None => term(&cx, &stop).await,
        Some(election) => lead(&cx, Elector::new(client, election, served_port), &stop).await,
    }
    server_stop.cancel();
    tasks.shutdown().await;
    tracing::info!("ended in good order");
    Ok(())
}

/// Waits for leadership, leads, and waits again when it is lost.
async fn lead(cx: &Arc<Context>, mut elector: Elector, stop: &CancellationToken) {
    while !stop.is_cancelled() {
        tokio::select! {
            () = elector.acquire(&cx.fence) => {}
            () = stop.cancelled() => return,
        }
        tracing::info!("this replica is the leader");
        let term_over = stop.child_token();
        let mut work = tokio::spawn({
            let (cx, term_over) = (cx.clone(), term_over.clone());
            async move { term(&cx, &term_over).await }
        });
        tokio::select! {
            () = elector.renew(&cx.fence) => {
                // Fenced: nothing more is written. What is under way may end, but not act.
                cx.telemetry.leads(Leader::No);
                term_over.cancel();
                work.abort();
                cx.end_term();
            }
            _ = &mut work => elector.release(&cx.fence).await,
        }
    }
}

/// Syncs everything whose turn has come, until the term is over; then stores what is remembered.
async fn term(cx: &Arc<Context>, over: &CancellationToken) {
    cx.telemetry.leads(Leader::Yes);
    cx.begin_term();
    let mut syncs = JoinSet::new();
    let permits = Arc::new(Semaphore::new(cx.config.concurrent_syncs.saturating_mul(LOOKING_PER_ACTING)));
    loop {
        while syncs.try_join_next().is_some() {}
        let permit = tokio::select! {
            biased;
            () = over.cancelled() => break,
            permit = permits.clone().acquire_owned() => permit,
        };
        let now = clock::now();
        let (due, key) = {
            let mut schedule = cx.schedule();
            (schedule.next_due(), schedule.take(now))
        };
        let Some(key) = key else {
            drop(permit);
            let pause = due.map_or(Duration::from_secs(3600), |due| clock::until(due, now));
            tokio::select! {
                () = over.cancelled() => break,
                () = cx.woken.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
            continue;
        };
        if let Some(due) = due {
            cx.telemetry.began_late(clock::until(now, due));
        }
        let cx = cx.clone();
        syncs.spawn(async move {
            let next = sync(&cx, &key).await;
            let now = clock::now();
            match next {
                Some(next) => cx.schedule().done(&key, now, next),
                None => cx.schedule().remove(&key),
            }
            drop(permit);
            cx.woken.notify_one();
        });
    }
    // What has begun is carried through, so that nothing is half told.
    let ended = tokio::time::timeout(LAST_WRITES, async {
        while syncs.join_next().await.is_some() {}
        futures::stream::iter(cx.lives())
            .for_each_concurrent(LAST_WRITES_AT_ONCE, |(key, life)| async move {
                store_for_good(cx, &key, &mut *life.lock().await).await;
            })
            .await;
    });
    if ended.await.is_err() {
        tracing::warn!("not everything could be stored in time: a restart may delay shrinking");
    }
    cx.telemetry.leads(Leader::No);
}
