//! The renders that an account may still queue: the remaining renders of its month, less those queued already. The
//! render service counts renders; this file only reads the count.
//! See docs/decisions/0054.

use std::sync::Arc;

use store::{DbError, Tx};

use super::batches::BATCH_KINDS;
use super::jobs::RefreshPage;
use super::staleness::background_budget;
use accounts::{Account, AccountId, Accounts, UsageMetric};
use domains::{DomainStatus, Site};
use platform::Platform;
use platform::clock::Timestamp;
use platform::config::Config;
use platform::jobs::Jobs;
use platform::limits::{SharedWindow, SharedWindows};

/// Maximum number of renders that an account has in the queue, whatever its plan allows.
const MOST_PENDING: u64 = if cfg!(test) { 200 } else { 100_000 };
/// Pages a day that are refreshed of a domain that no check has proven.
const MOST_UNPROVEN: u32 = 100;

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct RenderAllowance {
    config: Arc<Config>,
    accounts: Accounts,
    jobs: Jobs,
    today: SharedWindows,
}

impl RenderAllowance {
    /// Makes an allowance by the plans of these settings.
    pub fn new(platform: &Platform, accounts: &Accounts, jobs: &Jobs) -> RenderAllowance {
        RenderAllowance {
            config: platform.config.clone(),
            accounts: accounts.clone(),
            jobs: jobs.clone(),
            today: SharedWindows::new(&platform.db, &platform.clock),
        }
    }

    /// Returns the account's renders of this month.
    async fn used(&self, account: &AccountId) -> Result<u64, DbError> {
        let (_, _, used) = self.accounts.usage(account).await?;
        Ok(used.into_iter().find(|(metric, _)| *metric == UsageMetric::Renders).map_or(0, |(_, used)| used))
    }

    /// Returns how many renders the account may have in the queue at a time: what is left of its month, at most
    /// [`MOST_PENDING`].
    pub async fn left(&self, account: &AccountId) -> Result<u64, DbError> {
        let Some(found) = self.accounts.find_account(account).await? else { return Ok(0) };
        let left = match self.config.plan(found.plan).renders_per_month.most() {
            Some(most) => most.saturating_sub(self.used(account).await?),
            None => MOST_PENDING,
        };
        Ok(left.min(MOST_PENDING))
    }

    /// Returns how many more renders of an account may be queued in the caller's transaction, when `left` may be in the queue.
    pub async fn room(&self, tx: &mut Tx, account: &AccountId, left: u64) -> Result<u64, DbError> {
        let account = account.as_str();
        let pending = self.jobs.count_pending::<RefreshPage>(tx, account, &BATCH_KINDS, left).await?;
        Ok(left.saturating_sub(pending))
    }

    /// Takes pages of today's refreshes of a site. Returns how many it may have: all, unless no check has proven the domain.
    pub async fn take_unproven(&self, site: &Site, pages: u64) -> Result<u64, DbError> {
        if site.domain.status != DomainStatus::Pending {
            return Ok(pages);
        }
        let name = format!("refresh:{}", site.domain.budget_name());
        self.today.take_up_to(&SharedWindow::per_day(&name, MOST_UNPROVEN), pages).await
    }

    /// Lists the accounts whose plan limits what they have stored, with the most bytes of HTML.
    pub async fn list_byte_limits(&self) -> Result<Vec<(AccountId, u64)>, DbError> {
        let limit =
            |account: Account| Some((account.id, self.config.plan(account.plan).snapshot_bytes.most()?));
        Ok(self.accounts.list_accounts().await?.into_iter().filter_map(limit).collect())
    }

    /// Returns the renders that the account may have for pages that nobody waits for; 0 if it is inactive.
    pub async fn in_background(&self, account: &AccountId, now: Timestamp) -> Result<u64, DbError> {
        let found = self.accounts.find_account(account).await?;
        let Some(account) = found.filter(|account| account.active) else { return Ok(0) };
        let limit = self.config.plan(account.plan).renders_per_month.most();
        Ok(background_budget(limit, self.used(&account.id).await?, now))
    }
}
