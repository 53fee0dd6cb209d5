//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;

use accounts::callers::Callers;
use platform::config::Config;
use domains::DomainsService;
use crate::RefreshService;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct RefreshState {
    pub callers: Callers,
    pub domains: DomainsService,
    pub refresh: RefreshService,
    pub config: Arc<Config>,
}
