//! Once warm, the loop allocates nothing: memory is flat in simulated time, whatever the length of a run.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may stop")]

mod common;

use common::{cpu_subject, silent};
use plimsoll_engine::Act;
use plimsoll_sim::Simulation;

const DAY: u64 = 86_400 / 15;

#[test]
fn the_warm_loop_allocates_only_for_what_it_writes_down() {
    let setup = silent("sine:20..200/24h + noise:10%", 7 * 86_400);
    let mut simulation = Simulation::new(setup, cpu_subject(60, 2, 40)).unwrap();
    // One decision in so many becomes a point of the record.
    let stride = (7 * DAY + 1).div_ceil(1_500);
    let (mut quiet, mut loud) = (0, 0);
    loop {
        let mut goes_on = false;
        let used = allocation_counter::measure(|| goes_on = simulation.step().unwrap());
        if !goes_on {
            break;
        }
        let written =
            (simulation.decisions() - 1).is_multiple_of(stride) || simulation.decision().act == Act::Write;
        if simulation.decisions() > 2 * DAY && !written {
            quiet += 1;
            loud += u64::from(used.count_total > 0);
        }
    }
    assert!(quiet > 4 * DAY, "{quiet} decisions were looked at");
    assert_eq!(loud, 0, "of {quiet} warm decisions allocated");
}
