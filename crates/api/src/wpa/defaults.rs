//! What a WatermarkPodAutoscaler means where it says nothing.

use super::amount::Amount;
use super::types::WpaSpec;

const TOLERANCE_MILLI: i64 = 100;
const DOWN_WINDOW_SECS: i32 = 300;
const UP_WINDOW_SECS: i32 = 60;
const DOWN_LIMIT_PERCENT: i64 = 20;
const UP_LIMIT_PERCENT: i64 = 50;

/// Fills in everything that was left out. A tolerance or a window of 0 counts as left out.
pub fn apply_defaults(spec: &mut WpaSpec) {
    spec.min_replicas.get_or_insert(1);
    spec.replica_scaling_absolute_modulo.get_or_insert(1);
    if spec.algorithm.is_empty() {
        spec.algorithm = "absolute".to_owned();
    }
    if spec.tolerance.milli() == 0 {
        spec.tolerance = Amount::from_milli(TOLERANCE_MILLI);
    }
    spec.scale_up_limit_factor.get_or_insert_with(|| Amount::from_value(UP_LIMIT_PERCENT));
    spec.scale_down_limit_factor.get_or_insert_with(|| Amount::from_value(DOWN_LIMIT_PERCENT));
    if spec.downscale_forbidden_window_seconds == 0 {
        spec.downscale_forbidden_window_seconds = DOWN_WINDOW_SECS;
    }
    if spec.upscale_forbidden_window_seconds == 0 {
        spec.upscale_forbidden_window_seconds = UP_WINDOW_SECS;
    }
}
