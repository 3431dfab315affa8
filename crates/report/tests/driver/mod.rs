//! A real browser for tests: chromedriver over plain HTTP, nothing but the standard library.
#![allow(dead_code, missing_docs, unreachable_pub)]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

const INSTALL: &str = "this test needs a browser: apt-get install -y chromium chromium-driver";

/// One browser with one window; it ends when this is dropped.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// A browser with a window of this size.
    pub fn open(width: u32, height: u32) -> Self {
        let chromium = find("CHROMIUM", &["chromium", "chromium-browser", "google-chrome"]);
        let driver = find("CHROMEDRIVER", &["chromedriver"]);
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("chromedriver does not start ({e}); {INSTALL}"));
        let mut lines = BufReader::new(driver.stdout.take().expect("piped")).lines();
        let port = lines
            .find_map(|line| {
                line.ok()?.rsplit_once("successfully on port ")?.1.trim_end_matches('.').parse().ok()
            })
            .unwrap_or_else(|| panic!("chromedriver told no port; {INSTALL}"));
        // Whatever else it prints must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Self { driver, port, session: String::new() };
        let profile = scratch(&format!("profile-{port}"));
        let flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--force-device-scale-factor=1",
        ];
        let mut args: Vec<String> = flags.iter().map(ToString::to_string).collect();
        args.push(format!("--user-data-dir={}", profile.display()));
        args.push(format!("--window-size={width},{height}"));
        let answer = browser.call(
            "POST",
            "/session",
            &json!({ "capabilities": { "alwaysMatch": {
                "goog:chromeOptions": { "binary": chromium, "args": args },
                "goog:loggingPrefs": { "browser": "ALL" },
            }}}),
        );
        browser.session =
            answer["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {answer}")).to_owned();
        browser
    }

    /// Writes the page to a file and opens it; fails if its script complains.
    pub fn show(&self, name: &str, page: &str) {
        let path = scratch(name);
        std::fs::write(&path, page).expect("page written");
        self.post("/url", &json!({ "url": format!("file://{}", path.display()) }));
        self.no_complaints();
    }

    /// What the page's console holds must not be an error.
    pub fn no_complaints(&self) {
        let log = self.post("/se/log", &json!({ "type": "browser" }));
        let errors: Vec<&Value> =
            log.as_array().into_iter().flatten().filter(|e| e["level"] == "SEVERE").collect();
        assert!(errors.is_empty(), "the page complains: {errors:?}");
    }

    /// Runs a script's body in the page and returns what it returns.
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    pub fn text(&self, selector: &str) -> String {
        let found = self.run(&format!("return document.querySelector({selector:?})?.innerText ?? null"));
        found.as_str().unwrap_or_else(|| panic!("nothing at {selector}")).trim().to_owned()
    }

    pub fn number(&self, script: &str) -> f64 {
        let found = self.run(script);
        found.as_f64().unwrap_or_else(|| panic!("no number from {script}: {found}"))
    }

    /// A window of this size, also of a phone's.
    pub fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
        self.settle();
    }

    /// What the reader's system prefers: `light` or `dark`.
    pub fn prefer(&self, scheme: &str) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", &features);
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Two frames, so that what was asked for is drawn.
    pub fn settle(&self) {
        self.post("/execute/async", &json!({ "args": [], "script":
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))" }));
    }

    /// A press at one place, a release at another.
    pub fn drag(&self, from: (f64, f64), to: (f64, f64)) {
        let go = |(x, y): (f64, f64)| json!({ "type": "pointerMove", "duration": 0, "x": x.round() as i64, "y": y.round() as i64 });
        self.pointer(json!([go(from), { "type": "pointerDown", "button": 0 }, go(to), { "type": "pointerUp", "button": 0 }]));
    }

    pub fn click(&self, at: (f64, f64)) {
        self.drag(at, at);
    }

    pub fn hover(&self, (x, y): (f64, f64)) {
        self.pointer(
            json!([{ "type": "pointerMove", "duration": 0, "x": x.round() as i64, "y": y.round() as i64 }]),
        );
    }

    fn pointer(&self, actions: Value) {
        let mouse = json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
        self.post("/actions", &json!({ "actions": [mouse] }));
        self.settle();
    }

    /// One key, by its character or its code point in WebDriver's private range.
    pub fn key(&self, key: char) {
        let actions = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        self.post("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }));
        self.settle();
    }

    /// The page on paper: a PDF, in base64.
    pub fn print(&self) -> String {
        self.post("/print", &json!({ "background": true })).as_str().unwrap_or_default().to_owned()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", &format!("/session/{}{path}", self.session), body)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = http(self.port, method, path, &body.to_string());
        let mut answer: Value =
            serde_json::from_str(&answer).unwrap_or_else(|e| panic!("{path}: {e}: {answer}"));
        let value = answer["value"].take();
        assert!(value.get("error").is_none(), "{path}: {}", value["message"]);
        value
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            http(self.port, "DELETE", &format!("/session/{}", self.session), "");
        }
        // The driver takes its browser with it.
        http(self.port, "GET", "/shutdown", "");
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(scratch(&format!("profile-{}", self.port)));
    }
}

fn http(port: u16, method: &str, path: &str, body: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return String::new() };
    let length = body.len();
    let _ = write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    let mut reader = BufReader::new(stream);
    let mut expected = 0;
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|n| n > 2) {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            expected = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut answer = vec![0; expected];
    let _ = reader.read_exact(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn find(variable: &str, names: &[&str]) -> PathBuf {
    if let Some(path) = std::env::var_os(variable) {
        return path.into();
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).flat_map(|dir| names.iter().map(move |name| dir.join(name)));
    found
        .into_iter()
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{} not found; {INSTALL}", names.join(" or ")))
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}
