//! Conversions that end on the same integer as the reference controllers, whatever is put in.
//!
//! The references run on amd64, where a float that does not fit (or is not a number) converts to the smallest
//! integer, and integer sums wrap. Rust's `as` saturates instead, so every such step goes through here.

/// `float` cut towards zero; the smallest `i32` if it does not fit.
#[must_use]
pub fn cut_i32(float: f64) -> i32 {
    let cut = float.trunc();
    if cut >= f64::from(i32::MIN) && cut <= f64::from(i32::MAX) { cut as i32 } else { i32::MIN }
}

/// `float` cut towards zero; the smallest `i64` if it does not fit.
#[must_use]
pub fn cut_i64(float: f64) -> i64 {
    // 2^63 itself does not fit, and is the first float above i64::MAX.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float) {
        float as i64
    } else {
        i64::MIN
    }
}

/// `float` rounded up; the smallest `i32` if it does not fit.
#[must_use]
pub fn ceil_i32(float: f64) -> i32 {
    cut_i32(float.ceil())
}

/// `float` rounded up, or the largest `i32` if it is larger than that.
#[must_use]
pub fn ceil_i32_capped(float: f64) -> i32 {
    if float > f64::from(i32::MAX) { i32::MAX } else { ceil_i32(float) }
}

/// A count of things as `i64`; counts never reach its limit.
#[must_use]
pub(crate) fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_becomes_the_smallest() {
        assert_eq!(cut_i32(2_147_483_647.9), i32::MAX);
        assert_eq!(cut_i32(2_147_483_648.0), i32::MIN);
        assert_eq!(cut_i32(-2_147_483_648.9), i32::MIN);
        assert_eq!(cut_i32(f64::NAN), i32::MIN);
        assert_eq!(cut_i64(9.3e18), i64::MIN);
        assert_eq!(cut_i64(f64::NEG_INFINITY), i64::MIN);
        assert_eq!(cut_i64(-1.5), -1);
        assert_eq!(ceil_i32(1.000_1), 2);
        assert_eq!(ceil_i32_capped(1e300), i32::MAX);
    }
}
