//! Rendering of pages for crawlers: decides the answer to a request, renders pages, and stores and serves snapshots.
//!
//! The render endpoint, the edge and refresh jobs all use [`RenderService`]: one decision and one cache.

mod acceptance;
mod admission;
mod cache;
pub mod decide;
pub mod emptiness;
pub mod fast_path;
mod for_audits;
mod for_views;
pub mod handlers;
mod health;
mod impossible;
pub mod jobs;
mod kept_headers;
mod listed_facts;
mod markdown_tier;
mod memory;
pub mod model;
mod not_found;
mod origin_notes;
mod origin_state;
mod outcome;
mod parts;
mod policy;
pub mod prerender_interface;
mod public_answer;
mod queries;
mod refreshed;
pub mod remote;
mod render_task;
mod request_counts;
pub mod request_facts;
pub mod response_headers;
mod retention;
pub mod root_files;
mod served;
pub mod service;
mod single_flight;
mod sitemaps;
pub mod snapshot_list;
mod state;
mod store_outage;
mod stored_pages;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod text;
mod unverified;

pub use decide::{EntryPoint, renderable, stored_page};
pub use for_views::{CrawlerPage, NoTurn, PagesForViews};
pub use model::{RenderCall, RenderResponse, Snapshot};
pub use parts::RenderParts;
pub use policy::CrawlerPolicies;
pub use refreshed::{RefreshTrouble, Refreshed};
pub use request_facts::RequestFacts;
pub use retention::StalePage;
pub use root_files::{RootFileAnswers, ServedFile};
pub use service::RenderService;
pub use state::RenderState;
pub use stored_pages::ForgetError;
