//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;

use crate::accounts::callers::Callers;
use crate::config::Config;
use crate::domains::DomainsService;
use crate::domains::connection::Connection;
use crate::domains::origin::OriginClient;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct DomainsState {
    pub callers: Callers,
    pub domains: DomainsService,
    pub connection: Connection,
    pub origins: OriginClient,
    pub config: Arc<Config>,
}
