//! Cache refresh: renders pages again on request, when a sitemap says that they changed, and before they are stale.
//! Knows no table of its own: jobs belong to `jobs`, snapshots to `render`.

mod allowance;
mod batches;
pub mod handlers;
mod jobs;
pub mod model;
mod origin;
mod page_list;
pub mod prerender_interface;
mod service;
mod site_pages;
mod staleness;
mod state;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod tidy;
mod work;

pub use batches::QueueError;
pub use jobs::{FeedBatch, RefreshPage, RefreshSite, RefreshStale, SweepObjects, TidySite, TidySites};
pub use service::RefreshService;
pub use state::RefreshState;
