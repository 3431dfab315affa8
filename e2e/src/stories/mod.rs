//! All stories. Each file holds those about one subject and lists them in its own `stories`.

mod daily;
mod hpa;
mod parts;
mod trouble;

use crate::story::Story;

/// Every story, in the order they are started.
pub fn all() -> Vec<Story> {
    [parts::stories(), hpa::stories(), daily::stories(), trouble::stories()].into_iter().flatten().collect()
}
