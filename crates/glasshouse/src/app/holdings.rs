//! Domains and prompts of an account, which its plan limits.

use futures::future::BoxFuture;
use store::DbError;

use accounts::AccountId;
use accounts::ports::AccountHoldings;
use accounts::usage::Holdings;
use domains::DomainsService;
use mentions::Mentions;

/// Domains and prompts of accounts.
pub struct HoldingsOfAccounts {
    pub domains: DomainsService,
    pub mentions: Mentions,
}

impl AccountHoldings for HoldingsOfAccounts {
    fn find_domain<'a>(
        &'a self,
        account: &'a AccountId,
        typed: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, DbError>> {
        Box::pin(async move { Ok(self.domains.find_typed(account, typed).await?.map(|domain| domain.host)) })
    }

    fn count<'a>(&'a self, account: &'a AccountId) -> BoxFuture<'a, Result<Holdings, DbError>> {
        Box::pin(async move {
            let holdings = Holdings { domains: self.domains.count(account).await?, ..Holdings::default() };
            mentions::service::prompts::count_prompts(&self.mentions.db, account, holdings).await
        })
    }
}
