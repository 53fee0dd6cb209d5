//! Callers of the API: who calls, whether they may, and how often. Extractors of all handlers.
//! See docs/decisions/0011 and docs/decisions/0012.

pub mod caller;
pub mod credentials;
pub mod for_keys_and_sessions;
pub mod long_calls;
pub mod operator;
pub mod proxied;
pub mod rate_limit;
pub mod requester;
mod signed_in;

use std::sync::Arc;

pub use self::caller::{
    Caller, Credential, SignedIn, ToolRequest, Uncounted, check_limit, check_scope, unknown_caller,
};
pub use self::operator::Operator;
use self::rate_limit::RateLimits;
pub(crate) use self::signed_in::signed_in_to_change;
use super::Accounts;
use platform::config::Config;

/// Services that tell callers apart and count their requests. Cheap to clone.
#[derive(Clone)]
pub struct Callers {
    /// Settings: the limits of plans, and the address of the dashboard.
    pub config: Arc<Config>,
    pub accounts: Accounts,
    /// Requests per minute.
    pub rate_limits: Arc<RateLimits>,
}
