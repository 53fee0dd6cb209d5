//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;

use crate::connection::Connection;
use crate::origin::OriginClient;
use crate::{DomainsService, IndexNow};
use accounts::callers::Callers;
use platform::config::Config;

/// Services of this feature's handlers. Each can be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct DomainsState {
    pub callers: Callers,
    pub domains: DomainsService,
    pub index_now: IndexNow,
    pub connection: Connection,
    pub origins: OriginClient,
    pub config: Arc<Config>,
}
