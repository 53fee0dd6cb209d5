//! Servers that play the outside world for one test, on loopback. Used by tests only (cargo feature `testing`).

mod dns;
mod web;

pub use dns::{DnsServer, Trouble};
pub use web::WebServer;
