//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;

use crate::callers::Callers;
use crate::ports::AccountHoldings;
use crate::{Accounts, People};
use platform::clock::Clock;
use platform::config::Config;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct AccountsState {
    pub callers: Callers,
    pub accounts: Accounts,
    pub people: People,
    pub config: Arc<Config>,
    pub clock: Clock,
    pub holdings: Arc<dyn AccountHoldings>,
}
