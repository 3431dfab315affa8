//! One self-contained page: data, style and script in one file, nothing from the network.
//!
//! [`page`] is a report. A page that goes on living is a [`Document`] whose script feeds the charts:
//!
//! ```
//! use plimsoll_report::html::{Document, Reach};
//! # let comparison = plimsoll_sim::record::Comparison { runs: vec![], columns: vec![], words: vec![] };
//! let page = Document {
//!     title: "A web shop",
//!     above: "<section class=\"plm-panel\"><button class=\"plm-button\" id=\"sale\">Flash sale</button></section>",
//!     script: "new EventSource('/events').onmessage = (event) => view.append(JSON.parse(event.data));",
//!     options: r#"{"followSecs": 86400, "keepSecs": 172800, "mode": "beside"}"#,
//!     reach: Reach::Home,
//!     ..Document::new((&comparison).into())
//! }
//! .render();
//! # assert!(page.contains("EventSource"));
//! ```
//!
//! In the page, `plimsoll.mount(element, data, options)` gives a `view`: `view.append(delta)` adds what is new in one
//! run ([`crate::live::Delta`]), `view.update(data)` replaces the table and the words ([`crate::live::table_json`]) or
//! all runs ([`data_json`]), `view.pinAt(seconds)` and `view.unpin()` move the cursor, `view.setMode(mode)` changes the
//! view, `view.destroy()` ends it. Options: `followSecs` shows the newest stretch of that length, `keepSecs` forgets
//! what is older, `mode` is `overlaid`, `beside` or the position of a run.

use crate::{Subject, svg, wire};

/// The page's style sheet.
pub const STYLE: &str = concat!(include_str!("../assets/page.css"), include_str!("../assets/charts.css"));

/// The page's script; it defines `plimsoll.mount(element, data, options)`.
pub const SCRIPT: &str = concat!(
    include_str!("../assets/format.js"),
    include_str!("../assets/data.js"),
    include_str!("../assets/plot.js"),
    include_str!("../assets/charts.js"),
    include_str!("../assets/inspect.js"),
    include_str!("../assets/summary.js"),
    include_str!("../assets/view.js"),
    include_str!("../assets/input.js"),
);

/// A page that shows the subject, complete in itself.
pub fn page<'a>(subject: impl Into<Subject<'a>>) -> String {
    Document::new(subject.into()).render()
}

/// The data of a subject as the script reads it, for `plimsoll.mount`.
pub fn data_json<'a>(subject: impl Into<Subject<'a>>) -> String {
    wire::subject(subject.into()).to_string()
}

/// A page with room for more than charts, as the demo needs.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// What it shows.
    pub subject: Subject<'a>,
    /// The title, already plain text.
    pub title: &'a str,
    /// HTML above the charts, such as controls; trusted.
    pub above: &'a str,
    /// More style rules; trusted.
    pub style: &'a str,
    /// Runs after the charts stand: `view` is what `plimsoll.mount` returned; trusted.
    pub script: &'a str,
    /// Options for `plimsoll.mount` as a JSON object, such as `{"followSecs": 86400}`.
    pub options: &'a str,
    /// Whether the page may talk to the server it came from.
    pub reach: Reach,
}

/// Whom a page may talk to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Nobody: a file that can be mailed.
    Nobody,
    /// The server it came from, for live data and controls.
    Home,
}

impl<'a> Document<'a> {
    /// A page of its own about the subject.
    pub fn new(subject: Subject<'a>) -> Self {
        Self { subject, title: "", above: "", style: "", script: "", options: "{}", reach: Reach::Nobody }
    }

    /// The whole page.
    pub fn render(&self) -> String {
        let title = if self.title.is_empty() { self.subject.title() } else { self.title.to_owned() };
        let kinds: Vec<&str> = self.subject.runs().iter().map(|run| run.kind.as_str()).collect();
        let kind = match kinds.as_slice() {
            [one] => (*one).to_owned(),
            many => format!("{} autoscalers, the same load", many.len()),
        };
        let load = self.subject.runs().first().map(|run| run.load.as_str()).unwrap_or_default();
        let home = if self.reach == Reach::Home { "connect-src 'self'; " } else { "" };
        let style = format!("{STYLE}{}", self.style);
        let (title, kind, load) = (escape(&title), escape(&kind), escape(load));
        let options = script_safe(self.options);
        let fallback = svg::chart(self.subject);
        let data = script_safe(&wire::subject(self.subject).to_string());
        fill(include_str!("../assets/page.html"), |place| match place {
            "home" => home,
            "style" => &style,
            "script" => SCRIPT,
            "after" => self.script,
            "options" => &options,
            "above" => self.above,
            "fallback" => &fallback,
            "title" => &title,
            "kind" => &kind,
            "load" => &load,
            "data" => &data,
            _ => "",
        })
    }
}

/// Text for an HTML or SVG element or attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML allows no other control characters.
            c if c.is_control() && !matches!(c, '\n' | '\t' | '\r') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// JSON that cannot end the script element it stands in.
fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Puts a value into each `{{place}}` of the template, in one pass: what is put in is never looked at again.
fn fill<'v>(template: &str, value: impl Fn(&str) -> &'v str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((place, tail)) = after.split_once("}}") else { break };
        out.push_str(value(place));
        rest = tail;
    }
    out.push_str(rest);
    out
}
