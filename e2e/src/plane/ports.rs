//! Free ports on loopback.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};

/// Below the range from which the kernel takes the ports of outgoing connections: a port that is free now is not taken
/// by a connection between the moment we look and the moment the program binds it.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// A port on 127.0.0.1 that nobody listens on, at random so that runs side by side do not choose the same.
pub fn free_port() -> Result<u16> {
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    for attempt in 0..1000_u32 {
        let random = RandomState::new().hash_one(attempt) % u64::from(COUNT);
        let Ok(offset) = u16::try_from(random) else { continue };
        let port = FIRST + offset;
        if !given.contains(&port) && TcpListener::bind(("127.0.0.1", port)).is_ok() {
            given.insert(port);
            return Ok(port);
        }
    }
    bail!("no free port on 127.0.0.1 between {FIRST} and {}", FIRST + COUNT - 1)
}
