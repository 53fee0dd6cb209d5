//! Monitoring of AI assistants: prompts are asked again and again, the answers are analysed, summed up and kept.
//!
//! A prompt has a target at each provider, a target has runs, and a run is one job that asks once. Statistics read sums,
//! never answers. Features to the left know nothing of this one.

pub mod access;
pub mod brand;
pub mod budgets;
pub mod connections;
pub mod handlers;
pub mod jobs;
pub mod model;
pub mod monitoring;
mod parts;
pub mod queries;
pub mod reading;
pub mod report;
pub mod reporting;
pub mod schedule;
pub mod service;
mod state;
pub mod sums;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod words;

pub use service::Mentions;
pub use state::MentionsState;
