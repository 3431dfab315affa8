//! Which resource serves a kind: asked of the API server once per group, and again when a kind is unknown.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroup, APIResourceList};
use kube::Client;
use tokio::sync::Mutex;

use crate::act::LIMIT;
use crate::clock::Tick;
use crate::metrics::fetch::{Blame, Trouble, get, json};

/// How long to wait before a group is looked at again for a kind it did not have.
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// How long what was found is believed: a kind may move to another version.
const BELIEVED: Duration = Duration::from_secs(300);

/// Where a kind is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Served {
    /// The path of its group and version, as in `/apis/apps/v1`.
    pub base: String,
    /// The plural, as in `deployments`.
    pub plural: String,
    /// The group; empty for the core.
    pub group: String,
}

impl Served {
    /// The resource with its group, as in `deployments.apps`.
    #[must_use]
    pub(crate) fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }
}

/// Why a kind cannot be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unfound {
    /// It does not exist.
    NoMatch(String),
    /// The API server could not be asked.
    Failed(String),
}

type Kinds = BTreeMap<String, Served>;

/// What was asked before.
pub(crate) struct Discovery {
    client: Client,
    groups: Mutex<BTreeMap<String, (Tick, Kinds)>>,
}

impl Discovery {
    /// Asks with this client.
    #[must_use]
    pub(crate) fn new(client: Client) -> Self {
        Discovery { client, groups: Mutex::default() }
    }

    /// Where a kind of a group is served.
    ///
    /// # Errors
    /// When it is not, or that cannot be known.
    pub(crate) async fn find(&self, group: &str, kind: &str) -> Result<Served, Unfound> {
        let mut groups = self.groups.lock().await;
        let now = Tick::now();
        let mut old = None;
        if let Some((asked, kinds)) = groups.get(group) {
            let age = now.since(*asked);
            match kinds.get(kind) {
                Some(served) if age < BELIEVED => return Ok(served.clone()),
                None if age < ASK_AGAIN => return Err(no_match(group, kind)),
                known => old = known.cloned(),
            }
        }
        let listed = tokio::time::timeout(LIMIT, self.list(group)).await;
        let kinds = match listed.unwrap_or_else(|_| Err(Trouble::backend("no answer within 10 s"))) {
            Ok(kinds) => kinds,
            Err(trouble) if trouble.blame == Blame::Backend => {
                return old.ok_or_else(|| Unfound::Failed(trouble.text.to_string()));
            }
            Err(_) => Kinds::new(),
        };
        let found = kinds.get(kind).cloned().ok_or_else(|| no_match(group, kind));
        groups.insert(group.to_owned(), (now, kinds));
        found
    }

    /// All kinds of a group, each in its preferred version.
    async fn list(&self, group: &str) -> Result<Kinds, Trouble> {
        let bases = if group.is_empty() {
            vec!["/api/v1".to_owned()]
        } else {
            let found: APIGroup = json(&self.client, get(&format!("/apis/{group}"))?, group).await?;
            let preferred = found.preferred_version.map(|version| version.group_version);
            let others = found.versions.into_iter().map(|version| version.group_version);
            preferred.into_iter().chain(others).map(|version| format!("/apis/{version}")).collect()
        };
        let mut kinds = Kinds::new();
        for base in bases {
            let list: APIResourceList = json(&self.client, get(&base)?, group).await?;
            for resource in list.resources.into_iter().filter(|resource| !resource.name.contains('/')) {
                kinds.entry(resource.kind).or_insert_with(|| Served {
                    base: base.clone(),
                    plural: resource.name,
                    group: group.to_owned(),
                });
            }
        }
        Ok(kinds)
    }
}

fn no_match(group: &str, kind: &str) -> Unfound {
    Unfound::NoMatch(format!("no matches for kind {kind:?} in group {group:?}"))
}

/// The group of an API version such as `apps/v1` or `v1`.
///
/// # Errors
/// When it is none.
pub(crate) fn group_of(api_version: &str) -> Result<&str, String> {
    match api_version.split_once('/') {
        None => Ok(""),
        Some((_, version)) if version.contains('/') => {
            Err(format!("unexpected GroupVersion string: {api_version}"))
        }
        Some((group, _)) => Ok(group),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_told_from_versions() {
        assert_eq!(group_of("apps/v1"), Ok("apps"));
        assert_eq!(group_of("v1"), Ok(""));
        assert_eq!(group_of("a/b/c"), Err("unexpected GroupVersion string: a/b/c".to_owned()));
    }
}
