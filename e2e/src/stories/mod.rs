//! All stories. Each file holds those about one subject and lists them in its own `stories`.

mod parts;

use crate::story::Story;

/// Every story, in the order they are started.
pub fn all() -> Vec<Story> {
    [parts::stories()].into_iter().flatten().collect()
}
