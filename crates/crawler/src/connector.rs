//! Guarded connections for a pooled HTTP client, with TLS where the target wants it. Used by the fetcher, the edge and
//! the browser's egress proxy; fit for every hyper client that follows a customer's addresses.
//! Must never open a socket that `Network` has not opened.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower::Service;

use crate::{Network, NetworkError};

/// Timeout of a TLS handshake with a server; the default of a connector.
const TLS_TIMEOUT: Duration = Duration::from_secs(5);

/// Error of opening a connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The host is refused, does not exist or does not answer.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The server's certificate is not valid for the host, or it does not speak TLS.
    #[error("no secure connection to {host}")]
    Tls {
        /// Name that the certificate should have been for.
        host: String,
        /// Error of the handshake.
        #[source]
        source: io::Error,
    },
}

/// Connector for a client's pool. The guard checks every address, IP literals included.
#[derive(Clone)]
pub struct Connector {
    network: Network,
    tls: TlsConnector,
    tls_timeout: Duration,
}

impl Connector {
    /// Connects through `network`, verifying certificates with `tls` (see [`tls::client_config`](crate::tls::client_config)).
    pub fn new(network: Network, tls: Arc<ClientConfig>) -> Connector {
        Connector { network, tls: TlsConnector::from(tls), tls_timeout: TLS_TIMEOUT }
    }

    /// Returns the connector with another timeout of TLS handshakes.
    pub fn with_tls_timeout(self, tls_timeout: Duration) -> Connector {
        Connector { tls_timeout, ..self }
    }

    /// Opens a connection for the scheme, host and port of an absolute address.
    ///
    /// A static host with a port gets plain HTTP, also for an `https` address.
    pub async fn open(&self, uri: &Uri) -> Result<Stream, ConnectError> {
        let wants_tls = uri.scheme() == Some(&Scheme::HTTPS);
        let host = uri.host().unwrap_or_default();
        let port = uri.port_u16().unwrap_or(if wants_tls { 443 } else { 80 });

        let (tcp, destination) = self.network.connect(host, port).await?;
        if !wants_tls || destination.plain_http {
            return Ok(Stream::Plain(tcp));
        }
        let failed = |source| ConnectError::Tls { host: host.to_owned(), source };
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())
            .map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidInput, error)))?;
        match tokio::time::timeout(self.tls_timeout, self.tls.connect(name, tcp)).await {
            Ok(Ok(stream)) => Ok(Stream::Tls(Box::new(stream))),
            Ok(Err(error)) => Err(failed(error)),
            Err(_) => Err(failed(io::ErrorKind::TimedOut.into())),
        }
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    /// Shared, so that callers who find it among the sources of a client error can keep it.
    type Error = Arc<ConnectError>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move { connector.open(&uri).await.map(TokioIo::new).map_err(Arc::new) })
    }
}

/// Flag of a pooled connection that has served a request, for clients that repeat only requests lost on a reused
/// connection. Stored in the extensions of every response and the extras of every error's connection.
#[derive(Debug, Clone, Default)]
pub struct Served(Arc<AtomicBool>);

impl Served {
    pub fn mark(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true when the connection has served a request.
    pub fn is_marked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A connection to a server.
pub enum Stream {
    /// Plain TCP.
    Plain(TcpStream),
    /// TLS with a verified certificate.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        let connected = Connected::new().extra(Served::default());
        match self {
            // Only clients whose TLS offers HTTP/2 get it.
            Stream::Tls(stream) if stream.get_ref().1.alpn_protocol() == Some(b"h2") => {
                connected.negotiated_h2()
            }
            Stream::Tls(_) | Stream::Plain(_) => connected,
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Stream::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(cx, data),
            Stream::Tls(stream) => Pin::new(stream).poll_write(cx, data),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
