//! Numbers and lengths of time as people write them; terminal, page and status all spell them with these.

/// A number with about three significant digits: `0.42`, `7`, `12.5`, `1,234`, `1.2 M`.
#[must_use]
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
#[must_use]
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
#[must_use]
pub fn percent(value: f64) -> String {
    if value > 0.0 && value < 0.01 { "< 0.01 %".to_owned() } else { number(value) + " %" }
}

/// A number and its unit, if it has one: `85 % of request`, `12`.
#[must_use]
pub fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() { number(value) } else { format!("{} {unit}", number(value)) }
}

/// Microseconds in the two largest units: `0.25 s`, `45 s`, `4 min 30 s`, `2 h`, `1 d 6 h`.
///
/// What is more than nothing is never told as nothing.
#[must_use]
pub fn lasting(us: i64) -> String {
    if us < 0 {
        return format!("-{}", lasting(us.saturating_neg()));
    }
    if us < 1_000_000 {
        let least = if us == 0 { 0.0 } else { 0.01 };
        return trimmed((us as f64 / 1e6).max(least), 2) + " s";
    }
    if us < 9_950_000 {
        return trimmed(us as f64 / 1e6, 1) + " s";
    }
    let total = us.saturating_add(500_000) / 1_000_000;
    let (large, small) = match total {
        0..60 => return format!("{total} s"),
        60..3_600 => ((total / 60, "min"), (total % 60, "s")),
        3_600..86_400 => ((total / 3_600, "h"), (total % 3_600 / 60, "min")),
        _ => ((total / 86_400, "d"), (total % 86_400 / 3_600, "h")),
    };
    if small.0 == 0 {
        format!("{} {}", large.0, large.1)
    } else {
        format!("{} {} {} {}", large.0, large.1, small.0, small.1)
    }
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
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(with_unit(85.0, "% of request"), "85 % of request");
        assert_eq!(with_unit(85.0, ""), "85");
    }

    #[test]
    fn times_are_read_at_a_glance() {
        let cases = [
            (0, "0 s"),
            (1, "0.01 s"),
            (250_000, "0.25 s"),
            (7_500_000, "7.5 s"),
            (9_960_000, "10 s"),
            (45_000_000, "45 s"),
            (60_000_000, "1 min"),
            (270_000_000, "4 min 30 s"),
            (3_900_000_000, "1 h 5 min"),
            (86_703_000_000, "1 d"),
            (273_600_000_000, "3 d 4 h"),
            (-30_000_000, "-30 s"),
            (i64::MIN, "-106751991 d 4 h"),
        ];
        for (us, words) in cases {
            assert_eq!(lasting(us), words, "{us}");
        }
    }
}
