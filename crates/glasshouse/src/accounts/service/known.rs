//! Which keys there are at all, and which accounts are inactive, in memory: guesses cost the database nothing, and the edge asks
//! for no account. The follower keeps both equal to the tables; what changed is looked up anew.
//! See docs/decisions/0255.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use futures::future::BoxFuture;
use store::{Conn, DbError};

use super::cache::KeyCache;
use crate::accounts::keys::KeyHash;
use crate::accounts::model::AccountId;
use crate::accounts::queries;
use crate::follow::Followed;

/// Keys that are read at a time.
const PAGE: i64 = 10_000;

/// Eight bytes of the hash of each key that works. What is in it is still looked up.
pub(super) struct KnownKeys {
    prefixes: RwLock<HashSet<u64>>,
    cache: Arc<KeyCache>,
}

/// The accounts without a subscription.
pub(super) struct InactiveAccounts {
    ids: RwLock<HashSet<AccountId>>,
    cache: Arc<KeyCache>,
}

impl KnownKeys {
    pub(super) fn new(cache: &Arc<KeyCache>) -> KnownKeys {
        KnownKeys { prefixes: RwLock::default(), cache: cache.clone() }
    }

    pub(super) fn contain(&self, hash: KeyHash) -> bool {
        self.prefixes.read().unwrap_or_else(PoisonError::into_inner).contains(&hash.prefix())
    }
}

impl InactiveAccounts {
    pub(super) fn new(cache: &Arc<KeyCache>) -> InactiveAccounts {
        InactiveAccounts { ids: RwLock::default(), cache: cache.clone() }
    }

    pub(super) fn contain(&self, account: &AccountId) -> bool {
        self.ids.read().unwrap_or_else(PoisonError::into_inner).contains(account)
    }
}

impl Followed for KnownKeys {
    fn kind(&self) -> &'static str {
        "key"
    }

    fn load<'a>(&'a self, conn: &'a mut Conn) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move {
            let (mut prefixes, mut after) = (HashSet::new(), String::new());
            loop {
                let hashes = queries::list_key_hashes(conn, &after, PAGE).await?;
                prefixes
                    .extend(hashes.iter().filter_map(|hash| KeyHash::from_hex(hash)).map(KeyHash::prefix));
                match hashes.into_iter().last() {
                    Some(last) => after = last,
                    None => break,
                }
            }
            *self.prefixes.write().unwrap_or_else(PoisonError::into_inner) = prefixes;
            self.cache.clear();
            Ok(())
        })
    }

    fn apply<'a>(
        &'a self,
        conn: &'a mut Conn,
        ids: &'a BTreeSet<String>,
    ) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move {
            for hash in ids.iter().filter_map(|id| KeyHash::from_hex(id)) {
                let works = queries::is_working_key(conn, hash).await?;
                let mut prefixes = self.prefixes.write().unwrap_or_else(PoisonError::into_inner);
                if works {
                    prefixes.insert(hash.prefix())
                } else {
                    prefixes.remove(&hash.prefix())
                };
                self.cache.forget(hash);
            }
            Ok(())
        })
    }
}

impl Followed for InactiveAccounts {
    fn kind(&self) -> &'static str {
        "account"
    }

    fn load<'a>(&'a self, conn: &'a mut Conn) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move {
            let inactive = queries::list_inactive_accounts(conn).await?;
            *self.ids.write().unwrap_or_else(PoisonError::into_inner) = inactive.into_iter().collect();
            self.cache.clear();
            Ok(())
        })
    }

    /// Few accounts are inactive, and few changes are of accounts.
    fn apply<'a>(
        &'a self,
        conn: &'a mut Conn,
        _: &'a BTreeSet<String>,
    ) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move { self.load(conn).await })
    }
}
