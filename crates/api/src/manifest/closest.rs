//! Which known name someone probably meant.

/// The closest known name, if it is close enough to be a slip of the keyboard.
pub(super) fn closest<'a>(written: &str, known: &[&'a str]) -> Option<&'a str> {
    let same = |it: &&&str| it.eq_ignore_ascii_case(written);
    if let Some(name) = known.iter().find(same) {
        return Some(name);
    }
    // A third of the letters wrong is another word. Long ones are not worth comparing.
    let limit = (written.chars().count() / 3).clamp(1, 4);
    let near = known.iter().filter(|it| it.len().abs_diff(written.len()) <= limit);
    let near = near.map(|it| (distance(written, it), *it)).filter(|(distance, _)| *distance <= limit);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// How many letters must be added, dropped or changed to get from one word to the other.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.chars().count()).collect();
    for (at, a) in left.chars().enumerate() {
        let mut diagonal = at;
        let mut before = at + 1;
        let mut next = vec![before];
        for (b, above) in right.chars().zip(row.iter().skip(1)) {
            let changed = diagonal + usize::from(a != b);
            before = changed.min(before + 1).min(above + 1);
            diagonal = *above;
            next.push(before);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_other_words_are_not() {
        let known = ["maxReplicas", "minReplicas", "metrics", "behavior", "scaleTargetRef"];
        assert_eq!(closest("maxReplica", &known), Some("maxReplicas"));
        assert_eq!(closest("maxreplicas", &known), Some("maxReplicas"));
        assert_eq!(closest("behaviour", &known), Some("behavior"));
        assert_eq!(closest("metric", &known), Some("metrics"));
        assert_eq!(closest("replicas", &known), None);
        assert_eq!(closest("x", &known), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
