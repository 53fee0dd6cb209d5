//! The edge's sockets and their connections: plain and TLS, HTTP/1.1 and HTTP/2, with limits for slow and greedy clients,
//! drained at shutdown. Knows nothing of what is answered.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::rt::Executor;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handlers::Peer;
use super::service::Edge;
use super::tls::{self, Protocol};
use super::wire::{InFlight, Wire, WireLimits};
use crate::api::server::{self, ListenError};
use crate::config;

/// Bytes of a request's line and headers; over it 431.
const HEAD_BYTES: usize = 32 * 1024;
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
    server: Arc<auto::Builder<Tasks>>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
    slots: Arc<Semaphore>,
}

impl Edge {
    /// Serves the sockets until `shutdown`. Connections are tracked in `tasks`, so that the caller can wait for them.
    pub fn listen(&self, sockets: Sockets, tasks: &TaskTracker, shutdown: &CancellationToken) {
        raise_descriptor_limit();
        if let Some(certificates) = &self.inner().certificates {
            self.inner().tasks.spawn(certificates.clone().run());
        }
        let front = Front {
            edge: self.clone(),
            server: Arc::new(http_server(tasks)),
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

fn http_server(tasks: &TaskTracker) -> auto::Builder<Tasks> {
    let mut server = auto::Builder::new(Tasks(tasks.clone()));
    // Time limits are the wire's, which also knows whether a head has begun.
    server.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(HEAD_BYTES);
    server
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_pending_accept_reset_streams(MAX_RESET_STREAMS)
        .max_header_list_size(HEAD_BYTES as u32)
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
        let connection = front.clone();
        front.tasks.spawn(async move {
            connection.serve(stream, peer, security).await;
            drop(slot);
        });
    }
}

impl Front {
    async fn serve(&self, stream: TcpStream, peer: SocketAddr, security: Security) {
        // Answers are written whole: waiting for more to send only delays them.
        let _ = stream.set_nodelay(true);
        let in_flight = InFlight::default();
        let limits = WireLimits::default();
        if security == Security::Plain {
            let peer = Peer { address: peer.ip(), tls: false };
            return self.answer_on(Wire::http1(stream, limits, in_flight.clone()), peer, in_flight).await;
        }
        let Some((stream, protocol)) = tls::accept(stream, &self.edge).await else { return };
        let peer = Peer { address: peer.ip(), tls: true };
        let wire = match protocol {
            Protocol::Http1 => Wire::http1(stream, limits, in_flight.clone()),
            Protocol::Http2 => Wire::http2(stream, limits, in_flight.clone()),
        };
        self.answer_on(wire, peer, in_flight).await;
    }

    async fn answer_on<S>(&self, wire: Wire<S>, peer: Peer, in_flight: InFlight)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let edge = self.edge.clone();
        let service = service_fn(move |request| {
            let (edge, answering) = (edge.clone(), in_flight.begin());
            async move { Ok::<_, std::convert::Infallible>(edge.answer(request, peer, answering).await) }
        });
        let connection = self.server.serve_connection_with_upgrades(TokioIo::new(wire), service);
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.shutdown.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            // Malformed requests and clients that hang up: theirs, not ours.
            tracing::trace!(%error, "connection ended early");
        }
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
