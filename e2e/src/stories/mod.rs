//! All stories. Each file holds those about one subject and lists them in its own `stories`.

mod asking;
mod autoscaler;
mod daily;
mod explain;
mod hpa;
mod memory;
mod outage;
mod parts;
mod prometheus;
mod rights;
mod takeover;
mod trouble;
mod watermark;

use crate::story::Story;

/// Every story, in the order they are started.
pub fn all() -> Vec<Story> {
    let subjects = [
        parts::stories(),
        // The longest first, so that the others run beside them.
        outage::stories(),
        memory::stories(),
        watermark::stories(),
        hpa::stories(),
        autoscaler::stories(),
        prometheus::stories(),
        asking::stories(),
        daily::stories(),
        trouble::stories(),
        explain::stories(),
        takeover::stories(),
        with_restarts(),
        rights::stories(),
    ];
    subjects.into_iter().flatten().collect()
}

/// The stories of scaling once more, with a restart of the controller between every two steps.
fn with_restarts() -> Vec<Story> {
    // What they are about would be over: a restarted controller looks at everything at once, and counts anew.
    let once = ["autoscaler-validation", "autoscaler-syncs-at-once", "wpa-monitor"];
    let subjects = [
        hpa::stories(),
        autoscaler::stories(),
        prometheus::stories(),
        daily::stories(),
        watermark::stories(),
    ];
    let told = subjects.into_iter().flatten().filter(|story| !once.contains(&story.name()));
    told.map(Story::with_restarts).collect()
}
