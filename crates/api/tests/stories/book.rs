//! docs/stories.md: every story quoted, with the way its replicas go.

use super::story::Story;

const CHAPTERS: [(&str, &str, &str); 5] = [
    ("behavior-", "Velocity: behavior", "How fast replicas may change, in the form that Kubernetes has."),
    (
        "constraints-",
        "Velocity: constraints",
        "The same wishes in the form of the first proposal, and how its rules differ.",
    ),
    (
        "conditions-",
        "Conditions",
        "What the conditions say, row by row in the order in which they are written within one look: growing and shrinking, \
         with a limit, with stabilization, at the maximum and the minimum.",
    ),
    ("watermarks-", "Two watermarks", "Hold between two marks, limit one scaling, wait after any scaling."),
    (
        "steps-",
        "Step tables",
        "One pod serves 10 requests per second. The load jumps from 5 to 80: what do a target and a table of steps make of it?",
    ),
];

/// The whole page.
pub(crate) fn book(stories: &[(String, String, Story)]) -> String {
    let mut page = String::from(
        "# Stories\n\n\
         The user stories of the proposals behind Plimsoll, with their numbers. Each is a file under `scenarios/`: the \
         manifest, what is observed at each look, how many replicas must come out and the reason. A test follows every \
         one of them and keeps this page current.\n\n\
         In a story, `observe` gives the value of each metric, `load` the requests per second that the pods share, `wish` \
         what the metrics ask for, `to` the replicas after the look, `reason` a reason that the status gives, and `rows` the \
         conditions in the order in which they are written.\n",
    );
    for (start, title, about) in CHAPTERS {
        page.push_str(&format!("\n## {title}\n\n{about}\n"));
        for (file, text, story) in stories.iter().filter(|(file, ..)| file.starts_with(start)) {
            page.push_str(&format!(
                "\n### {}\n\n{}\n\n**{}** ({})\n\n<details><summary><code>scenarios/{file}</code></summary>\n\n```yaml\n{}\n```\n\n</details>\n",
                story.story,
                story.about.trim(),
                way(story),
                story.from,
                text.trim_end(),
            ));
        }
    }
    page
}

/// `1 → 10 → 100`; a stretch without change is told once.
fn way(story: &Story) -> String {
    let mut way = vec![story.replicas.to_string()];
    let mut now = story.replicas;
    for step in &story.steps {
        if step.to != now {
            way.push(step.to.to_string());
            now = step.to;
        }
    }
    if way.len() == 1 {
        let looks: usize = story.steps.iter().map(super::story::Step::times).sum();
        return format!("stays at {now} for {looks} looks");
    }
    way.join(" → ")
}
