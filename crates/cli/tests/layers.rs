//! The layer law: which crate may use which. Reads `cargo metadata`, so a new dependency cannot slip past it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// For each crate, the only workspace crates and the only outside crates it may use.
const LAW: [(&str, &[&str], Outside); 8] = [
    ("engine", &[], Outside::Only(&["serde"])),
    ("api", &["engine"], Outside::Never(&["tokio", "axum", "reqwest", "hyper", "tracing"])),
    ("sim", &["engine", "api"], Outside::Never(&["tokio", "axum", "kube", "reqwest", "hyper"])),
    ("report", &["engine", "api", "sim"], Outside::Never(&["tokio", "axum", "kube", "reqwest", "hyper"])),
    ("conformance", &["engine", "api"], Outside::Never(&["tokio", "kube", "axum"])),
    ("controller", &["engine", "api"], Outside::Never(&["clap"])),
    ("cli", &["engine", "api", "sim", "report", "controller"], Outside::Never(&[])),
    ("e2e", &["api"], Outside::Never(&[])),
];

enum Outside {
    /// These and no others.
    Only(&'static [&'static str]),
    /// Anything but these.
    Never(&'static [&'static str]),
}

/// Normal dependencies of each workspace crate, without the `plimsoll-` in front.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let short = |name: &Value| name.as_str().unwrap().trim_start_matches("plimsoll-").to_owned();
    let normal = |package: &Value| {
        let all = package["dependencies"].as_array().unwrap().iter();
        all.filter(|it| it["kind"].is_null()).map(|it| short(&it["name"])).collect::<Vec<_>>()
    };
    let packages = metadata["packages"].as_array().unwrap();
    packages.iter().map(|package| (short(&package["name"]), normal(package))).collect()
}

#[test]
fn no_crate_uses_what_it_may_not() {
    let all = dependencies();
    let named: Vec<&str> = LAW.iter().map(|(name, ..)| *name).collect();
    for name in all.keys() {
        assert!(
            named.contains(&name.as_str()),
            "{name} is not in the layer law: add it here and to ARCHITECTURE.md"
        );
    }
    for (name, inside, outside) in LAW {
        for used in all.get(name).unwrap_or_else(|| panic!("no crate {name}")) {
            let ours = all.contains_key(used);
            let allowed = match &outside {
                _ if ours => inside.contains(&used.as_str()),
                Outside::Only(list) => list.contains(&used.as_str()),
                Outside::Never(list) => !list.contains(&used.as_str()),
            };
            assert!(allowed, "{name} may not use {used}");
        }
    }
}

#[test]
fn the_api_uses_kube_only_for_its_derive() {
    let manifest =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../api/Cargo.toml")).unwrap();
    let kube = manifest.lines().find(|line| line.starts_with("kube ")).expect("the api uses kube");
    assert!(kube.contains("features = [\"derive\"]"), "{kube}");
}
