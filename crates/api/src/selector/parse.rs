//! Parses a selector from its string form, with the reference's complaints.

use std::collections::BTreeSet;

use super::{Operator, Requirement, Selector, SelectorError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Identifier,
    Open,
    Close,
    Comma,
    Not,
    Equals,
    NotEquals,
    Greater,
    Less,
    In,
    NotIn,
    End,
    Broken,
}

#[derive(Debug, Clone)]
struct Token {
    kind: Kind,
    text: String,
}

type Parsed<T> = Result<T, String>;

/// Parses a selector such as `app=web,tier in (gold,silver),!canary`. The empty string selects everything.
pub fn parse(text: &str) -> Result<Selector, SelectorError> {
    let mut parser = Parser { tokens: scan(text), next: 0 };
    let mut requirements = parser.selector().map_err(SelectorError)?;
    requirements.sort_by(|left, right| left.key.cmp(&right.key));
    Ok(Selector { nothing: false, requirements })
}

fn is_special(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn special(text: &str) -> Option<Kind> {
    Some(match text {
        "(" => Kind::Open,
        ")" => Kind::Close,
        "," => Kind::Comma,
        "!" => Kind::Not,
        "=" | "==" => Kind::Equals,
        "!=" => Kind::NotEquals,
        ">" => Kind::Greater,
        "<" => Kind::Less,
        _ => return None,
    })
}

fn scan(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start_matches(is_blank);
    while let Some(first) = rest.chars().next() {
        let length = if is_special(first) {
            // The longest run of symbols that is one operator.
            (1..=rest.len().min(2))
                .rev()
                .find(|length| rest.get(..*length).is_some_and(|run| special(run).is_some()))
        } else {
            Some(rest.find(|c| is_special(c) || is_blank(c)).unwrap_or(rest.len()))
        };
        let (word, after) = rest.split_at_checked(length.unwrap_or(first.len_utf8())).unwrap_or((rest, ""));
        let kind = match word {
            "in" => Kind::In,
            "notin" => Kind::NotIn,
            _ if is_special(first) => special(word).unwrap_or(Kind::Broken),
            _ => Kind::Identifier,
        };
        tokens.push(Token { kind, text: word.to_owned() });
        rest = after.trim_start_matches(is_blank);
    }
    tokens
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
}

impl Parser {
    fn peek(&self) -> Token {
        self.tokens.get(self.next).cloned().unwrap_or(Token { kind: Kind::End, text: String::new() })
    }

    /// The next token where a key or a value may stand: operators that are words count as such.
    fn peek_value(&self) -> Token {
        let token = self.peek();
        let word = matches!(token.kind, Kind::In | Kind::NotIn);
        Token { kind: if word { Kind::Identifier } else { token.kind }, ..token }
    }

    fn take(&mut self) -> Token {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn take_value(&mut self) -> Token {
        let token = self.peek_value();
        self.next += 1;
        token
    }

    fn selector(&mut self) -> Parsed<Vec<Requirement>> {
        let mut requirements = Vec::new();
        loop {
            let token = self.peek_value();
            match token.kind {
                Kind::End => return Ok(requirements),
                Kind::Identifier | Kind::Not => {}
                _ => {
                    return Err(format!(
                        "found '{}', expected: !, identifier, or 'end of string'",
                        token.text
                    ));
                }
            }
            let requirement =
                self.requirement().map_err(|problem| format!("unable to parse requirement: {problem}"))?;
            requirements.push(requirement);
            let after = self.take_value();
            match after.kind {
                Kind::End => return Ok(requirements),
                Kind::Comma => {
                    let next = self.peek_value();
                    if !matches!(next.kind, Kind::Identifier | Kind::Not) {
                        return Err(format!("found '{}', expected: identifier after ','", next.text));
                    }
                }
                _ => return Err(format!("found '{}', expected: ',' or 'end of string'", after.text)),
            }
        }
    }

    fn requirement(&mut self) -> Parsed<Requirement> {
        let mut key = self.take_value();
        let negated = key.kind == Kind::Not;
        if negated {
            key = self.take_value();
        }
        if key.kind != Kind::Identifier {
            return Err(format!("found '{}', expected: identifier", key.text));
        }
        let checked =
            |operator, values| Requirement::new(&key.text, operator, values).map_err(|error| error.0);
        let complaints = crate::names::qualified(&key.text);
        if !complaints.is_empty() {
            return Err(format!("<nil>: Invalid value: {:?}: {}", key.text, complaints.join("; ")));
        }
        if negated {
            return checked(Operator::DoesNotExist, Vec::new());
        }
        if matches!(self.peek_value().kind, Kind::End | Kind::Comma) {
            return checked(Operator::Exists, Vec::new());
        }
        let operator = self.take();
        let (operator, values) = match operator.kind {
            Kind::In => (Operator::In, self.values()?),
            Kind::NotIn => (Operator::NotIn, self.values()?),
            Kind::Equals => (Operator::In, self.value()?),
            Kind::NotEquals => (Operator::NotIn, self.value()?),
            Kind::Greater => (Operator::Greater, self.value()?),
            Kind::Less => (Operator::Less, self.value()?),
            _ => {
                return Err(format!("found '{}', expected: in, notin, =, ==, !=, gt, lt", operator.text));
            }
        };
        checked(operator, values)
    }

    fn value(&mut self) -> Parsed<Vec<String>> {
        if matches!(self.peek_value().kind, Kind::End | Kind::Comma) {
            return Ok(vec![String::new()]);
        }
        let token = self.take_value();
        match token.kind {
            Kind::Identifier => Ok(vec![token.text]),
            _ => Err(format!("found '{}', expected: identifier", token.text)),
        }
    }

    fn values(&mut self) -> Parsed<Vec<String>> {
        let open = self.take_value();
        if open.kind != Kind::Open {
            return Err(format!("found '{}' expected: '('", open.text));
        }
        let first = self.peek_value();
        match first.kind {
            Kind::Close => {
                self.take_value();
                Ok(vec![String::new()])
            }
            Kind::Identifier | Kind::Comma => {
                let values = self.listed_values()?;
                if self.take_value().kind == Kind::Close {
                    Ok(values)
                } else {
                    Err(format!("found '{}', expected: ')'", first.text))
                }
            }
            _ => Err(format!("found '{}', expected: ',', ')' or identifier", first.text)),
        }
    }

    /// Values between brackets, sorted and without doubles; between two commas there is an empty one.
    fn listed_values(&mut self) -> Parsed<Vec<String>> {
        let mut values = BTreeSet::new();
        loop {
            let token = self.take_value();
            let next = self.peek_value();
            match token.kind {
                Kind::Identifier => {
                    values.insert(token.text);
                    match next.kind {
                        Kind::Comma => {}
                        Kind::Close => return Ok(values.into_iter().collect()),
                        _ => return Err(format!("found '{}', expected: ',' or ')'", next.text)),
                    }
                }
                Kind::Comma => {
                    if values.is_empty() || matches!(next.kind, Kind::Close | Kind::Comma) {
                        values.insert(String::new());
                    }
                    if next.kind == Kind::Close {
                        return Ok(values.into_iter().collect());
                    }
                }
                _ => return Err(format!("found '{}', expected: ',', or identifier", token.text)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::parse;

    fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn requirements_must_all_hold() {
        let selector = parse("app = web, tier in (gold,silver), !canary, zone!=b").unwrap();
        assert!(selector.matches(&labels(&[("app", "web"), ("tier", "gold")])));
        assert!(!selector.matches(&labels(&[("app", "web"), ("tier", "tin")])));
        assert!(!selector.matches(&labels(&[("app", "web"), ("tier", "gold"), ("canary", "")])));
        assert_eq!(selector.to_string(), "app=web,!canary,tier in (gold,silver),zone!=b");
        assert!(parse("").unwrap().matches(&labels(&[])));
    }

    #[test]
    fn complaints_are_the_references() {
        for (text, complaint) in [
            ("app in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"),
            ("app in web", "unable to parse requirement: found 'web' expected: '('"),
            ("a,", "found '', expected: identifier after ','"),
            (",", "found ',', expected: !, identifier, or 'end of string'"),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
            ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
            ("a=(", "unable to parse requirement: found '(', expected: identifier"),
            ("!", "unable to parse requirement: found '', expected: identifier"),
        ] {
            assert_eq!(parse(text).unwrap_err().0, complaint, "{text}");
        }
    }
}
