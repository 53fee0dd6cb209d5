//! Takes addresses to listen on, and says in plain words why one cannot be had. Used by `serve` for every listener.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;

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
