//! The shell of the HTTP API: who may call, what may be sent, what an error looks like. Knows no feature.

pub mod accept;
pub mod access;
pub mod client;
pub mod csv;
pub mod docs;
pub mod envelope;
pub mod error;
pub mod error_code;
pub mod extract;
pub mod header_names;
pub mod listing;
pub mod metrics;
pub mod openapi;
pub mod rate_limit_state;
pub mod server;
mod untrusted_bytes;
pub mod validators;

pub use access::Access;
pub use error::{ApiError, Issue};
pub use error_code::ErrorCode;
pub use extract::{AnyBody, AppJson, AppPath, AppQuery, DomainsJson, OptionalDomainsJson, OptionalJson};
pub use untrusted_bytes::untrusted_bytes;

/// Result of every handler.
pub type ApiResult<T> = Result<T, ApiError>;
