//! The shell of the HTTP API: who may call, what may be sent, what an error looks like. Knows no feature.

pub mod accept;
pub mod access;
pub mod caller;
pub mod client;
pub mod credentials;
pub mod csv;
pub mod docs;
pub mod envelope;
pub mod error;
pub mod error_code;
pub mod extract;
pub mod header_names;
pub mod listing;
pub mod long_calls;
pub mod metrics;
pub mod openapi;
pub mod rate_limit;
pub mod requester;
pub mod server;
pub mod shared_limits;
mod state;
mod strangers_bytes;
pub mod twins;
pub mod validators;

pub use access::Access;
pub use caller::{Caller, check_limit};
pub use error::{ApiError, Issue};
pub use error_code::ErrorCode;
pub use extract::{AppJson, AppPath, AppQuery, DomainsJson, OptionalDomainsJson, OptionalJson};
pub use state::ApiState;
pub use strangers_bytes::strangers_bytes;

/// What every handler answers with.
pub type ApiResult<T> = Result<T, ApiError>;

#[cfg(test)]
mod tests;
