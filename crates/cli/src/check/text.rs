//! The result of a check for people: plain text, with colours only where they are wanted.

use plimsoll_api::check::{Finding, Meaning, Report, Severity};

/// How wide a line may be.
const WIDTH: usize = 100;

/// Whether there are colours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// There are.
    Colors,
    /// There are none.
    Plain,
}

/// How much is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    /// Explanations and findings.
    All,
    /// Findings only.
    Findings,
}

/// A page to print on.
pub(super) struct Page {
    ink: Ink,
}

impl Page {
    pub(super) fn new(ink: Ink) -> Self {
        Page { ink }
    }

    /// The whole result.
    pub(super) fn print(&self, report: &Report, amount: Amount) -> String {
        let mut out = String::new();
        if amount == Amount::All {
            for meaning in &report.autoscalers {
                self.meaning(meaning, &mut out);
            }
        }
        for finding in &report.findings {
            self.finding(finding, &mut out);
        }
        out.push_str(&self.summary(report));
        out
    }

    fn meaning(&self, meaning: &Meaning, out: &mut String) {
        let namespace = meaning.namespace.as_ref().map_or_else(String::new, |it| format!("{it}/"));
        let title = format!("{} {namespace}{}", meaning.kind, meaning.name);
        out.push_str(&format!(
            "{}  {}\n",
            self.bold(&title),
            self.faint(&format!("{}:{}", meaning.file, meaning.line))
        ));
        let scales = match (meaning.min_replicas, meaning.max_replicas) {
            (Some(min), Some(max)) if min == max => format!("keeps {} at {max} replicas", meaning.target),
            (Some(min), Some(max)) => format!("scales {} between {min} and {max} replicas", meaning.target),
            _ => format!("is refused, so {} is not scaled", meaning.target),
        };
        out.push_str(&format!("  {scales}\n\n"));
        let mut before = "";
        for line in &meaning.lines {
            let topic = line.topic.word();
            let label = if topic == before { "" } else { topic };
            before = topic;
            let label = format!("{label:<9}");
            for (index, part) in wrapped(&line.text, WIDTH - 11).into_iter().enumerate() {
                let label = if index == 0 { self.cyan(&label) } else { " ".repeat(9) };
                out.push_str(format!("  {label}{part}").trim_end());
                out.push('\n');
            }
        }
        if !meaning.lines.is_empty() {
            out.push('\n');
        }
    }

    fn finding(&self, finding: &Finding, out: &mut String) {
        let severity = self.severity(finding.severity);
        let field = finding.field.as_ref().map_or_else(String::new, |it| format!(" {it}"));
        let head = format!("{} {}", finding.code.code(), finding.name);
        out.push_str(&format!("{severity} {}\n", self.bold(&head)));
        let place = format!("{}:{}", finding.file, finding.line);
        out.push_str(&format!("  {}\n", self.faint(&format!("{place} {}{field}", finding.object))));
        for part in wrapped(&finding.message, WIDTH - 2) {
            out.push_str(&format!("  {part}\n"));
        }
        for step in &finding.fix {
            for (index, part) in wrapped(step, WIDTH - 4).into_iter().enumerate() {
                let bullet = if index == 0 { "- " } else { "  " };
                out.push_str(&format!("  {bullet}{part}\n"));
            }
        }
        out.push('\n');
    }

    fn summary(&self, report: &Report) -> String {
        let count = |count: usize, one: &str| {
            if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
        };
        let found: Vec<String> = [Severity::Error, Severity::Warning, Severity::Info]
            .into_iter()
            .filter(|it| report.count(*it) > 0)
            .map(|it| match it {
                Severity::Info => format!("{} info", report.count(it)),
                _ => count(report.count(it), it.word()),
            })
            .collect();
        let found = if found.is_empty() { "nothing to complain about".to_owned() } else { found.join(", ") };
        format!("{} checked: {found}\n", count(report.autoscalers.len(), "autoscaler"))
    }

    fn severity(&self, severity: Severity) -> String {
        let color = match severity {
            Severity::Error => "31;1",
            Severity::Warning => "33;1",
            Severity::Info => "34;1",
        };
        self.in_color(color, severity.word())
    }

    fn bold(&self, text: &str) -> String {
        self.in_color("1", text)
    }

    fn faint(&self, text: &str) -> String {
        self.in_color("2", text)
    }

    fn cyan(&self, text: &str) -> String {
        self.in_color("36", text)
    }

    fn in_color(&self, color: &str, text: &str) -> String {
        match self.ink {
            Ink::Plain => text.to_owned(),
            Ink::Colors => format!("\u{1b}[{color}m{text}\u{1b}[0m"),
        }
    }
}

/// Lines no longer than `width`, broken between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(last) = lines.last_mut() else { continue };
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= width {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_keep_long_ones_whole() {
        assert_eq!(wrapped("to be or not to be", 9), ["to be or", "not to be"]);
        assert_eq!(wrapped("a incomprehensibilities b", 5), ["a", "incomprehensibilities", "b"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn colours_are_only_used_when_wanted() {
        assert_eq!(Page::new(Ink::Plain).bold("x"), "x");
        assert_eq!(Page::new(Ink::Colors).bold("x"), "\u{1b}[1mx\u{1b}[0m");
    }
}
