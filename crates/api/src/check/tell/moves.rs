//! Growing and shrinking, with worked numbers.

use plimsoll_engine::rule::steps::Zone;
use plimsoll_engine::{Bounds, Combine, Rule, Side, Step, Suspend};

use super::Teller;
use crate::check::meaning::{Example, Topic};
use crate::check::probe::{Level, Load, Run};
use crate::check::words;
use crate::explain::Shows;

impl Teller<'_> {
    /// Worked numbers for one direction, and how fast it goes through the whole range.
    pub(super) fn moves(&mut self, side: Side) {
        let lowered = self.lowered;
        let topic = if side == Side::Up { Topic::Grows } else { Topic::Shrinks };
        let together = (side == Side::Up) == (lowered.policy.combine == Combine::Min);
        let count = lowered.metrics.len();
        let mut told_any = false;
        if together && count > 1 {
            let factor = if side == Side::Up { "half above its goal" } else { "at half its goal" };
            told_any |= self.example(side, topic, None, &format!("every metric {factor}"));
        } else {
            for index in 0..count {
                told_any |= self.example(side, topic, Some(index), "");
            }
        }
        if told_any {
            self.whole_range(side, topic);
        } else {
            let verb = if side == Side::Up { "grow" } else { "shrink" };
            self.say(topic, format!("nothing ever makes it {verb}{}", self.suspended(side)));
        }
        if let Some(limit) = words::limit(&lowered.policy.limits, side).filter(|it| told_any && it != "never")
        {
            self.say(topic, limit);
        }
    }

    fn suspended(&self, side: Side) -> &'static str {
        match (self.lowered.policy.suspend, side) {
            (Suspend::All, _) | (Suspend::Up, Side::Up) | (Suspend::Down, Side::Down) => ": it is suspended",
            _ => "",
        }
    }

    /// One worked example; whether anything moved.
    fn example(&mut self, side: Side, topic: Topic, only: Option<usize>, all: &str) -> bool {
        let lowered = self.lowered;
        let from = self.example_replicas(side);
        let mut tried: Option<(Run, Option<Level>)> = None;
        for strength in [0.5, 2.0, 8.0] {
            let off = |index: usize| self.off_goal(index, from, side, strength);
            let loads = (0..lowered.metrics.len()).map(|index| {
                if only.is_none_or(|only| only == index) {
                    Load::Shared(off(index), from)
                } else {
                    Load::Neutral
                }
            });
            let run = self.probe.run(from, &loads.collect::<Vec<_>>());
            let moved = !run.changes.is_empty();
            tried = Some((run, only.map(off)));
            if moved {
                break;
            }
        }
        let Some((run, level)) = tried else { return false };
        let metric = only.and_then(|it| lowered.metrics.get(it));
        let Some(did) = words::run(&run) else { return false };
        let what = match (metric, level) {
            (Some(metric), Some(level)) => {
                format!("{} at {}", metric.shown.name, words::level(&metric.shown, level))
            }
            _ => all.to_owned(),
        };
        self.say(
            topic,
            format!("at {} and {what} it {did}{}", words::pods(from), self.short_of_wish(&run, only)),
        );
        self.record(&run, metric.map(|it| it.shown.name.clone()), only.zip(level));
        true
    }

    /// Why it stopped where it did, if that is not where the metric wanted it.
    fn short_of_wish(&self, run: &Run, metric: Option<usize>) -> String {
        let Bounds { min, max } = self.lowered.policy.bounds;
        match run.to() {
            to if to == max && run.from < max => return ", the maximum".to_owned(),
            to if to == min && run.from > min => return ", the minimum".to_owned(),
            _ => {}
        }
        let steps = metric
            .and_then(|it| self.lowered.policy.metrics.get(it))
            .is_some_and(|it| matches!(it.rule, Rule::Steps(_)));
        let short = run.wish.filter(|wish| run.from.abs_diff(run.to()) < run.from.abs_diff(*wish) && !steps);
        let there = metric.and_then(|metric| {
            let shown = &self.lowered.metrics.get(metric)?.shown;
            let bid = run.last.steps.iter().find_map(|step| match step {
                Step::Metric { index, bid: Ok(bid) } if usize::from(*index) == metric => Some(bid),
                _ => None,
            })?;
            let level = if shown.shows == Shows::Percent { f64::from(bid.percent) } else { bid.milli as f64 };
            Some(format!("{} is then at {}", shown.name, words::level(shown, level)))
        });
        match short.zip(there) {
            Some((wish, there)) => format!(", not to {wish}: {there}, close enough"),
            None => String::new(),
        }
    }

    fn record(&mut self, run: &Run, metric: Option<String>, at: Option<(usize, Level)>) {
        let value = at.and_then(|(index, level)| {
            Some(match self.lowered.metrics.get(index)?.shown.shows {
                Shows::Percent => level,
                Shows::Milli(divisor) => level / divisor,
            })
        });
        let (from, to, changes) = (run.from, run.to(), run.changes.clone());
        self.meaning.examples.push(Example { metric, value, from, to, changes });
    }

    /// A level well off the goal: half of it further at strength 0.5.
    fn off_goal(&self, index: usize, from: i32, side: Side, strength: f64) -> Level {
        let rule = self.lowered.policy.metrics.get(index).map(|it| &it.rule);
        let neutral = self.probe.neutral(index, from);
        let (low, high) = match rule {
            Some(Rule::Marks(marks)) => (marks.low as f64, marks.high as f64),
            Some(Rule::Steps(steps)) => {
                // The first step beyond the quiet range; if that does nothing, the last one.
                let ends = |zone: Zone| steps.table.iter().filter(move |it| it.side == zone);
                let first = match side {
                    Side::Up => ends(Zone::Above).filter_map(|it| it.lower).reduce(f64::min),
                    Side::Down => ends(Zone::Below).filter_map(|it| it.upper).reduce(f64::max),
                };
                return match (first.filter(|_| strength < 1.0), side) {
                    (Some(first), _) => first,
                    (None, Side::Up) => self.probe.flood(index),
                    (None, Side::Down) => self.probe.drought(index),
                };
            }
            _ => (neutral, neutral),
        };
        match side {
            Side::Up => high * (1.0 + strength),
            Side::Down => low / (1.0 + strength * 2.0),
        }
    }

    fn whole_range(&mut self, side: Side, topic: Topic) {
        let Bounds { min, max } = self.lowered.policy.bounds;
        let (from, level): (i32, Box<dyn Fn(usize) -> Level + '_>) = match side {
            Side::Up => (min.max(1), Box::new(|index| self.probe.flood(index))),
            Side::Down => (max, Box::new(|index| self.probe.drought(index))),
        };
        let loads: Vec<Load> = (0..self.lowered.metrics.len()).map(|it| Load::Constant(level(it))).collect();
        let run = self.probe.run(from, &loads);
        drop(level);
        if run.changes.is_empty() {
            return;
        }
        let (load, bound) = if side == Side::Up { ("under full load", max) } else { ("without load", min) };
        let text = if run.complete || run.to() == bound {
            let steps =
                if run.changes.len() > 1 { format!(": {}", words::chain(&run)) } else { String::new() };
            format!("{load} from {from} to {} {} at best{steps}", run.to(), words::whole(&run))
        } else {
            format!("{load} from {from} to {} {} at best, and on to {bound}", run.to(), words::whole(&run))
        };
        self.say(topic, text);
        self.record(&run, None, None);
    }
}

impl Teller<'_> {
    /// A number of replicas that makes a good example: 10 if there is room, else well inside the bounds; a multiple
    /// where multiples are asked for.
    pub(super) fn example_replicas(&self, side: Side) -> i32 {
        let bounds = self.lowered.policy.bounds;
        let (min, max) = (bounds.min.max(1), bounds.max);
        let usual = if min <= 10 && max >= 15 { 10 } else { (i64::from(max) * 2 / 3) as i32 };
        let multiple = self.lowered.policy.metrics.iter().map(|it| it.multiple).max().unwrap_or(1).max(1);
        let usual = usual - usual % multiple;
        match side {
            Side::Up => usual.clamp(min, max.saturating_sub(1).max(min)),
            Side::Down => usual.clamp(min.saturating_add(1).min(max), max),
        }
    }
}
