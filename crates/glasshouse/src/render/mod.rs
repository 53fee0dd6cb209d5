//! Rendering: what a crawler gets for an address, from which tier, and how snapshots are made and kept.
//!
//! The render endpoint, the edge and refresh jobs all go through [`RenderService`]: one decision and one cache.

pub mod answer;
mod cache;
pub mod decide;
pub mod fast;
mod flight;
pub mod handlers;
mod maker;
pub mod model;
mod queries;
pub mod seen;
pub mod service;
mod text;

pub use decide::{Facts, Place};
pub use model::{Answer, Call, Snapshot};
pub use service::RenderService;
