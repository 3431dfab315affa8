//! World files: every field has a default, and every mistake is one line with its place.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop"
)]

use plimsoll_sim::World;

#[test]
fn an_empty_file_is_the_default_world() {
    assert_eq!(World::parse("w.yaml", "").unwrap(), World::default());
    assert_eq!(World::parse("w.yaml", "# nothing\n").unwrap(), World::default());
    assert_eq!(World::parse("w.yaml", "pod: {}\nstartup: {}\nmetrics: {}\n").unwrap(), World::default());
}

#[test]
fn every_field_can_be_written() {
    let text = include_str!("../worlds/every-field.yaml");
    let world = World::parse("every-field.yaml", text).unwrap();
    assert_eq!(world.events.len(), 3);
    assert_eq!(world.metrics.outages.len(), 2);
    assert_eq!(world.metrics.find("shop_orders"), Some(plimsoll_sim::world::Quantity::Queue));
    assert_eq!(world.metrics.find("http_requests_per_second"), Some(plimsoll_sim::world::Quantity::Requests));
    assert_eq!(world.metrics.find("unheard_of"), None);
    assert_eq!(world.startup.boot.to_string(), "10s^40s");
}

#[test]
fn mistakes_are_one_line_with_place_and_help() {
    for (text, start, part) in [
        ("pod:\n  requestPerSecond: 5\n", "w.yaml:2: ", "requestPerSecond"),
        (
            "pod:\n  requestsPerSecond: 0\n",
            "w.yaml:2: requestsPerSecond is zero; ",
            "say what one pod can serve",
        ),
        ("pod:\n  requestsPerSecond: many\n", "w.yaml:2: ", "`many` is not an amount"),
        (
            "syncPeriod: 10\nmetrics:\n  scrape: 10x\n",
            "w.yaml:3: ",
            "`10x` is not a duration: write one like 45s",
        ),
        ("syncPeriod: 5ms\n", "w.yaml:1: syncPeriod is shorter than a second; ", "write 1s or more"),
        ("metrics: {loss: 101%}\n", "w.yaml:1: loss is above 100%; ", "lost"),
        ("metrics: {loss: -1}\n", "w.yaml:1: ", "`-1` is not a percentage"),
        ("metrics:\n  scrape: 30s\n  window: 10s\n", "w.yaml:3: window is shorter", "write scrape or more"),
        ("nodes: {pods: 0}\n", "w.yaml:1: pods is out of range; ", "write 1 to 100000 pods"),
        (
            "events:\n  - at: 5m\n",
            "w.yaml:1: events at 5m is not exactly one thing; ",
            "rollingUpdate, scaleTo",
        ),
        ("events:\n  - {at: 5m, scaleTo: -1}\n", "w.yaml:2: scaleTo is out of range; ", "write 0 to"),
        ("events:\n  - {at: 5m, restart: sometimes}\n", "w.yaml:2: ", "keepHistory"),
        ("termination: 20s..5s\n", "w.yaml:1: ", "write the shorter time first"),
        ("startup: {boot: 0s^5s}\n", "w.yaml:1: ", "write the median first"),
        (
            "pod: {cpuRequest: lots}\n",
            "w.yaml:1: ",
            "`lots` is not an amount of CPU: write one like 500m or 2",
        ),
        ("pod: {memoryRequest: lots}\n", "w.yaml:1: ", "is not an amount of memory: write one like 256Mi"),
        ("pod: {idleCpu: 100%}\n", "w.yaml:1: idleCpu leaves no CPU for requests; ", "cpuCeiling"),
        ("pod: 5\npod: 6\n", "w.yaml:", ""),
        ("just words\n", "w.yaml:1: ", ""),
        ("start: yesterday\n", "w.yaml:1: ", ""),
        ("{", "w.yaml", ""),
    ] {
        let error = World::parse("w.yaml", text).expect_err(text).to_string();
        assert!(
            error.starts_with(start) && error.contains(part) && !error.contains('\n'),
            "{text:?}: {error}"
        );
    }
}

/// Every field of the file, with the fields that it is in: `pod.requestsPerSecond`.
fn fields(text: &str) -> Vec<String> {
    let mut section = String::new();
    let mut out = Vec::new();
    for line in text.lines() {
        let bare = line.trim_start();
        let Some((name, _)) = bare.split_once(':').filter(|_| !bare.starts_with(['#', '-'])) else {
            continue;
        };
        if bare.len() == line.len() {
            section = name.to_string();
            out.push(section.clone());
        } else {
            out.push(format!("{section}.{name}"));
        }
    }
    out
}

#[test]
fn the_page_about_the_world_has_every_field_and_no_other() {
    let file = include_str!("../worlds/every-field.yaml");
    let page = include_str!("../../../docs/world.md");
    assert!(
        page.contains(&format!("```yaml every-field.yaml\n{file}```")),
        "docs/world.md quotes an older file"
    );
    let mut told: Vec<&str> = page
        .lines()
        .filter_map(|l| l.strip_prefix("| ")?.trim_start_matches("**").strip_prefix('`')?.split_once('`'))
        .map(|(field, _)| field)
        .collect();
    // Those of a list's entries.
    let own = ["events.rollingUpdate", "events.scaleTo", "events.restart"];
    assert!(own.iter().all(|field| told.contains(field)));
    told.retain(|field| !own.contains(field));
    assert_eq!(told, fields(file));
}

#[test]
fn the_defaults_that_are_told_are_those_that_hold() {
    // In the file a default stands in brackets at the end of the comment, on the page in backquotes in the last column.
    let page = include_str!("../../../docs/world.md");
    let mut written = 0;
    for line in page.lines().filter(|l| l.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let (field, default) = (cells[0].trim_matches('`'), cells[2].trim_end_matches(" |").trim());
        let Some(value) = default.strip_prefix('`').and_then(|d| d.strip_suffix('`')) else { continue };
        if value.contains('.') {
            continue;
        }
        let text = match field.split_once('.') {
            Some((section, name)) => format!("{section}: {{{name}: {value}}}\n"),
            None => format!("{field}: {value}\n"),
        };
        assert_eq!(World::parse("w.yaml", &text).unwrap(), World::default(), "{field}");
        let name = field.rsplit('.').next().unwrap();
        let file = include_str!("../worlds/every-field.yaml");
        let in_file = file.lines().zip(file.lines().skip(1)).any(|(before, l)| {
            l.trim_start().starts_with(&format!("{name}:"))
                && (l.contains(&format!("({value})")) || before.contains(&format!("({value})")))
        }) || file.contains(&format!("({value}).\n{name}:"))
            || file.contains(&format!("({value}).\n{}:", field.split('.').next().unwrap()));
        assert!(in_file, "{field}: the file says another default than {value}");
        written += 1;
    }
    assert!(written >= 18, "{written}");
}
