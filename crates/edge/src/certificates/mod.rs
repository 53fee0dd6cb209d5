//! Certificates of customers' domains: ordered from a certificate authority, stored, renewed and given to handshakes.
//! The lowest module of the edge: knows neither its listeners nor its proxy.
//! See docs/decisions/0062.

mod acme;
pub mod directory;
pub mod jobs;
pub mod model;
mod order_store;
pub mod ordering;
mod proofs;
mod queries;
mod renewals;
pub mod service;
mod tickets;
pub mod tls;

pub use service::Certificates;

#[cfg(test)]
mod tests;
