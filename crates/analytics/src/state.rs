//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;
use tokio_util::sync::CancellationToken;

use crate::Analytics;
use crate::Recorder;
use crate::import::LogPushes;
use crate::ports::StoredPageList;
use accounts::callers::Callers;
use audit::AuditReader;
use domains::DomainsService;
use domains::origin::OriginClient;
use platform::config::Config;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct AnalyticsState {
    pub callers: Callers,
    pub domains: DomainsService,
    pub origins: OriginClient,
    pub analytics: Analytics,
    pub audits: AuditReader,
    pub recorder: Recorder,
    pub log_pushes: LogPushes,
    pub stored_pages: Arc<dyn StoredPageList>,
    pub config: Arc<Config>,
    pub shutdown: CancellationToken,
}
