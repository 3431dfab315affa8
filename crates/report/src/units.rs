//! Numbers, times and axis ticks in words that a person reads at a glance; one spelling for every picture.

use plimsoll_api::explain::lasting;
pub use plimsoll_api::explain::{grouped, number, percent};

/// A length of time in its two largest units: `45 s`, `2 min 15 s`, `1 h 5 min`, `3 d 4 h`.
pub fn duration(secs: f64) -> String {
    if secs.is_finite() { lasting((secs * 1e6).round() as i64) } else { "–".to_owned() }
}

/// A moment since the start, for tables: `00:12:30`, `2d 06:00:00`.
pub fn moment(secs: f64) -> String {
    let total = if secs.is_finite() { secs.round().max(0.0) as u64 } else { 0 };
    let (days, rest) = (total / 86_400, total % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", rest / 3_600, rest % 3_600 / 60, rest % 60);
    if days == 0 { clock } else { format!("{days}d {clock}") }
}

/// A moment since the start, for an axis: `0`, `45s`, `15m`, `1h 30m`, `2d 6h`.
pub fn tick(secs: f64) -> String {
    let total = if secs.is_finite() { secs.round() as i64 } else { 0 };
    let parts =
        [(total / 86_400, "d"), (total % 86_400 / 3_600, "h"), (total % 3_600 / 60, "m"), (total % 60, "s")];
    let words: Vec<String> =
        parts.iter().filter(|(n, _)| *n != 0).map(|(n, unit)| format!("{n}{unit}")).collect();
    if words.is_empty() { "0".to_owned() } else { words.join(" ") }
}

/// The steps between ticks of a time axis that people count in, in seconds.
const TIME_STEPS: [f64; 26] = [
    1.0,
    2.0,
    5.0,
    10.0,
    15.0,
    30.0,
    60.0,
    120.0,
    300.0,
    600.0,
    900.0,
    1_800.0,
    3_600.0,
    7_200.0,
    10_800.0,
    21_600.0,
    43_200.0,
    86_400.0,
    172_800.0,
    432_000.0,
    604_800.0,
    1_209_600.0,
    2_592_000.0,
    7_776_000.0,
    15_552_000.0,
    31_536_000.0,
];

/// Moments for at most `count` ticks within `from..=to`.
pub fn time_ticks(from: f64, to: f64, count: usize) -> Vec<f64> {
    let wanted = (to - from) / count.max(1) as f64;
    let step = TIME_STEPS.iter().copied().find(|step| *step >= wanted).unwrap_or(wanted);
    multiples(from, to, step)
}

/// Values for about `count` ticks within `0..=high`; the last one is `high` or above it.
pub fn value_ticks(high: f64, count: usize, kind: Ticks) -> Vec<f64> {
    let high = if high.is_finite() && high > 0.0 { high } else { 1.0 };
    let rough = high / count.max(1) as f64;
    let base = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 2.5, 5.0, 10.0].iter().map(|m| m * base).find(|s| *s >= rough * 0.999).unwrap_or(rough);
    let step = if kind == Ticks::Whole { step.ceil().max(1.0) } else { step };
    multiples(0.0, (high / step - 1e-9).ceil() * step, step)
}

/// Which values an axis may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ticks {
    /// Any.
    Any,
    /// Only whole numbers, as for replicas.
    Whole,
}

fn multiples(from: f64, to: f64, step: f64) -> Vec<f64> {
    // The bound keeps odd input (infinite, or a step too small to move) from making an endless list.
    if !(from.is_finite() && to.is_finite() && step > 0.0) || to < from {
        return Vec::new();
    }
    let first = (from / step - 1e-9).ceil();
    let last = (to / step + 1e-9).floor();
    (0..200u32).map(|n| first + f64::from(n)).take_while(|n| *n <= last).map(|n| n * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_at_a_glance() {
        let cases = [
            (0.0, "0 s"),
            (7.5, "7.5 s"),
            (45.0, "45 s"),
            (60.0, "1 min"),
            (135.0, "2 min 15 s"),
            (3_900.0, "1 h 5 min"),
            (273_600.0, "3 d 4 h"),
        ];
        for (secs, words) in cases {
            assert_eq!(duration(secs), words);
        }
        assert_eq!(duration(f64::NAN), "–");
        assert_eq!(moment(750.0), "00:12:30");
        assert_eq!(moment(194_400.0), "2d 06:00:00");
        assert_eq!(tick(5_400.0), "1h 30m");
        assert_eq!(tick(0.0), "0");
    }

    #[test]
    fn ticks_stand_on_round_moments_and_values() {
        assert_eq!(time_ticks(0.0, 7_200.0, 6), [0.0, 1_800.0, 3_600.0, 5_400.0, 7_200.0]);
        assert_eq!(time_ticks(100.0, 700.0, 5), [120.0, 240.0, 360.0, 480.0, 600.0]);
        assert_eq!(value_ticks(7.0, 4, Ticks::Whole), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(value_ticks(0.9, 4, Ticks::Whole), [0.0, 1.0]);
        assert_eq!(value_ticks(0.0, 4, Ticks::Any), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert!(value_ticks(f64::INFINITY, 4, Ticks::Any).len() < 10);
        assert!(time_ticks(0.0, f64::INFINITY, 4).is_empty());
    }
}
