//! Invented runs that look like real ones: a small world with late pods and late metrics, made up for pictures.
#![allow(dead_code, missing_docs, unreachable_pub)]
#![allow(clippy::indexing_slicing)]

use plimsoll_sim::record::*;

/// How the made-up autoscaler thinks.
#[derive(Clone, Copy, PartialEq)]
pub enum Style {
    Target,
    Watermarks,
    Steps,
}

pub struct Wish {
    pub name: &'static str,
    pub kind: &'static str,
    pub style: Style,
    pub hours: f64,
    pub start_secs: f64,
}

/// The run most tests look at: two hours, one flash sale, one outage, one hand.
pub fn shop() -> Run {
    run(&Wish {
        name: "web",
        kind: "HorizontalPodAutoscaler",
        style: Style::Target,
        hours: 2.0,
        start_secs: 45.0,
    })
}

/// Three that saw the same load.
pub fn contest() -> Comparison {
    let wishes = [
        Wish {
            name: "web",
            kind: "HorizontalPodAutoscaler",
            style: Style::Target,
            hours: 2.0,
            start_secs: 45.0,
        },
        Wish {
            name: "web-marks",
            kind: "WatermarkPodAutoscaler",
            style: Style::Watermarks,
            hours: 2.0,
            start_secs: 45.0,
        },
        Wish { name: "web-steps", kind: "Autoscaler", style: Style::Steps, hours: 2.0, start_secs: 45.0 },
    ];
    let runs: Vec<Run> = wishes.iter().map(run).collect();
    let figure = |label: &str, cell: fn(&Score) -> String, value: fn(&Score) -> f64| {
        let best = runs.iter().map(|r| value(&r.score)).fold(f64::INFINITY, f64::min);
        Column {
            label: label.into(),
            cells: runs.iter().map(|r| cell(&r.score)).collect(),
            best: runs.iter().enumerate().filter(|(_, r)| value(&r.score) == best).map(|(i, _)| i).collect(),
        }
    };
    let columns = vec![
        figure("unmet", |s| format!("{:.2} %", s.unmet_percent), |s| s.unmet_percent),
        figure("under capacity", |s| format!("{} s", s.under_capacity_secs), |s| s.under_capacity_secs),
        figure("pod-hours", |s| format!("{:.1}", s.pod_hours), |s| s.pod_hours),
        figure("changes", |s| s.changes.to_string(), |s| s.changes as f64),
        figure("flaps", |s| s.flaps.to_string(), |s| s.flaps as f64),
        figure("peak", |s| s.peak_replicas.to_string(), |s| f64::from(s.peak_replicas)),
    ];
    let words = vec![
        "web-marks reaches 138 requests/s 45 s earlier than web and costs 12 % more pod-hours".into(),
        "web-steps changes 9 times less often than web and leaves 0.8 % more unmet".into(),
    ];
    Comparison { runs, columns, words }
}

pub fn run(wish: &Wish) -> Run {
    let sync = 15.0;
    let total = wish.hours * 3600.0;
    let every = (total / sync / 2000.0).ceil().max(1.0) as usize;
    let mut world =
        World { spec: 4, ready: 4.0, booting: Vec::new(), noise: 1, asked: Vec::new(), step: 0, total };
    let mut made = Run { points: Vec::new(), ..blank(wish, total, sync) };
    let mut step = 0usize;
    let mut t = 0.0;
    while t <= total {
        let point = world.tick(t, wish, &mut made);
        tally(&mut made.score, &point, sync);
        if step.is_multiple_of(every) {
            made.points.push(point);
        }
        step += 1;
        t += sync;
    }
    made.decisions = step as u64;
    finish(&mut made);
    made
}

struct World {
    spec: i32,
    ready: f64,
    booting: Vec<f64>,
    noise: u64,
    asked: Vec<(f64, i32)>,
    step: u64,
    total: f64,
}

impl World {
    fn noise(&mut self) -> f64 {
        self.noise = self.noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.noise >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    }

    fn load(&mut self, t: f64) -> f64 {
        let period = if self.total > 86_400.0 { 86_400.0 } else { self.total };
        let daily = 45.0 - 28.0 * (t / period * std::f64::consts::TAU).cos();
        let sale_at = self.total * 0.42;
        let sale = if t >= sale_at && t < sale_at + self.total * 0.12 { 72.0 } else { 0.0 };
        (daily + sale + self.noise() * 6.0).max(0.0)
    }

    fn tick(&mut self, t: f64, wish: &Wish, made: &mut Run) -> Point {
        let load = self.load(t);
        let started = self.booting.iter().filter(|at| **at <= t).count();
        self.booting.retain(|at| *at > t);
        self.ready = (self.ready + started as f64).min(f64::from(self.spec));
        let capacity = self.ready * 10.0;
        let unmet = (load - capacity).max(0.0);
        let outage = (self.total * 0.68..self.total * 0.71).contains(&t);
        let cpu = (!outage).then(|| (load / capacity.max(1.0) * 100.0).min(145.0));
        let rate = (!outage).then(|| load / self.ready.max(1.0));
        let seen = if wish.style == Style::Steps { rate } else { cpu };
        let proposed = seen.map(|value| self.propose(value, wish.style));
        if let Some(proposed) = proposed {
            self.asked.push((t, proposed));
        }
        self.asked.retain(|(at, _)| *at > t - 300.0);
        let highest = self.asked.iter().map(|(_, n)| *n).max();
        let stabilized =
            proposed.map(|p| if p < self.spec { highest.unwrap_or(p).min(self.spec) } else { p });
        let (low, high) = ((self.spec - 2).max(2), (self.spec + 4).max(self.spec * 3 / 2).min(20));
        let to = stabilized.map_or(self.spec, |s| s.clamp(low, high));
        let by_hand = (t - self.total * 0.85).abs() < 1.0;
        let to = if by_hand { 12 } else { to };
        let from = self.spec;
        let trail = self.words(made, seen, proposed, stabilized, (low, high), (from, to));
        if to != from {
            let reason = made.trails.last().map(|w| w.why.clone()).unwrap_or_default();
            let change = Change {
                t,
                from,
                to,
                by: if by_hand { Author::Hand } else { Author::Autoscaler },
                reason: if by_hand { "kubectl scale".into() } else { reason },
                trail: (!by_hand).then_some(trail),
            };
            made.changes.push(change);
            self.booting.extend((from..to).map(|n| t + wish.start_secs + f64::from(n % 3) * 5.0));
            self.spec = to;
            self.ready = self.ready.min(f64::from(to));
        }
        let (spec, ready) = (self.spec, self.ready as i32);
        let metrics = if wish.style == Style::Steps { vec![rate] } else { vec![cpu, rate.map(|r| r * 14.0)] };
        Point {
            t,
            load,
            load_peak: load + 2.0,
            capacity,
            unmet,
            queue: unmet * 3.0,
            spec,
            status: spec,
            ready,
            proposed,
            stabilized,
            allowed_low: low,
            allowed_high: high,
            min: 2,
            max: 20,
            metrics,
            trail: Some(trail),
        }
    }

    fn propose(&self, value: f64, style: Style) -> i32 {
        let pods = f64::from(self.spec);
        match style {
            Style::Target if (value / 60.0 - 1.0).abs() <= 0.1 => self.spec,
            Style::Target => (self.ready.max(1.0) * value / 60.0).ceil() as i32,
            Style::Watermarks if value > 75.0 => (pods * value / 75.0).ceil() as i32,
            Style::Watermarks if value < 45.0 => (pods * value / 45.0).floor().max(1.0) as i32,
            Style::Watermarks => self.spec,
            Style::Steps if value > 9.0 => self.spec + 4,
            Style::Steps if value > 7.0 => self.spec + 1,
            Style::Steps if value < 4.0 => self.spec - 1,
            Style::Steps => self.spec,
        }
    }

    fn words(
        &mut self,
        made: &mut Run,
        seen: Option<f64>,
        proposed: Option<i32>,
        stabilized: Option<i32>,
        allowed: (i32, i32),
        (from, to): (i32, i32),
    ) -> u32 {
        self.step += 1;
        let mut steps = vec![format!("{from} replicas wanted, {} ready.", self.ready)];
        let why = match (seen, proposed, stabilized) {
            (Some(value), Some(proposed), Some(stable)) => {
                steps.push(format!(
                    "cpu is at {value:.0} % of its request, the goal is 60 %: it asks for {proposed}."
                ));
                steps.push(if stable == proposed {
                    "Stabilization leaves it as it is.".into()
                } else {
                    format!("The highest proposal of the last 5 min was {stable}: it stays there.")
                });
                steps.push(format!("Rate limits and bounds allow {} to {}.", allowed.0, allowed.1));
                if to > from {
                    format!("{from} → {to}: cpu is at {value:.0} % of its request, above the goal of 60 %.")
                } else if to < from {
                    format!("{from} → {to}: cpu has been below the goal for 5 min.")
                } else {
                    format!("Stays at {to}: cpu is at {value:.0} %, near enough to 60 %.")
                }
            }
            _ => {
                steps.push(
                    "cpu could not be read: the metrics API did not answer <within 10 s> & gave up.".into(),
                );
                format!("Stays at {to}: no metric could be read.")
            }
        };
        steps.push(if to == from { "Nothing to write.".into() } else { format!("Wrote {to} replicas.") });
        made.trails.push(TrailWords { why, steps });
        made.trails.len() as u32 - 1
    }
}

fn blank(wish: &Wish, total: f64, sync: f64) -> Run {
    let cpu = |goal| MetricInfo { name: "cpu".into(), unit: "% of request".into(), goal };
    let memory =
        MetricInfo { name: "memory".into(), unit: "MiB".into(), goal: Goal::Target { value: 128.0 } };
    let step = |lower, upper, adjustment: &str| StepInfo { lower, upper, adjustment: adjustment.into() };
    let metrics = match wish.style {
        Style::Target => vec![cpu(Goal::Target { value: 60.0 }), memory],
        Style::Watermarks => vec![cpu(Goal::Watermarks { low: 45.0, high: 75.0 }), memory],
        Style::Steps => vec![MetricInfo {
            name: "http_requests_per_second".into(),
            unit: "requests/s per pod".into(),
            goal: Goal::Steps {
                steps: vec![
                    step(None, Some(4.0), "-1"),
                    step(Some(7.0), Some(9.0), "+1"),
                    step(Some(9.0), None, "+4"),
                ],
            },
        }],
    };
    Run {
        version: RECORD_VERSION,
        name: wish.name.into(),
        kind: wish.kind.into(),
        config: vec![
            Line::new("replicas", "2..20"),
            Line::new("cpu", "hold 60 % of request"),
            Line::new("scale down", "stabilized over 5 min, at most 2 pods each 60 s"),
            Line::new("scale up", "at most 4 pods or 50 % each 15 s"),
        ],
        load: "17 to 73 requests/s in a daily curve, a flash sale of +72 requests/s".into(),
        world: vec![
            Line::new("one pod serves", "10 requests/s"),
            Line::new("pod start", "45 s to 55 s"),
            Line::new("overload", "requests are lost"),
            Line::new("metrics", "every 15 s, 30 s late"),
        ],
        seed: 7,
        start: "2026-03-02T00:00:00Z".into(),
        duration_secs: total,
        sync_period_secs: sync,
        decisions: 0,
        metrics,
        points: Vec::new(),
        changes: Vec::new(),
        changes_left_out: 0,
        incidents: vec![
            Incident { t: total * 0.25, until: None, what: "controller restart, history lost".into() },
            Incident { t: total * 0.68, until: Some(total * 0.71), what: "metrics outage".into() },
        ],
        trails: Vec::new(),
        score: Score::default(),
    }
}

fn tally(score: &mut Score, point: &Point, sync: f64) {
    score.total_requests += point.load * sync;
    score.lost_requests += point.unmet * sync;
    score.under_capacity_secs += if point.unmet > 0.0 { sync } else { 0.0 };
    score.pod_hours += f64::from(point.spec) * sync / 3600.0;
    score.peak_replicas = score.peak_replicas.max(point.spec);
}

fn finish(run: &mut Run) {
    let score = &mut run.score;
    score.unmet_percent = score.lost_requests / score.total_requests * 100.0;
    score.changes = run.changes.len() as u64;
    for pair in run.changes.windows(2) {
        let turned = (pair[0].to - pair[0].from).signum() != (pair[1].to - pair[1].from).signum();
        score.reversals += u64::from(turned);
        score.flaps += u64::from(turned && pair[1].t - pair[0].t < 600.0);
    }
    score.recovery = Recovery::After { at: run.duration_secs * 0.42, secs: 105.0 };
}
