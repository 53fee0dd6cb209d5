//! Connections to origins for requests that the proxy itself sends: guarded, pooled, with TLS where the origin wants it.
//! Used by the proxy. Must never open a socket that `crawler::Network` has not opened.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crawler::{Destination, Network, NetworkError};
use http::{Uri, uri::Scheme};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower::Service;

use super::forward::Body;
use super::lengths::{self, Tidied};

/// Kept shorter than what common origins keep (5 s in Node), so that a connection is seldom used as it closes.
const POOL_IDLE: Duration = Duration::from_secs(4);
/// Header lines of one response; a browser takes as many as fit into 256 KiB.
const MAX_HEADERS: usize = 1_000;
/// How long an origin may take over its TLS handshake.
const TLS_TIMEOUT: Duration = Duration::from_secs(10);

/// The way to origins, shared by all tabs of a browser.
#[derive(Clone)]
pub(super) struct Upstream {
    network: Network,
    client: Client<Connector, Body>,
    /// For what browsers can read and the other client cannot: one response to a connection.
    lenient: Client<Connector, Body>,
}

impl Upstream {
    pub fn new(network: Network) -> Upstream {
        let tls = TlsConnector::from(crawler::tls::client_config());
        let connector = Connector { network: network.clone(), tls, tidies: false };
        let client = builder().pool_idle_timeout(POOL_IDLE).build(connector.clone());
        let lenient = builder().pool_max_idle_per_host(0).build(Connector { tidies: true, ..connector });
        Upstream { network, client, lenient }
    }

    /// Whether requests for a host go to a static address that speaks plain HTTP.
    pub fn is_plain_http(&self, host: &str) -> bool {
        self.network.is_static(host).is_some_and(|target| target.port.is_some())
    }

    /// Opens a connection for a tunnel.
    pub async fn connect(&self, host: &str, port: u16) -> Result<(TcpStream, Destination), NetworkError> {
        self.network.connect(host, port).await
    }

    /// Sends a request on a pooled connection; its URI names the scheme and host to connect to.
    pub async fn send(&self, request: Request<Body>) -> Result<Response<Incoming>, legacy::Error> {
        let again = lengths::once_more(&request);
        match (self.client.request(request).await, again) {
            (Err(error), Some(again)) if lengths::is_about_length(&error) => {
                let nothing = Empty::new().map_err(|never| match never {}).boxed_unsync();
                self.lenient.request(again.map(|()| nothing)).await
            }
            (answer, _) => answer,
        }
    }
}

fn builder() -> legacy::Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .http1_preserve_header_case(true)
        // What browsers tolerate must not cost the page.
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_max_headers(MAX_HEADERS)
        .set_host(false);
    builder
}

/// Opens connections for the pool.
#[derive(Clone)]
pub(super) struct Connector {
    network: Network,
    tls: TlsConnector,
    tidies: bool,
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Tidied<Stream>>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move {
            let stream = connector.open(&uri).await?;
            Ok(TokioIo::new(Tidied::new(stream, connector.tidies)))
        })
    }
}

impl Connector {
    async fn open(&self, uri: &Uri) -> Result<Stream, Box<dyn std::error::Error + Send + Sync>> {
        let wants_tls = uri.scheme() == Some(&Scheme::HTTPS);
        let host = uri.host().ok_or_else(|| io::Error::other("the address names no host"))?;
        let port = uri.port_u16().unwrap_or(if wants_tls { 443 } else { 80 });
        let (tcp, _) = self.network.connect(host, port).await?;
        if !wants_tls {
            return Ok(Stream::Plain(tcp));
        }
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
        let tls = tokio::time::timeout(TLS_TIMEOUT, self.tls.connect(name, tcp)).await??;
        Ok(Stream::Tls(Box::new(tls)))
    }
}

/// A connection to an origin.
pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection for Tidied<Stream> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Stream::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(context, data),
            Stream::Tls(stream) => Pin::new(stream).poll_write(context, data),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(context),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
