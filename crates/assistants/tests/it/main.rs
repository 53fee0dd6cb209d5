//! Tests of the crate from outside. Providers over real sockets against stand-ins of their vendors and over recorded
//! replies; analysis over golden numbers, properties, labelled and hostile answers.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod any_answer;
mod checks;
mod corpus;
mod golden;
mod hostile;
mod instructions;
mod money;
mod properties;
mod quality;
mod quirks;
mod replies;
mod requests;
mod secrets;
mod sources;
mod sums;
mod tasks;
mod world;
