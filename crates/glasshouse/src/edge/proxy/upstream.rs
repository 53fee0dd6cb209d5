//! Connections to origins: guarded, pooled per origin, and never to ourselves. Used by forwarding.
//! The sockets are opened by `crawler`, so that the guard sees every address.

use std::error::Error;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crawler::Network;
use crawler::connector::{self, Served, Stream};
use http::uri::Scheme;
use http::{Extensions, Response, Uri};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::ClientConfig;
use tower::Service;

use super::body::RequestBody;

/// How long an origin may take to accept a connection, with all that belongs to it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Kept shorter than what common origins keep (5 s in Node), so that a connection is seldom used as it closes.
const POOL_IDLE: Duration = Duration::from_secs(4);
/// Idle connections kept per origin.
const POOL_SIZE: usize = 128;

/// Bytes that are read ahead of an origin's body, and wait when the client does not read them: 3,000 such clients hold less than
/// 200 MB. An asset of 60 KiB still comes in one piece with its head.
const READ_AHEAD_BYTES: usize = 62 * 1024;

/// The pool of connections to origins.
pub type OriginPool = Client<OriginConnector, RequestBody>;

/// Addresses at which this service itself answers.
#[derive(Debug, Clone, Default)]
pub struct OwnAddresses {
    /// Public addresses, whatever the port.
    pub public: Vec<IpAddr>,
    /// Listening sockets of this process.
    pub listening: Vec<SocketAddr>,
}

impl OwnAddresses {
    fn contain(&self, address: &SocketAddr) -> bool {
        let is_listening = |own: &SocketAddr| {
            own.port() == address.port()
                && (own.ip() == address.ip() || (own.ip().is_unspecified() && address.ip().is_loopback()))
        };
        self.public.contains(&address.ip().to_canonical()) || self.listening.iter().any(is_listening)
    }
}

/// The origin's address is one of ours.
#[derive(Debug, thiserror::Error)]
#[error("the origin's address is the service's own")]
pub struct IsOurselves;

/// An origin did not accept a connection in time.
#[derive(Debug, thiserror::Error)]
#[error("the origin did not accept a connection in time")]
pub struct ConnectTimeout;

/// Opens connections for the pool.
#[derive(Clone)]
pub struct OriginConnector {
    network: Network,
    connector: connector::Connector,
    own: Arc<OwnAddresses>,
}

/// Makes the pool.
pub fn pool(network: Network, tls: Arc<ClientConfig>, own: OwnAddresses) -> OriginPool {
    let connector = OriginConnector {
        connector: connector::Connector::new(network.clone(), tls),
        network,
        own: Arc::new(own),
    };
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .pool_idle_timeout(POOL_IDLE)
        .pool_max_idle_per_host(POOL_SIZE)
        .http1_max_buf_size(READ_AHEAD_BYTES)
        .set_host(false)
        .build(connector)
}

/// Notes that the connection of a response has served a request.
pub fn mark_served(response: &Response<Incoming>) {
    if let Some(served) = response.extensions().get::<Served>() {
        served.mark();
    }
}

/// Whether the connection on which a request failed had served another one before.
pub fn has_served(error: &hyper_util::client::legacy::Error) -> bool {
    let mut extras = Extensions::new();
    if let Some(connection) = error.connect_info() {
        connection.get_extras(&mut extras);
    }
    extras.get::<Served>().is_some_and(Served::is_marked)
}

impl Service<Uri> for OriginConnector {
    type Response = TokioIo<Stream>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move {
            let opening = tokio::time::timeout(CONNECT_TIMEOUT, connector.open(&uri));
            opening.await.unwrap_or_else(|_| Err(Box::new(ConnectTimeout))).map(TokioIo::new)
        })
    }
}

impl OriginConnector {
    async fn open(&self, uri: &Uri) -> Result<Stream, Box<dyn Error + Send + Sync>> {
        let port = if uri.scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 };
        let (host, port) = (uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(port));
        let destination = self.network.resolve(host, port).await?;
        if destination.addresses.iter().any(|address| self.own.contain(address)) {
            return Err(Box::new(IsOurselves));
        }
        Ok(self.connector.open(uri).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_address_of_ours_is_us_on_every_port() {
        let own = OwnAddresses { public: vec!["192.0.2.1".parse().unwrap()], listening: Vec::new() };

        assert!(own.contain(&"192.0.2.1:8443".parse().unwrap()));
        assert!(own.contain(&"[::ffff:192.0.2.1]:80".parse().unwrap()));
        assert!(!own.contain(&"192.0.2.2:80".parse().unwrap()));
    }

    #[test]
    fn a_socket_that_we_listen_on_is_us_and_its_neighbours_are_not() {
        let listening = vec!["127.0.0.1:8080".parse().unwrap(), "0.0.0.0:443".parse().unwrap()];
        let own = OwnAddresses { public: Vec::new(), listening };

        assert!(own.contain(&"127.0.0.1:8080".parse().unwrap()));
        assert!(own.contain(&"127.0.0.5:443".parse().unwrap()));
        assert!(!own.contain(&"127.0.0.1:8081".parse().unwrap()));
        assert!(!own.contain(&"192.0.2.1:443".parse().unwrap()));
    }
}
