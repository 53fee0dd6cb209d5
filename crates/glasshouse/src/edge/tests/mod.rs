//! The edge on real sockets, on loopback: origins, clients and a certificate authority are real servers and connections.

mod certificates;
mod connecting;
mod crawlers;
mod crowded;
mod hardening;
mod limits;
mod people;
mod readers;
mod world;
