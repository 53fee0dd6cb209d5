//! The edge's sockets and their connections: plain and TLS, HTTP/1.1 and HTTP/2, with limits for slow and greedy clients,
//! drained at shutdown. Knows nothing of what is answered.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::http1::UpgradeableConnection;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::body::Body;
use super::handlers::Peer;
use super::service::Edge;
use super::tls::{self, Protocol};
use super::wire::{InFlight, Wire, WireLimits};
use crate::api::server::{self, ListenError};
use crate::config;

/// Bytes of a request's line and headers; over it 431.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// What the HTTP library reads ahead.
const READ_AHEAD_BYTES: usize = 64 * 1024;
/// Connections of this process; further ones wait in the system's queue.
const MAX_CONNECTIONS: usize = 20_000;
/// Requests of one HTTP/2 connection at once.
const MAX_STREAMS: u32 = 100;
/// Streams that a client opened and reset before they were looked at ("rapid reset").
const MAX_RESET_STREAMS: usize = 20;
/// What a client may leave unread of one HTTP/2 stream.
const SEND_BUFFER_BYTES: usize = 128 * 1024;
/// How long a listener rests when the process has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The edge's listening sockets.
#[derive(Debug, Default)]
pub struct Sockets {
    /// Plain HTTP.
    pub http: Option<TcpListener>,
    /// TLS.
    pub https: Option<TcpListener>,
}

impl Sockets {
    /// Takes the addresses of the settings.
    pub async fn bind(edge: &config::Edge) -> Result<Sockets, ListenError> {
        let mut sockets = Sockets::default();
        if let Some(address) = edge.http_listen {
            sockets.http = Some(server::bind(address, "edge.http_listen").await?);
        }
        if let Some(address) = edge.https_listen {
            sockets.https = Some(server::bind(address, "edge.https_listen").await?);
        }
        Ok(sockets)
    }

    /// Where they listen.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let both = self.http.iter().chain(&self.https);
        both.filter_map(|listener| listener.local_addr().ok()).collect()
    }
}

/// What the connections of the edge share.
#[derive(Clone)]
struct Front {
    edge: Edge,
    http1: Arc<http1::Builder>,
    http2: Arc<http2::Builder<Tasks>>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
    slots: Arc<Semaphore>,
}

impl Edge {
    /// Serves the sockets until `shutdown`. Connections are tracked in `tasks`, so that the caller can wait for them.
    pub fn listen(&self, sockets: Sockets, tasks: &TaskTracker, shutdown: &CancellationToken) {
        raise_descriptor_limit();
        keep_idle_connections_small();
        if let Some(certificates) = &self.inner().certificates {
            self.inner().tasks.spawn(certificates.clone().run());
        }
        let front = Front {
            edge: self.clone(),
            http1: Arc::new(http1_server()),
            http2: Arc::new(http2_server(tasks)),
            tasks: tasks.clone(),
            shutdown: shutdown.clone(),
            slots: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
        };
        if let Some(listener) = sockets.http {
            tasks.spawn(accept(listener, front.clone(), Security::Plain));
        }
        if let Some(listener) = sockets.https {
            tasks.spawn(accept(listener, front, Security::Tls));
        }
    }
}

/// Whether a listener's connections begin with a TLS handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Security {
    Plain,
    Tls,
}

fn http1_server() -> http1::Builder {
    let mut server = http1::Builder::new();
    // Time limits are the wire's, which also knows whether a head has begun.
    server
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_header_size(MAX_HEAD_BYTES)
        .max_buf_size(READ_AHEAD_BYTES);
    server
}

fn http2_server(tasks: &TaskTracker) -> http2::Builder<Tasks> {
    let mut server = http2::Builder::new(Tasks(tasks.clone()));
    server
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_pending_accept_reset_streams(MAX_RESET_STREAMS)
        .max_header_list_size(MAX_HEAD_BYTES as u32)
        .max_send_buf_size(SEND_BUFFER_BYTES);
    server
}

async fn accept(listener: TcpListener, front: Front, security: Security) {
    loop {
        let slot = front.slots.clone().acquire_owned().await.expect("the semaphore is never closed");
        let (stream, peer) = tokio::select! {
            () = front.shutdown.cancelled() => return,
            accepted = listener.accept() => match accepted {
                Ok(connection) => connection,
                Err(error) => {
                    // A connection that died while it waited is nothing; running out of descriptors passes.
                    tracing::debug!(%error, "could not accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
        };
        // Answers are written whole: waiting for more to send only delays them.
        let _ = stream.set_nodelay(true);
        let connection = front.clone();
        // Two kinds of task, so that a plain connection needs no room for a handshake.
        match security {
            Security::Plain => front.tasks.spawn(connection.serve_plain(stream, peer, slot)),
            Security::Tls => front.tasks.spawn(connection.serve_tls(stream, peer, slot)),
        };
    }
}

impl Front {
    async fn serve_plain(self, stream: TcpStream, peer: SocketAddr, _slot: OwnedSemaphorePermit) {
        self.serve_http1(stream, Peer { address: peer.ip(), tls: false }).await;
    }

    async fn serve_tls(self, stream: TcpStream, peer: SocketAddr, _slot: OwnedSemaphorePermit) {
        let Some((stream, protocol)) = Box::pin(tls::accept(stream, &self.edge)).await else { return };
        let peer = Peer { address: peer.ip(), tls: true };
        match protocol {
            Protocol::Http1 => self.serve_http1(stream, peer).await,
            Protocol::Http2 => self.serve_http2(stream, peer).await,
        }
    }

    fn serve_http1<S>(&self, stream: S, peer: Peer) -> impl Future<Output = ()> + use<S>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let in_flight = InFlight::default();
        let wire = Wire::http1(stream, WireLimits::default(), in_flight.clone());
        let service = self.service(peer, in_flight);
        let connection = self.http1.serve_connection(TokioIo::new(wire), service).with_upgrades();
        finish(connection, self.shutdown.clone(), UpgradeableConnection::graceful_shutdown)
    }

    fn serve_http2<S>(&self, stream: S, peer: Peer) -> impl Future<Output = ()> + use<S>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let in_flight = InFlight::default();
        let wire = Wire::http2(stream, WireLimits::default(), in_flight.clone());
        let service = self.service(peer, in_flight);
        let connection = self.http2.serve_connection(TokioIo::new(wire), service);
        finish(connection, self.shutdown.clone(), http2::Connection::graceful_shutdown)
    }

    fn service(&self, peer: Peer, in_flight: InFlight) -> Service {
        Service { edge: self.edge.clone(), peer, in_flight }
    }
}

/// Answers the requests of one connection.
#[derive(Clone)]
struct Service {
    edge: Edge,
    peer: Peer,
    in_flight: InFlight,
}

impl hyper::service::Service<Request<Incoming>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    /// Boxed: a connection keeps room for this future as long as it lives, and it is large.
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (edge, peer, answering) = (self.edge.clone(), self.peer, self.in_flight.begin());
        Box::pin(async move { Ok(edge.answer(request, peer, answering).await) })
    }
}

/// Drives a connection to its end; after shutdown it takes no further request.
async fn finish<C>(connection: C, shutdown: CancellationToken, drain: fn(Pin<&mut C>))
where
    C: Future<Output = hyper::Result<()>>,
{
    let mut connection = std::pin::pin!(connection);
    // A token of its own: one that all connections look at, on every wake-up, is a lock between the cores.
    let shutdown = shutdown.child_token();
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            drain(connection.as_mut());
            connection.await
        }
    };
    if let Err(error) = ended {
        // Malformed requests and clients that hang up: theirs, not ours.
        tracing::trace!(%error, "connection ended early");
    }
}

/// Runs the tasks of HTTP/2 connections where shutdown waits for them.
#[derive(Clone)]
struct Tasks(TaskTracker);

impl<F> Executor<F> for Tasks
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    fn execute(&self, task: F) {
        self.0.spawn(task);
    }
}

/// Every connection is a descriptor, and the usual soft limit is 1,024. Best effort: the hard limit is the operator's.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current < limit.maximum
        && let Err(error) =
            setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })
    {
        tracing::debug!(error = %io::Error::from(error), "the limit of open files stays as it is");
    }
}

/// The allocator asks for huge pages, in which the untouched half of every buffer takes memory too: 18 KB instead of 11 for
/// each idle connection. Best effort.
fn keep_idle_connections_small() {
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(error = %io::Error::from(error), "huge pages stay on");
    }
}
