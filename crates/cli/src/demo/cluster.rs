//! The embedded cluster: four simulations in step, day after day, and the knobs that disturb them. No clock: the caller
//! says how much time has passed.

use anyhow::Result;
use plimsoll_report::live;
use plimsoll_sim::record::{Comparison, Recovery, Run};
use plimsoll_sim::world::RollingUpdate;
use plimsoll_sim::{Simulation, Words};
use serde_json::{Value, json};

use super::control::{Control, Knobs};
use super::shop::{DAY_SECS, LOAD_WORDS, SALE_FROM_SECS, SALE_UNTIL_SECS, SYNC_SECS, Shop};
use super::window::Window;

/// When the first visitor comes: the morning has been, the sale is an hour away.
pub(crate) const FIRST_LOOK_SECS: f64 = 11.0 * 3_600.0;
/// Decisions for each point of the charts: one in half a minute.
const DECISIONS_PER_POINT: u64 = 2;
/// Time on the wall between two tables; people do not read faster.
const TABLE_EVERY_SECS: f64 = 1.0;

/// Four autoscalers at work.
pub(crate) struct Cluster {
    shop: Shop,
    simulations: Vec<Simulation>,
    windows: Vec<Window>,
    /// Days before this one.
    day: u64,
    /// Since the start of the first day.
    now_secs: f64,
    knobs: Knobs,
    /// Time on the wall since the table was told last.
    table_age_secs: f64,
}

impl Cluster {
    /// A shop that has been open since midnight.
    pub(crate) fn start() -> Result<Self> {
        let shop = Shop::open()?;
        let windows = (0..shop.autoscalers()).map(|_| Window::default()).collect();
        let mut cluster = Self {
            shop,
            simulations: Vec::new(),
            windows,
            day: 0,
            now_secs: 0.0,
            knobs: Knobs::default(),
            table_age_secs: 0.0,
        };
        cluster.simulations = cluster.begin_day(&[])?;
        cluster.advance(FIRST_LOOK_SECS)?;
        cluster.news();
        Ok(cluster)
    }

    fn begin_day(&self, replicas: &[i32]) -> Result<Vec<Simulation>> {
        let mut simulations = self.shop.day(self.day + 1, replicas, Words::Told)?;
        for simulation in &mut simulations {
            simulation.point_every(DECISIONS_PER_POINT);
            simulation.set_live(self.knobs.live());
        }
        Ok(simulations)
    }

    /// Lets time pass as fast as the knobs say.
    pub(crate) fn pass(&mut self, wall_secs: f64) -> Result<()> {
        if self.knobs.paused {
            return Ok(());
        }
        self.table_age_secs += wall_secs;
        self.advance(wall_secs * f64::from(self.knobs.speed))
    }

    /// Lets this much virtual time pass.
    fn advance(&mut self, secs: f64) -> Result<()> {
        let target = self.now_secs + secs.max(0.0);
        loop {
            let day_secs = self.day as f64 * DAY_SECS;
            let until = target.min(day_secs + DAY_SECS);
            for (simulation, window) in self.simulations.iter_mut().zip(&mut self.windows) {
                while simulation.decisions() as f64 * SYNC_SECS <= until - day_secs && simulation.step()? {}
                let (from, to) = (day_secs + SALE_FROM_SECS, day_secs + SALE_UNTIL_SECS);
                if until > from {
                    window.mark(from, to.min(until), "flash sale");
                }
                window.take(simulation, day_secs);
            }
            self.now_secs = until;
            if until < day_secs + DAY_SECS {
                return Ok(());
            }
            self.next_day()?;
        }
    }

    /// Midnight: the pods stay, the score begins anew.
    fn next_day(&mut self) -> Result<()> {
        let replicas: Vec<i32> = self.simulations.iter().map(|s| s.point().spec).collect();
        self.day += 1;
        self.simulations = self.begin_day(&replicas)?;
        self.windows.iter_mut().for_each(Window::turn_page);
        Ok(())
    }

    /// Turns a knob.
    pub(crate) fn turn(&mut self, control: Control) -> Result<(), String> {
        self.knobs.turn(control)?;
        for simulation in &mut self.simulations {
            if control == Control::RollingUpdate {
                simulation.roll(RollingUpdate::default());
            }
            simulation.set_live(self.knobs.live());
        }
        Ok(())
    }

    /// What is new since the last time, for everyone who watches.
    pub(crate) fn news(&mut self) -> String {
        let deltas: Vec<String> =
            self.windows.iter_mut().enumerate().filter_map(|(run, window)| window.news(run)).collect();
        for window in &mut self.windows {
            window.forget(self.now_secs);
        }
        let due = self.table_age_secs >= TABLE_EVERY_SECS;
        if due {
            self.table_age_secs = 0.0;
        }
        self.message(&deltas, if due { self.table() } else { "null".to_owned() })
    }

    /// All there is, for someone who has just come.
    pub(crate) fn hello(&self) -> String {
        let deltas: Vec<String> =
            self.windows.iter().enumerate().map(|(run, window)| window.all(run)).collect();
        self.message(&deltas, self.table())
    }

    fn message(&self, deltas: &[String], table: String) -> String {
        format!("{{\"deltas\":[{}],\"table\":{table},\"state\":{}}}", deltas.join(","), self.state())
    }

    /// The score of the day so far.
    fn table(&self) -> String {
        let runs = self.simulations.iter().map(|simulation| {
            let mut run = simulation.record();
            // The sale is known to come, but the table tells what was.
            if let Recovery::Never { at } = run.score.recovery
                && at > simulation.now_secs()
            {
                run.score.recovery = Recovery::NoJump;
            }
            run
        });
        let mut comparison = Comparison::new(runs.collect());
        for column in comparison.columns.iter_mut().filter(|c| c.label == "recovery") {
            for cell in &mut column.cells {
                match cell.as_str() {
                    "never" => "not yet".clone_into(cell),
                    "no jump" => "no sale yet".clone_into(cell),
                    _ => {}
                }
            }
        }
        live::table_json(&comparison)
    }

    /// Where everything stands.
    fn state(&self) -> Value {
        let in_day = self.now_secs - self.day as f64 * DAY_SECS;
        let now: Vec<Value> = self
            .simulations
            .iter()
            .map(|simulation| {
                let point = simulation.point();
                json!({
                    "wanted": point.spec,
                    "ready": point.ready,
                    "load": point.load.round(),
                    "capacity": point.capacity.round(),
                    "short": point.load > point.capacity,
                })
            })
            .collect();
        json!({
            "day": self.day + 1,
            "secs": in_day as i64,
            "sale": (SALE_FROM_SECS..SALE_UNTIL_SECS).contains(&in_day),
            "knobs": self.knobs,
            "rolling": self.simulations.iter().any(Simulation::is_rolling),
            "now": now,
        })
    }

    /// The autoscalers as the page knows them before anything has happened.
    pub(crate) fn blank(&self) -> Comparison {
        let blank = |simulation: &Simulation| Run {
            points: Vec::new(),
            changes: Vec::new(),
            incidents: Vec::new(),
            trails: Vec::new(),
            load: LOAD_WORDS.to_owned(),
            ..simulation.record()
        };
        Comparison::new(self.simulations.iter().map(blank).collect())
    }
}

/// One day from midnight to midnight, nobody watching.
pub(crate) fn one_day() -> Result<Comparison> {
    let mut runs = Vec::new();
    for simulation in Shop::open()?.day(1, &[], Words::Silent)? {
        let mut run = simulation.run()?;
        LOAD_WORDS.clone_into(&mut run.load);
        runs.push(run);
    }
    Ok(Comparison::new(runs))
}

#[cfg(test)]
#[path = "cluster_tests.rs"]
mod tests;
