//! Crawler analytics: who visits, and how often: recognising crawlers, recording their visits, reporting them.
//!
//! The render endpoint and the edge hand every answered visit to the [`Recorder`]; [`Analytics`] reports what was counted.

pub mod access;
mod apply;
mod bots_json;
mod bounds;
pub mod crawl_report;
pub mod crawler_list;
pub mod crawlers;
mod crawling;
pub mod export;
mod for_audits;
pub mod handlers;
pub mod import;
pub mod ingest;
pub mod jobs;
pub mod live;
pub mod model;
mod queries;
pub mod referrals;
pub mod report;
mod segments;
pub mod service;
mod spool;
pub mod stores;
pub mod verify;

pub use crawlers::{Class, Crawler, CrawlerIndex};
pub use ingest::Recorder;
pub use model::{ServedBy, Verified, Visit};
#[cfg(test)]
pub(crate) use queries::{VisitRow, list_visits};
pub use service::Analytics;
pub use stores::VisitStore;
