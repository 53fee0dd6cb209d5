//! What the shell of the API needs of the application. Implemented by `app`, which the shell must not know.

use std::sync::Arc;

use super::rate_limit::RateLimits;
use crate::accounts::Accounts;
use crate::config::Config;

/// The state of every handler, as far as the shell uses it.
pub trait ApiState: Clone + Send + Sync + 'static {
    /// The settings.
    fn config(&self) -> &Arc<Config>;
    /// Who may call.
    fn accounts(&self) -> &Accounts;
    /// How often.
    fn rate_limits(&self) -> &RateLimits;
}
