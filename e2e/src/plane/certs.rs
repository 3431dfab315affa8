//! The certificates of one run: an authority and what it signs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// Signs everything in one run: servers, clients, the front proxy and the adapter.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate and its key as PEM.
pub struct Signed {
    /// The certificate.
    pub cert: String,
    /// Its private key.
    pub key: String,
}

impl Authority {
    /// A fresh authority.
    pub fn new() -> Result<Authority> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        params.distinguished_name.push(DnType::CommonName, "plimsoll-e2e");
        let pem = params.self_signed(&key)?.pem();
        Ok(Authority { issuer: Issuer::new(params, key), pem })
    }

    /// The authority's own certificate.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// A server's certificate for these host names and addresses.
    pub fn server(&self, hosts: &[&str]) -> Result<Signed> {
        let names: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name.push(DnType::CommonName, "plimsoll-e2e-server");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.sign(params)
    }

    /// A client's certificate: the user's name and, if any, group.
    pub fn client(&self, user: &str, group: Option<&str>) -> Result<Signed> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, user);
        if let Some(group) = group {
            params.distinguished_name.push(DnType::OrganizationName, group);
        }
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.sign(params)
    }

    fn sign(&self, mut params: CertificateParams) -> Result<Signed> {
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        let key = KeyPair::generate()?;
        let cert = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Signed { cert, key: key.serialize_pem() })
    }
}

impl Signed {
    /// Writes `NAME.crt` and `NAME.key` into `dir` and returns their paths.
    pub fn write(&self, dir: &Path, name: &str) -> Result<(PathBuf, PathBuf)> {
        let (cert, key) = (dir.join(format!("{name}.crt")), dir.join(format!("{name}.key")));
        std::fs::write(&cert, &self.cert).with_context(|| format!("writing {}", cert.display()))?;
        std::fs::write(&key, &self.key).with_context(|| format!("writing {}", key.display()))?;
        Ok((cert, key))
    }
}

/// The key pair with which the API server signs ServiceAccount tokens: paths of the public and the private key.
pub fn service_account_keys(dir: &Path) -> Result<(PathBuf, PathBuf)> {
    let key = KeyPair::generate()?;
    let (public, private) = (dir.join("service-account.pub"), dir.join("service-account.key"));
    std::fs::write(&public, key.public_key_pem())?;
    std::fs::write(&private, key.serialize_pem())?;
    Ok((public, private))
}
