//! The decision: policy, observation, memory, stages, reasons. Pure: no clock, no I/O, no Kubernetes.
