//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;
use crawler::Network;

use crate::SiteDashboard;
use crate::health::ReadinessCheck;
use accounts::Accounts;
use accounts::callers::Callers;
use accounts::ports::AccountHoldings;
use audit::AuditReader;
use domains::DomainsService;
use mentions::Mentions;
use platform::config::Config;
use render::RenderService;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct DashboardState {
    pub callers: Callers,
    pub accounts: Accounts,
    pub domains: DomainsService,
    pub audits: AuditReader,
    pub mentions: Mentions,
    pub render: RenderService,
    pub dashboard: SiteDashboard,
    pub holdings: Arc<dyn AccountHoldings>,
    pub readiness: ReadinessCheck,
    pub network: Network,
    pub config: Arc<Config>,
}
