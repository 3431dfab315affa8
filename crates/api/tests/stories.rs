//! The stories of the proposals: each file under `scenarios/` is followed step by step and must come out as it says.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod stories {
    pub(crate) mod book;
    pub(crate) mod story;
    pub(crate) mod subject;
}

use stories::{book, story};

#[test]
fn every_story_comes_out_as_it_says() {
    let stories = story::all();
    let mut wrong: Vec<String> = Vec::new();
    for (file, _, story) in &stories {
        if let Err(what) = story.follow() {
            wrong.push(format!("scenarios/{file}: {what}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn none_of_the_proposals_stories_is_missing() {
    let count = |start: &str| story::all().iter().filter(|(file, ..)| file.starts_with(start)).count();
    assert_eq!(
        [
            count("behavior-"),
            count("constraints-"),
            count("conditions-"),
            count("watermarks-"),
            count("steps-")
        ],
        [7, 9, 14, 3, 6]
    );
}

#[test]
fn a_story_that_comes_out_differently_is_noticed() {
    let (file, _, mut story) = story::all().swap_remove(0);
    story.steps[0].to += 1;
    let what = story.follow().unwrap_err();
    assert!(what.starts_with("step 1: "), "{file}: {what}");
}

#[test]
fn the_quotes_in_the_docs_are_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/stories.md");
    let current = book::book(&story::all());
    if std::env::var_os("PLIMSOLL_UPDATE").is_some() {
        std::fs::write(path, &current).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == current, "run `PLIMSOLL_UPDATE=1 cargo test -p plimsoll-api --test stories`");
}
