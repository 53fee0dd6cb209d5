//! TLS in front: which certificate a handshake gets, decided by the name that the client asks for.
//! Used by the edge's TLS listener. Must never finish a handshake for a name that is not served here.

use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{Acceptor, WantsServerCert};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ConfigBuilder, ServerConfig};
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{LazyConfigAcceptor, StartHandshake};

use super::service::Edge;
use crate::clock::Timestamp;

/// How long a client may take over each half of the handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The protocol in which a certificate authority looks for its proof (RFC 8737).
const ACME_TLS: &[u8] = b"acme-tls/1";
const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";
/// A fatal alert, unrecognized_name (RFC 6066), as a record of its own.
const UNRECOGNIZED_NAME: [u8; 7] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70];

/// What a connection agreed to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2.
    Http2,
}

/// A certificate or key that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyPairError {
    /// It cannot be read.
    #[error("it cannot be read")]
    Unreadable,
    /// The key is not the certificate's, or of a kind that is not supported.
    #[error("the key does not fit")]
    Unfit(#[from] rustls::Error),
    /// The proof's certificate cannot be made.
    #[error("the certificate cannot be made")]
    NotMade(#[from] rcgen::Error),
}

/// Shakes hands with a client. None when it was refused, gave up, or was a certificate authority that has seen its proof.
pub async fn accept(stream: TcpStream, edge: &Edge) -> Option<(TlsStream<TcpStream>, Protocol)> {
    let mut acceptor = LazyConfigAcceptor::new(Acceptor::default(), stream);
    let handshake = timeout(HANDSHAKE_TIMEOUT, &mut acceptor).await.ok()?.ok()?;
    let Some(config) = choose(edge, &handshake).await else {
        refuse(handshake).await;
        return None;
    };
    let finished = timeout(HANDSHAKE_TIMEOUT, handshake.into_stream(config)).await;
    let mut stream =
        finished.ok()?.inspect_err(|error| tracing::trace!(%error, "a handshake failed")).ok()?;
    match stream.get_ref().1.alpn_protocol() {
        Some(ACME_TLS) => {
            let _ = stream.shutdown().await;
            None
        }
        Some(HTTP2) => Some((stream, Protocol::Http2)),
        _ => Some((stream, Protocol::Http1)),
    }
}

async fn choose(edge: &Edge, handshake: &StartHandshake<TcpStream>) -> Option<Arc<ServerConfig>> {
    let certificates = edge.inner().certificates.as_ref()?;
    let (host, is_challenge) = {
        let hello = handshake.client_hello();
        let is_challenge =
            hello.alpn().is_some_and(|mut protocols| protocols.any(|protocol| protocol == ACME_TLS));
        (hello.server_name()?.trim_end_matches('.').to_ascii_lowercase(), is_challenge)
    };
    match is_challenge {
        true => certificates.challenge_config(&host).await,
        false => certificates.for_handshake(&host).await,
    }
}

/// Tells the client that the name is not served here, instead of hanging up on it.
async fn refuse(mut handshake: StartHandshake<TcpStream>) {
    let goodbye = async {
        handshake.io.write_all(&UNRECOGNIZED_NAME).await?;
        handshake.io.shutdown().await
    };
    let _ = timeout(HANDSHAKE_TIMEOUT, goodbye).await;
}

/// The set-up for a certificate and its key, PEM.
pub fn server_config(chain: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, KeyPairError> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(chain)
        .collect::<Result<_, _>>()
        .map_err(|_| KeyPairError::Unreadable)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| KeyPairError::Unreadable)?;
    let mut config = builder()?.with_single_cert(chain, key)?;
    config.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
    Ok(Arc::new(config))
}

/// The set-up in which a certificate authority finds its proof.
pub fn challenge_config(host: &str, key_authorization: &str) -> Result<Arc<ServerConfig>, KeyPairError> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(vec![host.to_owned()])?;
    let digest = Sha256::digest(key_authorization.as_bytes());
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(&digest)];
    let certificate = params.self_signed(&key)?;
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let key = rustls::crypto::ring::sign::any_supported_type(&key)?;
    // Not checked like other certificates: the extension is critical, and nobody but the authority knows it.
    let pair = CertifiedKey::new(vec![certificate.der().clone()], key);
    let mut config = builder()?.with_cert_resolver(Arc::new(SingleCertAndKey::from(pair)));
    config.alpn_protocols = vec![ACME_TLS.to_vec()];
    Ok(Arc::new(config))
}

fn builder() -> Result<ConfigBuilder<ServerConfig, WantsServerCert>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth())
}

/// From when until when the first certificate of a chain is valid.
pub fn validity(chain: &str) -> Result<(Timestamp, Timestamp), KeyPairError> {
    let first = CertificateDer::from_pem_slice(chain.as_bytes()).map_err(|_| KeyPairError::Unreadable)?;
    let (_, certificate) =
        x509_parser::parse_x509_certificate(&first).map_err(|_| KeyPairError::Unreadable)?;
    let validity = certificate.validity();
    let millis =
        |time: x509_parser::time::ASN1Time| Timestamp::from_millis(time.timestamp().saturating_mul(1000));
    Ok((millis(validity.not_before), millis(validity.not_after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(host: &str) -> (String, String) {
        let made = rcgen::generate_simple_self_signed(vec![host.to_owned()]).unwrap();
        (made.cert.pem(), made.signing_key.serialize_pem())
    }

    #[test]
    fn a_key_that_is_not_the_certificates_is_refused() {
        let (chain, key) = pair("shop.example");
        let (_, other) = pair("shop.example");

        assert!(server_config(chain.as_bytes(), key.as_bytes()).is_ok());
        assert!(matches!(server_config(chain.as_bytes(), other.as_bytes()), Err(KeyPairError::Unfit(_))));
        assert!(server_config(b"", key.as_bytes()).is_err());
        assert!(matches!(server_config(chain.as_bytes(), b"nonsense"), Err(KeyPairError::Unreadable)));
    }

    #[test]
    fn http2_is_preferred_and_a_proof_speaks_nothing_else() {
        let (chain, key) = pair("shop.example");

        let ours = server_config(chain.as_bytes(), key.as_bytes()).unwrap();
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

        let (from, until) = validity(&chain).unwrap();

        assert_eq!((from.day(), until.day()), ("2026-11-21".to_owned(), "2027-02-19".to_owned()));
        assert!(validity("nonsense").is_err());
    }
}
