//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;

use crate::{ScheduledVerification, SiteVerifier};
use accounts::callers::Callers;
use domains::DomainsService;
use platform::config::Config;
use render::RenderService;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct VerifyState {
    pub callers: Callers,
    pub domains: DomainsService,
    pub site_verifier: SiteVerifier,
    pub scheduled: ScheduledVerification,
    pub render: RenderService,
    pub config: Arc<Config>,
}
