//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;
use tokio_util::sync::CancellationToken;

use crate::service::{AuditReader, AuditRuns, AuditSettings};
use accounts::callers::Callers;
use domains::DomainsService;
use platform::config::Config;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct AuditState {
    pub callers: Callers,
    pub domains: DomainsService,
    pub runs: AuditRuns,
    pub reader: AuditReader,
    pub settings: AuditSettings,
    pub config: Arc<Config>,
    pub shutdown: CancellationToken,
}
