//! Hash prefixes of all working keys, and the inactive accounts, in memory: guesses cost the database nothing, and the edge
//! never queries an account. The follower keeps both equal to the tables; changed rows are read again.
//! See docs/decisions/0015.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use cache::Cache;
use futures::future::BoxFuture;
use store::{Conn, DbError};

use super::cache::KeyCache;
use crate::keys::KeyHash;
use crate::model::AccountId;
use crate::queries;
use platform::follow::Followed;

/// Accounts that are remembered to have no renders left, and for how long.
const MOST_USED_UP: u64 = 100_000;
const USED_UP_FOR: Duration = Duration::from_secs(60);
/// Keys that are read at a time.
const PAGE: i64 = 10_000;

/// Eight bytes of the hash of each key that works. What is in it is still looked up.
pub(super) struct KeyFilter {
    prefixes: RwLock<HashSet<u64>>,
    cache: Arc<KeyCache>,
}

/// The accounts without a subscription.
pub(super) struct InactiveAccounts {
    ids: RwLock<HashSet<AccountId>>,
    cache: Arc<KeyCache>,
    used_up: Arc<UsedUp>,
}

/// Accounts without renders left, by month, so that another refusal costs no write. Any change of an account removes
/// its entry; renders that another process gave back are noticed a minute later.
pub(super) struct UsedUp {
    months: Cache<AccountId, String>,
    /// Counts changes of accounts: what was found out before one is not kept after it.
    changes: AtomicU64,
}

impl Default for UsedUp {
    fn default() -> UsedUp {
        let months = Cache::builder(MOST_USED_UP).time_to_live(USED_UP_FOR).build();
        UsedUp { months, changes: AtomicU64::default() }
    }
}

impl UsedUp {
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    pub(super) fn contain(&self, account: &AccountId, month: &str) -> bool {
        self.months.get(account).is_some_and(|used_up| *used_up == month)
    }

    /// Stores an entry if no change came since `changes` was read.
    pub(super) fn insert(&self, account: &AccountId, month: String, changes: u64) {
        self.months.insert(account, month);
        if self.changes() != changes {
            self.months.remove(account);
        }
    }

    pub(super) fn forget(&self, account: &AccountId) {
        self.months.remove(account);
    }

    pub(super) fn clear(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
        self.months.clear();
    }
}

impl KeyFilter {
    pub(super) fn new(cache: &Arc<KeyCache>) -> KeyFilter {
        KeyFilter { prefixes: RwLock::default(), cache: cache.clone() }
    }

    pub(super) fn contain(&self, hash: KeyHash) -> bool {
        self.prefixes.read().unwrap_or_else(PoisonError::into_inner).contains(&hash.prefix())
    }
}

impl InactiveAccounts {
    pub(super) fn new(cache: &Arc<KeyCache>, used_up: &Arc<UsedUp>) -> InactiveAccounts {
        InactiveAccounts { ids: RwLock::default(), cache: cache.clone(), used_up: used_up.clone() }
    }

    pub(super) fn contain(&self, account: &AccountId) -> bool {
        self.ids.read().unwrap_or_else(PoisonError::into_inner).contains(account)
    }
}

impl Followed for KeyFilter {
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
            self.used_up.clear();
            Ok(())
        })
    }

    /// Reads all inactive accounts again: they are few, and accounts rarely change.
    fn apply<'a>(
        &'a self,
        conn: &'a mut Conn,
        _: &'a BTreeSet<String>,
    ) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move { self.load(conn).await })
    }
}
