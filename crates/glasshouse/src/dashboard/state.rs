//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;
use crawler::Network;

use crate::accounts::Accounts;
use crate::accounts::callers::Callers;
use crate::accounts::ports::AccountHoldings;
use crate::audit::Audits;
use crate::config::Config;
use crate::dashboard::SiteDashboard;
use crate::dashboard::health::ReadinessCheck;
use crate::domains::DomainsService;
use crate::mentions::Mentions;
use crate::render::RenderService;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct DashboardState {
    pub callers: Callers,
    pub accounts: Accounts,
    pub domains: DomainsService,
    pub audits: Audits,
    pub mentions: Mentions,
    pub render: RenderService,
    pub dashboard: SiteDashboard,
    pub holdings: Arc<dyn AccountHoldings>,
    pub readiness: ReadinessCheck,
    pub network: Network,
    pub config: Arc<Config>,
}
