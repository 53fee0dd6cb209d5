//! TLS handshakes: the server name of the client selects the certificate.
//! Used by the edge's TLS listener. Must never finish a handshake for a name that is not served here.

use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::server::Acceptor;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{LazyConfigAcceptor, StartHandshake};

use crate::certificates::directory::name_of;
use crate::certificates::tls::{ACME_TLS, HTTP2};
use crate::proxy::service::Edge;

/// Timeout of each half of the handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Fatal alert unrecognized_name (RFC 6066) as a complete record.
const UNRECOGNIZED_NAME: [u8; 7] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70];

/// HTTP version that a connection negotiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2.
    Http2,
}

/// A connection after its handshake.
pub struct Handshake {
    /// Encrypted stream.
    pub stream: TlsStream<TcpStream>,
    /// Negotiated HTTP version.
    pub protocol: Protocol,
    /// Server name of the client's handshake, in lower case.
    pub name: Arc<str>,
}

/// Performs the handshake with a client. None when it failed or was refused, and after a certificate authority's check.
pub async fn accept(stream: TcpStream, edge: &Edge) -> Option<Handshake> {
    let mut acceptor = LazyConfigAcceptor::new(Acceptor::default(), stream);
    let handshake = timeout(HANDSHAKE_TIMEOUT, &mut acceptor).await.ok()?.ok()?;
    let Some((config, name)) = choose(edge, &handshake).await else {
        refuse(handshake).await;
        return None;
    };
    let finished = timeout(HANDSHAKE_TIMEOUT, handshake.into_stream(config)).await;
    let mut stream =
        finished.ok()?.inspect_err(|error| tracing::trace!(%error, "a handshake failed")).ok()?;
    let protocol = match stream.get_ref().1.alpn_protocol() {
        Some(ACME_TLS) => {
            let _ = stream.shutdown().await;
            return None;
        }
        Some(HTTP2) => Protocol::Http2,
        _ => Protocol::Http1,
    };
    Some(Handshake { stream, protocol, name })
}

async fn choose(edge: &Edge, handshake: &StartHandshake<TcpStream>) -> Option<(Arc<ServerConfig>, Arc<str>)> {
    let certificates = edge.inner().certificates.as_ref()?;
    let (host, is_challenge) = {
        let hello = handshake.client_hello();
        let is_challenge =
            hello.alpn().is_some_and(|mut protocols| protocols.any(|protocol| protocol == ACME_TLS));
        (name_of(&hello)?, is_challenge)
    };
    let config = match is_challenge {
        true => certificates.challenge_config(&host).await,
        false => certificates.for_handshake(&host).await,
    };
    Some((config?, host.into()))
}

/// Sends the client the alert that the name is not served here, and closes the connection.
async fn refuse(mut handshake: StartHandshake<TcpStream>) {
    let goodbye = async {
        handshake.io.write_all(&UNRECOGNIZED_NAME).await?;
        handshake.io.shutdown().await
    };
    let _ = timeout(HANDSHAKE_TIMEOUT, goodbye).await;
}
