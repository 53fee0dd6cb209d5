//! Sockets and connections of the edge: plain and TLS, HTTP/1.1 and HTTP/2, with limits for slow and greedy clients,
//! drained at shutdown. Knows nothing of the answers.

mod tls;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1::UpgradeableConnection;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

use self::tls::{Handshake, Protocol};
use super::proxy::body::EdgeBody;
use super::proxy::handlers::Peer;
use super::proxy::service::Edge;
use platform::api::client::resolve_client;
use platform::config;
use platform::listen::accept::{accept, admission, drive};
use platform::listen::admission::ConnectionSlot;
use platform::listen::in_flight::RequestsInFlight;
use platform::listen::streams::Streams;
use platform::listen::timed::{ClientTimeLimits, TimedConnection};
use platform::listen::turns::Turns;
use platform::listen::{ListenError, Listening, bind};
use platform::telemetry::access_log::AccessLog;

/// Largest request line with headers, in bytes; a larger one gets 431.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// Most bytes that the HTTP library buffers of an incomplete head, or of a body that the client does not read.
const BUFFER_BYTES: usize = MAX_HEAD_BYTES;
/// Concurrent requests of one HTTP/2 connection.
const MAX_STREAMS: u32 = 100;
/// Streams that a client opened and reset before they were accepted ("rapid reset").
const MAX_RESET_STREAMS: usize = 20;
/// Most bytes of one HTTP/2 stream that wait for a client to read them.
const SEND_BUFFER_BYTES: usize = 64 * 1024;

/// The edge's listening sockets.
#[derive(Debug, Default)]
pub struct EdgeSockets {
    /// Socket of plain HTTP.
    pub http: Option<TcpListener>,
    /// Socket of TLS.
    pub https: Option<TcpListener>,
}

impl EdgeSockets {
    /// Binds the addresses of the settings.
    pub async fn bind(edge: &config::EdgeSection) -> Result<EdgeSockets, ListenError> {
        let mut sockets = EdgeSockets::default();
        if let Some(address) = edge.http_listen {
            sockets.http = Some(bind(address, "edge.http_listen").await?);
        }
        if let Some(address) = edge.https_listen {
            sockets.https = Some(bind(address, "edge.https_listen").await?);
        }
        Ok(sockets)
    }

    /// Returns the addresses of the sockets.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let both = self.http.iter().chain(&self.https);
        both.filter_map(|listener| listener.local_addr().ok()).collect()
    }
}

/// State that the connections of the edge share.
#[derive(Clone)]
struct Front {
    edge: Edge,
    http1: Arc<http1::Builder>,
    http2: Arc<http2::Builder<Streams>>,
    listening: Listening,
}

impl Edge {
    /// Serves the sockets until shutdown. Connections are tracked, so that the caller can wait for them.
    pub fn listen(&self, sockets: EdgeSockets, listening: &Listening) {
        keep_idle_connections_small();
        let front = Front {
            edge: self.clone(),
            http1: Arc::new(http1_server()),
            http2: Arc::new(http2_server(listening, self.inner().config.limits.origin_requests_per_domain)),
            listening: listening.clone(),
        };
        // Two types of task, so that the task of a plain connection holds no memory for a handshake.
        if let Some(listener) = sockets.http {
            self.accept("edge", listener, front.clone(), Front::serve_plain);
        }
        if let Some(listener) = sockets.https {
            self.accept("edge_tls", listener, front, Front::serve_tls);
        }
    }

    fn accept<Fut>(
        &self,
        name: &'static str,
        listener: TcpListener,
        front: Front,
        serve: fn(Front, TcpStream, SocketAddr, ConnectionSlot) -> Fut,
    ) where
        Fut: Future<Output = ()> + Send + 'static,
    {
        let config = &self.inner().config;
        let admission = admission(config, name, config.edge.proxy_protocol);
        let (tasks, listening) = (front.listening.tasks.clone(), front.listening.clone());
        let connections = tasks.clone();
        tasks.spawn(accept(listener, listening, admission, move |stream, peer, place| {
            connections.spawn(serve(front.clone(), stream, peer, place));
        }));
    }
}

fn http1_server() -> http1::Builder {
    let mut server = http1::Builder::new();
    // The timed connection enforces the time limits, since it also knows whether a head has begun.
    server
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_header_size(MAX_HEAD_BYTES)
        .max_buf_size(BUFFER_BYTES);
    server
}

/// Most bytes of request bodies for one domain's origin that stay in memory while the origin reads none of them. Somewhat less
/// than the documented 32 MiB, which include bytes that are being read.
const UPLOADS_PER_DOMAIN: usize = 24 << 20;
/// Largest receive window of a stream.
const MOST_STREAM_WINDOW: usize = 1 << 20;
/// Receive window of a connection, in receive windows of a stream.
const STREAMS_WORTH: u32 = 4;

/// Returns the receive window of a stream, so that all requests in flight of one domain together keep the limit of its uploads.
fn stream_window(requests_per_domain: usize) -> u32 {
    let window = (UPLOADS_PER_DOMAIN / requests_per_domain.max(1)).clamp(1, MOST_STREAM_WINDOW);
    u32::try_from(window).expect("at most 1 MiB")
}

fn http2_server(listening: &Listening, requests_per_domain: usize) -> http2::Builder<Streams> {
    let window = stream_window(requests_per_domain);
    let stall = ClientTimeLimits::default().write_stall;
    let mut server = http2::Builder::new(Streams::new(&listening.tasks, &listening.pressure, stall));
    server
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_pending_accept_reset_streams(MAX_RESET_STREAMS)
        .max_header_list_size(MAX_HEAD_BYTES as u32)
        .initial_stream_window_size(window)
        .initial_connection_window_size(window.saturating_mul(STREAMS_WORTH).max(65_535))
        .max_send_buf_size(SEND_BUFFER_BYTES);
    server
}

impl Front {
    async fn serve_plain(self, stream: TcpStream, peer: SocketAddr, place: ConnectionSlot) {
        self.serve_http1(stream, Peer { address: peer.ip(), name: None }, place).await;
    }

    async fn serve_tls(self, stream: TcpStream, peer: SocketAddr, place: ConnectionSlot) {
        let handshake = async {
            tokio::select! {
                handshake = tls::accept(stream, &self.edge) => handshake,
                () = place.given_up() => None,
            }
        };
        let Some(Handshake { stream, protocol, name }) = Box::pin(handshake).await else {
            return;
        };
        let peer = Peer { address: peer.ip(), name: Some(name) };
        match protocol {
            Protocol::Http1 => self.serve_http1(stream, peer, place).await,
            Protocol::Http2 => self.serve_http2(stream, peer, place).await,
        }
    }

    fn serve_http1<S>(
        &self,
        stream: S,
        peer: Peer,
        place: ConnectionSlot,
    ) -> impl Future<Output = ()> + use<S>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let in_flight = RequestsInFlight::default();
        let stop = self.listening.until_close(in_flight.clone());
        let timed = TimedConnection::http1(stream, ClientTimeLimits::default(), in_flight.clone());
        let timed = timed.admitted(place, &self.listening.pressure);
        let service = self.service(peer, in_flight);
        let connection = self.http1.serve_connection(TokioIo::new(timed), service).with_upgrades();
        drive(Box::pin(connection), stop, UpgradeableConnection::graceful_shutdown)
    }

    fn service(&self, peer: Peer, in_flight: RequestsInFlight) -> Service {
        let access_log = self.listening.access_log.clone();
        Service { edge: self.edge.clone(), turns: self.listening.turns.clone(), access_log, peer, in_flight }
    }

    fn serve_http2<S>(
        &self,
        stream: S,
        peer: Peer,
        place: ConnectionSlot,
    ) -> impl Future<Output = ()> + use<S>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let in_flight = RequestsInFlight::default();
        let stop = self.listening.until_goaway(in_flight.clone());
        let timed = TimedConnection::http2(stream, ClientTimeLimits::default(), in_flight.clone());
        let timed = timed.admitted(place, &self.listening.pressure);
        let service = self.service(peer, in_flight);
        let connection = self.http2.serve_connection(TokioIo::new(timed), service);
        drive(Box::pin(connection), stop, http2::Connection::graceful_shutdown)
    }
}

/// Answers the requests of one connection.
#[derive(Clone)]
struct Service {
    edge: Edge,
    turns: Turns,
    access_log: Option<AccessLog>,
    peer: Peer,
    in_flight: RequestsInFlight,
}

impl hyper::service::Service<Request<Incoming>> for Service {
    type Response = Response<EdgeBody>;
    type Error = Infallible;
    /// Boxed: a connection holds memory for this future all its life, and the future is large.
    type Future = Pin<Box<dyn Future<Output = Result<Response<EdgeBody>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (edge, peer, held) = (self.edge.clone(), self.peer.clone(), self.in_flight.begin());
        let turns = self.turns.clone();
        let client =
            resolve_client(peer.address, request.headers(), &edge.inner().config.edge.trusted_proxies);
        let is_pipelined = held.is_pipelined();
        let entry = self.access_log.as_ref().map(|log| log.begin(&request, peer.address));
        Box::pin(async move {
            let response = turns.begin(client, is_pipelined, || edge.respond(request, peer, held)).await;
            if let Some(entry) = entry {
                entry.end(&response);
            }
            Ok(response)
        })
    }
}

/// Disables transparent huge pages, in which the untouched half of every buffer takes memory too: 18 KB instead of 11 for
/// each idle connection. Best effort.
fn keep_idle_connections_small() {
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(error = %io::Error::from(error), "huge pages stay on");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_that_never_reads_holds_at_most_32_mib_of_its_domains_uploads() {
        for requests in [1, 16, 256, 1_000, 100_000] {
            let held = stream_window(requests) as usize * requests;

            assert!(held <= 32 << 20, "{requests}: {held}");
        }
        assert_eq!(stream_window(256), 96 << 10);
    }
}
