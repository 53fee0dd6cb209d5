//! Cryptography of all TLS, and TLS of outgoing connections: certificates are always verified. Used by the fetcher, the egress
//! proxy and the edge. Must never offer a way to switch verification off.
//! See docs/decisions/0542.

use std::sync::{Arc, LazyLock};

use rustls::crypto::{CryptoProvider, aws_lc_rs, ring};
use rustls::{ClientConfig, RootCertStore};

/// Returns the cryptography of TLS: ring, and before its key exchanges the hybrid X25519MLKEM768, which stays secret when a
/// quantum computer breaks X25519.
pub fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| {
        let mut provider = ring::default_provider();
        provider.kx_groups.insert(0, aws_lc_rs::kx_group::X25519MLKEM768);
        Arc::new(provider)
    });
    PROVIDER.clone()
}

/// Makes [`provider`] the one of libraries that ask for the process's. An earlier one stays.
pub fn install_provider() {
    let _ = CryptoProvider::clone(&provider()).install_default();
}

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
    let mut config = ClientConfig::builder_with_provider(provider())
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
    use rustls::pki_types::{PrivatePkcs8KeyDer, ServerName};
    use rustls::{ClientConnection, NamedGroup, ServerConfig, ServerConnection};

    use super::*;

    /// Returns the key exchange that our client and a server with this cryptography agree on.
    fn key_exchange_with(server: Arc<CryptoProvider>) -> Option<NamedGroup> {
        let made = rcgen::generate_simple_self_signed(vec!["shop.example".to_owned()]).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(made.cert.der().clone()).unwrap();
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into();
        let config =
            ServerConfig::builder_with_provider(server).with_safe_default_protocol_versions().unwrap();
        let mut config =
            config.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).unwrap();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let name = ServerName::try_from("shop.example").unwrap();
        let mut client = ClientConnection::new(client_config_trusting(roots), name).unwrap();
        let mut server = ServerConnection::new(Arc::new(config)).unwrap();
        while client.is_handshaking() || server.is_handshaking() {
            let mut bytes = Vec::new();
            client.write_tls(&mut bytes).unwrap();
            server.read_tls(&mut bytes.as_slice()).unwrap();
            server.process_new_packets().unwrap();
            let mut bytes = Vec::new();
            server.write_tls(&mut bytes).unwrap();
            client.read_tls(&mut bytes.as_slice()).unwrap();
            client.process_new_packets().unwrap();
        }
        client.negotiated_key_exchange_group().map(|group| group.name())
    }

    #[test]
    fn keys_are_exchanged_by_the_hybrid_with_servers_that_know_it_and_by_x25519_with_others() {
        let others = Arc::new(ring::default_provider());

        assert_eq!(key_exchange_with(provider()), Some(NamedGroup::X25519MLKEM768));
        assert_eq!(key_exchange_with(others), Some(NamedGroup::X25519));
    }

    #[test]
    fn there_is_always_somebody_to_trust() {
        assert!(!trusted_roots().is_empty());
    }
}
