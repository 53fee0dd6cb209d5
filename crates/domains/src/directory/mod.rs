//! All domains in memory: the account, status and settings of a host without a database query, also for unknown hosts.
//! Used by the domains service; the follower keeps the directory equal to the table.
//! When a newer version wrote a record that cannot be parsed, the previous one stays in use, with the operator's lock.
//! See docs/decisions/0015.

mod record;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use futures::future::BoxFuture;
use store::{Conn, DbError};

use self::record::DomainRecord;
use super::names;
use super::queries::{self, DomainRow};
use super::site::Site;
use crate::{DomainId, DomainStatus};
use accounts::AccountId;
use platform::follow::Followed;

/// Number of records that one query reads.
const PAGE: i64 = 500;
/// Capacity of the cache of compiled sites, in kilobytes of settings; each site counts for at least one.
const COMPILED_KB: u64 = 50_000;

#[derive(Debug)]
pub struct DomainDirectory {
    records: RwLock<Records>,
    /// Compiled sites by the stamp of their record.
    compiled: cache::Cache<u64, Compiled>,
}

/// All records, by id and by name.
#[derive(Debug, Default)]
struct Records {
    by_id: HashMap<DomainId, Arc<DomainRecord>>,
    by_host: HashMap<String, Vec<Arc<DomainRecord>>>,
}

impl Records {
    /// Returns the records of exactly this name, in no particular order.
    fn named<'a>(&'a self, host: &str) -> impl Iterator<Item = &'a Arc<DomainRecord>> + use<'a> {
        self.by_host.get(host).into_iter().flatten()
    }

    /// Adds a record in place of the one with the same id, and returns the replaced record.
    fn put(&mut self, record: Arc<DomainRecord>) -> Option<Arc<DomainRecord>> {
        let old = self.remove(&record.domain.id);
        self.by_host.entry(record.domain.host.clone()).or_default().push(record.clone());
        self.by_id.insert(record.domain.id.clone(), record);
        old
    }

    fn remove(&mut self, id: &DomainId) -> Option<Arc<DomainRecord>> {
        let record = self.by_id.remove(id)?;
        if let Some(named) = self.by_host.get_mut(&record.domain.host) {
            named.retain(|other| other.domain.id != *id);
            if named.is_empty() {
                self.by_host.remove(&record.domain.host);
            }
        }
        Some(record)
    }
}

#[derive(Debug)]
struct Compiled {
    site: Arc<Site>,
    kilobytes: usize,
}

impl Default for DomainDirectory {
    fn default() -> DomainDirectory {
        let weigh = |_: &[u8], compiled: &Compiled| compiled.kilobytes;
        let compiled = cache::Cache::builder(COMPILED_KB).weigher(weigh).build();
        DomainDirectory { records: RwLock::default(), compiled }
    }
}

impl DomainDirectory {
    /// Finds the account's domain that a host belongs to: the name itself, or its `www.`/apex twin.
    pub fn find(&self, account: &AccountId, host: &str) -> Option<Arc<Site>> {
        let found = {
            let records = self.read();
            let is_theirs = |record: &&Arc<DomainRecord>| record.domain.account_id == *account;
            let of_account = |host: &str| records.named(host).find(is_theirs).cloned();
            of_account(host).or_else(|| of_account(&names::twin(host)?))
        };
        Some(self.site(&found?))
    }

    /// Finds the domain that the edge serves for a host, over all accounts: a served one before a suspended one before the
    /// oldest claim, and each before its twin.
    pub fn find_for_edge(&self, host: &str) -> Option<Arc<Site>> {
        let found = {
            let records = self.read();
            let first = |host: &str| records.named(host).min_by_key(|record| record.precedence()).cloned();
            match first(host) {
                Some(own) if own.rank() == 0 => Some(own),
                own => {
                    let twin = names::twin(host).and_then(|twin| first(&twin));
                    [own, twin].into_iter().flatten().min_by_key(|record| record.rank())
                }
            }
        };
        Some(self.site(&found?))
    }

    fn site(&self, record: &Arc<DomainRecord>) -> Arc<Site> {
        let compile =
            || Compiled { site: Arc::new(Site::new((*record.domain).clone())), kilobytes: record.kilobytes };
        self.compiled.get_with(&record.stamp, compile).site.clone()
    }

    /// Returns the record that replaces the one with a row's id; none when the current record stays.
    fn changed(&self, row: &DomainRow) -> Option<Arc<DomainRecord>> {
        let old = self.record(&row.id);
        match DomainRecord::of(row) {
            Ok(new) => (!old.is_some_and(|old| old.says_the_same(&new))).then(|| Arc::new(new)),
            Err(error) => {
                unreadable(&row.id, &row.host, &error);
                // The operator's lock applies even when a newer version wrote the rest of the record.
                let is_locked = |old: &Arc<DomainRecord>| old.domain.status == DomainStatus::Suspended;
                old.filter(|old| is_locked(old) != row.suspended)
                    .map(|old| Arc::new(old.locked(row.suspended)))
            }
        }
    }

    fn record(&self, id: &str) -> Option<Arc<DomainRecord>> {
        self.read().by_id.get(&DomainId::from(id)).cloned()
    }

    fn read(&self) -> RwLockReadGuard<'_, Records> {
        self.records.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Records> {
        self.records.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Followed for DomainDirectory {
    fn kind(&self) -> &'static str {
        "domain"
    }

    fn load<'a>(&'a self, conn: &'a mut Conn) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move {
            let (mut all, mut after) = (Records::default(), String::new());
            loop {
                let rows = queries::list_rows(conn, &after, PAGE).await?;
                for row in &rows {
                    if let Some(record) = self.changed(row).or_else(|| self.record(&row.id)) {
                        all.put(record);
                    }
                }
                match rows.into_iter().last() {
                    Some(last) => after = last.id,
                    None => break,
                }
            }
            *self.write() = all;
            Ok(())
        })
    }

    fn apply<'a>(
        &'a self,
        conn: &'a mut Conn,
        ids: &'a BTreeSet<String>,
    ) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move {
            for id in ids {
                let replaced = match queries::find_row(conn, id).await? {
                    Some(row) => {
                        let Some(new) = self.changed(&row) else { continue };
                        self.write().put(new)
                    }
                    None => self.write().remove(&DomainId::from(id.as_str())),
                };
                if let Some(old) = replaced {
                    self.compiled.remove(&old.stamp);
                }
            }
            Ok(())
        })
    }
}

fn unreadable(id: &str, host: &str, error: &str) {
    tracing::error!(domain = host, id, error, "a domain's record cannot be read: it is of a newer version");
}

#[cfg(test)]
mod tests;
