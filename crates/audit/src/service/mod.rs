//! SEO audits: starts them, stores their settings, and reads their results. The crawl itself is the engine's; it runs
//! in a job. Must never write results of a run that is over, nor hold the writer while a site is being read.

mod finish;
mod followers;
mod notification;
mod options;
mod read;
mod running;
mod runs;
mod schedule;
mod settings;
mod work;

use std::sync::Arc;

use super::jobs::{AuditDomain, KeepAudits, RunAudit};
use super::ports::{CrawlerTraffic, Renders};
use accounts::Accounts;
use domains::DomainsService;
use domains::origin::OriginClient;
use platform::Platform;
use platform::jobs::{Job, JobPriority, Jobs, Registry, Schedule};
use running::RunningAudits;
use runs::RunParts;
use webhooks::Events;

pub use followers::RunFollower;
pub use read::{
    AuditExport, AuditExportFormat, AuditReader, AuditedTopic, Comparison, ExportRequest, LatestRun,
    LinkFilter, LinkGraph, LinkList, PageFilter, PageOrder, PageWords, RunIssues, RunPage, SelectedPages,
    WantedFields, count_sitemap_files, page_rows,
};
pub use runs::{AuditRuns, AuditStartError, NewRun};
pub use schedule::AuditSchedule;
pub use settings::{AuditSettings, AuditingError};
pub use work::{end_later, give_up, work};

/// Account of the service's own jobs.
const SERVICE: &str = "service";
/// Audits that one process runs at a time.
const AT_ONCE: usize = 4;

/// Services of audits. Cheap to clone.
#[derive(Clone)]
pub struct Audits {
    pub runs: AuditRuns,
    pub reader: AuditReader,
    pub schedule: AuditSchedule,
    pub settings: AuditSettings,
}

impl Audits {
    /// Makes the services. Starts nothing.
    pub fn new(
        platform: &Platform,
        accounts: &Accounts,
        domains: &DomainsService,
        origins: &OriginClient,
        jobs: &Jobs,
        renders: Arc<dyn Renders>,
        visits: Arc<dyn CrawlerTraffic>,
    ) -> Audits {
        let reader = AuditReader::new(platform, visits);
        let settings = AuditSettings::new(platform, jobs);
        let runs = AuditRuns::new(RunParts {
            platform: platform.clone(),
            accounts: accounts.clone(),
            domains: domains.clone(),
            origins: origins.clone(),
            jobs: jobs.clone(),
            events: Events::new(&platform.clock, jobs),
            renders,
            running: RunningAudits::default(),
            reader: reader.clone(),
            settings: settings.clone(),
        });
        Audits { schedule: AuditSchedule { runs: runs.clone() }, runs, reader, settings }
    }

    /// Adds what needs no browser to the worker's kinds of jobs.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<KeepAudits>(self.schedule.clone(), 1).with::<AuditDomain>(self.schedule.clone(), 2)
    }

    /// Adds the runs themselves: sites are audited where the browsers are.
    pub fn register_runs(&self, registry: Registry) -> Registry {
        registry.with::<RunAudit>(self.runs.clone(), AT_ONCE)
    }

    /// Returns the schedules for the worker.
    pub fn schedules(&self) -> Vec<Schedule> {
        vec![Schedule::every(schedule::LOOK_EVERY, "audits", || {
            KeepAudits {}.queued_for(SERVICE).priority(JobPriority::Normal)
        })]
    }
}
