//! The browser's only way out: a filtering forward proxy inside this process. Every connect goes through [`crawler::Network`].
//!
//! Used by the browser, which gives each tab a gate (an address of the proxy) of its own, so that the proxy knows which
//! render a connection belongs to. Must never connect anywhere for a tab that has no render running.
//! See docs/decisions/0004.

mod connector;
mod forward;
mod gate;
mod meter;
mod probe;
mod refusal;
mod tls;
mod trackers;
mod tunnel;

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crawler::Network;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(crate) use gate::{Findings, Gate, Pass};
pub(crate) use probe::Standing;
pub(crate) use refusal::REFUSED_HEADER;
pub(crate) use tls::Identity;

use connector::Upstream;

/// Port of the proxy inside a namespace, where every port is free.
pub(crate) const PROXY_PORT: u16 = 3128;

/// Accepted connections that failed in a row before a breath is taken: descriptors have run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The proxy of one browser. Ends when dropped.
pub(crate) struct Egress {
    shared: Arc<Shared>,
    /// `true`: one listener serves every gate, told apart by the loopback address that was dialled.
    in_namespace: bool,
    last_address: AtomicU32,
}

struct Shared {
    upstream: Upstream,
    identity: Arc<Identity>,
    gates: Mutex<HashMap<SocketAddr, Arc<Gate>>>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Egress {
    /// Serves the listener of a namespace; without one, gates listen on the machine's loopback.
    pub fn start(
        listener: Option<std::net::TcpListener>,
        network: Network,
        identity: Arc<Identity>,
        tasks: TaskTracker,
    ) -> io::Result<Egress> {
        let shared = Arc::new(Shared {
            upstream: Upstream::new(network),
            identity,
            gates: Mutex::default(),
            stop: CancellationToken::new(),
            tasks,
        });
        let in_namespace = listener.is_some();
        if let Some(listener) = listener {
            listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(listener)?;
            shared.tasks.spawn(accept(listener, shared.clone(), shared.stop.clone()));
        }
        Ok(Egress { shared, in_namespace, last_address: AtomicU32::new(1) })
    }

    /// Opens a gate for one tab. Closed again by [`Egress::close`].
    pub async fn open(&self) -> io::Result<Arc<Gate>> {
        if self.in_namespace {
            // 127.0.0.2 onwards; the address says which tab it is. 127.0.0.1 is nobody's: the browser's own traffic ends there.
            let number = self.last_address.fetch_add(1, Ordering::Relaxed) % 0x00ff_fffd + 2;
            let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::from(0x7f00_0000 + number)), PROXY_PORT);
            let gate = Arc::new(Gate::new(address));
            self.shared.gates().insert(address, gate.clone());
            return Ok(gate);
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let gate = Arc::new(Gate::new(listener.local_addr()?));
        self.shared.gates().insert(gate.address(), gate.clone());
        self.shared.tasks.spawn(accept(listener, self.shared.clone(), gate.closed().clone()));
        Ok(gate)
    }

    /// Closes a gate and every connection through it.
    pub fn close(&self, gate: &Gate) {
        self.shared.gates().remove(&gate.address());
        gate.close();
    }
}

impl Drop for Egress {
    fn drop(&mut self) {
        self.shared.stop.cancel();
        for (_, gate) in self.shared.gates().drain() {
            gate.close();
        }
    }
}

impl Shared {
    fn gates(&self) -> MutexGuard<'_, HashMap<SocketAddr, Arc<Gate>>> {
        self.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The gate that a connection came to; none for the browser's own traffic.
    fn gate_of(&self, stream: &TcpStream) -> Option<Arc<Gate>> {
        let address = stream.local_addr().ok()?;
        self.gates().get(&address).cloned()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, stop: CancellationToken) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                let Some(gate) = shared.gate_of(&stream) else {
                    tracing::trace!("the browser's own traffic was dropped");
                    continue;
                };
                shared.tasks.spawn(serve(stream, gate, shared.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "the egress proxy could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Serves one connection of the browser until either side is done or the gate is closed.
async fn serve(stream: TcpStream, gate: Arc<Gate>, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| forward::respond(request, gate.clone(), shared.clone()));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .preserve_header_case(true)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::select! {
        served = connection => if let Err(error) = served { tracing::trace!(%error, "proxy connection ended") },
        () = gate.closed().cancelled() => {}
    }
}
