//! A recorded load: points in time with straight lines between them, checked once when it is read.

use crate::error::BadInput;
use crate::time;
use plimsoll_api::explain::lasting;

/// The most points that a trace may have.
pub(crate) const MOST_POINTS: usize = 5_000_000;

/// A gap this many times longer than the usual one is a hole.
const HOLE_FACTOR: i64 = 10;

/// A recorded load. Before its first point it has the first value, after its last the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    name: String,
    times_us: Vec<i64>,
    rates: Vec<f64>,
    start_us: Option<i64>,
}

/// What to do with a hole in the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holes {
    /// Say where it is, as a silent straight line would be an invention.
    Refuse,
    /// Draw a straight line: the user wrote `,bridge`.
    Bridge,
}

/// One point as it stands in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawPoint {
    pub(crate) at_us: i64,
    pub(crate) rate: f64,
    /// The line (CSV) or the number of the sample (JSON), for messages.
    pub(crate) line: u64,
}

/// How a file's positions are called in messages.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit {
    Line,
    Sample,
}

impl Unit {
    fn place(self, file: &str, n: u64) -> String {
        match self {
            Unit::Line => format!("{file}:{n}"),
            Unit::Sample => format!("{file}: sample {n}"),
        }
    }
}

impl Trace {
    /// Checks the points and makes the trace start at time zero.
    pub(crate) fn build(
        file: &str,
        unit: Unit,
        points: &[RawPoint],
        holes: Holes,
        epoch: Epoch,
    ) -> Result<Self, BadInput> {
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            return Err(BadInput::new(
                file,
                "there is no point in it",
                "give a file with time and value on each line",
            ));
        };
        if points.len() > MOST_POINTS {
            let what = format!("{} points are more than the {MOST_POINTS} that are accepted", points.len());
            return Err(BadInput::new(file, what, "record with a longer step"));
        }
        for point in points {
            check_rate(&unit.place(file, point.line), point.rate)?;
        }
        for pair in points.windows(2) {
            if let [a, b] = pair {
                check_order(&unit.place(file, b.line), a, b)?;
            }
        }
        if last.at_us - first.at_us > time::LONGEST {
            let what = format!("it covers {}", lasting(last.at_us - first.at_us));
            return Err(BadInput::new(file, what, format!("at most {} is accepted", lasting(time::LONGEST))));
        }
        if holes == Holes::Refuse {
            check_holes(file, unit, points)?;
        }
        Ok(Self {
            name: file.to_string(),
            times_us: points.iter().map(|p| p.at_us - first.at_us).collect(),
            rates: points.iter().map(|p| p.rate).collect(),
            start_us: (epoch == Epoch::Unix).then_some(first.at_us),
        })
    }

    pub(crate) fn at(&self, t: i64) -> f64 {
        let after = self.times_us.partition_point(|at| *at <= t);
        let before = after.saturating_sub(1);
        let (Some(t0), Some(r0)) = (self.times_us.get(before), self.rates.get(before)) else { return 0.0 };
        match (self.times_us.get(after), self.rates.get(after)) {
            (Some(t1), Some(r1)) if after > 0 => r0 + (r1 - r0) * ((t - t0) as f64 / (t1 - t0) as f64),
            _ => *r0,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn length_us(&self) -> i64 {
        self.times_us.last().copied().unwrap_or(0)
    }

    pub(crate) fn start_us(&self) -> Option<i64> {
        self.start_us
    }
}

/// What time zero of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Epoch {
    /// 1970: dates, epoch seconds or milliseconds.
    Unix,
    /// The start of the recording.
    Start,
}

pub(crate) fn check_rate(place: &str, rate: f64) -> Result<(), BadInput> {
    let (what, help) = if rate.is_nan() {
        ("the value is NaN", "write what the load was, or take the line out")
    } else if rate.is_infinite() {
        ("the value is infinite", "write what the load was, or take the line out")
    } else if rate < 0.0 {
        ("the load is negative", "requests per second cannot be below 0: record a rate, not a difference")
    } else if rate > super::MOST {
        ("the load is above 1e9 requests per second", "give the load in requests per second")
    } else {
        return Ok(());
    };
    Err(BadInput::new(place, what, help))
}

fn check_order(place: &str, before: &RawPoint, after: &RawPoint) -> Result<(), BadInput> {
    if after.at_us > before.at_us {
        return Ok(());
    }
    let what = if after.at_us == before.at_us {
        "the same time as on the line before".to_string()
    } else {
        format!("time goes back by {}", lasting(before.at_us - after.at_us))
    };
    Err(BadInput::new(place, what, "sort the file by time and keep one value for each moment"))
}

fn check_holes(file: &str, unit: Unit, points: &[RawPoint]) -> Result<(), BadInput> {
    let mut gaps: Vec<i64> = points
        .windows(2)
        .filter_map(|w| if let [a, b] = w { Some(b.at_us - a.at_us) } else { None })
        .collect();
    let middle = gaps.len() / 2;
    if gaps.len() < 3 {
        return Ok(());
    }
    let (_, usual, _) = gaps.select_nth_unstable(middle);
    let usual = *usual;
    for pair in points.windows(2) {
        if let [a, b] = pair
            && b.at_us - a.at_us > usual.saturating_mul(HOLE_FACTOR)
        {
            let what = format!(
                "a hole of {} before it, where points are usually {} apart",
                lasting(b.at_us - a.at_us),
                lasting(usual)
            );
            let help = format!(
                "fill it in, or write `trace:{file},bridge` to draw a straight line across every hole"
            );
            return Err(BadInput::new(unit.place(file, b.line), what, help));
        }
    }
    Ok(())
}
