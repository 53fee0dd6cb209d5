//! SEO audits: a run crawls a domain's site with `audit_engine`, in a job, and its results are stored and read here.
//!
//! Other features read runs from [`AuditReader`]; none reads the tables.

pub mod access;
pub mod auditing;
pub mod fetched;
pub mod handlers;
mod jobs;
mod linked;
mod live;
pub mod model;
pub mod ports;
mod queries;
mod results;
mod segments;
pub mod service;
pub mod source;
mod state;
mod stored;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod words;

pub use linked::LinkedPages;
pub use queries::summaries::{ReportFacts, RunSummary};
pub use segments::ReadError;
pub use service::{AuditReader, Audits};
pub use state::AuditState;
