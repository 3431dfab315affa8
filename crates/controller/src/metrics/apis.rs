//! The three metric APIs of Kubernetes: what is asked of them, in which version.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIGroup;
use kube::Client;
use plimsoll_api::observe::lists::{ExternalMetricValueList, MetricValue, MetricValueList, PodMetricsList};

use crate::metrics::fetch::{Blame, Trouble, get, json};

/// metrics.k8s.io.
pub(crate) const RESOURCE: &str = "metrics.k8s.io";
/// custom.metrics.k8s.io.
pub(crate) const CUSTOM: &str = "custom.metrics.k8s.io";
/// external.metrics.k8s.io.
pub(crate) const EXTERNAL: &str = "external.metrics.k8s.io";

/// The versions that are understood, best first.
fn understood(group: &str) -> &'static [&'static str] {
    match group {
        RESOURCE => &["v1", "v1beta1"],
        CUSTOM => &["v1beta2", "v1beta1"],
        _ => &["v1beta1"],
    }
}

/// A client of the metric APIs that remembers which versions are served.
pub(crate) struct MetricApis {
    client: Client,
    versions: Mutex<BTreeMap<&'static str, &'static str>>,
}

impl MetricApis {
    /// Asks with this client.
    #[must_use]
    pub(crate) fn new(client: Client) -> Self {
        MetricApis { client, versions: Mutex::default() }
    }

    /// What the pods of a namespace use; those a selector matches, if one is given.
    pub(crate) async fn pods(
        &self,
        namespace: &str,
        selector: Option<&str>,
    ) -> Result<PodMetricsList, Trouble> {
        let tail = format!("namespaces/{namespace}/pods{}", query(&[("labelSelector", selector)]));
        self.ask(RESOURCE, &tail, "pods.metrics.k8s.io").await
    }

    /// A custom metric of each pod that a selector matches.
    pub(crate) async fn of_pods(
        &self,
        namespace: &str,
        metric: &str,
        selector: &str,
        narrowed: Option<&str>,
    ) -> Result<MetricValueList, Trouble> {
        let query = query(&[("labelSelector", Some(selector)), ("metricLabelSelector", narrowed)]);
        let tail = format!("namespaces/{namespace}/pods/*/{}{query}", segment(metric));
        self.ask(CUSTOM, &tail, "pods.custom.metrics.k8s.io *").await
    }

    /// A custom metric of one object. `resource` is its plural with its group, as in `deployments.apps`; `None` is
    /// the namespace itself.
    pub(crate) async fn of_object(
        &self,
        namespace: &str,
        object: Option<(&str, &str)>,
        metric: &str,
        narrowed: Option<&str>,
    ) -> Result<MetricValue, Trouble> {
        let query = query(&[("metricLabelSelector", narrowed)]);
        let metric = segment(metric);
        let (tail, what) = match object {
            None => (
                format!("namespaces/{namespace}/metrics/{metric}{query}"),
                format!("namespaces.custom.metrics.k8s.io {namespace}"),
            ),
            Some((resource, name)) => (
                format!("namespaces/{namespace}/{resource}/{}/{metric}{query}", segment(name)),
                format!("{resource}.custom.metrics.k8s.io {name}"),
            ),
        };
        let list: MetricValueList = self.ask(CUSTOM, &tail, &what).await?;
        let count = list.items.len();
        let mut items = list.items.into_iter();
        match (items.next(), count) {
            (Some(value), 1) => Ok(value),
            _ => Err(Trouble::request(format!(
                "the custom metrics API server returned {count} results when we asked for exactly one"
            ))),
        }
    }

    /// An external metric.
    pub(crate) async fn external(
        &self,
        namespace: &str,
        metric: &str,
        selector: Option<&str>,
    ) -> Result<ExternalMetricValueList, Trouble> {
        let tail =
            format!("namespaces/{namespace}/{}{}", segment(metric), query(&[("labelSelector", selector)]));
        self.ask(EXTERNAL, &tail, &format!("{metric}.external.metrics.k8s.io")).await
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        group: &'static str,
        tail: &str,
        what: &str,
    ) -> Result<T, Trouble> {
        let known = self.versions.lock().unwrap_or_else(PoisonError::into_inner).get(group).copied();
        let version = match known {
            Some(version) => version,
            None => self.find_version(group, what).await?,
        };
        let answer = json(&self.client, get(&format!("/apis/{group}/{version}/{tail}"))?, what).await;
        if matches!(&answer, Err(trouble) if trouble.blame == Blame::Path) {
            // The version may be served no longer: look again at the next request.
            self.versions.lock().unwrap_or_else(PoisonError::into_inner).remove(group);
        }
        answer
    }

    /// The best version that is served and understood.
    async fn find_version(&self, group: &'static str, what: &str) -> Result<&'static str, Trouble> {
        let served: APIGroup = json(&self.client, get(&format!("/apis/{group}"))?, what).await?;
        let best = understood(group)
            .iter()
            .find(|version| served.versions.iter().any(|served| served.version == **version))
            .ok_or_else(|| Trouble::request(format!("no version of {group} is served that is understood")))?;
        self.versions.lock().unwrap_or_else(PoisonError::into_inner).insert(group, best);
        Ok(best)
    }
}

/// A query string of the parameters that are given and not empty.
fn query(parameters: &[(&str, Option<&str>)]) -> String {
    let given: Vec<String> = parameters
        .iter()
        .filter_map(|(name, value)| Some((name, (*value)?)))
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={}", segment(value)))
        .collect();
    if given.is_empty() { String::new() } else { format!("?{}", given.join("&")) }
}

/// A text as one segment of a path or value of a query.
pub(crate) fn segment(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_escapes_its_segment() {
        assert_eq!(segment("queue_length"), "queue_length");
        assert_eq!(segment("a/b?c=d|é"), "a%2Fb%3Fc%3Dd%7C%C3%A9");
        assert_eq!(
            query(&[("labelSelector", Some("a in (b,c)")), ("x", None), ("y", Some(""))]),
            "?labelSelector=a%20in%20%28b%2Cc%29"
        );
    }
}
