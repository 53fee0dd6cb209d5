//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;

use crate::accounts::Accounts;
use crate::accounts::callers::Callers;
use crate::analytics::verify::Verifier;
use crate::clock::Clock;
use crate::config::Config;
use crate::domains::DomainsService;
use crate::domains::connection::Connection;
use crate::domains::connection::mark::ProbeMarks;
use crate::render::RenderService;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct RenderState {
    pub callers: Callers,
    pub accounts: Accounts,
    pub domains: DomainsService,
    pub connection: Connection,
    pub verifier: Verifier,
    pub probe_marks: ProbeMarks,
    pub render: RenderService,
    pub config: Arc<Config>,
    pub clock: Clock,
}
