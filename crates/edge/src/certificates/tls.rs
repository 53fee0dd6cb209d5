//! TLS configurations of handshakes and of proofs for an authority, and the validity of certificates.
//! Pure. Used by the certificates' service and by the handshake of the edge's listener.

use std::sync::Arc;

use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WantsServerCert;
use rustls::server::{NoServerSessionStorage, ProducesTickets, ResolvesServerCert};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ConfigBuilder, ServerConfig};
use sha2::{Digest, Sha256};

use super::model::Validity;
use platform::clock::Timestamp;

/// ALPN protocol in which a certificate authority validates its proof (RFC 8737).
pub const ACME_TLS: &[u8] = b"acme-tls/1";
/// ALPN protocol of HTTP/2.
pub const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// Reason for which a certificate or key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyPairError {
    /// The certificate or key cannot be read.
    #[error("it cannot be read")]
    Unreadable,
    /// The key does not belong to the certificate, or its type is not supported.
    #[error("the key does not fit")]
    Unfit(#[from] rustls::Error),
    /// The proof's certificate cannot be created.
    #[error("the certificate cannot be made")]
    NotMade(#[from] rcgen::Error),
}

/// Parses a PEM certificate chain and its key for handshakes.
pub fn certified_key(chain: &[u8], key: &[u8]) -> Result<Arc<CertifiedKey>, KeyPairError> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(chain)
        .collect::<Result<_, _>>()
        .map_err(|_| KeyPairError::Unreadable)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| KeyPairError::Unreadable)?;
    Ok(Arc::new(CertifiedKey::from_der(chain, key, &crawler::tls::provider())?))
}

/// Returns the TLS configuration of all handshakes. Clients keep the sessions in tickets, so that none take memory here.
pub fn server_config(
    certificates: Arc<dyn ResolvesServerCert>,
    tickets: Arc<dyn ProducesTickets>,
) -> Result<Arc<ServerConfig>, KeyPairError> {
    let mut config = builder()?.with_cert_resolver(certificates);
    config.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.ticketer = tickets;
    Ok(Arc::new(config))
}

/// Returns the TLS configuration with the proof for a certificate authority.
pub fn challenge_config(host: &str, key_authorization: &str) -> Result<Arc<ServerConfig>, KeyPairError> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(vec![host.to_owned()])?;
    let digest = Sha256::digest(key_authorization.as_bytes());
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(&digest)];
    let certificate = params.self_signed(&key)?;
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let key = rustls::crypto::ring::sign::any_supported_type(&key)?;
    // Not checked as other certificates are: only the authority knows the critical extension.
    let pair = CertifiedKey::new(vec![certificate.der().clone()], key);
    let mut config = builder()?.with_cert_resolver(Arc::new(SingleCertAndKey::from(pair)));
    config.alpn_protocols = vec![ACME_TLS.to_vec()];
    Ok(Arc::new(config))
}

fn builder() -> Result<ConfigBuilder<ServerConfig, WantsServerCert>, rustls::Error> {
    Ok(ServerConfig::builder_with_provider(crawler::tls::provider())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth())
}

/// Returns the validity of a chain's first certificate.
pub fn validity(chain: &str) -> Result<Validity, KeyPairError> {
    let first = CertificateDer::from_pem_slice(chain.as_bytes()).map_err(|_| KeyPairError::Unreadable)?;
    let (_, certificate) =
        x509_parser::parse_x509_certificate(&first).map_err(|_| KeyPairError::Unreadable)?;
    let validity = certificate.validity();
    let millis =
        |time: x509_parser::time::ASN1Time| Timestamp::from_millis(time.timestamp().saturating_mul(1000));
    Ok(Validity { from: millis(validity.not_before), until: millis(validity.not_after) })
}

#[cfg(test)]
mod tests {
    use super::super::directory::CertificateDirectory;
    use super::*;
    use crate::testing::*;
    use platform::clock::Clock;
    use platform::secret::Secrets;

    fn tickets() -> Arc<dyn ProducesTickets> {
        rustls::crypto::ring::Ticketer::new().expect("the provider makes tickets")
    }

    fn pair(host: &str) -> (String, String) {
        let made = rcgen::generate_simple_self_signed(vec![host.to_owned()]).unwrap();
        (made.cert.pem(), made.signing_key.serialize_pem())
    }

    #[test]
    fn a_key_that_is_not_the_certificates_is_refused() {
        let (chain, key) = pair("shop.example");
        let (_, other) = pair("shop.example");

        assert!(certified_key(chain.as_bytes(), key.as_bytes()).is_ok());
        assert!(matches!(certified_key(chain.as_bytes(), other.as_bytes()), Err(KeyPairError::Unfit(_))));
        assert!(certified_key(b"", key.as_bytes()).is_err());
        assert!(matches!(certified_key(chain.as_bytes(), b"nonsense"), Err(KeyPairError::Unreadable)));
    }

    #[test]
    fn http2_is_preferred_and_a_proof_speaks_nothing_else() {
        let seal = Secrets::from_bytes(b"a secret of this test").seal_key("certificate keys");
        let directory = CertificateDirectory::new(seal, &Clock::fixed(NOON));
        let ours = server_config(Arc::new(directory), tickets()).unwrap();
        let proof = challenge_config("shop.example", "token.key").unwrap();

        assert_eq!(ours.alpn_protocols, [b"h2".to_vec(), b"http/1.1".to_vec()]);
        assert_eq!(proof.alpn_protocols, [b"acme-tls/1".to_vec()]);
    }

    #[test]
    fn the_lifetime_is_read_from_the_certificate() {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["shop.example".to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2026, 11, 21);
        params.not_after = rcgen::date_time_ymd(2027, 2, 19);
        let chain = params.self_signed(&key).unwrap().pem();

        let read = validity(&chain).unwrap();

        assert_eq!((read.from.day(), read.until.day()), ("2026-11-21".to_owned(), "2027-02-19".to_owned()));
        assert!(validity("nonsense").is_err());
    }
}
