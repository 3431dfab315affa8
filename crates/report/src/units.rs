//! Numbers, times and axis ticks in words that a person reads at a glance; one spelling for every picture.

/// A number with about three significant digits: `0.42`, `7`, `12.5`, `1,234`, `1.2 M`.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if size >= 1e12 {
        format!("{value:.1e}")
    } else if size >= 1e9 {
        trimmed(value / 1e9, 1) + " G"
    } else if size >= 1e6 {
        trimmed(value / 1e6, 1) + " M"
    } else if size >= 100.0 {
        grouped(value.round() as i64)
    } else if size >= 10.0 {
        trimmed(value, 1)
    } else if size >= 0.01 || size == 0.0 {
        trimmed(value, 2)
    } else {
        trimmed(value, 4)
    }
}

/// A whole number with thousands apart: `12,345`.
pub fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + 6);
    if value < 0 {
        out.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A percentage: `0 %`, `0.04 %`, `12.3 %`. Never rounds something down to nothing.
pub fn percent(value: f64) -> String {
    if value > 0.0 && value < 0.01 { "< 0.01 %".to_owned() } else { number(value) + " %" }
}

/// A length of time in its two largest units: `45 s`, `2 min 15 s`, `1 h 5 min`, `3 d 4 h`.
pub fn duration(secs: f64) -> String {
    if !secs.is_finite() {
        return "–".to_owned();
    }
    if secs.abs() < 10.0 {
        return trimmed(secs, 1) + " s";
    }
    let total = secs.round() as i64;
    let (large, small) = match total.abs() {
        0..60 => return format!("{total} s"),
        60..3_600 => ((total / 60, "min"), (total % 60, "s")),
        3_600..86_400 => ((total / 3_600, "h"), (total % 3_600 / 60, "min")),
        _ => ((total / 86_400, "d"), (total % 86_400 / 3_600, "h")),
    };
    if small.0 == 0 {
        format!("{} {}", large.0, large.1)
    } else {
        format!("{} {} {} {}", large.0, large.1, small.0.abs(), small.1)
    }
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

fn trimmed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_what_matters() {
        let cases = [
            (0.0, "0"),
            (-0.001, "-0.001"),
            (0.424, "0.42"),
            (7.0, "7"),
            (12.54, "12.5"),
            (99.96, "100"),
            (1234.4, "1,234"),
            (999_999.0, "999,999"),
            (1_250_000.0, "1.2 M"),
            (-1234.0, "-1,234"),
            (f64::NAN, "–"),
        ];
        for (value, words) in cases {
            assert_eq!(number(value), words, "{value}");
        }
        assert_eq!(percent(0.0001), "< 0.01 %");
    }

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
