//! Answers to requests for customers' hosts: local paths, snapshots for crawlers, the origin for everybody else;
//! and for the installation's own host.
//! Uses certificates; knows nothing of sockets.

mod answers;
pub mod body;
mod bulkhead;
mod encoding;
pub mod forward;
pub mod handlers;
mod headers;
pub mod open_tunnels;
mod own_answers;
pub mod own_site;
mod pages;
mod root_file;
mod route;
pub mod service;
mod snapshot;
mod tunnel;
mod upstream;
mod visits;
