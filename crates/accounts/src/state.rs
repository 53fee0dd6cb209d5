//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;

use crate::Accounts;
use crate::callers::Callers;
use crate::ports::AccountHoldings;
use platform::config::Config;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct AccountsState {
    pub callers: Callers,
    pub accounts: Accounts,
    pub config: Arc<Config>,
    pub holdings: Arc<dyn AccountHoldings>,
}
