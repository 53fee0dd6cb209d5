//! Services of AI mentions, put together. Handlers and jobs call the functions of this folder with them.

pub mod analysing;
pub mod asking;
pub mod history;
pub mod money;
pub mod opening;
pub mod prompts;
pub mod provider_status;
pub mod scheduling;
pub mod settings;
pub mod tending;
pub mod tidying;
pub mod writing;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use assistants::providers::call::Assistants;
use store::{Db, DbError};
use tokio_util::task::TaskTracker;

use super::budgets::BudgetLimits;
use super::connections::Connections;
use super::jobs::{AnalyseAnswer, AskProvider, QueueDuePrompts, ReanalyseDomain, TendRuns, TidyMentions};
use super::queries;
use ::domains::{DomainId, DomainsService};
use accounts::Accounts;
use audit::AuditReader;
use platform::Platform;
use platform::clock::Clock;
use platform::config::Config;
use platform::jobs::{Job, JobPriority, Jobs, Registry, Schedule};

use analysing::brand_cache::BrandCache;
use analysing::threads::AnalysisThreads;
use asking::health::ProviderHealth;
use asking::quirks::QuirkBook;
use money::Money;
use opening::RunOpening;
use prompts::PromptPermission;
use settings::monitoring::MonitoringSettings;
use settings::records::DomainRecords;
use writing::RunWriter;

/// Owner of the jobs of the service itself.
const SERVICE: &str = "service";
/// Time between two looks for due targets, for runs that nobody ends, and for old answers.
const QUEUE_EVERY: Duration = Duration::from_secs(60);
const TEND_EVERY: Duration = Duration::from_secs(20);
const TIDY_EVERY: Duration = Duration::from_secs(3600);

/// AI mentions of this process. Cheap to clone.
#[derive(Clone)]
pub struct Mentions(Arc<MentionParts>);

/// Services that AI mentions use, and their own state.
pub struct MentionParts {
    pub db: Db,
    pub clock: Clock,
    pub config: Arc<Config>,
    pub tasks: TaskTracker,
    pub accounts: Accounts,
    pub domains: DomainsService,
    pub jobs: Jobs,
    pub connections: Arc<Connections>,
    pub assistants: Assistants,
    pub books: BrandCache,
    pub money: Money,
    pub opening: RunOpening,
    pub writer: RunWriter,
    pub health: ProviderHealth,
    pub quirks: QuirkBook,
    pub threads: AnalysisThreads,
    pub permission: PromptPermission,
    pub records: DomainRecords,
    pub monitoring: MonitoringSettings,
}

impl Deref for Mentions {
    type Target = MentionParts;

    fn deref(&self) -> &MentionParts {
        &self.0
    }
}

impl Mentions {
    /// Makes the parts. Starts nothing.
    pub fn new(
        platform: &Platform,
        accounts: &Accounts,
        domains: &DomainsService,
        jobs: &Jobs,
        audits: &AuditReader,
    ) -> Mentions {
        let Platform { config, clock, db, network, .. } = platform;
        let connections = Arc::new(Connections::new(config));
        let assistants = Assistants::new(network);
        let records = DomainRecords::new(db, clock, audits);
        Mentions(Arc::new(MentionParts {
            books: BrandCache::new(db),
            money: Money::new(BudgetLimits::new(config, &connections)),
            opening: RunOpening::new(jobs, clock, &connections, &assistants),
            writer: RunWriter::new(platform, jobs),
            health: ProviderHealth::new(db, clock, jobs),
            quirks: QuirkBook::new(db, clock),
            threads: AnalysisThreads::default(),
            permission: PromptPermission::new(config, &connections),
            monitoring: MonitoringSettings::new(platform, &records),
            records,
            db: db.clone(),
            clock: clock.clone(),
            config: config.clone(),
            tasks: platform.tasks.clone(),
            accounts: accounts.clone(),
            domains: domains.clone(),
            jobs: jobs.clone(),
            connections,
            assistants,
        }))
    }

    /// Deletes everything that is kept of a removed domain but its ledger, some rows at a time so that nobody waits long for the
    /// writer.
    pub async fn forget_domain(&self, domain: &DomainId) -> Result<(), DbError> {
        loop {
            let mut tx = self.db.write().await?;
            let deleted = queries::domains::delete_some_of_domain(&mut tx, domain).await?;
            tx.commit().await?;
            if deleted == 0 {
                self.books.forget(domain);
                return Ok(());
            }
        }
    }

    /// Adds the jobs of AI mentions to the worker's kinds.
    pub fn register(&self, registry: Registry) -> Registry {
        // Lanes limit what is in flight over all processes; one process may have all of it.
        let at_once = self.connections.most_in_flight();
        registry
            .with::<AskProvider>(self.clone(), at_once)
            .with::<AnalyseAnswer>(self.clone(), at_once)
            .with::<QueueDuePrompts>(self.clone(), 1)
            .with::<TendRuns>(self.clone(), 1)
            .with::<TidyMentions>(self.clone(), 1)
            .with::<ReanalyseDomain>(self.clone(), 1)
    }

    /// Lists what the worker has to queue again and again.
    pub fn schedules(&self) -> Vec<Schedule> {
        vec![
            Schedule::every(QUEUE_EVERY, "due prompts", || {
                QueueDuePrompts {}.queued_for(SERVICE).priority(JobPriority::Normal)
            }),
            Schedule::every(TEND_EVERY, "runs", || {
                TendRuns {}.queued_for(SERVICE).priority(JobPriority::Normal)
            }),
            Schedule::every(TIDY_EVERY, "old answers", || {
                TidyMentions {}.queued_for(SERVICE).priority(JobPriority::Background)
            }),
        ]
    }
}
