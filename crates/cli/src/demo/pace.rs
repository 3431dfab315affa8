//! The only place of the demo that knows the clock on the wall: it tells the theater how much time has passed.

use std::convert::Infallible;
use std::time::Duration;

use anyhow::Result;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::theater::Theater;

/// Time between two looks at the clock.
const TICK: Duration = Duration::from_millis(200);
/// A machine that slept does not make up for it.
const LONGEST: Duration = Duration::from_secs(1);

/// Keeps the time, until something goes wrong.
pub(crate) async fn keep(theater: &Theater) -> Result<Infallible> {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = Instant::now();
    loop {
        let now = ticks.tick().await;
        let passed = now.saturating_duration_since(last).min(LONGEST);
        last = now;
        theater.pass(passed.as_secs_f64())?;
    }
}
