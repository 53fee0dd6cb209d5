//! The Glasshouse service: what crawlers and AI see of a site.
//!
//! The only crate that serves HTTP, reads configuration and knows features. Features are folders; the same file name
//! means the same thing in every folder (see ARCHITECTURE.md).
//! See docs/decisions/0001.

pub mod accounts;
pub mod analytics;
pub mod api;
pub mod app;
pub mod audit;
pub mod cli;
pub mod clock;
pub mod config;
mod daily_budgets;
pub mod dashboard;
pub mod domains;
pub mod draining;
pub mod edge;
pub mod follow;
pub mod jobs;
pub mod listen;
pub mod mentions;
mod networks;
pub mod notify;
pub mod plans;
pub mod platform;
pub mod refresh;
pub mod render;
pub mod secret;
pub mod telemetry;
#[cfg(test)]
pub mod testing;
pub mod unrendered;
pub mod verify;
pub mod views;
