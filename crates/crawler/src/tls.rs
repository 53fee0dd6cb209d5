//! TLS of outgoing connections: certificates are always verified. Used by the fetcher, the egress proxy and the edge.
//! Must never offer a way to switch verification off.

use std::sync::{Arc, LazyLock};

use rustls::{ClientConfig, RootCertStore};

/// Returns the configuration of outgoing connections: the machine's trusted roots, else Mozilla's compiled in; HTTP/1.1.
pub fn client_config() -> Arc<ClientConfig> {
    static CONFIG: LazyLock<Arc<ClientConfig>> = LazyLock::new(|| client_config_trusting(trusted_roots()));
    CONFIG.clone()
}

/// Returns the same configuration with HTTP/2 offered before HTTP/1.1, for clients that speak both.
pub fn client_config_with_http2() -> Arc<ClientConfig> {
    let mut config = ClientConfig::clone(&client_config());
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Arc::new(config)
}

/// Returns the configuration with other roots: those of a private authority, or of a test.
pub fn client_config_trusting(roots: RootCertStore) -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider supports TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}

fn trusted_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::debug!(%error, "a system certificate could not be read");
    }
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        tracing::info!("no certificates on this system, trusting Mozilla's list as compiled in");
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_somebody_to_trust() {
        assert!(!trusted_roots().is_empty());
    }
}
