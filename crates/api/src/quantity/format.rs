//! Writes quantities in their canonical form: no fraction, the largest suffix that loses nothing.

use std::fmt;

use super::{Format, Quantity, divide_away_from_zero, shift};

impl Quantity {
    /// Writes the canonical form, for example into a buffer that is used again and again.
    pub fn write_to(&self, out: &mut impl fmt::Write) -> fmt::Result {
        if self.is_zero() {
            return out.write_char('0');
        }
        match self.format {
            Format::BinarySi => match self.whole_from_1024() {
                Some(number) => write_binary(number, out),
                None => self.write_decimal(Format::DecimalSi, out),
            },
            format => self.write_decimal(format, out),
        }
    }

    /// The number if a binary suffix can show it without rounding and is worth having.
    fn whole_from_1024(&self) -> Option<i128> {
        let number = if self.exponent < 0 {
            let rounded = divide_away_from_zero(self.mantissa, self.exponent.unsigned_abs());
            (shift(rounded, self.exponent.saturating_neg()) == Some(self.mantissa)).then_some(rounded)?
        } else {
            shift(self.mantissa, self.exponent)?
        };
        (number.unsigned_abs() >= 1024).then_some(number)
    }

    fn write_decimal(&self, format: Format, out: &mut impl fmt::Write) -> fmt::Result {
        let (mut number, mut exponent) = (self.mantissa, i64::from(self.exponent));
        while number % 10 == 0 {
            number /= 10;
            exponent += 1;
        }
        // Zeros rather than arithmetic bring the exponent to a multiple of three: a number of 38 digits has no room.
        let zeros = exponent.rem_euclid(3);
        exponent -= zeros;
        write!(out, "{number}")?;
        for _ in 0..zeros {
            out.write_char('0')?;
        }
        match (format, exponent) {
            (_, 0) => Ok(()),
            (Format::DecimalExponent, _) => write!(out, "e{exponent}"),
            (_, -9) => out.write_char('n'),
            (_, -6) => out.write_char('u'),
            (_, -3) => out.write_char('m'),
            (_, 3) => out.write_char('k'),
            (_, 6) => out.write_char('M'),
            (_, 9) => out.write_char('G'),
            (_, 12) => out.write_char('T'),
            (_, 15) => out.write_char('P'),
            (_, 18) => out.write_char('E'),
            // There is no letter for it. The reference drops the suffix here and so prints another number.
            _ => write!(out, "e{exponent}"),
        }
    }
}

fn write_binary(mut number: i128, out: &mut impl fmt::Write) -> fmt::Result {
    let mut suffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].into_iter();
    let mut suffix = suffixes.next().unwrap_or_default();
    while number % 1024 == 0 {
        let Some(larger) = suffixes.next() else { break };
        suffix = larger;
        number /= 1024;
    }
    write!(out, "{number}{suffix}")
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

const SMALL: [f64; 32] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31,
];
const LARGE: [f64; 10] = [1e0, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288];
const TINY: [f64; 11] = [1e0, 1e-32, 1e-64, 1e-96, 1e-128, 1e-160, 1e-192, 1e-224, 1e-256, 1e-288, 1e-320];

/// A power of ten with the rounding of the reference: one product or quotient of two table entries.
pub(super) fn power_of_ten(exponent: i32) -> f64 {
    let magnitude = exponent.unsigned_abs() as usize;
    let small = SMALL.get(magnitude % 32).copied().unwrap_or(1.0);
    if exponent >= 0 {
        if exponent > 308 {
            return f64::INFINITY;
        }
        LARGE.get(magnitude / 32).map_or(f64::INFINITY, |large| large * small)
    } else {
        if exponent < -323 {
            return 0.0;
        }
        TINY.get(magnitude / 32).map_or(0.0, |tiny| tiny / small)
    }
}
