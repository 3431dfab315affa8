//! What a plain scalar means: the same as to kubectl.

use super::node::Content;

/// The value of a scalar without quotes.
pub(super) fn resolve(text: &str) -> Content {
    let Some(first) = text.bytes().next() else { return Content::Null };
    if first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.') {
        return number(text).unwrap_or_else(|| Content::Text(text.to_owned()));
    }
    match text {
        "~" | "null" | "Null" | "NULL" => Content::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Content::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Content::Bool(false),
        _ => Content::Text(text.to_owned()),
    }
}

fn number(text: &str) -> Option<Content> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, text.get(1..)?),
        b'+' => (1, text.get(1..)?),
        _ => (1, text),
    };
    let prefixes = [("0x", 16), ("0o", 8), ("0b", 2), ("0", 8)];
    let based = prefixes.iter().find_map(|(prefix, radix)| Some((digits.strip_prefix(prefix)?, *radix)));
    if let Some((digits, radix)) = based
        && digits.bytes().next().is_some_and(|it| it != b'-' && it != b'+')
        && let Ok(number) = i128::from_str_radix(digits, radix)
    {
        return Some(Content::Integer(sign * number));
    }
    if !digits.is_empty()
        && digits.bytes().all(|it| it.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
        && let Ok(number) = digits.parse::<i128>()
    {
        return Some(Content::Integer(sign * number));
    }
    is_decimal(digits).then(|| text.parse().ok().map(Content::Float))?
}

/// Digits with at most one point and at most one exponent; `.inf` and `.nan` are words, not numbers.
fn is_decimal(digits: &str) -> bool {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
    all_digits(whole)
        && all_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && all_digits(exponent)
        && !exponent.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_mean_what_they_mean_to_kubectl() {
        for (text, shown) in [
            ("", "Null"),
            ("~", "Null"),
            ("yes", "Bool(true)"),
            ("Off", "Bool(false)"),
            ("y", "Text(\"y\")"),
            ("0", "Integer(0)"),
            ("-0", "Integer(0)"),
            ("12", "Integer(12)"),
            ("-12", "Integer(-12)"),
            ("010", "Integer(8)"),
            ("08", "Float(8.0)"),
            ("0x1F", "Integer(31)"),
            ("0x-1", "Text(\"0x-1\")"),
            ("18446744073709551616", "Integer(18446744073709551616)"),
            ("1.5", "Float(1.5)"),
            ("1e3", "Float(1000.0)"),
            (".5", "Float(0.5)"),
            ("5.", "Float(5.0)"),
            (".", "Text(\".\")"),
            ("-", "Text(\"-\")"),
            ("1e", "Text(\"1e\")"),
            (".nan", "Text(\".nan\")"),
            ("1Gi", "Text(\"1Gi\")"),
            ("2026-01-02", "Text(\"2026-01-02\")"),
            ("1.2.3", "Text(\"1.2.3\")"),
            ("1_000", "Text(\"1_000\")"),
        ] {
            assert_eq!(format!("{:?}", resolve(text)), shown, "{text:?}");
        }
    }
}
