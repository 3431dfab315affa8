//! A discrete-event simulator around the same decision: load, pods, metrics pipeline, faults, scores.
