//! Takes addresses to listen on, and says in plain words why one cannot be had. Used by `serve` for every listener.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// Connections that may wait to be taken; the system has a limit of its own, often this one. With the usual 1,024, a client who
/// comes while thousands do asks again a second later.
const BACKLOG: u32 = 4096;

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
    listen(address).map_err(|source| ListenError { setting, address, source })
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A restart takes the address again although connections of the process before are still closing.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
