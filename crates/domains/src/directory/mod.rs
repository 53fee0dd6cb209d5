//! All domains in memory: whose a host is, whether it is served, and how it is set up, without a question to the database,
//! for hosts that are nobody's too. Used by the domains service; the follower keeps it equal to the table.
//! A record that cannot be read, because a newer version wrote it, leaves the last one in use, with the operator's lock.
//! See docs/decisions/0015.

mod record;
mod tables;

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use futures::future::BoxFuture;
use store::{Conn, DbError};

use self::record::{DomainRecord, SharedSettings};
use self::tables::Tables;
use super::names;
use super::queries::{self, DomainRow};
use super::site::Site;
use crate::DomainStatus;
use accounts::AccountId;
use platform::follow::Followed;

/// Records that are read at a time.
const PAGE: i64 = 500;
/// Kilobytes of settings that are compiled at a time; each site counts for one at least.
const COMPILED_KB: u64 = 50_000;

#[derive(Debug)]
pub struct DomainDirectory {
    tables: RwLock<Tables>,
    /// By their record's stamp.
    compiled: cache::Cache<u64, Compiled>,
}

#[derive(Debug)]
struct Compiled {
    /// None: the record cannot be read.
    site: Option<Arc<Site>>,
    kilobytes: usize,
}

impl Default for DomainDirectory {
    fn default() -> DomainDirectory {
        let weigh = |_: &[u8], compiled: &Compiled| compiled.kilobytes;
        let compiled = cache::Cache::builder(COMPILED_KB).weigher(weigh).build();
        DomainDirectory { tables: RwLock::default(), compiled }
    }
}

impl DomainDirectory {
    /// The account's domain that a host belongs to: the name itself, or its `www.`/apex twin.
    pub fn find(&self, account: &AccountId, host: &str) -> Option<Arc<Site>> {
        let found = {
            let tables = self.read();
            let is_theirs = |record: &&Arc<DomainRecord>| record.with_account(|id| id == account.as_str());
            let of_account = |host: &str| tables.named(host).find(is_theirs).cloned();
            of_account(host).or_else(|| of_account(&names::twin(host)?))
        };
        self.site(&found?)
    }

    /// The domain that answers at the edge for a host, on whichever account: a served one before a suspended one before the
    /// oldest claim, and each before its twin.
    pub fn find_for_edge(&self, host: &str) -> Option<Arc<Site>> {
        let found = {
            let tables = self.read();
            let first =
                |host: &str| tables.named(host).min_by(|a, b| a.precedence().cmp(&b.precedence())).cloned();
            match first(host) {
                Some(own) if own.rank() == 0 => Some(own),
                own => {
                    let twin = names::twin(host).and_then(|twin| first(&twin));
                    [own, twin].into_iter().flatten().min_by_key(|record| record.rank())
                }
            }
        };
        self.site(&found?)
    }

    fn site(&self, record: &Arc<DomainRecord>) -> Option<Arc<Site>> {
        let compile = || {
            let warn = |error: &String| record.with_id(|id| unreadable(id, record.host(), error));
            let domain = record.parse().inspect_err(warn);
            let site = domain.ok().map(|domain| Arc::new(Site::new(domain)));
            Compiled { site, kilobytes: record.kilobytes() }
        };
        self.compiled.get_with(&record.stamp, compile).site.clone()
    }

    /// What takes the place of the record with a row's id: none when that stays.
    fn changed(&self, row: &DomainRow, shared: &mut SharedSettings) -> Option<Arc<DomainRecord>> {
        let old = self.read().get(&row.id).cloned();
        let new = DomainRecord::of(row, shared).and_then(|new| match &old {
            Some(old) if old.says_the_same(&new) => Ok(None),
            // Parsed now, while there is something else to go by.
            Some(_) => new.parse().map(|_| Some(Arc::new(new))),
            None => Ok(Some(Arc::new(new))),
        });
        new.unwrap_or_else(|error| {
            unreadable(&row.id, &row.host, &error);
            // The operator's lock is read, whatever else a newer version wrote.
            let is_locked = |old: &Arc<DomainRecord>| old.status == DomainStatus::Suspended;
            old.filter(|old| is_locked(old) != row.suspended).map(|old| Arc::new(old.locked(row.suspended)))
        })
    }

    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Followed for DomainDirectory {
    fn kind(&self) -> &'static str {
        "domain"
    }

    fn load<'a>(&'a self, conn: &'a mut Conn) -> BoxFuture<'a, Result<(), DbError>> {
        Box::pin(async move {
            let (mut all, mut shared, mut after) = (Tables::default(), SharedSettings::new(), String::new());
            loop {
                let rows = queries::list_rows(conn, &after, PAGE).await?;
                for row in &rows {
                    let kept = || self.read().get(&row.id).cloned();
                    if let Some(record) = self.changed(row, &mut shared).or_else(kept) {
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
            let mut shared = SharedSettings::new();
            for id in ids {
                let replaced = match queries::find_row(conn, id).await? {
                    Some(row) => {
                        let Some(new) = self.changed(&row, &mut shared) else { continue };
                        let mut tables = self.write();
                        let old = tables.remove(id);
                        tables.put(new);
                        old
                    }
                    None => self.write().remove(id),
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
