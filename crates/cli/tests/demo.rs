//! `plimsoll demo` as its visitors meet it: the page, the stream, every knob, the end.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may stop"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// A demo on a port of its own; it ends with the test.
struct Demo {
    child: Child,
    out: BufReader<ChildStdout>,
    host: String,
}

impl Demo {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["demo", "--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let host = line.split_once("http://").expect("an address").1.trim().trim_end_matches('/').to_owned();
        Self { child, out, host }
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let length = body.len();
        write!(stream, "{method} {path} HTTP/1.0\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn turn(&self, control: &Value) -> String {
        let headers = format!("Host: {}\r\nContent-Type: application/json\r\n", self.host);
        self.ask("POST", "/control", &headers, &control.to_string())
    }

    fn watch(&self) -> Stream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET /events HTTP/1.0\r\nHost: {}\r\n\r\n", self.host).unwrap();
        Stream(BufReader::new(stream))
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The events as a page hears them.
struct Stream(BufReader<TcpStream>);

impl Stream {
    /// The next event: its name and what it says.
    fn next(&mut self) -> (String, Value) {
        let mut kind = String::new();
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
            if let Some(name) = line.strip_prefix("event: ") {
                kind = name.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return (kind, serde_json::from_str(data).unwrap());
            }
        }
    }

    /// Listens until something is so, and returns the message that says it.
    fn until(&mut self, what: &str, so: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        for _ in 0..600 {
            last = self.next().1;
            if so(&last) {
                return last;
            }
        }
        panic!("never {what}; last: {}", last["state"]);
    }
}

/// Whether an incident of this name is among those of the first autoscaler.
fn happened(message: &Value, what: &str) -> bool {
    let incidents = message["deltas"][0]["incidents"].as_array();
    incidents.is_some_and(|list| list.iter().any(|one| one["what"] == what))
}

#[test]
fn every_knob_shows_in_the_stream() {
    let demo = Demo::start();
    let page = demo.ask("GET", "/", &format!("Host: {}\r\n", demo.host), "");
    assert!(page.starts_with("HTTP/1.0 200") && page.contains("four autoscalers"), "{page:.200}");
    let mut stream = demo.watch();
    let (kind, hello) = stream.next();
    assert_eq!(kind, "hello");
    assert_eq!(hello["deltas"].as_array().unwrap().len(), 4);
    assert_eq!(hello["table"]["columns"][0]["label"], "unmet");
    let (kind, _) = stream.next();
    assert_eq!(kind, "news");

    let fine = "HTTP/1.0 204";
    assert!(demo.turn(&json!({ "speed": 600 })).starts_with(fine));
    stream.until("at full speed", |m| m["state"]["knobs"]["speed"] == 600);
    assert!(demo.turn(&json!({ "metricsDown": true })).starts_with(fine));
    stream.until("without metrics", |m| {
        let seen = m["deltas"][0]["points"]["metrics"][0].as_array();
        happened(m, "metrics outage") && seen.is_some_and(|list| list.iter().all(Value::is_null))
    });
    demo.turn(&json!({ "metricsDown": false }));
    demo.turn(&json!({ "slowImage": true }));
    stream.until("slow", |m| m["state"]["knobs"]["slowImage"] == true && happened(m, "slow images"));
    demo.turn(&json!({ "slowImage": false }));
    assert!(demo.turn(&json!("rollingUpdate")).starts_with(fine));
    stream.until("rolling", |m| m["state"]["rolling"] == true);
    stream.until("rolled", |m| m["state"]["rolling"] == false && happened(m, "rolling update"));
    demo.turn(&json!({ "extraLoad": 500 }));
    stream.until("pushed", |m| m["state"]["now"][0]["load"].as_f64() > Some(600.0));
    stream.until("explained", |m| {
        let changes = m["deltas"][0]["changes"].as_array();
        changes.is_some_and(|list| {
            list.iter().any(|c| c["to"].as_i64() > c["from"].as_i64() && c["reason"] != "")
        })
    });

    assert!(demo.turn(&json!({ "pause": true })).starts_with(fine));
    let paused = stream.until("paused", |m| m["state"]["knobs"]["paused"] == true);
    assert_eq!(stream.next().1["state"]["secs"], paused["state"]["secs"]);
    // A second page sees the same, all of it.
    let (kind, hello) = demo.watch().next();
    assert_eq!((kind.as_str(), &hello["state"]), ("hello", &paused["state"]));
}

#[test]
fn strangers_and_nonsense_are_refused() {
    let demo = Demo::start();
    let answer = demo.turn(&json!({ "speed": 100_000 }));
    assert!(answer.starts_with("HTTP/1.0 400") && answer.contains("choose 1 to 600"), "{answer}");
    assert!(demo.turn(&json!({ "explode": true })).starts_with("HTTP/1.0 422"));
    let elsewhere = demo.ask("GET", "/events", "Host: shop.example.com\r\n", "");
    assert!(elsewhere.starts_with("HTTP/1.0 403"), "{elsewhere}");
    // What a form on a foreign page can send.
    let form = format!("Host: {}\r\nContent-Type: text/plain\r\n", demo.host);
    assert!(demo.ask("POST", "/control", &form, r#"{"pause":true}"#).starts_with("HTTP/1.0 415"));
}

#[test]
fn a_taken_port_is_told_in_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output =
        Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(["demo", "--port", &port]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains(&port) && error.contains("--port"), "{error}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_cleanly_though_pages_are_open() {
    let mut demo = Demo::start();
    let mut streams = [demo.watch(), demo.watch(), demo.watch()];
    streams.iter_mut().for_each(|stream| drop(stream.next()));
    let pid = demo.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(demo.child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    demo.out.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("The shop is closed.\n"), "{rest}");
}

#[test]
fn one_day_as_text_is_always_the_same() {
    trycmd::TestCases::new().case("tests/cmd/demo.trycmd");
}
