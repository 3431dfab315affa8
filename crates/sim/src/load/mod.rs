//! Load: what users ask for, in requests per second, as a pure function of time.
//!
//! A load is a sum of parts. It knows nothing of pods or autoscalers (that is the world), so several
//! autoscalers can be shown exactly the same one.

mod csv_trace;
mod prometheus;
mod read;
mod syntax;
mod trace;

pub use trace::Trace;

use crate::random::{Purpose, bell};
use crate::time::{self, SECOND, Span};

/// The most load that is accepted, requests per second.
pub const MOST: f64 = 1e9;

/// A load: the sum of its parts, never negative, with noise on the whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    pub(crate) parts: Vec<Part>,
    /// The noise parts, applied one after another to the sum of the others.
    pub(crate) noise: Vec<Noise>,
}

/// One term of the sum.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Constant { rate: f64 },
    Step { from: f64, steps: Vec<(i64, f64)> },
    Ramp { from: f64, to: f64, at: i64, over: i64 },
    Sine { low: f64, high: f64, period: i64, peak: i64 },
    Spike { add: f64, at: i64, length: i64 },
    Trace(Trace),
}

/// Noise: in each cell of `every` microseconds the load is off by a bell-shaped share or amount.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Noise {
    pub(crate) size: Size,
    pub(crate) every: i64,
}

/// How large the noise is (one deviation).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Size {
    /// A share of the load, 0.1 for 10 %.
    Share(f64),
    /// Requests per second.
    Rate(f64),
}

impl Load {
    /// A load that never changes.
    pub fn constant(rate: f64) -> Self {
        Self { parts: vec![Part::Constant { rate: rate.clamp(0.0, MOST) }], noise: Vec::new() }
    }

    /// Reads a shape (`sine:20..200/24h + noise:5%`) from the command line, or the contents of a file.
    ///
    /// `open` reads a file by name; it is only asked when the text names one. What a file holds is told by its
    /// content: YAML shapes, CSV, or the JSON of a Prometheus range query.
    pub fn parse(
        text: &str,
        open: &mut dyn FnMut(&str) -> Result<String, crate::BadInput>,
    ) -> Result<Self, crate::BadInput> {
        read::from_flag(text, open)
    }

    /// The load at a moment, requests per second.
    pub fn at(&self, t_us: i64, seed: u64) -> f64 {
        let mut rate = 0.0;
        for part in &self.parts {
            rate += part.at(t_us);
        }
        for (index, noise) in self.noise.iter().enumerate() {
            let cell = (t_us.max(0) / noise.every.max(1)) as u64;
            let off = bell(seed, Purpose::LoadNoise, cell, index as u64);
            rate += match noise.size {
                Size::Share(share) => rate * share * off,
                Size::Rate(amount) => amount * off,
            };
        }
        rate.clamp(0.0, MOST)
    }

    /// The next moment after `t_us` at which the load jumps, so that no step of time straddles it.
    pub(crate) fn next_break(&self, t_us: i64) -> i64 {
        self.parts.iter().map(|p| p.next_break(t_us)).min().unwrap_or(i64::MAX)
    }

    /// How long the load is defined on its own: the length of its longest trace.
    pub fn length(&self) -> Option<Span> {
        self.traces().map(|t| Span::from_micros(t.length_us())).max()
    }

    /// The wall-clock moment at which a trace begins (microseconds since 1970), if one says so.
    pub fn start_us(&self) -> Option<i64> {
        self.traces().find_map(Trace::start_us)
    }

    fn traces(&self) -> impl Iterator<Item = &Trace> {
        self.parts.iter().filter_map(|p| if let Part::Trace(t) = p { Some(t) } else { None })
    }

    /// The load in words, as it could be written on the command line.
    pub fn words(&self) -> String {
        let parts = self.parts.iter().map(Part::words);
        let noise = self.noise.iter().map(Noise::words);
        parts.chain(noise).collect::<Vec<_>>().join(" + ")
    }
}

impl Part {
    fn at(&self, t: i64) -> f64 {
        match self {
            Part::Constant { rate } => *rate,
            Part::Step { from, steps } => {
                steps.iter().take_while(|(at, _)| *at <= t).last().map_or(*from, |(_, rate)| *rate)
            }
            Part::Ramp { from, to, at, over } => {
                if t <= *at {
                    *from
                } else if t >= at.saturating_add(*over) {
                    *to
                } else {
                    from + (to - from) * ((t - at) as f64 / *over as f64)
                }
            }
            Part::Sine { low, high, period, peak } => {
                let turn = (t - peak).rem_euclid(*period) as f64 / *period as f64;
                let middle = (low + high) / 2.0;
                middle + (high - low) / 2.0 * libm::cos(turn * std::f64::consts::TAU)
            }
            Part::Spike { add, at, length } => {
                if (*at..at.saturating_add(*length)).contains(&t) {
                    *add
                } else {
                    0.0
                }
            }
            Part::Trace(trace) => trace.at(t),
        }
    }

    fn next_break(&self, t: i64) -> i64 {
        let after = |at: i64| if at > t { at } else { i64::MAX };
        match self {
            Part::Step { steps, .. } => steps.iter().map(|(at, _)| after(*at)).min().unwrap_or(i64::MAX),
            Part::Ramp { at, over, .. } => after(*at).min(after(at.saturating_add(*over))),
            Part::Spike { at, length, .. } => after(*at).min(after(at.saturating_add(*length))),
            Part::Constant { .. } | Part::Sine { .. } | Part::Trace(_) => i64::MAX,
        }
    }

    fn words(&self) -> String {
        match self {
            Part::Constant { rate } => format!("constant:{rate}"),
            Part::Step { from, steps } => {
                let mut out = format!("step:{from}");
                for (at, rate) in steps {
                    out.push_str(&format!("->{rate}@{}", time::written(*at)));
                }
                out
            }
            Part::Ramp { from, to, at, over } => {
                format!("ramp:{from}->{to}@{}/{}", time::written(*at), time::written(*over))
            }
            Part::Sine { low, high, period, peak } => {
                let mut out = format!("sine:{low}..{high}/{}", time::written(*period));
                if *peak != period / 2 {
                    out.push_str(&format!("@{}", time::written(*peak)));
                }
                out
            }
            Part::Spike { add, at, length } => {
                format!("spike:{add:+}@{}/{}", time::written(*at), time::written(*length))
            }
            Part::Trace(trace) => format!("trace:{}", trace.name()),
        }
    }
}

impl Noise {
    /// How long one value of noise lasts when nothing else is said.
    pub(crate) const EVERY: i64 = 15 * SECOND;

    fn words(&self) -> String {
        let size = match self.size {
            // Rounded only for the eye: 0.07 * 100 would show as 7.000000000000001.
            Size::Share(share) => format!("{}%", libm::round(share * 1e6) / 1e4),
            Size::Rate(rate) => format!("{rate}"),
        };
        if self.every == Self::EVERY {
            format!("noise:{size}")
        } else {
            format!("noise:{size}/{}", time::written(self.every))
        }
    }
}
