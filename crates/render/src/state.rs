//! State of this feature's router: the services that its handlers use.

use std::sync::Arc;

use axum::extract::FromRef;

use crate::RenderService;
use crate::prerender_interface::Relays;
use accounts::Accounts;
use accounts::callers::Callers;
use analytics::verify::Verifier;
use domains::DomainsService;
use domains::connection::Connection;
use domains::connection::mark::ProbeMarks;
use platform::clock::Clock;
use platform::config::Config;

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
    pub relays: Relays,
    pub config: Arc<Config>,
    pub clock: Clock,
}
