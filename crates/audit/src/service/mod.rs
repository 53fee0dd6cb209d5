//! SEO audits: starts them, stores their settings, and reads their results. The crawl itself is the engine's; it runs
//! in a job. Must never write results of a run that is over, nor hold the writer while a site is being read.

mod finish;
mod followers;
mod maintenance;
mod notification;
mod options;
mod read;
mod running;
mod scheduling;
mod settings;
mod start;
mod work;

use std::sync::Arc;

use store::Db;

use super::jobs::{AuditDomain, KeepAudits, RunAudit, TellWebhook};
use super::ports::{CrawlerTraffic, Renders};
use super::segments::Segments;
use accounts::Accounts;
use domains::DomainsService;
use domains::origin::OriginClient;
use platform::Platform;
use platform::clock::Clock;
use platform::jobs::{Job, JobPriority, Jobs, Registry, Schedule};

pub use followers::RunFollower;
use followers::RunFollowers;
pub use read::{
    AuditExport, AuditExportFormat, AuditedTopic, Comparison, ExportRequest, LinkFilter, LinkGraph, LinkList,
    PageFilter, PageOrder, PageParts, RunIssues,
};
use running::RunningAudits;
pub use settings::AuditingError;
pub use start::{AuditStartError, NewRun};

/// Account of the service's own jobs.
const SERVICE: &str = "service";
/// Audits that one process runs at a time.
const AT_ONCE: usize = 4;

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Audits(Arc<Inner>);

struct Inner {
    platform: Platform,
    db: Db,
    clock: Clock,
    accounts: Accounts,
    domains: DomainsService,
    origins: OriginClient,
    jobs: Jobs,
    segments: Segments,
    renders: Arc<dyn Renders>,
    visits: Arc<dyn CrawlerTraffic>,
    running: RunningAudits,
    followers: RunFollowers,
}

impl Audits {
    /// Makes the service. Starts nothing.
    pub fn new(
        platform: &Platform,
        accounts: &Accounts,
        domains: &DomainsService,
        origins: &OriginClient,
        jobs: &Jobs,
        renders: Arc<dyn Renders>,
        visits: Arc<dyn CrawlerTraffic>,
    ) -> Audits {
        Audits(Arc::new(Inner {
            db: platform.db.clone(),
            clock: platform.clock.clone(),
            accounts: accounts.clone(),
            domains: domains.clone(),
            origins: origins.clone(),
            jobs: jobs.clone(),
            segments: Segments::new(&platform.db, &platform.blobs),
            renders,
            visits,
            running: RunningAudits::default(),
            followers: RunFollowers::default(),
            platform: platform.clone(),
        }))
    }

    /// Adds what needs no browser to the worker's kinds of jobs.
    pub fn register(&self, registry: Registry) -> Registry {
        registry
            .with::<KeepAudits>(self.clone(), 1)
            .with::<AuditDomain>(self.clone(), 2)
            .with::<TellWebhook>(self.clone(), 4)
    }

    /// Adds the runs themselves: sites are audited where the browsers are.
    pub fn register_runs(&self, registry: Registry) -> Registry {
        registry.with::<RunAudit>(self.clone(), AT_ONCE)
    }

    /// Returns the schedules for the worker.
    pub fn schedules(&self) -> Vec<Schedule> {
        vec![Schedule::every(maintenance::LOOK_EVERY, "audits", || {
            KeepAudits {}.queued_for(SERVICE).priority(JobPriority::Normal)
        })]
    }
}
