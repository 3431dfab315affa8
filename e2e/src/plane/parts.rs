//! Where the programs of the control plane are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The repository this suite was built from.
pub fn repository() -> &'static Path {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR"));
    suite.parent().unwrap_or(suite)
}

/// The paths of the control plane's programs.
pub struct Parts(BTreeMap<String, PathBuf>);

impl Parts {
    /// Asks `e2e/control-plane` where each part is; builds nothing.
    pub fn find() -> Result<Parts> {
        let script = repository().join("e2e/control-plane");
        let output = Command::new(&script)
            .arg("--where")
            .output()
            .with_context(|| format!("running {}", script.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut parts = BTreeMap::new();
        for line in text.lines() {
            match line.split_once(' ') {
                Some((name, path)) if !path.is_empty() => drop(parts.insert(name.to_owned(), path.into())),
                _ => bail!("the control plane's part `{}` is missing: run e2e/control-plane", line.trim()),
            }
        }
        Ok(Parts(parts))
    }

    /// The path of one part.
    pub fn get(&self, name: &str) -> Result<&Path> {
        let path = self.0.get(name).with_context(|| format!("the control plane has no part `{name}`"))?;
        Ok(path)
    }
}
