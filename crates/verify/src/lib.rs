//! Verification of a site: asks it as a crawler and as a person, and says whether crawlers get pages and people the app.
//! Used by `glasshouse verify`, the API, the dashboard and a schedule. Works on any site, with Glasshouse or without it. Must never
//! connect but through the guarded fetcher, and never change anything.
//! See docs/decisions/0481.

mod answer;
mod caches;
mod content;
mod encoding;
mod findings;
pub mod handlers;
pub mod jobs;
pub mod model;
mod page;
mod platform;
mod probes;
mod queries;
mod reason;
mod report;
mod scheduled;
mod state;
mod substitutes;
mod target;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use findings::SITE_CHECKS;
pub use model::{
    DEFAULT_CRAWLER, ImitatedCrawler, SiteReport, SnapshotExpectation, VerifyError, VerifyTarget,
};
pub use probes::SiteVerifier;
pub use report::as_text;
pub use scheduled::ScheduledVerification;
pub use state::VerifyState;

#[cfg(test)]
mod tests;
