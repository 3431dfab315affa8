//! A metric that is asked of Prometheus: which server it may be, and how to log in.

use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use plimsoll_api::autoscaler::metrics::PrometheusAuth;
use plimsoll_api::source::Source;
use plimsoll_engine::{Absent, Reading};

use crate::act;
use crate::config::PrometheusFlags;
use crate::context::Context;
use crate::kinds::Ask;
use crate::metrics::OfPrometheus;
use crate::metrics::prometheus::Login;

/// The longest that a metric may have a sync wait: others wait for their turn meanwhile.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Reads a metric from Prometheus.
pub(crate) async fn read(cx: &Context, ask: &Ask, namespace: &str) -> Reading {
    let source = &ask.source;
    let Source::Prometheus { query, server, .. } = source else {
        return Reading::Missing(source.nothing_returned());
    };
    let server = match choose(&cx.config.prometheus, server.as_deref()) {
        Ok(server) => server,
        Err(why) => return Reading::Missing(Absent::Spec(why.into())),
    };
    let login = match log_in(cx, namespace, ask.auth.as_ref()).await {
        Ok(login) => login,
        Err(why) => return Reading::Missing(source.call_failed(&why)),
    };
    let limit = ask.limit.unwrap_or(cx.config.metrics.timeout).min(LONGEST_WAIT);
    let question = OfPrometheus { server, query: query.to_string(), login, limit };
    match cx.backends.of_prometheus(question).await {
        Err(trouble) => Reading::Missing(source.call_failed(&trouble.text)),
        Ok(values) if values.milli.is_empty() => Reading::Missing(source.nothing_returned()),
        Ok(values) => Reading::Series { values: values.milli.clone(), taken: values.taken },
    }
}

/// The server to ask. One that a spec names must be allowed: else anyone who may write an autoscaler could have the
/// controller send requests to any address it can reach.
fn choose(flags: &PrometheusFlags, named: Option<&str>) -> Result<String, String> {
    match named.or(flags.server.as_deref()) {
        None => {
            Err("no server: name one in the metric, or start the controller with --prometheus-server"
                .to_owned())
        }
        Some(server) if !flags.allows(server) => {
            Err(format!("the server {server} may not be asked: allow it with --prometheus-allow"))
        }
        Some(server) => Ok(server.to_owned()),
    }
}

/// The login from a Secret in the object's own namespace.
async fn log_in(cx: &Context, namespace: &str, auth: Option<&PrometheusAuth>) -> Result<Login, String> {
    let Some(auth) = auth else { return Ok(Login::None) };
    if let Some(bearer) = &auth.bearer {
        let secret = secret(cx, namespace, &bearer.secret_name).await?;
        return Ok(Login::Bearer(entry(
            &secret,
            &bearer.secret_name,
            bearer.key.as_deref().unwrap_or("token"),
        )?));
    }
    if let Some(basic) = &auth.basic {
        let secret = secret(cx, namespace, &basic.secret_name).await?;
        let of =
            |key: Option<&str>, default: &str| entry(&secret, &basic.secret_name, key.unwrap_or(default));
        let username = of(basic.username_key.as_deref(), "username")?;
        return Ok(Login::Basic { username, password: of(basic.password_key.as_deref(), "password")? });
    }
    Ok(Login::None)
}

async fn secret(cx: &Context, namespace: &str, name: &str) -> Result<Secret, String> {
    let secrets: Api<Secret> = Api::namespaced(cx.client.clone(), namespace);
    let found = act::within_limit(secrets.get(name)).await;
    found.map_err(|error| format!("cannot read the Secret {name}: {}", act::words(&error)))
}

fn entry(secret: &Secret, name: &str, key: &str) -> Result<String, String> {
    let data = secret.data.as_ref().and_then(|data| data.get(key));
    let text = data.and_then(|bytes| String::from_utf8(bytes.0.clone()).ok());
    text.ok_or_else(|| format!("the Secret {name} has no text under the key {key}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_cannot_name_any_server() {
        let flags = PrometheusFlags { server: None, allowed: vec!["http://thanos:9090".to_owned()] };
        assert!(choose(&flags, None).unwrap_err().contains("--prometheus-server"));
        assert!(choose(&flags, Some("http://169.254.169.254")).unwrap_err().contains("--prometheus-allow"));
        assert_eq!(choose(&flags, Some("http://thanos:9090")), Ok("http://thanos:9090".to_owned()));
    }

    #[test]
    fn a_missing_key_is_named_and_its_neighbours_are_not_shown() {
        let secret: Secret =
            serde_json::from_value(serde_json::json!({"data": {"other": "c2VjcmV0"}})).unwrap();
        let problem = entry(&secret, "prometheus", "token").unwrap_err();
        assert_eq!(problem, "the Secret prometheus has no text under the key token");
        assert_eq!(entry(&secret, "prometheus", "other"), Ok("secret".to_owned()));
    }
}
