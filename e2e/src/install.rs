//! Installs Plimsoll on the plane as its users do: with `kubectl apply`, from `deploy/`.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail, ensure};

use crate::plane::Plane;
use crate::plane::parts::repository;
use crate::wait;

/// Applies the shipped manifests.
pub async fn install(plane: &Plane) -> Result<()> {
    kubectl(plane, &["apply", "--server-side", "-k", path(&repository().join("deploy"))?]).await?;
    // kubectl refuses to wait for one that has no conditions at all yet.
    wait::until("the installed kinds to be served", Duration::from_secs(30), || async {
        kubectl(plane, &["wait", "--for=condition=Established", "--timeout=5s", "crd", "--all"]).await?;
        Ok(true)
    })
    .await
}

fn path(path: &Path) -> Result<&str> {
    match path.to_str() {
        Some(text) => Ok(text),
        None => bail!("{} is not UTF-8", path.display()),
    }
}

async fn kubectl(plane: &Plane, arguments: &[&str]) -> Result<()> {
    let output = plane.kubectl(arguments, "").await?;
    ensure!(output.code == 0, "kubectl {}: {}", arguments.join(" "), output.stderr.trim());
    Ok(())
}
