//! Tests that need several features at once: the whole service in process.

mod api;
mod audit;
mod connection;
mod dashboard;
mod mcp;
mod people;
mod prerender_interface;
mod processes;
mod removal;
