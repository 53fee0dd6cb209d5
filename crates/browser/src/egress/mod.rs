//! Filtering forward proxy inside this process, the only network access of a browser. Connects through [`crawler::Network`] only.
//!
//! Used by the browser. Each tab has its own endpoint (an address of the proxy), which tells the render of a connection.
//! Must never connect anywhere for a tab that has no running render. See docs/decisions/0004.

mod connector;
mod endpoint;
mod forward;
mod meter;
mod own_response;
mod probe;
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

pub(crate) use endpoint::{Endpoint, Findings, Traffic};
pub(crate) use own_response::REFUSED_HEADER;
pub(crate) use probe::Probed;
pub(crate) use tls::Identity;

use connector::Upstream;

/// Port of the proxy inside a namespace, where all ports are free.
pub(crate) const PROXY_PORT: u16 = 3128;

/// Pause after a failed `accept`: the process has run out of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Proxy of one browser. Ends when dropped.
pub(crate) struct Egress {
    shared: Arc<Shared>,
    /// True: one listener serves all endpoints, distinguished by the dialled loopback address.
    in_namespace: bool,
    last_address: AtomicU32,
}

struct Shared {
    upstream: Upstream,
    identity: Arc<Identity>,
    endpoints: Mutex<HashMap<SocketAddr, Arc<Endpoint>>>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Egress {
    /// Serves the listener of a namespace. Without one, endpoints listen on the machine's loopback.
    pub fn start(
        listener: Option<std::net::TcpListener>,
        network: Network,
        identity: Arc<Identity>,
        tasks: TaskTracker,
    ) -> io::Result<Egress> {
        let shared = Arc::new(Shared {
            upstream: Upstream::new(network),
            identity,
            endpoints: Mutex::default(),
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

    /// Opens the endpoint of a tab, until [`Egress::close`].
    pub async fn open(&self) -> io::Result<Arc<Endpoint>> {
        if self.in_namespace {
            // 127.0.0.2 and up, one address per tab. The browser's own traffic goes to 127.0.0.1 and is dropped.
            let number = self.last_address.fetch_add(1, Ordering::Relaxed) % 0x00ff_fffd + 2;
            let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::from(0x7f00_0000 + number)), PROXY_PORT);
            let endpoint = Arc::new(Endpoint::new(address));
            self.shared.endpoints().insert(address, endpoint.clone());
            return Ok(endpoint);
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let endpoint = Arc::new(Endpoint::new(listener.local_addr()?));
        self.shared.endpoints().insert(endpoint.address(), endpoint.clone());
        self.shared.tasks.spawn(accept(listener, self.shared.clone(), endpoint.closed().clone()));
        Ok(endpoint)
    }

    /// Closes an endpoint and all connections through it.
    pub fn close(&self, endpoint: &Endpoint) {
        self.shared.endpoints().remove(&endpoint.address());
        endpoint.close();
    }
}

impl Drop for Egress {
    fn drop(&mut self) {
        self.shared.stop.cancel();
        for (_, endpoint) in self.shared.endpoints().drain() {
            endpoint.close();
        }
    }
}

impl Shared {
    fn endpoints(&self) -> MutexGuard<'_, HashMap<SocketAddr, Arc<Endpoint>>> {
        self.endpoints.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the endpoint of a connection; none for the browser's own traffic.
    fn endpoint_of(&self, stream: &TcpStream) -> Option<Arc<Endpoint>> {
        let address = stream.local_addr().ok()?;
        self.endpoints().get(&address).cloned()
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
                let Some(endpoint) = shared.endpoint_of(&stream) else {
                    tracing::trace!("the browser's own traffic was dropped");
                    continue;
                };
                shared.tasks.spawn(serve(stream, endpoint, shared.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "the egress proxy could not accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Serves one connection of the browser until either side ends or the endpoint is closed.
async fn serve(stream: TcpStream, endpoint: Arc<Endpoint>, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| forward::respond(request, endpoint.clone(), shared.clone()));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .preserve_header_case(true)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::select! {
        served = connection => if let Err(error) = served { tracing::trace!(%error, "proxy connection ended") },
        () = endpoint.closed().cancelled() => {}
    }
}
