//! Reads quantities: the same strings, the same errors and the same rounding as the reference.

use std::borrow::Cow;

use super::{Format, NANO, Quantity, Width};

/// Why a string is no quantity, in the words every Kubernetes tool uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// Not a number followed by letters.
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Format,
    /// The number part is no number.
    #[error("unable to parse numeric part of quantity")]
    Number,
    /// The letters are no known suffix.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

/// Reads a quantity.
pub fn parse(text: &str) -> Result<Quantity, QuantityError> {
    read(text).map(|(quantity, _)| quantity)
}

/// The text as an API server would hand it back: untouched where the reference keeps it, canonical otherwise.
pub fn keep_or_rewrite(text: &str) -> Result<Cow<'_, str>, QuantityError> {
    // Decoding trims; parsing does not.
    let text = text.trim();
    match read(text)? {
        (_, Spelling::Kept) => Ok(Cow::Borrowed(text)),
        (quantity, Spelling::Rewritten) => Ok(Cow::Owned(quantity.to_string())),
    }
}

/// Whether the reference remembers the text a quantity was read from.
#[derive(Clone, Copy)]
enum Spelling {
    Kept,
    Rewritten,
}

/// A quantity's text in its parts; the integer digits carry no leading zeros.
struct Parts<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    suffix: &'a str,
    /// Whether any digit was written: without one, the reference reads zero for short suffixes only.
    has_digits: bool,
}

fn read(text: &str) -> Result<(Quantity, Spelling), QuantityError> {
    if text.is_empty() {
        return Err(QuantityError::Format);
    }
    let parts = split(text)?;
    let suffix = Suffix::read(parts.suffix).ok_or(QuantityError::Suffix)?;
    if let Some(narrow) = read_narrow(&parts, suffix) {
        return Ok(narrow);
    }
    if !parts.has_digits {
        return Err(QuantityError::Number);
    }
    let quantity = match suffix {
        Suffix::Ten { exponent, format } => read_decimal(&parts, exponent, format),
        Suffix::Two { bits } => read_binary(&parts, bits),
    };
    Ok((quantity, Spelling::Rewritten))
}

fn split(text: &str) -> Result<Parts<'_>, QuantityError> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, rest) = split_where(unsigned, |c| !c.is_ascii_digit());
    let whole = digits.trim_start_matches('0');
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => split_where(rest, |c| !c.is_ascii_digit()),
        None => ("", rest),
    };
    let exponent = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    if !exponent.bytes().all(|c| c.is_ascii_digit()) {
        return Err(QuantityError::Format);
    }
    let has_digits = !digits.is_empty() || !fraction.is_empty();
    Ok(Parts { negative, whole, fraction, suffix, has_digits })
}

fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at_checked(text.find(ends).unwrap_or(text.len())).unwrap_or((text, ""))
}

#[derive(Clone, Copy)]
enum Suffix {
    Ten { exponent: i32, format: Format },
    Two { bits: u32 },
}

impl Suffix {
    fn read(text: &str) -> Option<Self> {
        let letters = |exponent| Some(Self::Ten { exponent, format: Format::DecimalSi });
        match text {
            "" => letters(0),
            "n" => letters(-9),
            "u" => letters(-6),
            "m" => letters(-3),
            "k" => letters(3),
            "M" => letters(6),
            "G" => letters(9),
            "T" => letters(12),
            "P" => letters(15),
            "E" => letters(18),
            "Ki" => Some(Self::Two { bits: 10 }),
            "Mi" => Some(Self::Two { bits: 20 }),
            "Gi" => Some(Self::Two { bits: 30 }),
            "Ti" => Some(Self::Two { bits: 40 }),
            "Pi" => Some(Self::Two { bits: 50 }),
            "Ei" => Some(Self::Two { bits: 60 }),
            _ => {
                let exponent: i64 = text.strip_prefix(['e', 'E'])?.parse().ok()?;
                // The reference keeps the lowest 32 bits.
                Some(Self::Ten { exponent: exponent as i32, format: Format::DecimalExponent })
            }
        }
    }
}

/// The largest number of digits that always fits 64 bits.
const NARROW_DIGITS: usize = 18;

/// The path of short numbers, which also decides whether the text itself is kept.
fn read_narrow(parts: &Parts<'_>, suffix: Suffix) -> Option<(Quantity, Spelling)> {
    let whole = if parts.whole.is_empty() { "0" } else { parts.whole };
    let digits = whole.len() + parts.fraction.len();
    let room = match suffix {
        Suffix::Ten { .. } => digits <= NARROW_DIGITS,
        Suffix::Two { bits } => parts.fraction.is_empty() && whole.len() + bits as usize * 3 / 10 < 15,
    };
    if !room {
        return None;
    }
    let number = whole.bytes().chain(parts.fraction.bytes()).fold(0_i64, |number, digit| {
        number.wrapping_mul(10).wrapping_add(i64::from(digit.wrapping_sub(b'0')))
    });
    let (magnitude, exponent, format, kept) = match suffix {
        Suffix::Ten { exponent, format } => {
            let exponent = exponent.wrapping_sub(parts.fraction.len() as i32);
            let ends_in_zeros = if parts.fraction.len() >= 3 {
                parts.fraction.ends_with("000")
            } else {
                number % 1000 == 0 && digits >= 3
            };
            let kept = exponent % 3 == 0 && !ends_in_zeros && !whole.starts_with('0');
            (number, exponent, format, kept)
        }
        Suffix::Two { bits } => (number.checked_mul(1 << bits)?, 0, Format::BinarySi, number & 7 != 0),
    };
    if exponent < NANO {
        return None;
    }
    let mantissa = i128::from(if parts.negative { -magnitude } else { magnitude });
    let spelling = if kept { Spelling::Kept } else { Spelling::Rewritten };
    Some((Quantity { mantissa, exponent, format, width: Width::Narrow }, spelling))
}

/// More than 38 significant digits do not fit: the rest is rounded away from zero.
const LARGEST_BEFORE_ANOTHER_DIGIT: i128 = i128::MAX / 10 - 1;

fn read_decimal(parts: &Parts<'_>, exponent: i32, format: Format) -> Quantity {
    let digits = parts.whole.len() + parts.fraction.len();
    let mut exponent = i64::from(exponent).saturating_sub(parts.fraction.len() as i64);
    // Digits below a billionth only round up.
    let below_nano = usize::try_from(i64::from(NANO) - exponent).unwrap_or(0);
    let kept = digits.saturating_sub(below_nano);
    exponent = exponent.saturating_add(below_nano as i64);
    let mut mantissa = 0_i128;
    let mut rounds_up = false;
    for (position, digit) in parts.whole.bytes().chain(parts.fraction.bytes()).enumerate() {
        let digit = digit.wrapping_sub(b'0');
        if position >= kept {
            rounds_up |= digit != 0;
        } else if mantissa > LARGEST_BEFORE_ANOTHER_DIGIT {
            rounds_up |= digit != 0;
            exponent = exponent.saturating_add(1);
        } else {
            mantissa = mantissa * 10 + i128::from(digit);
        }
    }
    mantissa += i128::from(rounds_up);
    let exponent = i32::try_from(exponent).unwrap_or(if exponent < 0 { NANO } else { i32::MAX });
    Quantity::wide(if parts.negative { -mantissa } else { mantissa }, exponent, format)
}

const NANOS: u128 = 1_000_000_000;
/// Binary quantities stop here; decimal ones do not.
const LARGEST_BINARY: u128 = i64::MAX as u128 * NANOS;

fn read_binary(parts: &Parts<'_>, bits: u32) -> Quantity {
    let factor = 1_u128 << bits;
    let (carried, mut nanos) = multiply_fraction(parts.fraction, factor);
    let mut whole = 0_u128;
    for digit in parts.whole.bytes() {
        whole = whole.saturating_mul(10).saturating_add(u128::from(digit.wrapping_sub(b'0')));
    }
    let whole = whole.saturating_mul(factor).saturating_add(carried);
    nanos = whole.saturating_mul(NANOS).saturating_add(nanos).min(LARGEST_BINARY);
    // Below one a binary suffix would have to round.
    let format = if nanos > 0 && nanos < NANOS { Format::DecimalSi } else { Format::BinarySi };
    let mantissa = nanos as i128;
    Quantity::wide(if parts.negative { -mantissa } else { mantissa }, NANO, format)
}

/// `0.fraction * factor` as whole units and billionths, the latter rounded up: long multiplication from the right.
fn multiply_fraction(fraction: &str, factor: u128) -> (u128, u128) {
    let (mut carry, mut nanos, mut rounds_up) = (0_u128, 0_u128, false);
    for (position, digit) in fraction.bytes().enumerate().rev() {
        let product = u128::from(digit.wrapping_sub(b'0')) * factor + carry;
        carry = product / 10;
        match 8_u32.checked_sub(u32::try_from(position).unwrap_or(u32::MAX)) {
            Some(power) => nanos += product % 10 * 10_u128.pow(power),
            None => rounds_up |= !product.is_multiple_of(10),
        }
    }
    (carry, nanos + u128::from(rounds_up))
}
