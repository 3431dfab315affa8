//! A TLS listener for axum.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::plane::certs::Signed;

/// Accepted connections whose handshake is done. Handshakes run side by side, so a slow one holds up nobody.
pub(super) struct TlsListener {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
}

impl TlsListener {
    pub(super) fn new(listener: TcpListener, signed: &Signed) -> Result<TlsListener> {
        let chain = CertificateDer::pem_slice_iter(signed.cert.as_bytes())
            .collect::<Result<Vec<_>, _>>()
            .context("reading the adapter's certificate")?;
        let key =
            PrivateKeyDer::from_pem_slice(signed.key.as_bytes()).context("reading the adapter's key")?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let address = listener.local_addr()?;
        let (sender, ready) = mpsc::channel(16);
        tokio::spawn(async move {
            while !sender.is_closed() {
                let Ok((stream, peer)) = listener.accept().await else { continue };
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        let _ = sender.send((stream, peer)).await;
                    }
                });
            }
        });
        Ok(TlsListener { ready, address })
    }
}

impl axum::serve::Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            match self.ready.recv().await {
                Some(connection) => return connection,
                // The accepting task is gone, so the runtime is going down: there is nothing left to accept.
                None => std::future::pending().await,
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        Ok(self.address)
    }
}
