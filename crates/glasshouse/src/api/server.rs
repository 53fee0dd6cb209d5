//! A listener and its connections: plain HTTP/1.1 over hyper, with limits for slow clients, drained at shutdown.
//! Knows nothing of what is answered.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a client may take to send a request's head, and how long an idle connection is kept.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Connections of one listener; further ones wait in the system's queue.
const MAX_CONNECTIONS: usize = 10_000;
/// How long the listener rests when the process has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What a listener of this process needs to know.
#[derive(Clone)]
pub struct Listening {
    /// Connections are tracked here, so that shutdown can wait for them.
    pub tasks: TaskTracker,
    /// Fires when no more requests are to be taken.
    pub shutdown: CancellationToken,
    /// Bytes that a request's line and headers may have; over it 431.
    pub head_bytes: usize,
}

/// An address that cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address} ({setting}): {}", explain(.source))]
pub struct ListenError {
    setting: &'static str,
    address: SocketAddr,
    source: io::Error,
}

fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "the address is in use; end the other program or choose another port".to_owned()
        }
        io::ErrorKind::PermissionDenied => {
            "ports below 1024 need a privilege; choose another port".to_owned()
        }
        io::ErrorKind::AddrNotAvailable => "this machine does not have that address".to_owned(),
        _ => error.to_string(),
    }
}

/// Takes an address. `setting` is named when it cannot be had.
pub async fn bind(address: SocketAddr, setting: &'static str) -> Result<TcpListener, ListenError> {
    TcpListener::bind(address).await.map_err(|source| ListenError { setting, address, source })
}

/// Answers every request on `listener` with `answer` until shutdown. Returns when no more connections are taken.
pub async fn serve<F, Fut>(listener: TcpListener, listening: Listening, answer: F)
where
    F: Fn(Request<Incoming>, IpAddr) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Response> + Send + 'static,
{
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let slot = slots.clone().acquire_owned().await.expect("the semaphore is never closed");
        let (stream, peer) = tokio::select! {
            () = listening.shutdown.cancelled() => return,
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
        let (connection, answer) = (listening.clone(), answer.clone());
        listening.tasks.spawn(async move {
            serve_connection(stream, peer.ip(), connection, answer).await;
            drop(slot);
        });
    }
}

async fn serve_connection<F, Fut>(stream: TcpStream, peer: IpAddr, listening: Listening, answer: F)
where
    F: Fn(Request<Incoming>, IpAddr) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Response> + Send + 'static,
{
    // Answers are written whole: waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let answered = answer(request, peer);
        async move { Ok::<_, std::convert::Infallible>(answered.await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(listening.head_bytes)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // A token of its own: one that all connections look at, on every wake-up, is a lock between the cores.
    let shutdown = listening.shutdown.child_token();
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        // Malformed requests and clients that hang up: theirs, not ours.
        tracing::trace!(%error, "connection ended early");
    }
}
