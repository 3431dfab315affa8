//! Prometheus asked directly: an instant query, with a token or a password if there is one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{Request, Uri, header};
use kube::{Client, Config};
use plimsoll_engine::{At, seconds};
use serde::Deserialize;

use crate::metrics::apis::segment;
use crate::metrics::fetch::{Trouble, send};

/// How to log in to a server. Never printed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Login {
    /// Not at all.
    #[default]
    None,
    /// With a bearer token.
    Bearer(String),
    /// With a user name and a password.
    Basic {
        /// The user name.
        username: String,
        /// The password.
        password: String,
    },
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Login::None => "None",
            Login::Bearer(_) => "Bearer",
            Login::Basic { .. } => "Basic",
        })
    }
}

impl Login {
    fn header(&self) -> Option<String> {
        match self {
            Login::None => None,
            Login::Bearer(token) => Some(format!("Bearer {}", token.trim())),
            Login::Basic { username, password } => {
                Some(format!("Basic {}", STANDARD.encode(format!("{username}:{password}"))))
            }
        }
    }
}

/// The values of a query's result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Values {
    /// In milli-units.
    pub milli: Vec<i64>,
    /// When the oldest was taken.
    pub taken: Option<At>,
}

/// Prometheus servers that were asked before.
#[derive(Default)]
pub(crate) struct Servers {
    clients: Mutex<BTreeMap<String, Client>>,
}

#[derive(Deserialize)]
struct Answer {
    status: String,
    #[serde(default)]
    error: String,
    data: Option<Data>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", tag = "resultType", content = "result")]
enum Data {
    Vector(Vec<Series>),
    Scalar((f64, String)),
    Matrix(serde::de::IgnoredAny),
    String(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
struct Series {
    value: Option<(f64, String)>,
}

impl Servers {
    /// Asks a server.
    pub(crate) async fn ask(
        &self,
        server: &str,
        query: &str,
        login: &Login,
        limit: Duration,
    ) -> Result<Values, Trouble> {
        let client = self.client(server)?;
        let body = format!("query={}&timeout={}ms", segment(query), limit.as_millis());
        let mut request = Request::post("/api/v1/query")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::ACCEPT, "application/json");
        if let Some(login) = login.header() {
            request = request.header(header::AUTHORIZATION, login);
        }
        let request = request
            .body(body.into_bytes())
            .map_err(|_| Trouble::request("the login contains characters that cannot be sent"))?;
        let (code, body) = send(&client, request).await?;
        read(code.as_u16(), &body)
    }

    fn client(&self, server: &str) -> Result<Client, Trouble> {
        let server = server.trim_end_matches('/');
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(server) {
            return Ok(client.clone());
        }
        let client = plain_client(server)?;
        clients.insert(server.to_owned(), client.clone());
        Ok(client)
    }
}

/// A client of an HTTP server that is not the API server.
pub(crate) fn plain_client(server: &str) -> Result<Client, Trouble> {
    let bad = |error: String| Trouble::request(format!("the server {server:?} cannot be asked: {error}"));
    let uri: Uri = server.parse().map_err(|error| bad(format!("{error}")))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none() {
        return Err(bad("give an address like http://prometheus.monitoring:9090".to_owned()));
    }
    // http://allowed@elsewhere would pass for an allowed address and ask another.
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(bad("a login belongs into a Secret, not into the address".to_owned()));
    }
    let plain = uri.scheme_str() == Some("http");
    let mut config = Config::new(uri);
    config.default_retry = false;
    config.connect_timeout = Some(Duration::from_secs(5));
    if plain {
        // Without this a machine that has no bundle of certificates could not even ask in plain text.
        config.root_cert = Some(Vec::new());
    }
    Client::try_from(config).map_err(|error| bad(format!("{error}")))
}

fn read(code: u16, body: &[u8]) -> Result<Values, Trouble> {
    let answer: Answer = match serde_json::from_slice(body) {
        Ok(answer) => answer,
        Err(_) if code >= 500 => return Err(Trouble::backend(format!("it answered with code {code}"))),
        Err(_) if code >= 400 => return Err(Trouble::request(format!("it answered with code {code}"))),
        Err(error) => return Err(Trouble::backend(format!("its answer makes no sense: {error}"))),
    };
    if answer.status != "success" {
        let refused = if code >= 500 { Trouble::backend } else { Trouble::request };
        return Err(refused(answer.error));
    }
    let points = match answer.data {
        Some(Data::Vector(series)) => series.into_iter().filter_map(|series| series.value).collect(),
        Some(Data::Scalar(point)) => vec![point],
        Some(Data::Matrix(_) | Data::String(_)) => {
            return Err(Trouble::request(
                "the query gives a range or a text; it must give an instant vector or a scalar",
            ));
        }
        None => Vec::new(),
    };
    let mut values = Values { milli: Vec::with_capacity(points.len()), taken: None };
    for (at, text) in &points {
        let milli =
            milli(text).ok_or_else(|| Trouble::request(format!("the query gives {text}, not a number")))?;
        values.milli.push(milli);
        let at = At(plimsoll_engine::cut_i64(at * seconds(1) as f64));
        values.taken = Some(values.taken.map_or(at, |oldest| oldest.min(at)));
    }
    Ok(values)
}

/// A value in milli-units, rounded up as quantities are; `None` for what is no number.
fn milli(text: &str) -> Option<i64> {
    let value: f64 = text.parse().ok()?;
    let milli = (value * 1000.0).ceil();
    (milli.is_finite() && milli.abs() < 9.2e18).then(|| plimsoll_engine::cut_i64(milli))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_scalars_are_read() {
        let vector = br#"{"status":"success","data":{"resultType":"vector","result":[
            {"metric":{},"value":[1700000000.5,"1.5"]},{"metric":{"a":"b"},"value":[1700000001,"2"]}]}}"#;
        let values = read(200, vector).unwrap();
        assert_eq!(values.milli, [1500, 2000]);
        assert_eq!(values.taken, Some(At(1_700_000_000_500_000)));
        let scalar = br#"{"status":"success","data":{"resultType":"scalar","result":[1700000000,"0.0001"]}}"#;
        assert_eq!(read(200, scalar).unwrap().milli, [1]);
        let empty = br#"{"status":"success","data":{"resultType":"vector","result":[]}}"#;
        assert_eq!(read(200, empty).unwrap().milli, Vec::<i64>::new());
    }

    #[test]
    fn what_is_no_number_is_said() {
        let nan = br#"{"status":"success","data":{"resultType":"scalar","result":[1700000000,"NaN"]}}"#;
        assert_eq!(&*read(200, nan).unwrap_err().text, "the query gives NaN, not a number");
        let range = br#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#;
        assert!(read(200, range).unwrap_err().text.contains("instant vector"));
        let wrong = br#"{"status":"error","errorType":"bad_data","error":"parse error"}"#;
        assert_eq!(read(400, wrong).unwrap_err(), Trouble::request("parse error"));
        assert_eq!(read(502, b"<html>").unwrap_err(), Trouble::backend("it answered with code 502"));
    }

    #[test]
    fn an_address_names_one_server_and_no_login() {
        let refused = |address: &str| plain_client(address).err().map(|trouble| trouble.text.to_string());
        assert!(refused("http://team-a@169.254.169.254").unwrap().contains("Secret"));
        assert!(refused("prometheus:9090").unwrap().contains("give an address like"));
        assert!(refused("ftp://prometheus").unwrap().contains("give an address like"));
    }

    #[test]
    fn secrets_are_not_printed() {
        let login = Login::Basic { username: "u".to_owned(), password: "p".to_owned() };
        assert_eq!(format!("{login:?}"), "Basic");
        assert_eq!(login.header().unwrap(), "Basic dTpw");
    }
}
