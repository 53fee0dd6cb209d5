//! Connections to origins for requests that the proxy itself sends: those of the crawler, pooled, with more patience for what
//! browsers tolerate. Used by the proxy. Must never open a socket that `crawler::Network` has not opened.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crawler::connector::{ConnectError, Connector, Stream};
use crawler::{Destination, Network, NetworkError};
use http::Uri;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
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
    client: Client<TidyingConnector, Body>,
    /// For what browsers can read and the other client cannot: one response to a connection.
    lenient: Client<TidyingConnector, Body>,
}

impl Upstream {
    pub fn new(network: Network) -> Upstream {
        let connector =
            Connector::new(network.clone(), crawler::tls::client_config()).with_tls_timeout(TLS_TIMEOUT);
        let connector = TidyingConnector { connector, tidies: false };
        let client = builder().pool_idle_timeout(POOL_IDLE).build(connector.clone());
        let lenient =
            builder().pool_max_idle_per_host(0).build(TidyingConnector { tidies: true, ..connector });
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
struct TidyingConnector {
    connector: Connector,
    tidies: bool,
}

impl Service<Uri> for TidyingConnector {
    type Response = TokioIo<Tidied<Stream>>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let TidyingConnector { connector, tidies } = self.clone();
        Box::pin(async move {
            match connector.open(&uri).await {
                Ok(stream) => Ok(TokioIo::new(Tidied::new(stream, tidies))),
                Err(ConnectError::Network(error)) => Err(error.into()),
                Err(error @ ConnectError::Tls { .. }) => Err(error.into()),
            }
        })
    }
}

impl Connection for Tidied<Stream> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}
