//! Services that the render service depends on. Used by `app` and by tests, which pass them to the render service.

use accounts::Accounts;
use analytics::{Analytics, Recorder};
use domains::origin::OriginClient;
use domains::{DomainsService, IndexNow};
use platform::jobs::Jobs;

/// Services of other crates that the render service depends on.
#[derive(Clone, Copy)]
pub struct RenderParts<'a> {
    pub accounts: &'a Accounts,
    pub domains: &'a DomainsService,
    pub index_now: &'a IndexNow,
    pub origins: &'a OriginClient,
    pub jobs: &'a Jobs,
    pub recorder: &'a Recorder,
    pub analytics: &'a Analytics,
}
