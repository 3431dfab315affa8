//! Runs vectors recorded from the reference controllers through api and engine.
