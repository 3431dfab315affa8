//! The end-to-end suite: a real control plane, a test metrics adapter, and the stories.

fn main() {}
