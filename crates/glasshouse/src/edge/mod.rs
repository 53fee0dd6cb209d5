//! The front of customers' domains: crawlers get what the render service decides, everybody else the origin's answer.
//!
//! A listener (`listen`, `tls`, `wire`, `heads`) hands requests to `handlers`, which ask `route` whose they are, and then
//! either answer with a `snapshot` or one of the `pages`, or `forward` them. Certificates come on demand (`certificates`).

pub mod acme;
pub mod body;
pub mod certificates;
pub mod encoding;
pub mod forward;
pub mod handlers;
pub mod headers;
pub mod heads;
pub mod listen;
pub mod model;
pub mod own;
pub mod pages;
mod queries;
pub mod route;
pub mod service;
pub mod snapshot;
pub mod tls;
pub mod upstream;
pub mod wire;

#[cfg(test)]
mod tests;

pub use listen::Sockets;
pub use service::{Edge, EdgeError, Services};
