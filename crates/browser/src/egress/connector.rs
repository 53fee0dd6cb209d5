//! Connections to origins for requests that the proxy itself sends: those of the crawler, pooled, tolerant of what
//! browsers tolerate. Used by the proxy. Must never open a socket that `crawler::Network` has not opened.

use std::time::Duration;

use crawler::connector::Connector;
use crawler::tolerant::{self, TolerantClient};
use crawler::{Destination, Network, NetworkError};
use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::client::legacy;
use tokio::net::TcpStream;

use super::forward::Body;

/// How long an origin may take over its TLS handshake.
const TLS_TIMEOUT: Duration = Duration::from_secs(10);

/// The way to origins, shared by all tabs of a browser.
#[derive(Clone)]
pub(super) struct Upstream {
    network: Network,
    client: TolerantClient<Body>,
}

impl Upstream {
    pub fn new(network: Network) -> Upstream {
        let connector =
            Connector::new(network.clone(), crawler::tls::client_config()).with_tls_timeout(TLS_TIMEOUT);
        let mut builder = tolerant::builder();
        builder.http1_preserve_header_case(true).set_host(false);
        let client = TolerantClient::new(connector, builder);
        Upstream { network, client }
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
        self.client.send(request).await
    }
}
