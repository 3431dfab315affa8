//! Random numbers that repeat: PCG XSH RR 64/32, addressed by purpose and position instead of drawn in turn.
//!
//! Every number is a function of the seed, what it is for, and two coordinates (for example a pod's serial
//! number and a scrape's). So a new consumer shifts no other, and autoscalers compared side by side meet the
//! same noise and the same slow pods.

use rand::Rng;
use rand_pcg::Pcg32;

/// What a random number is for: each purpose is a stream of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    LoadNoise = 1,
    Scheduling = 2,
    Image = 3,
    Boot = 4,
    Readiness = 5,
    Termination = 6,
    MetricNoise = 7,
    MetricLoss = 8,
    PodSkew = 9,
}

/// The name of the generator, for the record.
pub const GENERATOR: &str = "pcg32 (XSH RR 64/32)";

fn generator(seed: u64, purpose: Purpose, a: u64, b: u64) -> Pcg32 {
    let mixed = mix(seed
        ^ mix(a.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(purpose as u64 + 1))
            .wrapping_add(b.wrapping_mul(0xd6e8_feb8_6659_fd93)));
    Pcg32::new(mixed, purpose as u64)
}

/// Spreads nearby coordinates over the whole state, as PCG alone would leave them correlated.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Uniform in [0, 1).
pub(crate) fn unit(seed: u64, purpose: Purpose, a: u64, b: u64) -> f64 {
    f64::from(generator(seed, purpose, a, b).next_u32()) / 4_294_967_296.0
}

/// Bell-shaped with mean 0 and deviation 1, never beyond 3.47: the sum of four uniform numbers.
///
/// Bounded on purpose: noise of up to 28 % never turns a load or a sample negative.
pub(crate) fn bell(seed: u64, purpose: Purpose, a: u64, b: u64) -> f64 {
    const DEVIATION: f64 = 37_837.2; // of the sum of four uniform 16-bit numbers
    let bits = generator(seed, purpose, a, b).next_u64();
    let sum = (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
    (sum as f64 - 131_070.0) / DEVIATION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_and_differs_by_purpose_and_position() {
        let one = unit(7, Purpose::Boot, 3, 0);
        assert_eq!(one.to_bits(), unit(7, Purpose::Boot, 3, 0).to_bits());
        for other in [
            unit(8, Purpose::Boot, 3, 0),
            unit(7, Purpose::Image, 3, 0),
            unit(7, Purpose::Boot, 4, 0),
            unit(7, Purpose::Boot, 3, 1),
        ] {
            assert_ne!(one.to_bits(), other.to_bits());
        }
    }

    #[test]
    fn bell_has_mean_zero_and_deviation_one() {
        let n = 20_000_u64;
        let draws: Vec<f64> = (0..n).map(|i| bell(1, Purpose::MetricNoise, i / 100, i % 100)).collect();
        let mean = draws.iter().sum::<f64>() / n as f64;
        let variance = draws.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.03, "{mean}");
        assert!((variance - 1.0).abs() < 0.05, "{variance}");
        assert!(draws.iter().all(|d| d.abs() < 3.47));
    }
}
