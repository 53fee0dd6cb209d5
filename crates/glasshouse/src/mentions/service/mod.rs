//! Parts of AI mentions, put together. Each part is a type of its own and does one thing; handlers and jobs call the parts.

pub mod analysing;
pub mod money;
pub mod opening;

use std::ops::Deref;
use std::sync::Arc;

use assistants::providers::call::Assistants;
use store::Db;

use super::budgets::BudgetLimits;
use super::connections::Connections;
use crate::accounts::Accounts;
use crate::clock::Clock;
use crate::config::Config;
use crate::domains::DomainsService;
use crate::jobs::Jobs;
use crate::platform::Platform;

use analysing::books::BrandBooks;
use money::Money;
use opening::RunOpening;

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
}

impl Deref for Mentions {
    type Target = MentionParts;

    fn deref(&self) -> &MentionParts {
        &self.0
    }
}

impl Mentions {
    /// Makes the parts. Starts nothing.
    pub fn new(platform: &Platform, accounts: &Accounts, domains: &DomainsService, jobs: &Jobs) -> Mentions {
        let Platform { config, clock, db, network, .. } = platform;
        let connections = Arc::new(Connections::new(config));
        let assistants = Assistants::new(network);
        Mentions(Arc::new(MentionParts {
            opening: RunOpening::new(jobs, clock, &connections, &assistants),
            money: Money::new(BudgetLimits::new(config, &connections)),
            books: BrandBooks::new(db),
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
}
