//! Visits in the service's own database: open rows, packed closed days, counters. See docs/decisions/0181 and docs/decisions/0215.
//! Whatever is counted together is one transaction, with the name of the batch or the checkpoint of the log in it.

mod busy_days;
mod day;
mod day_pages;
mod deleting;
mod expiry;
mod packing;
mod path_tables;

use std::collections::HashMap;

use futures::future::BoxFuture;
use store::{Db, DbError};
use tokio::sync::Mutex;

use self::busy_days::BusyDays;
use self::day_pages::DayPages;
use self::path_tables::PathTables;
use super::{CountedLines, Detail, FirstDay, PageCounts, StoredDay, VisitError, VisitStore};
use crate::analytics::bounds::{PageBounds, fold_unfound};
use crate::analytics::crawl_report::{CrawlerDays, CrawlersSeen};
use crate::analytics::for_dashboard::DomainDay;
use crate::analytics::import::LogPart;
use crate::analytics::model::{Day, Verified};
use crate::analytics::queries;
use crate::analytics::referrals::{ReferralCount, ReferralRows, ReferralTotals};
use crate::analytics::report::{DayCount, Times};
use crate::analytics::segments::close::MAX_PAGES;
use crate::analytics::segments::rows::Kind;
use crate::analytics::segments::window::{Scope, WindowVisits};
use crate::analytics::spool::Counts;
use crate::clock::Clock;
use crate::domains::DomainId;

/// Pages in one transaction.
const PART: usize = 1_000;
/// Memory for the numbers of pages.
const TABLE_BYTES: u64 = 64 << 20;

pub struct DatabaseStore {
    db: Db,
    clock: Clock,
    tables: PathTables,
    counting: Mutex<Counting>,
}

/// What is remembered from one batch to the next.
struct Counting {
    bounds: PageBounds,
    busy: BusyDays,
    /// The file that was applied last, and its parts.
    applied: Option<(String, usize)>,
    /// Names of parts that nobody can send again: noted until the next transaction.
    forgotten: Vec<String>,
}

impl DatabaseStore {
    /// The visits of this database.
    pub fn new(db: &Db, clock: &Clock) -> DatabaseStore {
        let (bounds, busy) = (PageBounds::new(MAX_PAGES), BusyDays::default());
        let counting = Counting { bounds, busy, applied: None, forgotten: Vec::new() };
        DatabaseStore {
            db: db.clone(),
            clock: clock.clone(),
            tables: PathTables::new(TABLE_BYTES),
            counting: Mutex::new(counting),
        }
    }

    /// The same with room for so many pages of a day.
    #[cfg(test)]
    pub(in crate::analytics) fn bounded(mut self, max_pages: usize) -> DatabaseStore {
        self.counting.get_mut().bounds = PageBounds::new(max_pages);
        self
    }

    /// Visits by day and kind; a day may come in parts.
    async fn day_totals(
        &self,
        domain: &DomainId,
        window: (Day, Day),
    ) -> Result<Vec<(Day, Kind, u64)>, DbError> {
        queries::totals::list_day_totals(&mut self.db.read().await?, domain, window).await
    }
}

impl VisitStore for DatabaseStore {
    /// It is checked as the database.
    fn check(&self) -> BoxFuture<'_, Result<(), VisitError>> {
        Box::pin(async move { Ok(()) })
    }

    fn apply<'a>(&'a self, file: &'a str, counts: &'a Counts) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            let counting = &mut *self.counting.lock().await;
            let parts = counts.pages.len().max(counts.referrals.len()).div_ceil(PART);
            for number in 0..parts {
                let mut tx = self.db.write().await?;
                queries::forget_batches(&mut tx, &counting.forgotten).await?;
                if queries::begin_batch(&mut tx, &part_name(file, number), self.clock.now()).await? {
                    let times = if number == 0 { counts.times.as_slice() } else { &[] };
                    let mut known = DayPages { store: self, conn: &mut tx };
                    let part = part_of(&counts.pages, number);
                    let pages = fold_unfound(&mut known, part, &counts.pages).await?;
                    let pages = counting.bounds.fold(&mut known, &pages).await?;
                    queries::add_counts(&mut tx, &pages, times).await?;
                    counting.busy.note(&pages);
                    let referrals = part_of(&counts.referrals, number);
                    queries::referrals::add_referrals(&mut tx, referrals).await?;
                }
                if number + 1 < parts {
                    tx.commit().await?;
                } else {
                    // The file goes next, and with it the only other copy.
                    tx.commit_durably().await?;
                }
                counting.forgotten.clear();
            }
            counting.applied = Some((file.to_owned(), parts));
            self.pack_busy_days(counting.busy.take_due(self.clock.now())).await;
            Ok(())
        })
    }

    fn forget_file<'a>(&'a self, file: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let counting = &mut *self.counting.lock().await;
            if let Some((_, parts)) = counting.applied.take_if(|(applied, _)| applied == file) {
                counting.forgotten.extend((0..parts).map(|number| part_name(file, number)));
            }
        })
    }

    fn import<'a>(
        &'a self,
        domain: &'a DomainId,
        part: &'a LogPart,
    ) -> BoxFuture<'a, Result<CountedLines, VisitError>> {
        Box::pin(self.import_part(domain, part))
    }

    fn days<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DayCount>, VisitError>> {
        Box::pin(async move {
            let totals = self.day_totals(domain, window).await?;
            let counted = totals.into_iter().filter(|(_, kind, _)| kind.verified != Verified::No);
            let count = |(day, kind, visits): (Day, Kind, u64)| DayCount {
                day,
                crawler: kind.crawler,
                served: kind.served,
                visits,
            };
            Ok(counted.map(count).collect())
        })
    }

    fn days_of_domains<'a>(
        &'a self,
        domains: &'a [DomainId],
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DomainDay>, VisitError>> {
        Box::pin(async move {
            let mut conn = self.db.read().await?;
            Ok(queries::totals::list_days_of_domains(&mut conn, domains, window).await?)
        })
    }

    fn first_days_of_domains<'a>(
        &'a self,
        domains: &'a [DomainId],
    ) -> BoxFuture<'a, Result<Vec<(DomainId, Day)>, VisitError>> {
        Box::pin(async move {
            let mut conn = self.db.read().await?;
            Ok(queries::totals::list_first_days_of_domains(&mut conn, domains).await?)
        })
    }

    fn spoofed_days<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<(Day, u64)>, VisitError>> {
        Box::pin(async move {
            let totals = self.day_totals(domain, window).await?;
            let spoofed = totals.into_iter().filter(|(_, kind, _)| kind.verified == Verified::No);
            Ok(spoofed.map(|(day, _, visits)| (day, visits)).collect())
        })
    }

    fn crawler_days<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<CrawlerDays>, VisitError>> {
        Box::pin(async move {
            let mut sums: HashMap<(String, Verified, u16), u64> = HashMap::new();
            for (_, kind, visits) in self.day_totals(domain, window).await? {
                *sums.entry((kind.crawler, kind.verified, kind.status)).or_default() += visits;
            }
            let days = sums.into_iter().map(|((crawler, verified, class), visits)| CrawlerDays {
                crawler,
                verified,
                status_class: i64::from(class),
                visits,
            });
            Ok(days.collect())
        })
    }

    fn crawlers_seen<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<CrawlersSeen, VisitError>> {
        Box::pin(async move {
            let mut seen = CrawlersSeen::new();
            let totals = self.day_totals(domain, (Day::MIN, Day::MAX)).await?;
            for (day, kind, _) in totals.into_iter().filter(|(_, kind, _)| kind.verified != Verified::No) {
                let (first, last) = seen.entry(kind.crawler).or_insert((day, day));
                (*first, *last) = (day.min(*first), day.max(*last));
            }
            Ok(seen)
        })
    }

    fn count_pages<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        scope: Scope,
    ) -> BoxFuture<'a, Result<PageCounts, VisitError>> {
        Box::pin(async move {
            let (mut conn, with_origin) = (self.db.read().await?, scope == Scope::WithOrigin);
            let pages =
                queries::first_days::list_window_pages(&mut conn, domain, window, with_origin).await?;
            // After the pages: it knows all their numbers.
            let table = self.tables.find(&mut conn, domain, u32::ge).await?;
            Ok(pages.count(&table, window))
        })
    }

    fn times<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Times, VisitError>> {
        Box::pin(async move {
            Ok(Times::of(&queries::totals::list_times(&mut self.db.read().await?, domain, window).await?))
        })
    }

    /// Unpacks closed days off the runtime's threads.
    fn window<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        detail: Detail<'a>,
    ) -> BoxFuture<'a, Result<WindowVisits, VisitError>> {
        Box::pin(async move {
            let path = match detail {
                Detail::Page(_, path) => Some(path),
                Detail::Rows | Detail::Sums(_) | Detail::Days | Detail::Errors => None,
            };
            let mut conn = self.db.read().await?;
            let (closed, open) = queries::segments::list_window(&mut conn, domain, window, path).await?;
            // After the days: it knows all their pages.
            let table = self.tables.find(&mut conn, domain, u32::ge).await?;
            drop(conn);
            let unpacked = tokio::task::spawn_blocking(move || {
                let unpack = |(day, packed): (Day, Vec<u8>)| {
                    Ok((day, queries::segments::unpack(&packed, table.next_number())?))
                };
                let closed = closed.into_iter().map(unpack).collect::<Result<Vec<_>, DbError>>()?;
                Ok(WindowVisits::new(closed, open, table))
            });
            unpacked.await.expect("unpacking does not panic")
        })
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
                    queries::referrals::list_top_referrals(&mut conn, domain, window, most).await?
                }
                ReferralRows::OfPages(paths) => {
                    queries::referrals::list_referrals_of_pages(&mut conn, domain, window, paths).await?
                }
            })
        })
    }

    fn referral_totals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<ReferralTotals, VisitError>> {
        Box::pin(async move {
            Ok(queries::referrals::count_referrals(&mut self.db.read().await?, domain, window).await?)
        })
    }

    fn close_days(&self, today: Day) -> BoxFuture<'_, Result<(), VisitError>> {
        Box::pin(self.close_all(today))
    }

    fn first_day(&self) -> BoxFuture<'_, Result<Option<Day>, VisitError>> {
        Box::pin(async move { Ok(queries::find_first_day(&mut self.db.read().await?).await?) })
    }

    fn delete_before(&self, day: Day) -> BoxFuture<'_, Result<(), VisitError>> {
        Box::pin(self.delete_all_before(day))
    }

    fn forget_domain<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(self.delete_domain(domain))
    }

    fn list_days<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<Vec<Day>, VisitError>> {
        Box::pin(
            async move { Ok(queries::moving::list_kept_days(&mut self.db.read().await?, domain).await?) },
        )
    }

    fn read_day<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
    ) -> BoxFuture<'a, Result<StoredDay, VisitError>> {
        Box::pin(self.gather_day(domain, day))
    }

    fn put_day<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
        stored: &'a StoredDay,
    ) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            let mut tx = self.db.write().await?;
            queries::moving::delete_day(&mut tx, domain, day).await?;
            queries::moving::add_day(&mut tx, stored).await?;
            tx.commit().await?;
            Ok(())
        })
    }

    fn list_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
    ) -> BoxFuture<'a, Result<Vec<FirstDay>, VisitError>> {
        Box::pin(self.gather_first_days(domain))
    }

    fn add_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
        first: &'a [FirstDay],
    ) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(self.pack_first_days(domain, first))
    }
}

/// What of some counts belongs to a part.
fn part_of<T>(counts: &[T], number: usize) -> &[T] {
    counts.chunks(PART).nth(number).unwrap_or_default()
}

fn part_name(file: &str, number: usize) -> String {
    format!("{file}:{number}")
}
