//! What Plimsoll asked of the API server, from the API server's own audit log.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

/// The user Plimsoll is here.
pub const USER: &str = "system:serviceaccount:plimsoll-system:plimsoll";

/// Every request of Plimsoll's user is logged, writes with their bodies; nobody else's are.
const POLICY: &str = r#"{
  "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived", "ResponseStarted"],
  "rules": [
    {"level": "Request", "users": ["USER"], "verbs": ["create", "update", "patch", "delete"]},
    {"level": "Metadata", "users": ["USER"]},
    {"level": "None"}
  ]
}"#;

/// One request, done.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// get, list, watch, create, update, patch, delete.
    pub verb: String,
    /// What it was about.
    #[serde(default)]
    pub object_ref: ObjectRef,
    /// When the API server got it, in RFC 3339.
    pub request_received_timestamp: String,
    /// Its body, for writes.
    #[serde(default)]
    pub request_object: Value,
    /// The path that was asked for.
    #[serde(rename = "requestURI")]
    pub uri: String,
    response_status: Option<Response>,
    user: User,
}

/// What a request was about.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectRef {
    /// The resource, `deployments`.
    pub resource: String,
    /// The subresource, `scale`.
    pub subresource: String,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Response {
    code: u16,
}

#[derive(Clone, Debug, Deserialize)]
struct User {
    #[serde(default)]
    extra: Value,
}

impl Entry {
    /// The status code of the answer.
    pub fn code(&self) -> u16 {
        self.response_status.as_ref().map_or(0, |status| status.code)
    }

    /// Whether it changed something.
    pub fn is_write(&self) -> bool {
        matches!(self.verb.as_str(), "create" | "update" | "patch" | "delete") && self.code() < 300
    }

    /// Which token was shown: each controller has its own, so this tells who it was.
    pub fn credential(&self) -> &str {
        let id = self.user.extra.pointer("/authentication.kubernetes.io~1credential-id/0");
        id.and_then(Value::as_str).unwrap_or_default()
    }
}

/// The flags that make the API server keep the log, and where it keeps it.
pub(super) fn flags(dir: &Path) -> Result<[String; 2]> {
    let policy = dir.join("audit-policy.json");
    std::fs::write(&policy, POLICY.replace("USER", USER)).context("writing the audit policy")?;
    Ok([
        format!("--audit-policy-file={}", policy.display()),
        format!("--audit-log-path={}", log_path(dir).display()),
    ])
}

fn log_path(dir: &Path) -> PathBuf {
    dir.join("logs/audit.jsonl")
}

/// Everything Plimsoll has asked so far, in the order in which it was answered.
pub(super) fn read(dir: &Path) -> Result<Vec<Entry>> {
    let text = match std::fs::read_to_string(log_path(dir)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).context("reading the audit log"),
    };
    // The last line may still be on its way into the file.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole
        .lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("an audit entry reads {line}")))
        .collect()
}
