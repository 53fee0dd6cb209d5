//! Tests of features that need others beside those to their left: the whole service in process.

mod api;
mod audit;
mod connection;
mod dashboard;
mod processes;
mod removal;
