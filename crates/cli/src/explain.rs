//! `plimsoll explain`: the last decision about an object, in words.

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context as _, bail};
use plimsoll_controller::config::Config;
use plimsoll_controller::explain::{Explained, Origin, ask_at, ask_leader};
use plimsoll_controller::key::{Key, Kind};
use plimsoll_controller::{anew, client};

use crate::run::Hpa;

/// Explain the last decision about an autoscaler, with all numbers, and when the next change is possible.
///
/// Asks the running controller. Where that cannot be reached (or another one manages the object) the decision is worked
/// out anew from live data and what was stored, and it says so. Nothing is ever written.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  plimsoll explain hpa/web -n shop\n  kubectl plimsoll explain autoscaler web -w"
)]
pub(crate) struct Args {
    /// What to explain: KIND/NAME or KIND NAME, with KIND autoscaler, hpa or wpa
    #[arg(required = true, num_args = 1..=2, value_name = "KIND/NAME")]
    object: Vec<String>,

    /// Its namespace [default: that of the kubeconfig's context]
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,

    /// Go on, and explain every new decision
    #[arg(short, long)]
    watch: bool,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    output: Format,

    /// The kubeconfig's context to use
    #[arg(long, env = "PLIMSOLL_CONTEXT", value_name = "NAME")]
    context: Option<String>,

    /// Where the controller serves, if not in the cluster
    #[arg(long, env = "PLIMSOLL_CONTROLLER", value_name = "URL")]
    controller: Option<String>,

    /// The namespace the controller runs in
    #[arg(
        long,
        env = "PLIMSOLL_CONTROLLER_NAMESPACE",
        value_name = "NAME",
        default_value = "plimsoll-system"
    )]
    controller_namespace: String,

    #[command(flatten)]
    hpa: Hpa,
}

/// How to print it.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// For people.
    Text,
    /// Everything, as JSON; with --watch one line for each decision.
    Json,
}

/// Explains.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let (kind, name) = object(&args.object)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = client(args.context.as_deref()).await?;
        let namespace = args.namespace.clone().unwrap_or_else(|| client.default_namespace().to_owned());
        let key = Key { kind, namespace, name };
        let mut last = None;
        let mut unasked = String::new();
        loop {
            let (explained, why_anew) = explained(args, &client, &key).await?;
            if let Some(why) = why_anew.filter(|why| *why != unasked) {
                eprintln!("plimsoll: the controller could not be asked: {why}");
                unasked = why;
            }
            if last != Some(explained.record.decision.at) {
                last = Some(explained.record.decision.at);
                print(args, &explained)?;
            }
            if !args.watch {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
    })
}

/// The kind and the name, from `KIND/NAME` or `KIND NAME`.
pub(crate) fn object(words: &[String]) -> anyhow::Result<(Kind, String)> {
    let (kind, name) = match words {
        [both] => both.split_once('/').with_context(|| format!("{both}: give KIND/NAME, as in hpa/web"))?,
        [kind, name] => (kind.as_str(), name.as_str()),
        _ => bail!("give KIND/NAME, as in hpa/web"),
    };
    if name.is_empty() {
        bail!("give a name after {kind}/, as in hpa/web");
    }
    Ok((kind.parse()?, name.to_owned()))
}

/// The decision; and why the controller could not be asked, if it could not.
async fn explained(
    args: &Args,
    client: &plimsoll_controller::Client,
    key: &Key,
) -> anyhow::Result<(Explained, Option<String>)> {
    let asked = match &args.controller {
        Some(address) => ask_at(address, key).await,
        None => ask_leader(client, &args.controller_namespace, key).await,
    };
    match asked {
        Ok(explained) => Ok((explained, None)),
        Err(why) => {
            let config = Config { hpa: args.hpa.flags(), ..Config::default() };
            let anew = anew(client.clone(), config, key).await;
            anew.map(|explained| (explained, Some(why))).map_err(|problem| anyhow::anyhow!(problem))
        }
    }
}

fn print(args: &Args, explained: &Explained) -> anyhow::Result<()> {
    let text = match args.output {
        Format::Text => words(explained),
        Format::Json if args.watch => format!("{}\n", serde_json::to_string(explained)?),
        Format::Json => format!("{}\n", serde_json::to_string_pretty(explained)?),
    };
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}

/// For people.
pub(crate) fn words(explained: &Explained) -> String {
    let record = &explained.record;
    let Key { kind, namespace, name } = &record.key;
    let at = jiff::Timestamp::from_microsecond(record.decision.at.0).unwrap_or_default();
    let origin = match explained.origin {
        Origin::Controller => "the controller's own record",
        Origin::AnewWithCheckpoint => "worked out anew from live data and the checkpoint",
        Origin::AnewWithoutHistory => {
            "worked out anew from live data; what happened before is not known, so windows count from now"
        }
        Origin::Journal => "the journal",
    };
    let mut text = format!("{}/{name} in {namespace} scales {}\n", kind.name(), record.target);
    text.push_str(&format!("{}\n\nat {at:.0} ({origin}):\n", explained.words.why));
    for step in &explained.words.steps {
        text.push_str(&format!("  - {step}\n"));
    }
    if let Some(error) = &record.error {
        text.push_str(&format!("  ! {error}\n"));
    }
    text.push_str(&format!("next:\n  - {}\n  - {}\n", explained.growing, explained.shrinking));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_named_in_one_word_or_two() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(object(&words(&["hpa/web"])).unwrap(), (Kind::Hpa, "web".to_owned()));
        assert_eq!(object(&words(&["wpa", "web"])).unwrap(), (Kind::Wpa, "web".to_owned()));
        assert!(object(&words(&["web"])).unwrap_err().to_string().contains("KIND/NAME"));
        assert!(object(&words(&["hpa/"])).is_err());
        assert!(object(&words(&["pod/web"])).is_err());
    }
}
