//! Connected domains: their owners, their settings, and the effect of the settings on a request.
//!
//! Render, refresh, audits and the edge get a [`Site`] from [`DomainsService`]; no other crate reads the tables.

pub mod access;
pub mod connection;
pub mod crawler_policy;
mod directory;
pub mod handlers;
pub mod headers;
pub mod indexnow;
pub mod jobs;
pub mod model;
pub mod names;
pub mod not_found;
pub mod origin;
mod ownership;
pub mod patterns;
mod queries;
pub mod redirects;
mod requested;
pub mod responses;
pub mod root_files;
pub mod service;
pub mod settings;
pub mod site;
mod state;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use crawler_policy::{CrawlerPolicy, PolicyAction, PolicyMode};
pub use indexnow::IndexNow;
pub use model::{
    Domain, DomainId, DomainStatus, MarkdownSetting, NotFoundRules, PreferredHost, RefreshRule, Rendering,
    Settings,
};
pub use ownership::ConnectionProof;
pub use requested::{DomainAccess, RequestedDomain};
pub use service::DomainsService;
pub use site::Site;
pub use state::DomainsState;
