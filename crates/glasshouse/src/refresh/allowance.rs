//! The renders that an account may still have this month, asked before anything is queued. What counts is what the render
//! service reserves: here it is only looked at.

use std::sync::Arc;

use store::DbError;

use super::staleness::background_budget;
use crate::accounts::{AccountId, Accounts, UsageMetric};
use crate::clock::Timestamp;
use crate::config::Config;
use crate::platform::Platform;

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct RenderAllowance {
    config: Arc<Config>,
    accounts: Accounts,
}

impl RenderAllowance {
    /// By the plans of these settings.
    pub fn new(platform: &Platform, accounts: &Accounts) -> RenderAllowance {
        RenderAllowance { config: platform.config.clone(), accounts: accounts.clone() }
    }

    /// How many renders the account had this month.
    async fn used(&self, account: &AccountId) -> Result<u64, DbError> {
        let (_, _, used) = self.accounts.usage(account).await?;
        Ok(used.into_iter().find(|(metric, _)| *metric == UsageMetric::Renders).map_or(0, |(_, used)| used))
    }

    /// Whether the account may have no further render this month.
    pub async fn is_used_up(&self, account: &AccountId) -> Result<bool, DbError> {
        let Some(found) = self.accounts.find_account(account).await? else { return Ok(true) };
        let limit = self.config.plan(found.plan).renders_per_month;
        Ok(!limit.allows(self.used(account).await? + 1))
    }

    /// How many renders the account may have for pages that nobody waits for. None if it is inactive.
    pub async fn in_background(&self, account: &AccountId, now: Timestamp) -> Result<u64, DbError> {
        let found = self.accounts.find_account(account).await?;
        let Some(account) = found.filter(|account| account.active) else { return Ok(0) };
        let limit = self.config.plan(account.plan).renders_per_month.most();
        Ok(background_budget(limit, self.used(&account.id).await?, now))
    }
}
