//! Crawler analytics: who visits, and how often. Here: recognising crawlers and recording their visits.
//!
//! The render endpoint and the edge hand every answered visit to the [`Recorder`]; reports read the daily counts.

pub mod crawlers;
pub mod ingest;
mod interest;
pub mod model;
mod queries;
mod removal;
pub mod verify;

pub use crawlers::{Class, Crawler, CrawlerIndex};
pub use ingest::Recorder;
pub use interest::visits_by_path;
pub use model::{ServedBy, Verified, Visit};
#[cfg(test)]
pub(crate) use queries::{VisitRow, list_visits};
pub use removal::forget_domain;
