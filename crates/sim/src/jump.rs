//! The largest jump of a load: where recovery is measured from.

use crate::load::Load;
use crate::time::{MINUTE, SECOND};

/// A rise of the load within one minute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Jump {
    /// When it begins.
    pub(crate) at: i64,
    /// When it is complete.
    pub(crate) top: i64,
}

/// The most moments that are looked at.
const MOST_LOOKS: i64 = 20_000;

/// Finds the largest rise within a minute, if it is at least a tenth of the highest load. Noise does not count.
pub(crate) fn largest(load: &Load, duration: i64) -> Option<Jump> {
    let plain = Load { parts: load.parts.clone(), noise: Vec::new() };
    let rate = |t: i64| plain.at(t, 0);
    let step = (duration / MOST_LOOKS).max(15 * SECOND);
    let mut peak = 0.0_f64;
    let mut best = (0.0_f64, 0_i64);
    let mut look = |t: i64| {
        let now = rate(t);
        peak = peak.max(now);
        let rise = rate((t + MINUTE).min(duration)) - now;
        // The latest of equal ones is the closest to the jump itself.
        if rise > 0.0 && rise >= best.0 {
            best = (rise, t);
        }
    };
    let mut t = 0;
    while t < duration {
        look(t);
        t += step;
    }
    // A spike could hide between two looks.
    let mut at = plain.next_break(0);
    let mut breaks = 0;
    while at < duration && breaks < MOST_LOOKS {
        look(at - SECOND);
        at = plain.next_break(at);
        breaks += 1;
    }
    let (rise, from) = best;
    if rise <= 0.0 || rise < peak.max(rate(duration)) * 0.1 {
        return None;
    }
    let base = rate(from);
    let first = |share: f64| {
        let mut t = from;
        while t < (from + MINUTE).min(duration) && rate(t) < base + rise * share {
            t += SECOND;
        }
        t
    };
    Some(Jump { at: first(0.05), top: first(0.95) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::HOUR;

    fn load(text: &str) -> Load {
        Load::parse(text, &mut |f| Err(crate::BadInput::new(f, "no files here", ""))).unwrap()
    }

    #[test]
    fn finds_steps_and_spikes_but_not_a_gentle_day() {
        let at =
            |text: &str, duration| largest(&load(text), duration).map(|j| (j.at / SECOND, j.top / SECOND));
        assert_eq!(at("step:5->80@10m", HOUR), Some((600, 600)));
        assert_eq!(at("constant:50 + spike:+300@2h/10s", 4 * HOUR), Some((7_200, 7_200)));
        assert_eq!(at("step:50->60@10m->90@20m", HOUR), Some((1_200, 1_200)));
        assert_eq!(at("sine:20..200/24h", 24 * HOUR), None);
        assert_eq!(at("constant:50 + noise:30%", HOUR), None);
        assert_eq!(at("ramp:0->100@10m/40s", HOUR), Some((602, 638)));
    }
}
