//! The providers over real sockets, against stand-ins of their vendors, and their recorded replies without any.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod checks;
mod corpus;
mod hostile;
mod money;
mod properties;
mod quirks;
mod replies;
mod requests;
mod secrets;
mod sources;
mod tasks;
mod world;
