//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;

use crate::Views;
use accounts::Accounts;
use accounts::callers::Callers;
use domains::DomainsService;
use platform::config::Config;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct ViewsState {
    pub callers: Callers,
    pub accounts: Accounts,
    pub domains: DomainsService,
    pub views: Views,
    pub config: Arc<Config>,
}
