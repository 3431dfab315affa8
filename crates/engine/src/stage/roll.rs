//! The roll call: which pods count for a metric. One pass over the pods into a handful of integers.

use crate::flow::Cx;
use crate::metric::{Metric, Rule, Warmup};
use crate::number::count;
use crate::observation::{PerPod, Phase, Pod, Reading, Ready, Sample};
use crate::policy::{Strangers, Terminal};
use crate::rule::{Ask, marks};
use crate::stage::propose::{per_pod, series};
use crate::time::At;
use crate::trail::{Bid, Why};

/// Counts and sums over the pods, by how far each can be trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Pods that were looked at.
    pub(crate) pods: i64,
    /// Pods whose sample counts.
    pub(crate) ready: Group,
    /// Pods without a sample.
    pub(crate) missing: Group,
    /// Pods whose sample does not count yet.
    pub(crate) unready: Group,
    /// What the missing pods would use at the fallback percentage of their requests.
    pub(crate) missing_fallback: i64,
    /// Samples of pods that are not in the list.
    pub(crate) others: Group,
}

/// A number of pods with the sums of their samples and requests, in milli-units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) count: i64,
    pub(crate) milli: i64,
    pub(crate) requests: i64,
}

impl Group {
    fn add(&mut self, milli: i64, request: i64) {
        self.count += 1;
        self.milli = self.milli.wrapping_add(milli);
        self.requests = self.requests.wrapping_add(request);
    }
}

impl Tally {
    /// Tells ready, missing and unready pods apart.
    pub(crate) fn grouped(
        cx: &Cx<'_>,
        per_pod: &PerPod,
        warmup: Option<Warmup>,
        fallback_percent: i64,
    ) -> Tally {
        let mut tally = Tally::default();
        if cx.policy.roster.strangers == Strangers::Count {
            tally.others = Group { count: per_pod.others.count, milli: per_pod.others.milli, requests: 0 };
        }
        let requests = per_pod.requests.as_deref().unwrap_or_default();
        for (index, pod) in cx.seen.pods.iter().enumerate() {
            if left_out(cx, pod) {
                continue;
            }
            tally.pods += 1;
            if pod.deleted || pod.phase == Phase::Failed {
                continue;
            }
            let request = requests.get(index).copied().unwrap_or_default();
            let sample = per_pod.samples.get(index).copied().flatten();
            match sample {
                _ if pod.phase == Phase::Pending => tally.unready.add(0, request),
                None => {
                    tally.missing.add(0, request);
                    let fallback = request.wrapping_mul(fallback_percent) / 100;
                    tally.missing_fallback = tally.missing_fallback.wrapping_add(fallback);
                }
                Some(sample) if warmup.is_some_and(|warmup| distrusted(cx.seen.at, pod, sample, warmup)) => {
                    tally.unready.add(0, request);
                }
                Some(sample) => tally.ready.add(sample.milli, request),
            }
        }
        tally
    }

    /// Whether there is anything to work with.
    pub(crate) fn usable(&self) -> Result<(), Why> {
        if self.pods == 0 {
            return Err(Why::NoPods);
        }
        if self.ready.count + self.others.count == 0 {
            return Err(Why::NoSamples);
        }
        Ok(())
    }
}

/// Whether the policy leaves this pod out altogether.
fn left_out(cx: &Cx<'_>, pod: &Pod) -> bool {
    let roster = cx.policy.roster;
    (roster.strangers == Strangers::Ignore && !pod.owned)
        || (roster.terminal == Terminal::Ignore && matches!(pod.phase, Phase::Succeeded | Phase::Failed))
}

/// Whether a sample was taken while its pod was not ready to be measured.
fn distrusted(at: At, pod: &Pod, sample: Sample, warmup: Warmup) -> bool {
    let Some(start) = pod.start else { return true };
    if pod.ready == Ready::Unsaid {
        return true;
    }
    if start.plus(warmup.cpu_init_us) > at {
        pod.ready == Ready::False || sample.at < pod.ready_since.plus(sample.window_us)
    } else {
        pod.ready == Ready::False && start.plus(warmup.delay_us) > pod.ready_since
    }
}

/// How many pods are running and ready.
pub(crate) fn running(cx: &Cx<'_>) -> Result<i64, Why> {
    let mut pods = 0;
    let mut ready = 0;
    for pod in cx.seen.pods.iter().filter(|pod| !left_out(cx, pod)) {
        pods += 1;
        ready += i64::from(pod.phase == Phase::Running && pod.ready == Ready::True);
    }
    if pods == 0 { Err(Why::NoPods) } else { Ok(ready) }
}

/// The share of the pods that is available, in percent; `None` if there are no pods.
pub(crate) fn available_percent(cx: &Cx<'_>) -> Option<i64> {
    let pods = count(cx.seen.pods.iter().filter(|pod| !left_out(cx, pod)).count());
    let ready = running(cx).ok()?;
    (100 * ready).checked_div(pods)
}

/// Pods owned by the target with a sample of their own; the sum is over every sample that was not set aside.
pub(crate) fn sampled(
    cx: &Cx<'_>,
    ask: &Ask,
    metric: &Metric,
    reading: &Reading,
    delay_us: Option<i64>,
) -> Result<Bid, Why> {
    let per_pod = per_pod(reading)?;
    let pods = count(cx.seen.pods.len());
    if pods == 0 {
        return Err(Why::NoPods);
    }
    let (mut ready, mut ignored) = (0i64, 0i64);
    let (mut left, mut sum) = (per_pod.others.count, per_pod.others.milli);
    for (pod, sample) in cx.seen.pods.iter().zip(&per_pod.samples) {
        let set_aside = pod.owned
            && (matches!(pod.phase, Phase::Failed | Phase::Pending)
                || (sample.is_some() && delay_us.is_some_and(|delay_us| unsettled(pod, delay_us))));
        if set_aside {
            ignored += 1;
        } else if let Some(sample) = sample {
            ready += i64::from(pod.owned);
            left += 1;
            sum = sum.wrapping_add(sample.milli);
        }
    }
    // The reference divides by zero when every pod was set aside; here that holds, with the reason named.
    let Some(percent) = (100 * ready).checked_div(pods - ignored) else {
        return Err(Why::NoneReady { of: u32::try_from(pods).unwrap_or(u32::MAX) });
    };
    available(cx, percent)?;
    if left == 0 {
        return Err(Why::NoSamples);
    }
    Ok(by_sum(ask, metric, sum, ready, marks::Zero::Trusted))
}

/// A pod that never became ready, or did so too soon after its start.
fn unsettled(pod: &Pod, delay_us: i64) -> bool {
    match pod.start {
        Some(start) if pod.ready != Ready::Unsaid => {
            pod.ready == Ready::False || start.plus(delay_us) > pod.ready_since
        }
        _ => true,
    }
}

/// Pods owned by the target that are ready, or have been pending for a short time.
pub(crate) fn tolerated(
    cx: &Cx<'_>,
    ask: &Ask,
    metric: &Metric,
    reading: &Reading,
    delay_us: i64,
) -> Result<Bid, Why> {
    let pods = count(cx.seen.pods.len());
    if pods == 0 {
        return Err(Why::NoPods);
    }
    let (mut ready, mut foreign) = (0i64, 0i64);
    for pod in &cx.seen.pods {
        if !pod.owned || matches!(pod.phase, Phase::Failed | Phase::Succeeded) {
            foreign += 1;
        } else if pod.ready != Ready::Unsaid && pod.start.is_some() && !pod.deleted {
            let pending = pod.phase == Phase::Pending && cx.seen.at.since(pod.ready_since) < delay_us;
            ready += i64::from(pending || (pod.phase == Phase::Running && pod.ready == Ready::True));
        }
    }
    if ready == 0 {
        return Err(Why::NoneReady { of: u32::try_from(pods).unwrap_or(u32::MAX) });
    }
    let ready = ready.min(i64::from(ask.status));
    available(cx, (100 * ready).checked_div(pods - foreign).unwrap_or_default())?;
    let (values, _) = series(reading)?;
    let sum = values.iter().fold(0i64, |sum, value| sum.wrapping_add(*value));
    let zero = match &metric.rule {
        Rule::Marks(marks) => marks.zero,
        _ => marks::Zero::Trusted,
    };
    Ok(by_sum(ask, metric, sum, ready, zero))
}

fn available(cx: &Cx<'_>, percent: i64) -> Result<(), Why> {
    let percent = i32::try_from(percent).unwrap_or(i32::MAX);
    if percent < cx.policy.roster.min_available_percent { Err(Why::TooFewReady { percent }) } else { Ok(()) }
}

fn by_sum(ask: &Ask, metric: &Metric, sum: i64, ready: i64, zero: marks::Zero) -> Bid {
    match &metric.rule {
        Rule::Marks(marks) => marks::by_sum(ask, marks, sum, ready, zero),
        // Only watermarks are lowered with these rolls; anything else holds.
        _ => Bid { to: ask.current, ready: 0, percent: 0, mark: crate::trail::Mark::None, milli: sum },
    }
}
