//! Crawler analytics: recognition of crawlers, recording of their visits, and reports about the visits.
//!
//! The render endpoint and the edge hand every answered visit to the [`Recorder`]; [`Analytics`] reports what was counted.

pub mod access;
mod apply;
mod badge;
mod bounds;
pub mod crawl_report;
mod crawler_class;
pub mod crawler_list;
pub mod crawlers;
mod crawling;
pub mod export;
mod for_audits;
mod for_dashboard;
mod for_mentions;
mod for_sitemaps;
pub mod handlers;
pub mod import;
pub mod ingest;
pub mod jobs;
pub mod live;
pub mod model;
pub mod pages;
pub mod policy;
pub mod ports;
mod queries;
pub mod referrals;
pub mod report;
pub mod service;
mod spool;
mod state;
pub mod stores;
mod sums;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod timeline;
pub mod verify;
mod watch;

pub use crawlers::{Class, Crawler, CrawlerIndex};
pub use for_dashboard::{DomainDay, FirstVisit, VisitsOverview};
pub use for_mentions::AiCrawls;
pub use ingest::Recorder;
pub use model::{CrawlerRequest, ServedBy, Verified, Visit};
#[cfg(any(test, feature = "testing"))]
pub use queries::{VisitRow, list_visits};
pub use service::Analytics;
pub use state::AnalyticsState;
pub use stores::VisitStore;
pub use watch::CrawlerWatch;
