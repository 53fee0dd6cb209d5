//! Certificate of the proxy for the hosts that it answers for, so that their pages keep their https address.
//! Generated in memory by each process, and trusted only by the browsers that are started with its hash.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertificateParams, KeyPair, PublicKeyData};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use sha2::{Digest, Sha256};
use tokio_rustls::TlsAcceptor;

/// Key, certificate, and the hash by which Chromium recognises the key.
pub(crate) struct Identity {
    acceptor: TlsAcceptor,
    spki_hash: String,
}

impl Identity {
    /// Generates a key.
    pub fn generate() -> Result<Identity, Box<dyn std::error::Error + Send + Sync>> {
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new(vec!["proxy.invalid".to_owned()])?.self_signed(&key)?;
        let spki_hash = STANDARD.encode(Sha256::digest(key.subject_public_key_info()));
        let private = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(crawler::tls::provider())
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Identity { acceptor: TlsAcceptor::from(Arc::new(config)), spki_hash })
    }

    /// Returns the value of `--ignore-certificate-errors-spki-list`.
    pub fn spki_hash(&self) -> &str {
        &self.spki_hash
    }

    pub(super) fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }
}
