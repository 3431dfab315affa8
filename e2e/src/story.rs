//! Stories: what one is, and how a set of them is run and told.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use futures::StreamExt;
use tokio::time::{Instant, timeout};

use crate::context::{Context, Restarts, Shared};

type Run = Box<dyn Fn(Context) -> Pin<Box<dyn Future<Output = Result<()>> + Send>> + Send + Sync>;

/// Whether a story may share the plane with others while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Company {
    Shared,
    Alone,
}

/// One story: a name (also that of its namespace) and what happens.
pub struct Story {
    name: String,
    run: Run,
    company: Company,
    subjects: Subjects,
    restarts: Restarts,
    limit: Duration,
}

/// For which controllers a story is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subjects {
    Any,
    PlimsollOnly,
}

impl Story {
    /// A story that runs side by side with others, for at most three minutes.
    pub fn new<F, Fut>(name: &str, run: F) -> Story
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        Story {
            name: name.to_owned(),
            run: Box::new(move |context| Box::pin(run(context))),
            company: Company::Shared,
            subjects: Subjects::Any,
            restarts: Restarts::Never,
            limit: Duration::from_secs(180),
        }
    }

    /// The story disturbs others (it stops the API server, say): it runs after them, by itself.
    #[must_use]
    pub fn alone(mut self) -> Story {
        self.company = Company::Alone;
        self
    }

    /// The story may take this long.
    #[must_use]
    pub fn limit_secs(mut self, secs: u64) -> Story {
        self.limit = Duration::from_secs(secs);
        self
    }

    /// The story is not one of the in-tree controller.
    #[must_use]
    pub fn plimsoll_only(mut self) -> Story {
        self.subjects = Subjects::PlimsollOnly;
        self
    }

    /// The same story, told with a restart of its controllers after every step: nothing must come out differently.
    #[must_use]
    pub fn with_restarts(mut self) -> Story {
        self.name = format!("restarts-{}", self.name);
        self.restarts = Restarts::BetweenSteps;
        self.plimsoll_only()
    }

    /// Whether the story can be run with the in-tree controller.
    pub fn fits_in_tree(&self) -> bool {
        self.subjects == Subjects::Any
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// How a run went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Stories that ended well.
    pub passed: usize,
    /// Stories that did not.
    pub failed: usize,
}

/// Runs all stories, `at_once` side by side and then those that want to be alone, and prints each with its time.
pub async fn run_all(shared: &Arc<Shared>, stories: Vec<Story>, at_once: usize, keep: Keep) -> Tally {
    let (alone, together): (Vec<Story>, Vec<Story>) =
        stories.into_iter().partition(|story| story.company == Company::Alone);
    let mut tally = Tally::default();
    for (set, width) in [(together, at_once.max(1)), (alone, 1)] {
        let mut results = futures::stream::iter(set)
            .map(|story| run_one(shared.clone(), story, keep))
            .buffer_unordered(width);
        while let Some(ended_well) = results.next().await {
            match ended_well {
                Ended::Well => tally.passed += 1,
                Ended::Badly => tally.failed += 1,
            }
        }
    }
    tally
}

/// What becomes of the plane and the namespaces after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Everything is removed.
    Nothing,
    /// The plane goes on until interrupted, with all namespaces.
    Everything,
}

enum Ended {
    Well,
    Badly,
}

async fn run_one(shared: Arc<Shared>, story: Story, keep: Keep) -> Ended {
    let started = Instant::now();
    let context = Context::new(shared.clone(), &story.name, story.restarts).await;
    let result = match &context {
        Ok(context) => tell(&story, context.clone()).await,
        Err(error) => Err(anyhow!("{error:#}")),
    };
    let seconds = started.elapsed().as_secs_f64();
    let ended = match result {
        Ok(()) => {
            println!("ok     {seconds:6.1} s  {}", story.name);
            Ended::Well
        }
        Err(error) => {
            println!("FAILED {seconds:6.1} s  {}: {error:#}", story.name);
            if let Ok(context) = &context {
                show_logs(context);
            }
            Ended::Badly
        }
    };
    if let (Ok(context), Keep::Nothing) = (&context, keep)
        && let Err(error) = context.clean_up().await
    {
        tracing::warn!(story = story.name, "namespace not deleted: {error:#}");
    }
    ended
}

/// The story itself, in a task of its own so that a panic is its failure and nobody else's.
async fn tell(story: &Story, context: Context) -> Result<()> {
    let mut task = tokio::spawn((story.run)(context.clone()));
    match timeout(story.limit, &mut task).await {
        Ok(joined) => joined.map_err(|error| anyhow!("{error}"))??,
        Err(_) => {
            task.abort();
            // Wait for the abort: what the story started ends before its namespace does.
            let _ = task.await;
            return Err(anyhow!("not done after {} s", story.limit.as_secs()));
        }
    }
    context.plane().check_running().await.context("a part of the control plane is gone")
}

fn show_logs(context: &Context) {
    for path in context.logs() {
        let log = std::fs::read_to_string(&path).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        println!("       the end of {}:", path.display());
        for line in lines.iter().skip(lines.len().saturating_sub(25)) {
            println!("       | {line}");
        }
    }
}
