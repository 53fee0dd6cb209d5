//! Connections to origins for requests that the proxy sends itself: pooled, and as tolerant as browsers.
//! Used by the proxy. Must never open a socket except through `crawler::Network`.

use std::time::Duration;

use crawler::connector::Connector;
use crawler::tolerant::{self, TolerantClient};
use crawler::{Destination, Network, NetworkError};
use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::client::legacy;
use tokio::net::TcpStream;

use super::forward::Body;

/// Timeout of a TLS handshake with an origin.
const TLS_TIMEOUT: Duration = Duration::from_secs(10);

/// Client for origins, shared by all tabs of a browser.
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

    /// Returns true when a host has a static address that serves plain HTTP.
    pub fn is_plain_http(&self, host: &str) -> bool {
        self.network.is_static(host).is_some_and(|target| target.port.is_some())
    }

    /// Opens a connection for a tunnel.
    pub async fn connect(&self, host: &str, port: u16) -> Result<(TcpStream, Destination), NetworkError> {
        self.network.connect(host, port).await
    }

    /// Sends a request on a pooled connection to the scheme and host of its URI.
    pub async fn send(&self, request: Request<Body>) -> Result<Response<Incoming>, legacy::Error> {
        self.client.send(request).await
    }
}
