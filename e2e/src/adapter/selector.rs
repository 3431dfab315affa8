//! Label selectors as they stand in a URL: `app=web,tier in (a,b),!canary`.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

/// One requirement on one label.
#[derive(Debug, PartialEq)]
enum Need {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
}

/// A parsed selector; the empty one matches everything.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Selector(Vec<(String, Need)>);

impl Selector {
    /// Parses what stands after `labelSelector=`, already percent-decoded.
    pub(super) fn parse(text: &str) -> Result<Selector> {
        let mut needs = Vec::new();
        for part in split_outside_parentheses(text) {
            needs.push(parse_need(part.trim())?);
        }
        Ok(Selector(needs))
    }

    /// Whether these labels fulfil every requirement.
    pub(super) fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|(key, need)| {
            let value = labels.get(key);
            match need {
                Need::In(values) => value.is_some_and(|value| values.contains(value)),
                Need::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
                Need::Exists => value.is_some(),
                Need::Absent => value.is_none(),
            }
        })
    }
}

fn parse_need(part: &str) -> Result<(String, Need)> {
    let named = |key: &str, need| Ok((key.trim().to_owned(), need));
    if let Some(list) = part.strip_suffix(')') {
        let Some((head, values)) = list.split_once('(') else { bail!("no `(` in `{part}`") };
        let values = values.split(',').map(|value| value.trim().to_owned()).collect();
        let head = head.trim();
        return match head.rsplit_once(char::is_whitespace) {
            Some((key, "in")) => named(key, Need::In(values)),
            Some((key, "notin")) => named(key, Need::NotIn(values)),
            _ => bail!("neither `in` nor `notin` in `{part}`"),
        };
    }
    let value = |text: &str| vec![text.trim().to_owned()];
    if let Some((key, no)) = part.split_once("!=") {
        named(key, Need::NotIn(value(no)))
    } else if let Some((key, yes)) = part.split_once("==").or_else(|| part.split_once('=')) {
        named(key, Need::In(value(yes)))
    } else if let Some(key) = part.strip_prefix('!') {
        named(key, Need::Absent)
    } else {
        named(part, Need::Exists)
    }
}

fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(text.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(from..).filter(|rest| !rest.trim().is_empty()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(selector: &str, labels: &[(&str, &str)]) -> bool {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Selector::parse(selector).unwrap().matches(&labels)
    }

    #[test]
    fn every_form_of_requirement() {
        assert!(matches("", &[]));
        assert!(matches("app=web", &[("app", "web")]));
        assert!(!matches("app==web", &[("app", "api")]));
        assert!(matches("app!=web", &[]));
        assert!(matches("tier in (a, b),app=web", &[("tier", "b"), ("app", "web")]));
        assert!(!matches("tier notin (a,b)", &[("tier", "a")]));
        assert!(matches("canary", &[("canary", "")]));
        assert!(!matches("!canary", &[("canary", "")]));
        assert!(Selector::parse("tier within (a)").is_err());
    }
}
