//! The only crate that talks to a cluster: observes, asks the engine, acts, tells.
