//! Tells what an autoscaler means, in plain words with worked numbers.

mod moves;
mod rest;

use plimsoll_engine::rule::marks::Algorithm;
use plimsoll_engine::{Bounds, Combine, Rule, Side};

use super::meaning::{Line, Meaning, MetricMeaning, Quiet, Topic};
use super::probe::{Level, MOST_PODS, Probe};
use super::subject::{Lowered, Subject};
use super::words;
use crate::explain::{Goal, Shown, Shows, number};
use crate::source::Source;

/// How many invented pods are asked when a range is measured: enough that one percent more is one pod more.
const MANY: i32 = 1000;

/// Tells what an autoscaler means.
pub(super) fn tell(subject: &Subject<'_>) -> Meaning {
    let document = subject.document;
    let mut meaning = Meaning {
        file: document.source.to_string(),
        line: document.line,
        api_version: document.api_version.clone(),
        kind: document.kind.clone(),
        namespace: subject.namespace.map(ToOwned::to_owned),
        name: subject.name.to_owned(),
        target: format!("{}/{}", subject.target.kind, subject.target.name),
        min_replicas: None,
        max_replicas: None,
        metrics: Vec::new(),
        examples: Vec::new(),
        lines: Vec::new(),
    };
    if let Some(lowered) = &subject.lowered {
        let bounds = lowered.policy.bounds;
        (meaning.min_replicas, meaning.max_replicas) = (Some(bounds.min), Some(bounds.max));
        let probe = Probe::new(&lowered.policy, &lowered.metrics);
        Teller { lowered, probe, meaning: &mut meaning }.all();
    }
    meaning
}

struct Teller<'a> {
    lowered: &'a Lowered,
    probe: Probe<'a>,
    meaning: &'a mut Meaning,
}

impl Teller<'_> {
    fn all(&mut self) {
        self.schedules();
        self.holds();
        let Bounds { min, max } = self.lowered.policy.bounds;
        if min < max && min < MOST_PODS {
            self.moves(Side::Up);
            self.moves(Side::Down);
            self.waits();
            self.blind();
        }
        self.sleeps();
    }

    fn say(&mut self, topic: Topic, text: impl Into<String>) {
        self.meaning.lines.push(Line { topic, text: text.into() });
    }

    fn holds(&mut self) {
        let lowered = self.lowered;
        for (index, metric) in lowered.metrics.iter().enumerate() {
            let shown = &metric.shown;
            let quiet = self.quiet(index);
            let per = self.per(index);
            let rule = lowered.policy.metrics.get(index).map(|it| &it.rule);
            let text = match rule {
                Some(Rule::Steps(_)) => format!("{} by steps: {}", shown.name, steps(shown)),
                Some(Rule::Marks(marks)) => {
                    let (low, high) =
                        (words::level(shown, marks.low as f64), words::level(shown, marks.high as f64));
                    format!("{} between {low} and {high}{per}{}", shown.name, self.quiet_words(index, quiet))
                }
                _ => {
                    let goal = words::level(shown, self.probe.neutral(index, MANY));
                    format!("{} at {goal}{per}{}", shown.name, self.quiet_words(index, quiet))
                }
            };
            self.say(Topic::Holds, text);
            let scale = |level: Level| match shown.shows {
                Shows::Percent => level,
                Shows::Milli(divisor) => level / divisor,
            };
            self.meaning.metrics.push(MetricMeaning {
                name: shown.name.clone(),
                unit: shown.unit.clone(),
                goal: shown.goal.clone(),
                quiet: quiet.map(|(from, to)| Quiet { from: scale(from), to: scale(to) }),
            });
        }
        if lowered.metrics.len() > 1 {
            let which = match lowered.policy.combine {
                Combine::Max => {
                    "of several wishes the largest wins: one metric is enough to grow, all must allow to shrink"
                }
                Combine::Min => {
                    "of several wishes the smallest wins: all must ask to grow, one metric is enough to shrink"
                }
            };
            self.say(Topic::Holds, which);
        }
    }

    /// What the number of a metric is of: ` of the request`, ` per pod`, or nothing.
    fn per(&self, index: usize) -> &'static str {
        let Some(metric) = self.lowered.metrics.get(index) else { return "" };
        if metric.shown.shows == Shows::Percent {
            return " of the request";
        }
        let per_pod = match self.lowered.policy.metrics.get(index).map(|it| &it.rule) {
            Some(Rule::PerReplica { .. }) => true,
            Some(Rule::Marks(marks)) => marks.algorithm == Algorithm::Average,
            Some(Rule::Steps(steps)) => steps.algorithm == Algorithm::Average,
            _ => false,
        };
        let measured_by_pod = matches!(metric.source, Source::Resource { .. } | Source::Pods { .. });
        if per_pod || measured_by_pod { " per pod" } else { "" }
    }

    fn quiet_words(&self, index: usize, quiet: Option<(Level, Level)>) -> String {
        match (quiet, self.lowered.metrics.get(index)) {
            (Some((from, to)), Some(metric)) => format!(
                "; nothing changes from {} to {}",
                words::level(&metric.shown, from),
                words::level(&metric.shown, to)
            ),
            _ => String::new(),
        }
    }

    /// The range around its goal in which a metric asks for no change, found by asking the engine.
    fn quiet(&self, index: usize) -> Option<(Level, Level)> {
        let middle = self.probe.neutral(index, MANY);
        let calm = |level: Level| self.probe.bid(index, level, MANY).is_some_and(|bid| bid.to == MANY);
        if !calm(middle) {
            return None;
        }
        let metric = self.lowered.metrics.get(index)?;
        let fine = match self.lowered.policy.metrics.get(index)?.rule {
            Rule::Utilization { .. } => 1.0,
            _ if metric.shown.shows == Shows::Percent => 0.1,
            _ => 1.0,
        };
        let edge = |toward: f64| {
            let reach = |steps: f64| middle + toward * steps * fine;
            let (mut inside, mut outside) = (0.0, 1.0);
            while calm(reach(outside)) {
                (inside, outside) = (outside, outside * 2.0);
                if outside > 1e15 {
                    return reach(inside);
                }
            }
            while outside - inside > 1.0 {
                let half = f64::midpoint(inside, outside).floor();
                if calm(reach(half)) { inside = half } else { outside = half }
            }
            reach(inside)
        };
        Some((edge(-1.0).max(middle.min(0.0)), edge(1.0)))
    }
}

/// The rows of a step table: `+1 from 88 % to 95 %`.
fn steps(shown: &Shown) -> String {
    let Goal::Steps { steps } = &shown.goal else { return String::new() };
    let unit = if shown.shows == Shows::Percent { " %" } else { "" };
    let end = |it: Option<f64>| it.map_or_else(String::new, |it| format!("{}{unit}", number(it)));
    let rows = steps.iter().map(|it| match (it.lower, it.upper) {
        (Some(_), None) => format!("{} from {}", it.adjustment, end(it.lower)),
        (None, Some(_)) => format!("{} up to {}", it.adjustment, end(it.upper)),
        _ => format!("{} from {} to {}", it.adjustment, end(it.lower), end(it.upper)),
    });
    rows.collect::<Vec<_>>().join(", ")
}
