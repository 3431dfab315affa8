//! Kubeconfig files: for the administrator and for a ServiceAccount.

use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::api::PostParams;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use serde_json::{Value, json};

use super::certs::Signed;

/// How the API server is reached.
#[derive(Clone)]
pub struct Server {
    /// Its address.
    pub url: String,
    /// The authority that signed its certificate, as PEM.
    pub authority: String,
}

impl Server {
    /// Writes a kubeconfig that identifies itself by a client certificate.
    pub fn write_for_certificate(&self, client: &Signed, path: &Path) -> Result<()> {
        let user = json!({
            "client-certificate-data": STANDARD.encode(&client.cert),
            "client-key-data": STANDARD.encode(&client.key),
        });
        self.write(&user, path)
    }

    /// Writes a kubeconfig that identifies itself by a bearer token.
    pub fn write_for_token(&self, token: &str, path: &Path) -> Result<()> {
        self.write(&json!({ "token": token }), path)
    }

    fn write(&self, user: &Value, path: &Path) -> Result<()> {
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "e2e", "cluster": {
                "server": self.url,
                "certificate-authority-data": STANDARD.encode(&self.authority),
            }}],
            "users": [{"name": "e2e", "user": user}],
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "e2e"}}],
            "current-context": "e2e",
        });
        let text = serde_json::to_string_pretty(&config)?;
        std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))
    }
}

/// A client made from a kubeconfig file.
pub async fn client(path: &Path) -> Result<Client> {
    let file = Kubeconfig::read_from(path)?;
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

/// A token of a ServiceAccount, good for a day.
pub async fn token(admin: &Client, namespace: &str, name: &str) -> Result<String> {
    let accounts: Api<ServiceAccount> = Api::namespaced(admin.clone(), namespace);
    let spec = TokenRequestSpec { expiration_seconds: Some(86_400), ..TokenRequestSpec::default() };
    let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
    let answer = accounts
        .create_token_request(name, &PostParams::default(), &request)
        .await
        .with_context(|| format!("asking for a token of ServiceAccount {namespace}/{name}"))?;
    answer.status.and_then(|status| status.token).context("the token request was not answered")
}
