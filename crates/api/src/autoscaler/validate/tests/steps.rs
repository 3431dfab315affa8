//! The rules about step tables, with their messages.

use plimsoll_engine::rule::steps::Zone;

use super::*;
use crate::autoscaler::metrics::Step;

#[test]
fn sound_step_tables() {
    for table in [
        // The table of the step proposal.
        "{upperBound: 20%, adjustment: {replicas: -2}}, {lowerBound: 20%, upperBound: 44%, adjustment: {replicas: -1}}, {lowerBound: 88%, upperBound: 95%, adjustment: {replicas: 1}}, {lowerBound: 95%, adjustment: {replicas: 2}}",
        // In any order.
        "{lowerBound: 95%, adjustment: {percent: 50}}, {upperBound: 20%, adjustment: {percent: -10}}",
        // Only growing.
        "{lowerBound: 88%, adjustment: {replicas: 1}}",
        // Exact, without and with a hold zone.
        "{upperBound: 10%, adjustment: {exact: 1}}, {lowerBound: 10%, adjustment: {exact: 5}}",
        "{upperBound: 10%, adjustment: {exact: 1}}, {lowerBound: 20%, adjustment: {exact: 5}}",
        // A metric that falls with the load.
        "{upperBound: 100, adjustment: {replicas: 1}}, {lowerBound: 200, adjustment: {replicas: -1}}",
        // Zero needs no open end.
        "{lowerBound: 0, upperBound: 5, adjustment: {replicas: -1}}, {lowerBound: 9, adjustment: {replicas: 1}}",
    ] {
        accepts(&step_table(table));
    }
}

#[test]
fn steps_one_by_one() {
    let at = "spec.metrics[0].resource.steps";
    refuses(&step_table(""), &[&format!("{at}: Required value: write at least one step")]);
    refuses(
        &step_table("{adjustment: {replicas: 1}}"),
        &[&format!(
            "{at}[0].lowerBound: Required value: give lowerBound or upperBound: a step that is open at both ends would always apply"
        )],
    );
    refuses(
        &step_table("{lowerBound: 50%, upperBound: 50%, adjustment: {replicas: 1}}"),
        &[&format!(
            "{at}[0].upperBound: Invalid value: \"50%\": must be greater than lowerBound, which is 50%"
        )],
    );
    refuses(
        &step_table("{lowerBound: 50%}"),
        &[&format!("{at}[0].adjustment: Required value: give exactly one of replicas, percent and exact")],
    );
    refuses(
        &step_table("{lowerBound: 50%, adjustment: {replicas: 1, exact: 5}}"),
        &[&format!(
            "{at}[0].adjustment.exact: Forbidden: replicas is given too: give exactly one of replicas, percent and exact"
        )],
    );
    refuses(
        &step_table("{lowerBound: 50%, adjustment: {percent: 0}}"),
        &[&format!(
            "{at}[0].adjustment.percent: Invalid value: 0: changes nothing: leave this step out, the gap it leaves is the hold zone"
        )],
    );
    refuses(
        &step_table("{lowerBound: 50%, adjustment: {percent: 10001}}"),
        &[&format!("{at}[0].adjustment.percent: Invalid value: 10001: must be between -100 and 10000")],
    );
    refuses(
        &step_table(
            "{upperBound: 20%, adjustment: {percent: -101}}, {lowerBound: 50%, adjustment: {exact: -1}}",
        ),
        &[
            &format!("{at}[0].adjustment.percent: Invalid value: -101: must be between -100 and 10000"),
            &format!("{at}[1].adjustment.exact: Invalid value: -1: must be between 0 and 1000000"),
        ],
    );
    refuses(
        &step_table(
            "{upperBound: 20%, adjustment: {replicas: -1}}, {lowerBound: 50, adjustment: {replicas: 1}}",
        ),
        &[&format!(
            "{at}[1].lowerBound: Invalid value: \"50\": must be of the same kind as the other bounds, such as 20%: all quantities or all percentages"
        )],
    );
    refuses(
        &external("steps: [{lowerBound: 50%, adjustment: {replicas: 1}}]"),
        &[
            "spec.metrics[0].external.steps[0].lowerBound: Invalid value: \"50%\": must be a quantity: only resource and containerResource have a request to take percent of",
        ],
    );
}

#[test]
fn step_tables_as_a_whole() {
    let at = "spec.metrics[0].resource.steps";
    refuses(
        &step_table(
            "{upperBound: 50%, adjustment: {replicas: -1}}, {lowerBound: 40%, adjustment: {replicas: 1}}",
        ),
        &[&format!(
            "{at}[1].lowerBound: Invalid value: \"40%\": overlaps steps[0], which ends at 50%: write 50% or more"
        )],
    );
    refuses(
        &step_table(
            "{lowerBound: 40%, adjustment: {replicas: 1}}, {lowerBound: 60%, upperBound: 70%, adjustment: {replicas: 2}}",
        ),
        &[
            &format!(
                "{at}[1].lowerBound: Invalid value: \"60%\": overlaps steps[0], which is open above: give steps[0] an upperBound"
            ),
            &format!(
                "{at}[1].upperBound: Invalid value: \"70%\": a positive bound needs a step that is open above: leave this upperBound out, or add a step without one"
            ),
        ],
    );
    refuses(
        &step_table(
            "{lowerBound: 40%, adjustment: {replicas: 1}}, {lowerBound: 60%, adjustment: {replicas: 2}}",
        ),
        &[&format!(
            "{at}[1].upperBound: Required value: steps[0] is open above already, and only one may be: give upperBound"
        )],
    );
    refuses(
        &step_table(
            "{upperBound: 40%, adjustment: {replicas: -1}}, {upperBound: 60%, adjustment: {replicas: -2}}",
        ),
        &[&format!(
            "{at}[1].lowerBound: Required value: steps[0] is open below already, and only one may be: give lowerBound"
        )],
    );
    refuses(
        &step_table(
            "{upperBound: 20%, adjustment: {replicas: -2}}, {lowerBound: 30%, upperBound: 44%, adjustment: {replicas: -1}}, {lowerBound: 88%, adjustment: {replicas: 1}}",
        ),
        &[
            &format!(
                "{at}[1].lowerBound: Invalid value: \"30%\": leaves a gap from 20% in which nothing is decided; only the hold zone between shrinking and growing may be left out: write 20%"
            ),
            &format!(
                "{at}[2].lowerBound: Invalid value: \"88%\": leaves a second gap, from 44%; 20% to 30% is the hold zone, the only one: write 44%"
            ),
        ],
    );
    refuses(
        &step_table(
            "{upperBound: 20%, adjustment: {replicas: -1}}, {lowerBound: 50%, upperBound: 60%, adjustment: {replicas: 1}}, {lowerBound: 70%, adjustment: {replicas: 2}}",
        ),
        &[&format!(
            "{at}[2].lowerBound: Invalid value: \"70%\": leaves a second gap, from 60%; 20% to 50% is the hold zone, the only one: write 60%"
        )],
    );
    refuses(
        &step_table(
            "{upperBound: 50%, adjustment: {replicas: -1}}, {lowerBound: 50%, adjustment: {replicas: 1}}",
        ),
        &[&format!(
            "{at}[1].lowerBound: Invalid value: \"50%\": shrinking and growing meet here, where both would apply: leave a gap to steps[0] as the hold zone"
        )],
    );
    refuses(
        &step_table(
            "{upperBound: 20%, adjustment: {replicas: -1}}, {lowerBound: 20%, upperBound: 30%, adjustment: {exact: 5}}, {lowerBound: 30%, adjustment: {replicas: 1}}",
        ),
        &[&format!(
            "{at}[2].lowerBound: Invalid value: \"30%\": shrinking and growing meet here, where both would apply: leave a gap to steps[1] as the hold zone"
        )],
    );
    refuses(
        &step_table("{upperBound: 20%, adjustment: {replicas: -1}}"),
        &[&format!(
            "{at}[0].upperBound: Invalid value: \"20%\": a positive bound needs a step that is open above: leave this upperBound out, or add a step without one"
        )],
    );
    refuses(
        &step_table(
            "{lowerBound: -5, upperBound: 0, adjustment: {replicas: -1}}, {lowerBound: 5, adjustment: {replicas: 1}}",
        ),
        &[&format!(
            "{at}[0].lowerBound: Invalid value: \"-5\": a negative bound needs a step that is open below: leave this lowerBound out"
        )],
    );
}

#[test]
fn steps_know_their_side_of_the_hold_zone() {
    let sides = |table: &str| -> Vec<Zone> {
        let table: Vec<Step> = serde_saphyr::from_str(&format!("[{table}]")).unwrap();
        zones(&table)
    };
    use Zone::{Above, Below};
    assert_eq!(
        sides(
            "{upperBound: 20, adjustment: {replicas: -2}}, {lowerBound: 88, adjustment: {replicas: 1}}, {lowerBound: 20, upperBound: 44, adjustment: {replicas: -1}}"
        ),
        [Below, Above, Below]
    );
    assert_eq!(sides("{lowerBound: 88, adjustment: {replicas: 1}}"), [Above]);
    assert_eq!(sides("{upperBound: 0, adjustment: {replicas: 1}}"), [Below]);
    assert_eq!(
        sides("{upperBound: 5, adjustment: {replicas: -2}}, {lowerBound: 5, adjustment: {replicas: -1}}"),
        [Below, Below]
    );
    assert_eq!(
        sides("{upperBound: 5, adjustment: {exact: 2}}, {lowerBound: 5, adjustment: {exact: 9}}"),
        [Above, Above]
    );
}
