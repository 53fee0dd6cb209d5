//! Visits in the service's own database, as rows. See docs/decisions/0181.
//! Each batch is counted in one transaction, which also stores the name of the file or the checkpoint of the log.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use store::{Conn, Db, DbError};
use tokio::sync::Mutex;

use super::{CountedLines, FirstDay, PageCounts, PageSelection, StoredDay, VisitError, VisitStore};
use crate::bounds::{KnownPages, MAX_PATHS, PageBounds, fold_unfound};
use crate::for_dashboard::DomainDay;
use crate::import::LogPart;
use crate::model::{Day, VisitKey, day_of};
use crate::policy::RefusalKey;
use crate::queries::{self, imports, reading, referrals, refusals, upkeep};
use crate::referrals::{ReferralCount, ReferralRows, ReferralTotals};
use crate::spool::Counts;
use crate::sums::{DayTotal, PageVisits, Scope, TimeCounts};
use domains::DomainId;
use platform::clock::{Clock, Timestamp};

/// Maximum number of pages in one transaction.
const PART: usize = 1_000;
/// Time for which the name of an applied file is kept: longer than a process that still has the file is away.
const FILES_FOR: Duration = Duration::from_secs(90 * 24 * 3600);
/// Bytes per path from which the paths of a domain count as more paths than they are.
const BYTES_OF_PATH: i64 = 134;

pub struct DatabaseStore {
    db: Db,
    clock: Clock,
    bounds: Mutex<PageBounds>,
    /// Number of stored paths from which expired paths of a domain are deleted.
    most_paths: u64,
}

/// Rows to delete.
#[derive(Clone, Copy)]
enum Unwanted<'a> {
    /// Rows by page of a domain, of days before this one.
    Before(&'a DomainId, Day),
    /// Rows of a domain that is gone.
    Domain(&'a DomainId),
    /// Names of files that were applied before.
    Files(Timestamp),
}

impl DatabaseStore {
    /// Makes the store of this database.
    pub fn new(db: &Db, clock: &Clock) -> DatabaseStore {
        let bounds = Mutex::new(PageBounds::default());
        DatabaseStore { db: db.clone(), clock: clock.clone(), bounds, most_paths: MAX_PATHS }
    }

    /// Sets other bounds of pages of a day and of paths.
    #[cfg(test)]
    pub(crate) fn bounded(mut self, max_pages: usize, max_paths: u64) -> DatabaseStore {
        self.bounds = Mutex::new(PageBounds::new(max_pages, max_paths));
        self.most_paths = max_paths;
        self
    }

    async fn apply_part(&self, conn: &mut Conn, counts: &Counts, number: usize) -> Result<(), DbError> {
        let times = if number == 0 { counts.times.as_slice() } else { &[] };
        let pages = fold_unfound(conn, part_of(&counts.pages, number), &counts.pages).await?;
        let pages = self.bounds.lock().await.fold(conn, day_of(self.clock.now()), &pages).await?;
        queries::add_counts(conn, &pages, times).await?;
        referrals::add_referrals(conn, part_of(&counts.referrals, number)).await?;
        refusals::add_refusals(conn, part_of(&counts.refusals, number)).await
    }

    /// Counts the first lines of a part of a log, unless some of it was counted before.
    async fn import_part(&self, domain: &DomainId, part: &LogPart) -> Result<CountedLines, VisitError> {
        // Usually nothing of it was counted before, so the slow work is done before other writers have to wait.
        let ((lines, visits, pages, times), now) = (part.counts(), self.clock.now());
        let mut tx = self.db.write().await?;
        if let Some(known) = imports::begin(&mut tx, domain, part, now).await? {
            return Ok(CountedLines::Known(known));
        }
        let pages = self.bounds.lock().await.fold(&mut *tx, day_of(now), &pages).await?;
        queries::add_counts(&mut tx, &pages, &times).await?;
        tx.commit().await?;
        Ok(CountedLines::New { lines, visits })
    }

    /// Deletes rows, some in each transaction, until there are none.
    async fn delete_all(&self, unwanted: Unwanted<'_>) -> Result<(), VisitError> {
        loop {
            let mut tx = self.db.write().await?;
            let deleted = match unwanted {
                Unwanted::Before(domain, day) => {
                    upkeep::delete_some_days(&mut tx, domain, (Day::MIN, day)).await?
                }
                Unwanted::Domain(domain) => upkeep::delete_some(&mut tx, domain).await?,
                Unwanted::Files(long_ago) => upkeep::forget_files_before(&mut tx, long_ago).await?,
            };
            tx.commit().await?;
            if deleted == 0 {
                return Ok(());
            }
        }
    }

    /// Deletes paths without visits of domains that have reached the limit of paths. Other domains keep such paths for the sake
    /// of their first days.
    async fn delete_expired_paths(&self) -> Result<(), VisitError> {
        let most = i64::try_from(self.most_paths).unwrap_or(i64::MAX);
        let domains =
            upkeep::list_full_domains(&mut self.db.read().await?, most, most * BYTES_OF_PATH).await?;
        for domain in domains {
            let mut tx = self.db.write().await?;
            let paths = upkeep::delete_expired_paths(&mut tx, &domain).await?;
            tx.commit().await?;
            tracing::info!(domain = domain.as_str(), paths, "paths without visits were given up");
        }
        Ok(())
    }
}

impl KnownPages for Conn {
    type Error = DbError;

    async fn count(&mut self, domain: &DomainId, day: Day) -> Result<u64, DbError> {
        reading::count_pages_of_day(self, domain, day).await
    }

    async fn count_ever(&mut self, domain: &DomainId) -> Result<u64, DbError> {
        reading::count_kept_paths(self, domain, BYTES_OF_PATH).await
    }

    async fn among(
        &mut self,
        domain: &DomainId,
        day: Option<Day>,
        paths: &HashSet<Arc<str>>,
    ) -> Result<HashSet<String>, DbError> {
        let paths: Vec<Arc<str>> = paths.iter().cloned().collect();
        reading::list_known_paths(self, domain, day, &paths).await
    }
}

impl VisitStore for DatabaseStore {
    /// Does nothing, since the database has its own check.
    fn check(&self) -> BoxFuture<'_, Result<(), VisitError>> {
        Box::pin(async move { Ok(()) })
    }

    fn apply<'a>(&'a self, file: &'a str, counts: &'a Counts) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            let rows = counts.pages.len().max(counts.referrals.len()).max(counts.refusals.len());
            let parts = rows.div_ceil(PART);
            for number in 0..parts {
                let mut tx = self.db.write().await?;
                if queries::begin_part(&mut tx, file, number, self.clock.now()).await? {
                    self.apply_part(&mut tx, counts, number).await?;
                }
                if number + 1 < parts {
                    tx.commit().await?;
                } else {
                    // The file is removed next, and it is the only other copy.
                    tx.commit_durably().await?;
                }
            }
            Ok(())
        })
    }

    fn forget_file<'a>(&'a self, file: &'a str) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            let mut tx = self.db.write().await?;
            queries::forget_file(&mut tx, file).await?;
            Ok(tx.commit().await?)
        })
    }

    fn import<'a>(
        &'a self,
        domain: &'a DomainId,
        part: &'a LogPart,
    ) -> BoxFuture<'a, Result<CountedLines, VisitError>> {
        Box::pin(self.import_part(domain, part))
    }

    fn totals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DayTotal>, VisitError>> {
        Box::pin(async move { Ok(reading::list_totals(&mut self.db.read().await?, domain, window).await?) })
    }

    fn days_of_domains<'a>(
        &'a self,
        domains: &'a [DomainId],
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DomainDay>, VisitError>> {
        Box::pin(async move {
            Ok(reading::list_days_of_domains(&mut self.db.read().await?, domains, window).await?)
        })
    }

    fn first_days_of_domains<'a>(
        &'a self,
        domains: &'a [DomainId],
    ) -> BoxFuture<'a, Result<Vec<(DomainId, Day)>, VisitError>> {
        Box::pin(async move {
            Ok(reading::list_first_days_of_domains(&mut self.db.read().await?, domains).await?)
        })
    }

    fn count_pages<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        scope: Scope,
    ) -> BoxFuture<'a, Result<PageCounts, VisitError>> {
        Box::pin(
            async move { Ok(reading::count_pages(&mut self.db.read().await?, domain, window, scope).await?) },
        )
    }

    fn times<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<TimeCounts, VisitError>> {
        Box::pin(async move { Ok(reading::list_times(&mut self.db.read().await?, domain, window).await?) })
    }

    fn pages<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        scope: Scope,
        pages: PageSelection<'a>,
    ) -> BoxFuture<'a, Result<Vec<PageVisits>, VisitError>> {
        Box::pin(async move {
            Ok(reading::list_pages(&mut self.db.read().await?, domain, window, scope, pages).await?)
        })
    }

    fn rows<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
    ) -> BoxFuture<'a, Result<Vec<(VisitKey, u64)>, VisitError>> {
        Box::pin(async move { Ok(reading::list_rows(&mut self.db.read().await?, domain, day).await?) })
    }

    fn referrals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        rows: ReferralRows<'a>,
    ) -> BoxFuture<'a, Result<Vec<ReferralCount>, VisitError>> {
        Box::pin(async move {
            let mut conn = self.db.read().await?;
            Ok(match rows {
                ReferralRows::Top(most) => {
                    referrals::list_top_referrals(&mut conn, domain, window, most).await?
                }
                ReferralRows::OfPages(paths) => {
                    referrals::list_referrals_of_pages(&mut conn, domain, window, paths).await?
                }
            })
        })
    }

    fn referral_totals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<ReferralTotals, VisitError>> {
        Box::pin(
            async move { Ok(referrals::count_referrals(&mut self.db.read().await?, domain, window).await?) },
        )
    }

    fn refusals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<(RefusalKey, u64)>, VisitError>> {
        Box::pin(
            async move { Ok(refusals::list_refusals(&mut self.db.read().await?, domain, window).await?) },
        )
    }

    fn first_day(&self) -> BoxFuture<'_, Result<Option<Day>, VisitError>> {
        Box::pin(async move { Ok(upkeep::find_first_day(&mut self.db.read().await?).await?) })
    }

    fn delete_before(&self, day: Day) -> BoxFuture<'_, Result<(), VisitError>> {
        Box::pin(async move {
            let domains = upkeep::list_domains_with_old_visits(&mut self.db.read().await?, day).await?;
            for domain in domains {
                self.delete_all(Unwanted::Before(&domain, day)).await?;
            }
            self.delete_expired_paths().await?;
            self.delete_all(Unwanted::Files(self.clock.now().minus(FILES_FOR))).await
        })
    }

    fn forget_domain<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(self.delete_all(Unwanted::Domain(domain)))
    }

    fn list_days<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<Vec<Day>, VisitError>> {
        Box::pin(async move { Ok(reading::list_kept_days(&mut self.db.read().await?, domain).await?) })
    }

    fn put_day<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
        stored: &'a StoredDay,
    ) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            let (mut tx, days) = (self.db.write().await?, (day, day + 1));
            while upkeep::delete_some_days(&mut tx, domain, days).await? > 0 {}
            upkeep::delete_totals(&mut tx, domain, days).await?;
            queries::add_pages(&mut tx, &stored.pages).await?;
            queries::add_totals(&mut tx, &stored.days).await?;
            queries::add_times(&mut tx, &stored.times).await?;
            referrals::add_referrals(&mut tx, &stored.referrals).await?;
            refusals::add_refusals(&mut tx, &stored.refusals).await?;
            Ok(tx.commit().await?)
        })
    }

    fn list_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
    ) -> BoxFuture<'a, Result<Vec<FirstDay>, VisitError>> {
        Box::pin(async move { Ok(reading::list_first_days(&mut self.db.read().await?, domain).await?) })
    }

    fn add_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
        first: &'a [FirstDay],
    ) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            for part in first.chunks(PART) {
                let mut tx = self.db.write().await?;
                queries::add_first_days(&mut tx, domain, part).await?;
                tx.commit().await?;
            }
            Ok(())
        })
    }
}

/// Returns the counts that belong to a part.
fn part_of<T>(counts: &[T], number: usize) -> &[T] {
    counts.chunks(PART).nth(number).unwrap_or_default()
}
