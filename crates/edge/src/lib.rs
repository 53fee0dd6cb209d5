//! Reverse proxy in front of customers' domains: crawlers get the render service's answer, other clients the origin's.
//!
//! Three modules, each of which knows only the ones before it: `certificates` orders and stores the certificates of TLS, `proxy`
//! answers requests, `listener` accepts connections and passes their requests to the proxy.

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
