//! Takes connections from a socket for as long as there are slots, and drives each to its end. Used by every listener.

use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use rustix::net::sockopt;
use socket2::SockFilter;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::admission::{ConnectionAdmission, ConnectionSlot};
use super::descriptors;
use super::in_flight::RequestsInFlight;
use super::pressure::Pressure;
use super::proxy_header::read_client;
use super::turns::Turns;
use crate::config::{Config, ProxyProtocol};
use crate::draining::Draining;
use crate::telemetry::access_log::AccessLog;

/// Pause of a listener when the process has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Connections accepted in a row before other work runs: their first requests are ready together, before other clients' next ones.
const TAKEN_IN_A_ROW: usize = 16;
/// Time for which a connection without a request is kept after shutdown: a request may be on its way.
const FIRST_REQUEST: Duration = Duration::from_secs(1);
/// Time that handshakes which have begun at shutdown have to end.
const LAST_HANDSHAKES: Duration = Duration::from_millis(100);
/// Instructions of a classic BPF filter.
const LOAD_BYTE: u16 = 0x30;
const AND: u16 = 0x54;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
/// Silence after which the system asks a client whether it is still there.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// Bytes of a response that the system buffers beyond the client's window. The rest waits in this process, which ends
/// slow clients; the system's own limit is four megabytes for each of ten thousand connections.
const UNSENT_BYTES: u32 = 128 * 1024;

/// Parts that the listeners of a process share. Cheap to clone.
#[derive(Clone)]
pub struct Listening {
    /// Connections are tracked here, so that shutdown can wait for them.
    pub tasks: TaskTracker,
    /// Drain state of the process: connections are still taken, and end after their next response.
    pub draining: Draining,
    /// Fires when no more requests are to be taken.
    pub shutdown: CancellationToken,
    /// Bytes that wait to be written, over all listeners.
    pub pressure: Pressure,
    /// Order in which requests begin, over all listeners.
    pub turns: Turns,
    /// Log of what is answered. None: it is off.
    pub access_log: Option<AccessLog>,
}

impl Listening {
    /// Creates the shared parts, before anything listens.
    pub fn new(shutdown: CancellationToken) -> Listening {
        Listening {
            tasks: TaskTracker::new(),
            draining: Draining::default(),
            shutdown,
            pressure: Pressure::default(),
            turns: Turns::default(),
            access_log: None,
        }
    }

    /// Waits for shutdown.
    pub fn until_shutdown(&self) -> impl Future<Output = ()> + use<> {
        // A token of its own: one that all connections look at, on every wake-up, is a lock between the cores.
        self.shutdown.child_token().cancelled_owned()
    }

    /// Waits until an HTTP/1.1 connection is to end: at shutdown, or a second later when it has brought no request yet. A
    /// balancer that connected just before therefore has its request answered.
    pub fn until_close(&self, in_flight: RequestsInFlight) -> impl Future<Output = ()> + use<> {
        let shutdown = self.until_shutdown();
        async move {
            shutdown.await;
            let _ = tokio::time::timeout(FIRST_REQUEST, in_flight.first()).await;
        }
    }

    /// Waits until an HTTP/2 connection is to send GOAWAY: at shutdown, or while draining once a request of the
    /// connection has begun. A client that connects while draining therefore has its first request answered.
    pub fn until_goaway(&self, in_flight: RequestsInFlight) -> impl Future<Output = ()> + use<> {
        let (shutdown, draining) = (self.until_shutdown(), self.draining.token());
        async move {
            tokio::select! {
                () = shutdown => {}
                () = async { draining.cancelled().await; in_flight.first().await } => {}
            }
        }
    }
}

/// Creates the limits of one listener from the settings. `name`: value of its label in metrics; `proxy_protocol`: whether its
/// connections begin with a PROXY header.
pub fn admission(config: &Config, name: &'static str, proxy_protocol: ProxyProtocol) -> ConnectionAdmission {
    let trusted = &config.edge.trusted_proxies;
    let admission =
        ConnectionAdmission::new(connections(config), config.limits.connections_per_address, trusted)
            .measured(metrics::gauge!("glasshouse_open_connections", "listener" => name));
    if proxy_protocol == ProxyProtocol::Off {
        return admission;
    }
    if trusted.is_empty() {
        tracing::warn!(
            "proxy_protocol is required and edge.trusted_proxies is empty: every connection is ended"
        );
    }
    admission.with_proxy_header()
}

/// Returns how many connections a listener has at a time.
pub fn connections(config: &Config) -> usize {
    match config.limits.connections {
        0 => descriptors::connections_by_default(),
        connections => connections,
    }
}

/// Hands every connection to `serve` until shutdown, those included that wait in the system's queue by then: closing the socket
/// would reset them. Over the limits a connection is closed at once, or waits in the queue.
pub async fn accept(
    listener: TcpListener,
    listening: Listening,
    admission: ConnectionAdmission,
    serve: impl Fn(TcpStream, SocketAddr, ConnectionSlot) + Clone + Send + 'static,
) {
    let keeping = {
        let (admission, shutdown) = (admission.clone(), listening.shutdown.clone());
        async move { shutdown.run_until_cancelled(admission.keep_places_free()).await }
    };
    listening.tasks.spawn(keeping);
    let mut taken = 0_usize;
    loop {
        if taken.is_multiple_of(TAKEN_IN_A_ROW) {
            tokio::task::yield_now().await;
        }
        let next = async { (admission.wait().await, listener.accept().await) };
        let (permit, accepted) = match listening.shutdown.run_until_cancelled(next).await {
            Some(next) => next,
            None => break,
        };
        match accepted {
            Ok(accepted) => hand_over(accepted, permit, (&admission, &listening.tasks), &serve),
            Err(error) => {
                // A connection that died while it waited is nothing; running out of descriptors passes.
                tracing::debug!(%error, "could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
        taken += 1;
    }
    // Connections in the system's queue would be reset together with the socket.
    if let Err(error) = refuse_new(&listener) {
        tracing::debug!(%error, "connections of the last moment may be lost");
    }
    let until = Instant::now() + LAST_HANDSHAKES;
    let next = async || (admission.wait().await, listener.accept().await);
    while let Ok((permit, Ok(accepted))) = timeout_at(until, next()).await {
        hand_over(accepted, permit, (&admission, &listening.tasks), &serve);
    }
}

/// Lets no further handshake begin: its first packet is dropped, and refused when it is sent again a second later, which a
/// balancer takes for a node that is gone. Handshakes that have begun end.
fn refuse_new(listener: &TcpListener) -> std::io::Result<()> {
    // Classic BPF over the TCP header (linux/filter.h): SYN without ACK is dropped, all else is kept whole.
    socket2::SockRef::from(listener).attach_filter(&[
        SockFilter::new(LOAD_BYTE, 0, 0, 13),
        SockFilter::new(AND, 0, 0, 0x12),
        SockFilter::new(JUMP_IF_EQUAL, 0, 1, 0x02),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
    ])
}

fn hand_over(
    (mut stream, peer): (TcpStream, SocketAddr),
    permit: OwnedSemaphorePermit,
    (admission, tasks): (&ConnectionAdmission, &TaskTracker),
    serve: &(impl Fn(TcpStream, SocketAddr, ConnectionSlot) + Clone + Send + 'static),
) {
    // Answers are written whole: waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    set_up(&stream);
    if !admission.reads_proxy_header() {
        return admit(stream, peer, admission.take(permit, peer.ip()), serve);
    }
    if !admission.is_trusted(peer.ip()) {
        tracing::debug!(peer = %peer.ip(), "a connection without a PROXY header of a trusted proxy");
        return;
    }
    let (admission, serve) = (admission.clone(), serve.clone());
    tasks.spawn(async move {
        match read_client(&mut stream, peer).await {
            Ok(client) => admit(stream, client, admission.take(permit, client.ip()), &serve),
            Err(error) => tracing::debug!(peer = %peer.ip(), %error, "a PROXY header could not be read"),
        }
    });
}

fn admit(
    stream: TcpStream,
    client: SocketAddr,
    place: Option<ConnectionSlot>,
    serve: &impl Fn(TcpStream, SocketAddr, ConnectionSlot),
) {
    match place {
        Some(place) => serve(stream, client, place),
        None => tracing::debug!(client = %client.ip(), "too many connections of one address"),
    }
}

/// Lets the system find out that a client has vanished, and keep little for one that does not read. Best effort.
fn set_up(stream: &TcpStream) {
    let set = || {
        socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES)?;
        sockopt::set_socket_keepalive(stream, true)?;
        sockopt::set_tcp_keepidle(stream, KEEPALIVE)?;
        sockopt::set_tcp_keepintvl(stream, KEEPALIVE / 4)?;
        sockopt::set_tcp_keepcnt(stream, 4)?;
        std::io::Result::Ok(())
    };
    if let Err(error) = set() {
        tracing::trace!(%error, "a connection is as the system makes it");
    }
}

/// Drives a connection to its end; it takes no further request once `stop` is over.
///
/// It comes boxed: pinned here, its task would have room for it twice, for as long as the client stays.
pub async fn drive<C>(mut connection: Pin<Box<C>>, stop: impl Future<Output = ()>, drain: fn(Pin<&mut C>))
where
    C: Future<Output = hyper::Result<()>>,
{
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = stop => {
            drain(connection.as_mut());
            connection.await
        }
    };
    if let Err(error) = ended {
        // Malformed requests and clients that hang up: theirs, not ours.
        tracing::trace!(%error, "connection ended early");
    }
}
