//! Waiting for something to become true, with words for when it does not.

use std::future::Future;
use std::time::Duration;

use anyhow::{Result, bail};
use tokio::time::{Instant, sleep};

/// How often is looked.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits until `look` says true. Errors of `look` count as "not yet"; the last one is told when time is up.
pub async fn until<F, Fut>(what: &str, limit: Duration, mut look: F) -> Result<()>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<bool>>,
{
    let end = Instant::now() + limit;
    loop {
        let seen = look().await;
        match seen {
            Ok(true) => return Ok(()),
            Ok(false) if Instant::now() >= end => bail!("waited {} s for {what}", limit.as_secs()),
            Err(error) if Instant::now() >= end => {
                bail!("waited {} s for {what}: {error:#}", limit.as_secs())
            }
            Ok(false) | Err(_) => sleep(PAUSE).await,
        }
    }
}
