//! The front of customers' domains: crawlers get what the render service decides, everybody else the origin's answer.
//!
//! Three rooms, each of which knows only those before it: `certificates` orders and keeps what TLS needs, `proxy` answers
//! requests, `listener` takes connections and hands their requests over.

pub mod certificates;
pub mod listener;
pub mod proxy;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

#[cfg(test)]
mod tests;

pub use certificates::{Certificates, jobs};
pub use listener::EdgeSockets;
pub use proxy::own_site::OwnSite;
pub use proxy::service::{Edge, EdgeError, Services};
