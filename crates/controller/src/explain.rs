//! The last decision in words: from the record of the running controller, or worked out anew.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, Client};
use plimsoll_api::explain::Explanation;
use serde::{Deserialize, Serialize};

use crate::act;
use crate::key::Key;
use crate::lease::SERVED_PORT;
use crate::metrics::apis::segment;
use crate::metrics::fetch::{get, json};
use crate::metrics::prometheus::plain_client;
use crate::record::Record;

/// Where an explanation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// The running controller's record of its last decision.
    Controller,
    /// Worked out anew from live data and the checkpoint.
    AnewWithCheckpoint,
    /// Worked out anew from live data alone: what happened before is not known.
    AnewWithoutHistory,
    /// A controller's journal.
    Journal,
}

/// A decision in words, with everything it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// Where it comes from.
    pub origin: Origin,
    /// In words.
    pub words: Explanation,
    /// When growing is possible, in words.
    pub growing: String,
    /// When shrinking is possible, in words.
    pub shrinking: String,
    /// Everything.
    pub record: Record,
}

/// Asks a controller that serves on an address, as in `http://127.0.0.1:8080`.
///
/// # Errors
/// In words.
pub async fn ask_at(address: &str, key: &Key) -> Result<Explained, String> {
    let client = plain_client(address).map_err(|trouble| trouble.text.to_string())?;
    ask(&client, &path(key)).await
}

/// Asks the leader of the controllers in a namespace, through the API server: the Lease says which pod it is.
///
/// # Errors
/// In words.
pub async fn ask_leader(client: &Client, namespace: &str, key: &Key) -> Result<Explained, String> {
    let leases: Api<Lease> = Api::namespaced(client.clone(), namespace);
    let lease = act::within_limit(leases.get("plimsoll")).await.map_err(|error| act::words(&error))?;
    let annotations = lease.metadata.annotations.unwrap_or_default();
    let port = annotations.get(SERVED_PORT).ok_or("the leader serves nothing (it has no --bind)")?;
    let holder = lease.spec.and_then(|spec| spec.holder_identity).filter(|holder| !holder.is_empty());
    let holder = holder.ok_or("no replica leads")?;
    let proxy = format!("/api/v1/namespaces/{namespace}/pods/{}:{}/proxy", segment(&holder), segment(port));
    ask(client, &format!("{proxy}{}", path(key))).await
}

fn path(key: &Key) -> String {
    format!("/explain/{}/{}/{}", key.kind, segment(&key.namespace), segment(&key.name))
}

async fn ask(client: &Client, path: &str) -> Result<Explained, String> {
    let request = get(path).map_err(|trouble| trouble.text.to_string())?;
    let call = json(client, request, "the last decision");
    match tokio::time::timeout(Duration::from_secs(10), call).await {
        Ok(answer) => answer.map_err(|trouble| trouble.text.to_string()),
        Err(_) => Err("no answer within 10 s".to_owned()),
    }
}
