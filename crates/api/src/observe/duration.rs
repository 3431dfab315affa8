//! Durations as Go writes them: `1m0s`, `1.5h`, `300ms`.

/// Microseconds in each unit, longest name first where one is the end of another.
const UNITS: [(&str, f64); 7] =
    [("ns", 1e-3), ("us", 1.0), ("µs", 1.0), ("ms", 1e3), ("s", 1e6), ("m", 6e7), ("h", 3.6e9)];

/// Microseconds, cut; `None` if it is not a duration.
#[must_use]
pub fn parse_us(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(digits)?;
        let number: f64 = number.parse().ok()?;
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(end)?;
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
        total += number * factor;
        rest = after;
    }
    Some(plimsoll_engine::cut_i64(if negative { -total } else { total }))
}

#[cfg(test)]
mod tests {
    use super::parse_us;

    #[test]
    fn durations_as_go_writes_them() {
        assert_eq!(parse_us("1m0s"), Some(60_000_000));
        assert_eq!(parse_us("1h2m3.5s"), Some(3_723_500_000));
        assert_eq!(parse_us("-300ms"), Some(-300_000));
        assert_eq!(parse_us("0"), Some(0));
        for broken in ["", "1", "s", "1x", "1m0", "..s"] {
            assert_eq!(parse_us(broken), None, "{broken}");
        }
    }
}
