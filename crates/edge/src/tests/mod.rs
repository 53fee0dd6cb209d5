//! The edge on real sockets, on loopback: origins, clients and a certificate authority are real servers and connections.

mod agents;
pub mod authority;
mod certificates;
mod connecting;
mod connection_limit;
mod crawlers;
mod ending;
mod hardening;
mod kept;
mod limits;
mod own_site;
mod people;
mod policy;
mod readers;
mod root_files;
pub mod world;
