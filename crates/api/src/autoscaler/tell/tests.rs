//! What an Autoscaler tells beyond a HorizontalPodAutoscaler, and when it is worth writing.

use plimsoll_engine::{Absent, Blocked, Observation, Pod, Reading, Scale, decide, seconds};
use serde_json::{Value, json};

use super::super::status::AutoscalerStatus;
use super::super::{Autoscaler, admit, lower};
use super::*;
use crate::hpa::Flags;

const START: At = At::from_secs(1_800_000_000);

/// An autoscaler with its status and memory, looked at every 15 seconds.
struct Subject {
    lowered: Lowered,
    status: Status,
    memory: Memory,
    at: At,
    replicas: i32,
}

fn subject(more: Value) -> Subject {
    let mut spec = json!({
        "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" },
        "maxReplicas": 20,
        "metrics": [{ "type": "External", "external": {
            "metric": { "name": "queue" }, "target": { "type": "AverageValue", "averageValue": 1 } } }],
    });
    for (key, value) in more.as_object().unwrap() {
        spec[key] = value.clone();
    }
    let object: Autoscaler =
        serde_json::from_value(json!({ "metadata": { "name": "web" }, "spec": spec })).unwrap();
    let lowered = admit(&object, &Flags::default()).unwrap();
    let memory = Memory::new(lowered.policy());
    Subject { lowered, status: Status::default(), memory, at: START, replicas: 4 }
}

impl Subject {
    /// One look at a queue of this length; `None` when it cannot be read.
    fn look(&mut self, queue: Option<i64>) -> (AutoscalerStatus, Told) {
        self.look_with(queue, Ok(()))
    }

    fn look_with(&mut self, queue: Option<i64>, permit: Result<(), Blocked>) -> (AutoscalerStatus, Told) {
        let reading = match queue {
            Some(queue) => Reading::Series { values: vec![queue * 1000], taken: Some(self.at) },
            None => Reading::Missing(Absent::Api("down".into())),
        };
        let pods = usize::try_from(self.replicas).unwrap();
        let seen = Observation {
            permit,
            scale: Ok(Scale { spec: self.replicas, status: self.replicas }),
            pods: vec![Pod::running(self.at.minus(seconds(900))); pods],
            readings: vec![reading; self.lowered.policy().metrics.len()],
            bounds: Some(self.lowered.calendar.at(self.at).bounds),
            ..Observation::at(self.at)
        };
        self.status.recall(&mut self.memory);
        let mut trail = Trail::default();
        let decision = decide(self.lowered.policy(), &seen, &self.memory, &mut trail);
        let outcome = match (decision.act, self.lowered.policy().dry_run) {
            (Act::Write, DryRun::Off) => Outcome::Written,
            (Act::Write, _) => Outcome::DryRun,
            _ => Outcome::NotTried,
        };
        self.memory.settle(self.lowered.policy(), &trail, &decision, &outcome);
        let in_force = self.lowered.calendar.at(self.at);
        let sync = Sync {
            generation: Some(3),
            in_force: &in_force,
            memory: &self.memory,
            trail: &trail,
            decision: &decision,
            outcome: &outcome,
        };
        let told = tell(&mut self.status, &self.lowered, &sync);
        if outcome == Outcome::Written {
            self.replicas = decision.to;
        }
        self.at = self.at.plus(seconds(15));
        (self.status.to_object(), told)
    }

    fn condition(&self, kind: &str) -> (String, String, At) {
        let it = self.status.base.conditions.get(kind).unwrap();
        (it.status.to_string(), it.reason.to_string(), it.since)
    }
}

#[test]
fn the_columns_and_the_last_decision() {
    let mut it = subject(json!({ "minReplicas": 2 }));
    let (status, told) = it.look(Some(7));
    assert_eq!(status.reference.as_deref(), Some("Deployment/web"));
    assert_eq!((status.min_replicas, status.max_replicas), (Some(2), Some(20)));
    assert_eq!(status.targets.as_deref(), Some("1750m/1 (avg)"));
    assert_eq!(status.why.as_deref(), Some("4 -> 7: queue 1.75 per pod, goal 1"));
    assert_eq!(status.mode.as_deref(), Some("Active"));
    assert_eq!((status.current_replicas, status.desired_replicas), (Some(4), Some(7)));
    let last = serde_json::to_value(status.last_decision.unwrap()).unwrap();
    assert_eq!(last["metrics"], json!([{ "name": "queue", "value": "1750m", "goal": "1", "proposal": 7 }]));
    assert_eq!(last["winner"], "queue");
    let stages: Vec<String> = last["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {} {} {}", it["stage"], it["before"], it["after"], it["reason"]))
        .collect();
    assert_eq!(
        stages,
        [
            r#""combine" 4 7 "ValidMetricFound""#,
            r#""stabilize" 7 7 "ReadyForNewScale""#,
            r#""bound" 7 7 "DesiredWithinRange""#,
            r#""act" 4 7 "SucceededRescale""#
        ]
    );
    assert_eq!(told.events[0].message, "New size: 7; reason: external metric queue(nil) above target");
    assert_eq!(it.condition("SpecValid"), ("True".to_owned(), "Valid".to_owned(), START));
}

#[test]
fn it_says_when_the_next_change_is_possible() {
    let mut it = subject(json!({ "behavior": { "scaleUp": { "cooldownSeconds": 60 } } }));
    let (status, _) = it.look(Some(6));
    let last = status.last_decision.unwrap();
    assert_eq!(last.next_up, Some(to_time(START.plus(seconds(60)))));
    assert_eq!(last.next_down, Some(to_time(START.plus(seconds(300)))), "the window has seen a wish for 6");
}

#[test]
fn waiting_is_told_and_does_not_move_the_time_at_every_look() {
    let mut it = subject(json!({ "behavior": { "scaleUp": { "breachDelaySeconds": 60 } } }));
    it.look(Some(8));
    assert_eq!(it.condition("AbleToScale"), ("False".to_owned(), "ScaleUpDelayed".to_owned(), START));
    let (status, _) = it.look(Some(8));
    assert_eq!(it.condition("AbleToScale").2, START);
    assert_eq!(
        status.why.as_deref(),
        Some("stays at 4: would go to 8, but growing must be called for longer for 45 s more")
    );
    it.look(Some(4));
    it.look(Some(8));
    assert_eq!(it.status.base.current_replicas, 4, "one look without the wish starts over");
}

#[test]
fn a_dry_run_tells_and_writes_nothing() {
    let mut it = subject(json!({ "mode": "DryRun" }));
    let (status, told) = it.look(Some(8));
    assert_eq!((it.replicas, status.desired_replicas, status.last_scale_time), (4, Some(8), None));
    assert_eq!(status.mode.as_deref(), Some("DryRun"));
    assert_eq!(status.why.as_deref(), Some("dry run: 4 -> 8: queue 2 per pod, goal 1"));
    assert_eq!(it.condition("AbleToScale").1, "DryRun");
    assert_eq!(
        told.events[0].message,
        "Would be new size: 8; reason: external metric queue(nil) above target"
    );
    assert!(it.memory.grown.is_empty());
    assert_eq!(it.look(Some(8)).1.events, [], "the same wish is no news");
}

#[test]
fn a_fallback_is_told_with_its_metric_and_since_when() {
    let mut it = subject(json!({ "metrics": [{ "type": "External", "external": {
        "metric": { "name": "queue" }, "target": { "type": "AverageValue", "averageValue": 1 } },
        "onMissing": { "type": "Fallback", "replicas": 9, "afterSeconds": 15 } }] }));
    let (status, _) = it.look(None);
    assert_eq!(status.fallback.unwrap().replicas, 4, "held until afterSeconds have passed");
    let (status, _) = it.look(None);
    let fallback = status.fallback.unwrap();
    assert_eq!((fallback.metric.as_str(), fallback.replicas), ("queue", 9));
    assert_eq!(fallback.since, Some(to_time(START)));
    assert_eq!(it.condition("ScalingActive").1, "StandInUsed");
    assert_eq!(status.targets.as_deref(), Some("<unknown>/1 (avg)"));
    assert_eq!(it.look(Some(9)).0.fallback, None);
}

#[test]
fn schedules_show_in_the_columns() {
    let mut it = subject(json!({ "minReplicas": 2, "schedules": [
        { "name": "always", "cron": "* * * * *", "durationSeconds": 3600, "minReplicas": 6, "maxReplicas": 9 }] }));
    let (status, _) = it.look(Some(1));
    assert_eq!((status.min_replicas, status.max_replicas), (Some(6), Some(9)));
    assert_eq!(status.active_schedule.as_deref(), Some("always"));
    assert_eq!(it.replicas, 6, "the bounds take effect at once");
}

#[test]
fn what_blocks_everything_is_told_and_the_replicas_stay_told() {
    let mut it = subject(json!({}));
    it.look(Some(4));
    let (status, _) = it.look_with(Some(9), Err(Blocked { by: "frozen by hand".into() }));
    assert_eq!(it.condition("AbleToScale").1, "ScalingBlocked");
    assert_eq!(status.current_replicas, Some(4));
    assert_eq!(status.why.as_deref(), Some("stays at 4: scaling is blocked: frozen by hand"));
}

#[test]
fn a_spec_that_makes_no_sense_is_a_condition_with_the_field() {
    let object: Autoscaler = serde_json::from_value(json!({ "metadata": {}, "spec": {
        "scaleTargetRef": { "kind": "Deployment", "name": "web" }, "maxReplicas": 9,
        "schedules": [{ "name": "x", "cron": "0 0 30 2 *", "timeZone": "Mars/Base", "durationSeconds": 9, "minReplicas": 1 }],
    }})).unwrap();
    let errors = admit(&object, &Flags::default()).unwrap_err();
    let mut status = Status::default();
    let told = refuse(&mut status, Some(2), &errors, START);
    let it = status.base.conditions.get("SpecValid").unwrap();
    assert_eq!((it.status.as_ref(), it.reason.as_ref()), ("False", "InvalidSpec"));
    assert_eq!(
        it.message,
        "spec.schedules[0].cron: Invalid value: \"0 0 30 2 *\": never fires: no month it names has such a day; correct the \
         day or the month (and 1 more)"
    );
    assert_eq!(told.events.len(), 1);
    assert_eq!(refuse(&mut status, Some(2), &errors, START.plus(9)).events, [], "said once");
    assert_eq!(status.to_object().observed_generation, Some(2));
}

#[test]
fn the_last_decision_never_takes_more_than_4_kib() {
    let long = "m".repeat(300);
    let metric = json!({ "type": "External", "external": {
        "metric": { "name": long }, "target": { "type": "AverageValue", "averageValue": 1 } } });
    let mut it = subject(json!({ "metrics": vec![metric; 32] }));
    for queue in [Some(9), None] {
        let (status, _) = it.look(queue);
        let last = status.last_decision.unwrap();
        let bytes = serde_json::to_vec(&last).unwrap().len();
        assert!(bytes <= decision::MOST_BYTES, "{bytes}");
        assert!(last.left_out.is_some_and(|it| it > 0), "{last:?}");
        assert!(status.why.unwrap().chars().count() <= 200);
    }
}

#[test]
fn a_status_is_written_when_a_number_or_a_reason_changed_and_else_once_a_minute() {
    let mut it = subject(json!({}));
    let (first, _) = it.look(Some(4));
    assert!(is_due(None, &first, START));
    assert!(!is_due(Some(&first), &first, START.plus(seconds(600))), "nothing changed at all");
    // Within the tolerance: only the measured value differs.
    let mut other = first.clone();
    other.targets = Some("999m/1 (avg)".to_owned());
    assert!(!is_due(Some(&first), &other, START.plus(seconds(59))));
    assert!(is_due(Some(&first), &other, START.plus(seconds(60))));
    let mut number = first.clone();
    number.max_replicas = Some(21);
    assert!(is_due(Some(&first), &number, START.plus(1)));
    let mut reason = first.clone();
    reason.conditions.as_mut().unwrap()[0].reason = Some("Other".to_owned());
    assert!(is_due(Some(&first), &reason, START.plus(1)));
    let mut proposal = first.clone();
    proposal.last_decision.as_mut().unwrap().metrics[0].proposal = Some(5);
    assert!(is_due(Some(&first), &proposal, START.plus(1)));
}

#[test]
fn a_status_survives_the_way_through_the_api_server() {
    let mut it = subject(json!({}));
    let (object, _) = it.look(Some(9));
    assert_eq!(Status::from_object(&object).to_object(), object);
    let text = serde_json::to_string(&object).unwrap();
    assert_eq!(serde_json::from_str::<AutoscalerStatus>(&text).unwrap(), object);
}

#[test]
fn lowering_alone_never_refuses_what_validation_accepts() {
    let mut it = subject(json!({}));
    it.look(Some(1));
    let object: Autoscaler = serde_json::from_value(json!({ "metadata": {}, "spec": {
        "scaleTargetRef": { "kind": "Deployment", "name": "web" }, "maxReplicas": 9 } }))
    .unwrap();
    assert!(lower(&object, &Flags::default()).is_ok());
}
