//! Kubernetes quantities, exact: a number in base ten and the family of suffix it was written with.
//!
//! A [`Quantity`] never goes through floating point unless asked to ([`Quantity::approximate`]). Where the reference
//! implementation has two code paths whose results differ in the last bit or on overflow (numbers of up to 18 digits
//! on 64 bits, all others on unbounded decimals counted in billionths), the quantity remembers which one it took.

mod format;
mod parse;
mod serde_impl;
#[cfg(test)]
mod tests;

pub use parse::{QuantityError, keep_or_rewrite, parse};

use std::cmp::Ordering;

/// The family of suffixes a quantity is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Powers of ten as letters: `250m`, `12`, `3k`, `4M`.
    DecimalSi,
    /// Powers of two: `128Mi`.
    BinarySi,
    /// Powers of ten as exponents: `12e3`.
    DecimalExponent,
}

/// How the reference holds the number; it shows in rounding to `f64` and on overflow, nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// Fits 64 bits as written.
    Narrow,
    /// An unbounded decimal, counted in billionths.
    Wide,
}

/// An exact number, `mantissa * 10^exponent`, that remembers how it likes to be written.
///
/// Compared by value: `1k`, `1000` and `1e3` are equal.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    mantissa: i128,
    exponent: i32,
    format: Format,
    width: Width,
}

/// The exponent of a billionth: nothing smaller is kept.
const NANO: i32 = -9;
/// The exponent of a thousandth.
const MILLI: i32 = -3;

impl Quantity {
    /// Nothing at all.
    pub const ZERO: Self = Self { mantissa: 0, exponent: 0, format: Format::DecimalSi, width: Width::Narrow };

    /// A whole number.
    pub fn from_value(value: i64, format: Format) -> Self {
        Self { mantissa: i128::from(value), exponent: 0, format, width: Width::Narrow }
    }

    /// A number of thousandths.
    pub fn from_milli(milli: i64, format: Format) -> Self {
        Self { mantissa: i128::from(milli), exponent: MILLI, format, width: Width::Narrow }
    }

    /// A decimal counted in billionths where that fits, which it does below 1.7e29.
    fn wide(mantissa: i128, exponent: i32, format: Format) -> Self {
        let in_nanos = shift(mantissa, exponent.saturating_sub(NANO));
        match in_nanos {
            Some(nanos) if exponent >= NANO => {
                Self { mantissa: nanos, exponent: NANO, format, width: Width::Wide }
            }
            _ => Self { mantissa, exponent, format, width: Width::Wide },
        }
    }

    /// The family of suffixes it is written with.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether it is exactly zero.
    pub fn is_zero(&self) -> bool {
        self.mantissa == 0
    }

    /// -1, 0 or 1.
    pub fn sign(&self) -> i32 {
        match self.mantissa.cmp(&0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    /// In whole units, rounded away from zero.
    ///
    /// A number that does not fit ends where the reference ends: see [`Quantity::milli_value`].
    pub fn value(&self) -> i64 {
        self.scaled(0)
    }

    /// In thousandths, rounded away from zero.
    ///
    /// A number that does not fit 64 bits ends where the reference ends: at its lowest 64 bits, or at 0 when it was
    /// written with up to 18 digits and the step between the units is none that the reference has a short cut for.
    pub fn milli_value(&self) -> i64 {
        self.scaled(MILLI)
    }

    fn scaled(&self, unit: i32) -> i64 {
        let by = self.exponent.saturating_sub(unit);
        if by < 0 {
            return low_bits(divide_away_from_zero(self.mantissa, by.unsigned_abs()));
        }
        match self.width {
            Width::Narrow => match (shift(self.mantissa, by).map(i64::try_from), by) {
                (Some(Ok(number)), _) => number,
                (_, 1 | 2 | 3 | 6 | 9) => low_bits(wrapping_shift(self.mantissa, by)),
                _ => 0,
            },
            Width::Wide => low_bits(wrapping_shift(self.mantissa, by)),
        }
    }

    /// The nearest float, to the bit as the reference computes it: not always the nearest there is.
    pub fn approximate(&self) -> f64 {
        let (base, exponent) = match self.width {
            Width::Narrow => (self.mantissa as f64, self.exponent),
            Width::Wide if self.exponent <= NANO => (self.mantissa as f64, self.exponent),
            // Too large to be held in billionths, where the reference rounds: round once, there.
            Width::Wide => {
                let nanos = format!("{}e{}", self.mantissa, i64::from(self.exponent) - i64::from(NANO));
                (nanos.parse().unwrap_or(f64::INFINITY), NANO)
            }
        };
        if exponent == 0 || self.mantissa == 0 { base } else { base * format::power_of_ten(exponent) }
    }

    /// The exact sum; a zero takes over the other's format. `None` only past 38 significant digits.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let format = if self.is_zero() { other.format } else { self.format };
        if other.is_zero() {
            return Some(Self { format, ..self });
        }
        if self.is_zero() {
            return Some(other);
        }
        let exponent = self.exponent.min(other.exponent);
        let left = shift(self.mantissa, self.exponent.checked_sub(exponent)?)?;
        let right = shift(other.mantissa, other.exponent.checked_sub(exponent)?)?;
        let mantissa = left.checked_add(right)?;
        let narrow = self.width == Width::Narrow && other.width == Width::Narrow;
        let fits = |it: i128| i64::try_from(it).is_ok();
        if narrow && fits(left) && fits(right) && fits(mantissa) {
            return Some(Self { mantissa, exponent, format, width: Width::Narrow });
        }
        Some(Self::wide(mantissa, exponent, format))
    }

    /// The exact difference; a zero takes over the other's format. `None` only past 38 significant digits.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.checked_add(Self { mantissa: other.mantissa.checked_neg()?, ..other })
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.exponent < other.exponent {
            return other.cmp(self).reverse();
        }
        if self.mantissa == 0 || other.mantissa == 0 {
            return self.mantissa.cmp(&other.mantissa);
        }
        let by = self.exponent.saturating_sub(other.exponent);
        match shift(self.mantissa, by) {
            Some(aligned) => aligned.cmp(&other.mantissa),
            // Past what the other could possibly be: the sign decides.
            None => self.mantissa.cmp(&0),
        }
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}

impl Default for Quantity {
    fn default() -> Self {
        Self::ZERO
    }
}

impl std::str::FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        parse(text)
    }
}

/// `mantissa * 10^by`, or `None` when it does not fit or `by` is negative.
fn shift(mantissa: i128, by: i32) -> Option<i128> {
    if mantissa == 0 && by >= 0 {
        return Some(0);
    }
    mantissa.checked_mul(10_i128.checked_pow(u32::try_from(by).ok()?)?)
}

/// The lowest bits of `mantissa * 10^by`: every factor ten is a factor two, so past 128 of them none are left.
fn wrapping_shift(mantissa: i128, by: i32) -> i128 {
    match u32::try_from(by) {
        Ok(by) if by < 128 => mantissa.wrapping_mul(10_i128.wrapping_pow(by)),
        _ => 0,
    }
}

fn divide_away_from_zero(mantissa: i128, digits: u32) -> i128 {
    let Some(divisor) = 10_i128.checked_pow(digits) else { return mantissa.signum() };
    let (quotient, rest) = (mantissa / divisor, mantissa % divisor);
    if rest == 0 { quotient } else { quotient + mantissa.signum() }
}

/// The lowest 64 bits of the magnitude under its sign, as the reference cuts a number that is too long.
fn low_bits(number: i128) -> i64 {
    let magnitude = number.unsigned_abs() as u64 as i64;
    if number < 0 { magnitude.wrapping_neg() } else { magnitude }
}
