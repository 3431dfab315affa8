//! Answers shared between all who ask for the same thing at about the same time.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

use crate::clock::Tick;

/// Requests under way, and answers that are still fresh.
pub(crate) struct Share<K, V: Clone> {
    fresh: Duration,
    asked: Mutex<Questions<K, V>>,
}

struct Questions<K, V: Clone> {
    all: BTreeMap<K, Asked<V>>,
    /// How many there may be before the old ones are thrown out.
    room: usize,
}

/// How many questions are kept before anyone looks which are old.
const LEAST_ROOM: usize = 64;

struct Asked<V: Clone> {
    at: Tick,
    answer: Shared<BoxFuture<'static, V>>,
}

impl<K: Ord, V: Clone + Send + Sync + 'static> Share<K, V> {
    /// Answers are shared for this long after the request was made.
    #[must_use]
    pub(crate) fn new(fresh: Duration) -> Self {
        Share { fresh, asked: Mutex::new(Questions { all: BTreeMap::new(), room: LEAST_ROOM }) }
    }

    /// The answer to a question: one that is under way or fresh, or that of `ask`, which then others share.
    pub(crate) async fn get<F>(&self, key: K, ask: impl FnOnce() -> F) -> V
    where
        F: Future<Output = V> + Send + 'static,
    {
        let answer = {
            let now = Tick::now();
            let usable = |asked: &Asked<V>| now.since(asked.at) < self.fresh || asked.answer.peek().is_none();
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            if asked.all.len() >= asked.room {
                asked.all.retain(|_, asked| usable(asked));
                asked.room = asked.all.len().saturating_mul(2).max(LEAST_ROOM);
            }
            let begin = || Asked { at: now, answer: ask().boxed().shared() };
            match asked.all.entry(key) {
                Entry::Occupied(found) if usable(found.get()) => found.get().answer.clone(),
                Entry::Occupied(mut old) => {
                    old.insert(begin());
                    old.get().answer.clone()
                }
                Entry::Vacant(new) => new.insert(begin()).answer.clone(),
            }
        };
        answer.await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn one_question_is_asked_once_while_fresh() {
        let asked = Arc::new(AtomicU32::new(0));
        let share = Share::new(Duration::from_secs(3600));
        let ask = || {
            let asked = asked.clone();
            async move { asked.fetch_add(1, Ordering::SeqCst) }
        };
        let (first, second) = tokio::join!(share.get("a", ask), share.get("a", ask));
        assert_eq!((first, second), (0, 0));
        assert_eq!(share.get("a", ask).await, 0);
        assert_eq!(share.get("b", ask).await, 1);
    }

    #[tokio::test]
    async fn an_old_answer_is_asked_for_again() {
        let asked = Arc::new(AtomicU32::new(0));
        let share = Share::new(Duration::ZERO);
        let ask = || {
            let asked = asked.clone();
            async move { asked.fetch_add(1, Ordering::SeqCst) }
        };
        assert_eq!(share.get("a", ask).await, 0);
        assert_eq!(share.get("a", ask).await, 1);
    }
}
