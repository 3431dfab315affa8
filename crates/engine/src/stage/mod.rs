//! The stages of a decision, in the order of `flow`: each takes the previous one's result and writes down what it did.

pub(crate) mod admit;
pub(crate) mod bound;
pub(crate) mod combine;
pub(crate) mod enter;
pub(crate) mod hold;
pub(crate) mod propose;
pub(crate) mod roll;
pub(crate) mod stabilize;
