//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;

use crate::RefreshService;
use accounts::callers::Callers;
use domains::DomainsService;
use platform::config::Config;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct RefreshState {
    pub callers: Callers,
    pub domains: DomainsService,
    pub refresh: RefreshService,
    pub config: Arc<Config>,
}
