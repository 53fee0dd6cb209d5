//! State of this feature's router: the services that its handlers use.

use axum::extract::FromRef;

use crate::accounts::callers::Callers;
use crate::clock::Clock;
use crate::domains::DomainsService;
use crate::mentions::Mentions;
use crate::mentions::reading::MentionReading;
use crate::mentions::reporting::MentionReports;

/// Services of this feature's handlers. Each may be extracted alone. Cheap to clone.
#[derive(Clone, FromRef)]
pub struct MentionsState {
    pub callers: Callers,
    pub domains: DomainsService,
    pub mentions: Mentions,
    pub mention_reading: MentionReading,
    pub mention_reports: MentionReports,
    pub clock: Clock,
}
