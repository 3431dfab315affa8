//! A decision in plain words: the Trail told step by step, and the one reason that counted most.

mod shown;
mod units;

pub use shown::{Goal, Shown, Shows, StepInfo};
pub use units::{grouped, lasting, number, percent, with_unit};

use plimsoll_engine::{
    Act, At, BadSelector, Barrier, Bid, Bind, Cause, Converged, Decision, Mark, Next, Outlook, Past, Side,
    Step, Trail, Unread, Waiting, Why,
};

use serde::{Deserialize, Serialize};

/// A decision in words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Explanation {
    /// The one sentence.
    pub why: String,
    /// Every step, in order.
    pub steps: Vec<String>,
}

/// Tells a decision.
#[must_use]
pub fn explain(trail: &Trail, decision: &Decision, metrics: &[Shown]) -> Explanation {
    let cx = Cx { at: decision.at, metrics };
    Explanation {
        why: cx.why(trail, decision),
        steps: trail.steps.iter().map(|step| cx.step(step)).collect(),
    }
}

/// Only the one sentence.
#[must_use]
pub fn why(trail: &Trail, decision: &Decision, metrics: &[Shown]) -> String {
    Cx { at: decision.at, metrics }.why(trail, decision)
}

/// When the next change is possible, in words: for growing and for shrinking.
#[must_use]
pub fn next_changes(outlook: &Outlook, at: At) -> (String, String) {
    let next = |next: Next, verb: &str| match next {
        Next::Now => format!("{verb} is possible at the next look"),
        Next::At { at: when, for_what } => {
            format!("{verb} is possible in {}: {}", lasting(when.since(at)), barrier(for_what))
        }
        Next::Never(for_what) => format!("{verb} is not possible: {}", barrier(for_what)),
    };
    (next(outlook.up, "growing"), next(outlook.down, "shrinking"))
}

fn barrier(barrier: Barrier) -> &'static str {
    match barrier {
        Barrier::Suspended => "it is suspended",
        Barrier::Bound => "the bound is reached",
        Barrier::Disabled => "the policies never allow it",
        Barrier::Rate => "the policies allow no more in their period",
        Barrier::Stabilization => "an earlier wish in the stabilization window stands against it",
        Barrier::Cooldown => "the cooldown after the last scaling",
        Barrier::Delay => "it must be called for long enough",
    }
}

struct Cx<'a> {
    at: At,
    metrics: &'a [Shown],
}

impl Cx<'_> {
    fn metric(&self, index: u16) -> Option<&Shown> {
        self.metrics.get(usize::from(index))
    }

    fn name(&self, index: u16) -> &str {
        self.metric(index).map_or("the metric", |m| &m.name)
    }

    /// The one sentence.
    fn why(&self, trail: &Trail, decision: &Decision) -> String {
        let (from, to) = (decision.from, decision.to);
        if decision.act == Act::Abort {
            return format!("stays at {from}: {}", self.obstacle(trail));
        }
        if decision.act == Act::Keep && to != from {
            return format!("stays at {from}: would go to {to}, but {}", self.obstacle(trail));
        }
        let cause = match decision.cause {
            Cause::PastMax => "more than the maximum".to_string(),
            Cause::PastMin => "fewer than the minimum".to_string(),
            Cause::PastZero => "there was none".to_string(),
            _ => self.winner(trail),
        };
        let bound = self.binding(trail);
        let what = if to == from { format!("stays at {from}") } else { format!("{from} -> {to}") };
        match (cause.is_empty(), bound.is_empty()) {
            (true, true) => what,
            (true, false) => format!("{what}: {bound}"),
            (false, true) => format!("{what}: {cause}"),
            (false, false) => format!("{what}: {cause}; {bound}"),
        }
    }

    /// The metric whose proposal won, with its value and goal.
    fn winner(&self, trail: &Trail) -> String {
        let winner = trail.steps.iter().find_map(|s| match s {
            Step::Combined { winner, .. } => Some(*winner),
            _ => None,
        });
        let Some(winner) = winner else { return String::new() };
        let bid = trail.steps.iter().find_map(|s| match s {
            Step::Metric { index, bid: Ok(bid) } if *index == winner => Some(bid),
            _ => None,
        });
        match (bid, self.metric(winner)) {
            (Some(bid), Some(metric)) => format!("{} {}", metric.name, value_and_goal(bid, metric)),
            _ => format!("{} has a stand-in", self.name(winner)),
        }
    }

    /// What kept the result from being what the winner asked for.
    fn binding(&self, trail: &Trail) -> String {
        let mut out = Vec::new();
        for step in &trail.steps {
            match step {
                Step::Stabilized { from, to, .. } if from != to => {
                    out.push(format!("an earlier wish in the window: {to} instead of {from}"));
                }
                Step::Bounded { from, to, by, .. } if from != to => out.push(bind(*by, *from, *to)),
                Step::Lifted { to } => out.push(format!("at least the minimum of {to}")),
                _ => {}
            }
        }
        out.join("; ")
    }

    /// Why nothing was done.
    fn obstacle(&self, trail: &Trail) -> String {
        let told = trail.steps.iter().rev().find(|s| {
            matches!(
                s,
                Step::Waits { .. }
                    | Step::Blocked(_)
                    | Step::Unread(_)
                    | Step::BadSelector(_)
                    | Step::NoBid { .. }
            )
        });
        match told {
            Some(Step::NoBid { first, .. }) => self.failure(trail, *first),
            Some(step) => self.step(step),
            None => "nothing could be decided".to_string(),
        }
    }

    fn failure(&self, trail: &Trail, first: u16) -> String {
        let why = trail.steps.iter().find_map(|s| match s {
            Step::Metric { index, bid: Err(why) } if *index == first => Some(why),
            _ => None,
        });
        why.map_or_else(
            || "no metric could be read".to_string(),
            |w| format!("{} {}", self.name(first), missing(w)),
        )
    }

    fn step(&self, step: &Step) -> String {
        match step {
            Step::Blocked(blocked) => format!("scaling is blocked: {}", blocked.by),
            Step::Unread(unread) => format!("the scale cannot be read: {}", unread_words(unread)),
            Step::Read(scale) => format!("{} replicas asked for, {} exist", scale.spec, scale.status),
            Step::Asleep => "zero replicas by someone else's hand: autoscaling is off".to_string(),
            Step::Jump { from, to, past } => match past {
                Past::Max => format!("{from} is above the maximum: straight to {to}"),
                Past::Min => format!("{from} is below the minimum: straight to {to}"),
                Past::Zero => format!("no replicas: straight to {to}"),
            },
            Step::BadSelector(bad) => match bad {
                BadSelector::Missing => "the target has no selector".to_string(),
                BadSelector::Invalid(text) => format!("the target's selector is broken: {text}"),
                BadSelector::Ambiguous(text) => format!("others select the same pods: {text}"),
            },
            Step::Metric { index, bid: Ok(bid) } => self.bid(*index, bid),
            Step::Metric { index, bid: Err(why) } => format!("{} {}", self.name(*index), missing(why)),
            Step::StandIn { index, to, since } => {
                let lasted = lasting(self.at.since(*since));
                match to {
                    Some(to) => format!("{} missing for {lasted}: {to} stands in for it", self.name(*index)),
                    None => format!("{} missing for {lasted}: left out", self.name(*index)),
                }
            }
            Step::NoBid { failed, .. } => format!("{failed} metrics failed: nothing is decided"),
            Step::Combined { to, winner, failed, .. } => {
                let others = if *failed > 0 { format!(" ({failed} failed)") } else { String::new() };
                format!("wish: {to}, from {}{others}", self.name(*winner))
            }
            Step::Stabilized { from, to, toward } => stabilized(*from, *to, *toward),
            Step::Bounded { from, to, low, high, by } => {
                if from == to {
                    format!("limits allow {low} to {high}: {to} it is")
                } else {
                    format!("limits allow {low} to {high}: {}", bind(*by, *from, *to))
                }
            }
            Step::Lifted { to } => format!("woken up: at least the minimum of {to}"),
            Step::Cooling { up, down } => {
                let side = |until: &Option<At>, word: &str| {
                    until.map(|u| format!("{word} waits {} more", lasting(u.since(self.at))))
                };
                let both: Vec<String> =
                    [side(up, "growing"), side(down, "shrinking")].into_iter().flatten().collect();
                format!("cooldown: {}", both.join(", "))
            }
            Step::Waits { on, until } => self.waits(*on, *until),
        }
    }

    fn bid(&self, index: u16, bid: &Bid) -> String {
        let Some(metric) = self.metric(index) else { return format!("asks for {}", bid.to) };
        let mark = match bid.mark {
            Mark::None | Mark::Above | Mark::Below | Mark::Within => "",
            Mark::ZeroIgnored => ", which is not believed",
            Mark::Converging(Converged::ToHigh) => ", moving on to the high mark",
            Mark::Converging(Converged::ToLow) => ", moving on to the low mark",
            Mark::Converging(Converged::HighUnstable) => ", one fewer would cross the high mark",
            Mark::Converging(Converged::LowUnstable) => ", one more would cross the low mark",
        };
        let pods = if bid.ready > 0 { format!(" over {} pods", bid.ready) } else { String::new() };
        format!("{} {}{pods}{mark}: asks for {}", metric.name, value_and_goal(bid, metric), bid.to)
    }

    fn waits(&self, on: Waiting, until: Option<At>) -> String {
        let more = until.map_or_else(String::new, |u| format!(" for {} more", lasting(u.since(self.at))));
        let verb = |side| if side == Side::Up { "growing" } else { "shrinking" };
        match on {
            Waiting::Cooldown(side) => format!("{} cools down{more}", verb(side)),
            Waiting::Delay(side) => format!("{} must be called for longer{more}", verb(side)),
            Waiting::Suspended(side) => format!("{} is suspended", verb(side)),
            Waiting::Availability => "too few pods are available".to_string(),
        }
    }
}

fn value_and_goal(bid: &Bid, metric: &Shown) -> String {
    let value = with_unit(metric.value(bid), &metric.unit);
    let goal = match &metric.goal {
        Goal::Target { value } => format!("goal {}", number(*value)),
        Goal::Watermarks { low, high } => match bid.mark {
            Mark::Above => format!("above {}", number(*high)),
            Mark::Below => format!("below {}", number(*low)),
            _ => format!("between {} and {}", number(*low), number(*high)),
        },
        Goal::Steps { .. } => "by its steps".to_string(),
    };
    format!("{value}, {goal}")
}

fn stabilized(from: i32, to: i32, toward: Side) -> String {
    match (from == to, toward) {
        (true, _) => format!("no earlier wish in the window speaks against {to}"),
        (false, Side::Up) => {
            format!("the window has seen a wish for {to}: grows to no more than that (now {from})")
        }
        (false, Side::Down) => {
            format!("the window has seen a wish for {to}: shrinks to no less than that (now {from})")
        }
    }
}

fn bind(by: Bind, from: i32, to: i32) -> String {
    let rule = match by {
        Bind::Within => "the limits",
        Bind::RateUp => "the limit on growing",
        Bind::RateDown => "the limit on shrinking",
        Bind::ShareUp => "the most that one scaling may add",
        Bind::ShareDown => "the most that one scaling may remove",
        Bind::TooMany => "the maximum",
        Bind::TooFew => "the minimum",
        Bind::AtLeastOne => "at least one replica",
    };
    format!("{rule}: {to} instead of {from}")
}

fn missing(why: &Why) -> String {
    match why {
        Why::Api(text) => format!("cannot be read: {text}"),
        Why::Selector(text) => format!("has a broken selector: {text}"),
        Why::Spec(text) => format!("makes no sense: {text}"),
        Why::Stale { secs } => {
            format!("is {} old, too old to count", lasting(secs.saturating_mul(1_000_000)))
        }
        Why::NoPods => "has no pods to be measured on".to_string(),
        Why::NoSamples => "has no samples".to_string(),
        Why::Request(text) => format!("needs a request: {text}"),
        Why::NoMatch => "has samples of other pods only".to_string(),
        Why::NoneReady { of } => format!("has no ready pod among {of}"),
        Why::TooFewReady { percent } => format!("has only {percent} % of its pods ready"),
    }
}

fn unread_words(unread: &Unread) -> &str {
    match unread {
        Unread::BadVersion(text) | Unread::UnknownKind(text) | Unread::Failed(text) => text,
    }
}
