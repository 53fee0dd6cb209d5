//! Interfaces of accounts to features that hold what an account has. `app` implements them.

use futures::future::BoxFuture;
use store::DbError;

use super::AccountId;
use super::usage::Holdings;

/// Domains, prompts and other things of an account.
pub trait AccountHoldings: Send + Sync {
    /// Finds the account's domain of a name as somebody typed it, and returns its host.
    fn find_domain<'a>(
        &'a self,
        account: &'a AccountId,
        typed: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, DbError>>;

    /// Counts what the account has of things that a plan limits.
    fn count<'a>(&'a self, account: &'a AccountId) -> BoxFuture<'a, Result<Holdings, DbError>>;
}
