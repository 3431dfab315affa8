//! What all parts of the running controller share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube::Client;
use tokio::sync::{Notify, Semaphore};

use crate::checkpoint::Store;
use crate::clock;
use crate::config::Config;
use crate::discovery::Discovery;
use crate::events::Teller;
use crate::index::{Index, Touched};
use crate::journal::Journal;
use crate::key::{Key, Kind};
use crate::lease::Fence;
use crate::life::Life;
use crate::metrics::Backends;
use crate::record::Record;
use crate::schedule::Schedule;
use crate::takeover::Takeover;
use crate::telemetry::Telemetry;

/// Shared by watches, syncs and the HTTP server.
pub(crate) struct Context {
    /// The client for everything but watches.
    pub(crate) client: Client,
    /// The settings.
    pub(crate) config: Config,
    /// Which resource serves a kind.
    pub(crate) discovery: Discovery,
    /// The metrics backends.
    pub(crate) backends: Backends,
    /// Where history is kept.
    pub(crate) store: Store,
    /// Tells events.
    pub(crate) teller: Teller,
    /// What is measured.
    pub(crate) telemetry: Arc<Telemetry>,
    /// Whether this replica may write.
    pub(crate) fence: Fence,
    /// Where decisions are recorded.
    pub(crate) journal: Option<Journal>,
    /// How many syncs may act at the same time. Looking is not counted: a slow metrics backend holds up only those who
    /// ask it.
    pub(crate) acting: Semaphore,
    /// Wakes the scheduler when something is due earlier than it thinks.
    pub(crate) woken: Notify,
    index: Mutex<Index>,
    schedule: Mutex<Schedule>,
    lives: Mutex<BTreeMap<Key, Arc<tokio::sync::Mutex<Life>>>>,
    records: Mutex<BTreeMap<Key, Arc<Record>>>,
    takeover: Mutex<Takeover>,
}

impl Context {
    /// Nothing is known yet.
    #[must_use]
    pub(crate) fn new(
        client: Client,
        config: Config,
        fence: Fence,
        journal: Option<Journal>,
        instance: String,
    ) -> Self {
        let telemetry = Arc::new(Telemetry::new());
        Context {
            discovery: Discovery::new(client.clone()),
            backends: Backends::new(client.clone(), &config, &telemetry),
            store: Store::new(client.clone()),
            teller: Teller::new(client.clone(), instance),
            takeover: Mutex::new(Takeover::begin(clock::now(), clock::micros(config.hpa.sync_period))),
            telemetry,
            fence,
            journal,
            acting: Semaphore::new(config.concurrent_syncs),
            woken: Notify::new(),
            index: Mutex::default(),
            schedule: Mutex::default(),
            lives: Mutex::default(),
            records: Mutex::default(),
            client,
            config,
        }
    }

    /// What the watches know.
    pub(crate) fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whose turn it is.
    pub(crate) fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was seen of others who write HPAs.
    pub(crate) fn takeover(&self) -> MutexGuard<'_, Takeover> {
        self.takeover.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an autoscaler has lived through.
    pub(crate) fn life(&self, key: &Key) -> Arc<tokio::sync::Mutex<Life>> {
        let mut lives = self.lives.lock().unwrap_or_else(PoisonError::into_inner);
        lives.entry(key.clone()).or_default().clone()
    }

    /// What all autoscalers have lived through.
    pub(crate) fn lives(&self) -> Vec<(Key, Arc<tokio::sync::Mutex<Life>>)> {
        let lives = self.lives.lock().unwrap_or_else(PoisonError::into_inner);
        lives.iter().map(|(key, life)| (key.clone(), life.clone())).collect()
    }

    /// The record of an autoscaler's last decision.
    pub(crate) fn record(&self, key: &Key) -> Option<Arc<Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Keeps the record of a decision.
    pub(crate) fn keep(&self, record: Record) -> Arc<Record> {
        if let Some(journal) = &self.journal {
            journal.write(&record);
        }
        let record = Arc::new(record);
        let key = record.key.clone();
        self.records.lock().unwrap_or_else(PoisonError::into_inner).insert(key, record.clone());
        record
    }

    /// Acts on what a watch of autoscalers has brought.
    pub(crate) fn touch(&self, touched: Vec<Touched>) {
        if touched.is_empty() {
            return;
        }
        let now = clock::now();
        for touch in touched {
            match touch {
                Touched::Changed(key) => self.schedule().wake(&key, now),
                Touched::Gone(key) => self.forget(&key),
            }
        }
        self.telemetry.hpas(self.index().count(Kind::Hpa));
        self.woken.notify_one();
    }

    /// Forgets everything about an autoscaler that is gone.
    pub(crate) fn forget(&self, key: &Key) {
        self.schedule().remove(key);
        self.takeover().forget(key);
        self.lives.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        self.records.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        self.telemetry.forget(key);
    }

    /// A term as the leader begins: everything is synced at once, with nothing remembered but what is stored.
    pub(crate) fn begin_term(&self) {
        self.end_term();
        let now = clock::now();
        *self.takeover() = Takeover::begin(now, clock::micros(self.config.hpa.sync_period));
        self.telemetry.foreign_writer(false);
        let subjects: Vec<_> = self.index().all_subjects().cloned().collect();
        for subject in subjects {
            if subject.key.kind == Kind::Hpa {
                self.takeover().see(&subject);
            }
            self.schedule().wake(&subject.key, now);
        }
        self.woken.notify_one();
    }

    /// A term as the leader ends: another replica goes on from what is stored.
    pub(crate) fn end_term(&self) {
        self.schedule().clear();
        self.lives.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.telemetry.forget_all();
    }
}
