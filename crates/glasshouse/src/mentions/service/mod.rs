//! Parts of AI mentions, put together. Each part is a type of its own and does one thing; handlers and jobs call the parts.

pub mod analysing;
pub mod history;
pub mod money;
pub mod opening;
pub mod prompts;
pub mod settings;
pub mod standing;

use std::ops::Deref;
use std::sync::Arc;

use assistants::providers::call::Assistants;
use store::{Db, DbError};

use super::budgets::BudgetLimits;
use super::connections::Connections;
use super::queries;
use crate::accounts::Accounts;
use crate::audit::Audits;
use crate::clock::Clock;
use crate::config::Config;
use crate::domains::{DomainId, DomainsService};
use crate::jobs::Jobs;
use crate::platform::Platform;

use analysing::books::BrandBooks;
use history::RunHistory;
use money::Money;
use opening::RunOpening;
use prompts::{
    PromptChanges, PromptCreation, PromptImport, PromptList, PromptPermission, PromptRemoval, PromptRunning,
};
use settings::brands::BrandSettings;
use settings::monitoring::MonitoringSettings;
use settings::records::DomainRecords;
use standing::Standings;

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
    pub prompts: PromptList,
    pub creation: PromptCreation,
    pub changes: PromptChanges,
    pub removal: PromptRemoval,
    pub running: PromptRunning,
    pub import: PromptImport,
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
        let base = (db, clock, jobs);
        let records = DomainRecords::new(db, clock, audits);
        let permission = PromptPermission::new(config, &connections);
        let creation = PromptCreation::new(base, &opening, &records, &permission);
        Mentions(Arc::new(MentionParts {
            prompts: PromptList::new(db),
            changes: PromptChanges::new(base, &opening, &permission),
            removal: PromptRemoval::new((db, clock), &opening),
            running: PromptRunning::new(base, &opening, &money, &permission),
            import: PromptImport::new(&creation),
            creation,
            history: RunHistory::new(db),
            standings: Standings::new(base, &connections, &opening, &money),
            brands: BrandSettings::new(db, clock, &records, &books),
            monitoring: MonitoringSettings::new(platform, &records),
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
}
