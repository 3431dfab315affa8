//! All stories. Each file holds those about one subject and lists them in its own `stories`.

mod autoscaler;
mod daily;
mod hpa;
mod outage;
mod parts;
mod rights;
mod trouble;

use crate::story::Story;

/// Every story, in the order they are started.
pub fn all() -> Vec<Story> {
    let subjects = [
        parts::stories(),
        // The longest first, so that the others run beside them.
        outage::stories(),
        hpa::stories(),
        autoscaler::stories(),
        daily::stories(),
        trouble::stories(),
        rights::stories(),
    ];
    subjects.into_iter().flatten().collect()
}
