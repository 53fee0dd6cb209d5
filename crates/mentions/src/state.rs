//! State of this feature's router: the services that its handlers use.

use axum::extract::FromRef;

use crate::Mentions;
use crate::reading::MentionReading;
use crate::reporting::MentionReports;
use ::domains::DomainsService;
use accounts::callers::Callers;
use platform::clock::Clock;

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
