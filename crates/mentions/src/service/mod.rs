//! Parts of AI mentions, put together. Each part is a type of its own and does one thing; handlers and jobs call the parts.

pub mod analysing;
pub mod asking;
pub mod history;
pub mod money;
pub mod opening;
pub mod prompts;
pub mod scheduling;
pub mod settings;
pub mod standing;
pub mod tending;
pub mod tidying;
pub mod writing;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use assistants::providers::call::Assistants;
use store::{Db, DbError};

use super::budgets::BudgetLimits;
use super::connections::Connections;
use super::jobs::{AnalyseAnswer, AskProvider, QueueDuePrompts, ReanalyseDomain, TendRuns, TidyMentions};
use super::queries;
use ::domains::{DomainId, DomainsService};
use accounts::Accounts;
use audit::Audits;
use platform::Platform;
use platform::clock::Clock;
use platform::config::Config;
use platform::jobs::{Job, JobPriority, Jobs, Registry, Schedule};

use analysing::books::BrandBooks;
use analysing::by_model::{ModelAnalysis, ModelAnalysisParts};
use analysing::finishing::Finishing;
use analysing::reanalysis::Reanalysis;
use analysing::threads::AnalysisThreads;
use asking::health::ProviderHealth;
use asking::permission::Permissions;
use asking::quirks::QuirkBook;
use asking::{AskingParts, RunAsking};
use history::RunHistory;
use money::Money;
use opening::RunOpening;
use prompts::PromptPermission;
use scheduling::Scheduler;
use settings::brands::BrandSettings;
use settings::monitoring::MonitoringSettings;
use settings::records::DomainRecords;
use standing::Standings;
use tending::Tending;
use tidying::Tidying;
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

/// Parts of AI mentions.
pub struct MentionParts {
    pub db: Db,
    pub clock: Clock,
    pub config: Arc<Config>,
    pub accounts: Accounts,
    pub domains: DomainsService,
    pub jobs: Jobs,
    pub connections: Arc<Connections>,
    pub assistants: Assistants,
    pub books: BrandBooks,
    pub money: Money,
    pub opening: RunOpening,
    pub asking: RunAsking,
    pub model_analysis: ModelAnalysis,
    pub reanalysis: Reanalysis,
    pub scheduler: Scheduler,
    pub tending: Tending,
    pub tidying: Tidying,
    pub permission: PromptPermission,
    pub records: DomainRecords,
    pub history: RunHistory,
    pub standings: Standings,
    pub brands: BrandSettings,
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
        audits: &Audits,
    ) -> Mentions {
        let Platform { config, clock, db, network, .. } = platform;
        let connections = Arc::new(Connections::new(config));
        let assistants = Assistants::new(network);
        let opening = RunOpening::new(jobs, clock, &connections, &assistants);
        let money = Money::new(BudgetLimits::new(config, &connections));
        let books = BrandBooks::new(db);
        let writer = RunWriter::new(platform, jobs);
        let permissions = Permissions::new(db, config, (accounts, domains), &connections);
        let quirks = QuirkBook::new(db, clock);
        let finishing = Finishing::new(&books, clock, &writer);
        let model_analysis = ModelAnalysis::new(ModelAnalysisParts {
            db: db.clone(),
            clock: clock.clone(),
            tasks: platform.tasks.clone(),
            connections: connections.clone(),
            assistants: assistants.clone(),
            books: books.clone(),
            money: money.clone(),
            writer: writer.clone(),
            quirks: quirks.clone(),
            finishing: finishing.clone(),
        });
        let asking = RunAsking::new(AskingParts {
            db: db.clone(),
            clock: clock.clone(),
            tasks: platform.tasks.clone(),
            connections: connections.clone(),
            assistants: assistants.clone(),
            books: books.clone(),
            money: money.clone(),
            writer: writer.clone(),
            health: ProviderHealth::new(db, clock, jobs),
            quirks,
            permissions: permissions.clone(),
            analysing: AnalysisThreads::default(),
            keeps_responses: config.mentions.keep_raw_days > 0,
        });
        let reanalysis = Reanalysis::new(db, clock, jobs, &books);
        let base = (db, clock, jobs);
        let records = DomainRecords::new(db, clock, audits);
        Mentions(Arc::new(MentionParts {
            asking,
            scheduler: Scheduler::new((db, clock, config), jobs, &permissions, &money, &opening),
            tending: Tending::new((db, clock, jobs), &writer, &finishing, &model_analysis),
            tidying: Tidying::new(db, clock, config),
            model_analysis,
            permission: PromptPermission::new(config, &connections),
            history: RunHistory::new(db),
            standings: Standings::new(base, &connections, &opening, &money),
            brands: BrandSettings::new((db, clock), &records, &books, &reanalysis),
            monitoring: MonitoringSettings::new(platform, &records),
            records,
            reanalysis,
            opening,
            money,
            books,
            db: db.clone(),
            clock: clock.clone(),
            config: config.clone(),
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
