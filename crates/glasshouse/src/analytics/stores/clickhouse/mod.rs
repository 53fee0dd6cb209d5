//! Visits in ClickHouse, past one machine's volume. Which domains there are, and how far logs were imported, is in the
//! database still; what the database kept of visits before is kept in order and forgotten as before.
//! See docs/decisions/0251.

mod batches;
mod client;
mod moving;
mod reach;
mod referrals;
mod room;
mod rows;
mod schema;
#[cfg(test)]
mod tests;
mod windows;

use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use store::Db;
use tokio::sync::{Mutex, OnceCell};

use self::client::{Client, quoted};
use self::reach::Reach;
use self::room::KeptPaths;
use self::rows::{BATCH, DAY, PAGE, Reader, TIME};
use self::windows::of_window;
use super::{CountedLines, DatabaseStore, Detail, FirstDay, PageCounts, StoredDay, VisitError, VisitStore};
use crate::analytics::bounds::PageBounds;
use crate::analytics::crawl_report::{CrawlerDays, CrawlersSeen};
use crate::analytics::import::LogPart;
use crate::analytics::model::{Day, OTHER_PATHS};
use crate::analytics::queries;
use crate::analytics::referrals::{ReferralCount, ReferralRows, ReferralTotals};
use crate::analytics::report::{DayCount, Times};
use crate::analytics::segments::close::MAX_PAGES;
use crate::analytics::segments::window::{Scope, WindowVisits};
use crate::analytics::spool::Counts;
use crate::clock::Clock;
use crate::config::ClickHouseUrl;
use crate::domains::DomainId;

/// How long somebody who wants to read a report waits for one answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a check waits: less than whoever asks for it.
const CHECK_PATIENCE: Duration = Duration::from_secs(4);

pub struct ClickHouseStore {
    client: Client,
    reach: Reach,
    db: Db,
    clock: Clock,
    /// What was kept there before the setting was changed.
    database: DatabaseStore,
    bounds: Mutex<PageBounds>,
    kept: KeptPaths,
    tables: OnceCell<()>,
}

impl ClickHouseStore {
    /// Connects to nothing yet: a service whose visits cannot be reached serves pages all the same.
    pub fn new(url: ClickHouseUrl, db: &Db, clock: &Clock) -> ClickHouseStore {
        ClickHouseStore {
            client: Client::new(url),
            reach: Reach::default(),
            db: db.clone(),
            clock: clock.clone(),
            database: DatabaseStore::new(db, clock),
            bounds: Mutex::new(PageBounds::new(MAX_PAGES)),
            kept: KeptPaths::default(),
            tables: OnceCell::new(),
        }
    }

    /// The same with room for so many pages of a day.
    #[cfg(test)]
    pub(in crate::analytics) fn bounded(mut self, max_pages: usize) -> ClickHouseStore {
        self.bounds = Mutex::new(PageBounds::new(max_pages));
        self
    }

    /// The server, with its tables.
    async fn client(&self) -> Result<&Client, VisitError> {
        self.tables.get_or_try_init(|| schema::create(&self.client)).await?;
        Ok(&self.client)
    }

    /// The rows that a statement answers, however long that takes.
    async fn read<T>(
        &self,
        sql: &str,
        row: impl FnMut(&mut Reader<'_>) -> Result<T, VisitError>,
    ) -> Result<Vec<T>, VisitError> {
        let answer = self.client().await?.run(&format!("{sql} format RowBinary")).await?;
        Reader::new(&answer).rows(row)
    }

    /// The rows that a report asks for.
    async fn report<T>(
        &self,
        sql: &str,
        row: impl FnMut(&mut Reader<'_>) -> Result<T, VisitError>,
    ) -> Result<Vec<T>, VisitError> {
        Reader::new(&self.ask(&format!("{sql} format RowBinary")).await?).rows(row)
    }

    /// The one number that a report asks for.
    async fn report_count(&self, sql: &str) -> Result<u64, VisitError> {
        Reader::new(&self.ask(&format!("{sql} format RowBinary")).await?).u64()
    }

    /// What the server answers to a report: within seconds, and at once while it answered nobody.
    async fn ask(&self, sql: &str) -> Result<Bytes, VisitError> {
        if !self.reach.may_ask() {
            return Err(VisitError::Silent);
        }
        self.ask_for(PATIENCE, sql).await
    }

    async fn ask_for(&self, patience: Duration, sql: &str) -> Result<Bytes, VisitError> {
        let answer = async { self.client().await?.run(sql).await };
        let answer = tokio::time::timeout(patience, answer).await.unwrap_or(Err(VisitError::Silent));
        match &answer {
            Err(VisitError::Silent) => self.reach.gave_no_answer(),
            Err(VisitError::Unreachable(error)) if error.is_connect() => self.reach.gave_no_answer(),
            // A connection that breaks says nothing about the next one.
            Err(VisitError::Unreachable(_) | VisitError::Database(_) | VisitError::Busy) => {}
            Ok(_) | Err(VisitError::Refused(_)) => self.reach.answered(),
        }
        answer
    }
}

/// Leaves out impostors, and visits that do not count.
fn in_scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Snapshots => "verified != 1 and served != 2",
        Scope::WithOrigin => "verified != 1",
    }
}

impl VisitStore for ClickHouseStore {
    fn check(&self) -> BoxFuture<'_, Result<(), VisitError>> {
        Box::pin(async move { self.ask_for(CHECK_PATIENCE, "select 1").await.map(drop) })
    }

    fn apply<'a>(&'a self, file: &'a str, counts: &'a Counts) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            self.client().await?;
            self.count_file(file, counts).await
        })
    }

    /// Names of batches stay for as long as visits by page: they cost a row each.
    fn forget_file<'a>(&'a self, _: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }

    fn import<'a>(
        &'a self,
        domain: &'a DomainId,
        part: &'a LogPart,
    ) -> BoxFuture<'a, Result<CountedLines, VisitError>> {
        Box::pin(async move {
            self.client().await?;
            self.count_part(domain, part).await
        })
    }

    fn days<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<DayCount>, VisitError>> {
        Box::pin(async move {
            let days = of_window(domain, DAY, window);
            let sql = format!(
                "select day, crawler, served, sum(visits) from visits where {days} and verified != 1 group by day, crawler, served"
            );
            let row = |row: &mut Reader<'_>| {
                let (day, crawler, served) = (row.day()?, row.text()?.to_owned(), row.served()?);
                Ok(DayCount { day, crawler, served, visits: row.u64()? })
            };
            self.report(&sql, row).await
        })
    }

    fn days_of_domains<'a>(
        &'a self,
        domains: &'a [DomainId],
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<super::DomainDay>, VisitError>> {
        Box::pin(async move { self.report(&windows::sums_of(domains, window), windows::read_sum).await })
    }

    fn spoofed_days<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<(Day, u64)>, VisitError>> {
        Box::pin(async move {
            let own = of_window(domain, DAY, window);
            let sql = format!("select day, sum(visits) from visits where verified=1 and {own} group by day");
            self.report(&sql, |row: &mut Reader<'_>| Ok((row.day()?, row.u64()?))).await
        })
    }

    fn crawler_days<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Vec<CrawlerDays>, VisitError>> {
        Box::pin(async move {
            let days = of_window(domain, DAY, window);
            let sql = format!(
                "select crawler, verified, status, sum(visits) from visits where {days} group by crawler, verified, status"
            );
            let row = |row: &mut Reader<'_>| {
                let (crawler, verified) = (row.text()?.to_owned(), row.verified()?);
                let status_class = i64::from(row.u16()?);
                Ok(CrawlerDays { crawler, verified, status_class, visits: row.u64()? })
            };
            self.report(&sql, row).await
        })
    }

    fn crawlers_seen<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<CrawlersSeen, VisitError>> {
        Box::pin(async move {
            let domain = quoted(domain.as_str());
            let sql = format!(
                "select crawler, min(day), max(day) from visits \
             where domain = {domain} and what = {DAY} and verified != 1 group by crawler"
            );
            let row = |row: &mut Reader<'_>| Ok((row.text()?.to_owned(), (row.day()?, row.day()?)));
            Ok(self.report(&sql, row).await?.into_iter().collect())
        })
    }

    fn count_pages<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        scope: Scope,
    ) -> BoxFuture<'a, Result<PageCounts, VisitError>> {
        Box::pin(async move {
            let (counted, other) = (in_scope(scope), quoted(OTHER_PATHS));
            let in_window = of_window(domain, PAGE, window);
            let ever = of_window(domain, PAGE, (0, Day::from(u16::MAX)));
            let kept = match scope {
                Scope::Snapshots => "served",
                Scope::WithOrigin => "any",
            };
            let (from, to, domain) = (window.0.max(0), window.1, quoted(domain.as_str()));
            let visited = format!(
                "select uniqExact(path) from visits where {in_window} and {counted} and path != {other}"
            );
            let new = format!(
                "select count() from (select path, min(first) as first_ever from (\
                 select path, min(day) as first from visits where {ever} and {counted} and path != {other} group by path \
                 union all select path, minMerge({kept}) as first from visit_first_days where domain = {domain} group by path\
             ) group by path) where first_ever between {from} and {to}"
            );
            Ok(PageCounts {
                visited: self.report_count(&visited).await?,
                new: self.report_count(&new).await?,
            })
        })
    }

    fn times<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<Times, VisitError>> {
        Box::pin(async move {
            let rows = of_window(domain, TIME, window);
            let sql = format!(
                "select served, bucket, sum(visits) from visits where {rows} group by served, bucket"
            );
            let rows =
                self.report(&sql, |row| Ok(((row.served()?, i64::from(row.u16()?)), row.u64()?))).await?;
            Ok(Times::of(&rows.into_iter().collect()))
        })
    }

    fn window<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        detail: Detail<'a>,
    ) -> BoxFuture<'a, Result<WindowVisits, VisitError>> {
        Box::pin(async move {
            let (sql, columns) = (windows::statement(domain, window, detail), windows::Columns::of(detail));
            let answer = self.ask(&sql).await?;
            let made = tokio::task::spawn_blocking(move || windows::read(&answer, columns));
            made.await.expect("reading rows does not panic")
        })
    }

    fn referrals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
        rows: ReferralRows<'a>,
    ) -> BoxFuture<'a, Result<Vec<ReferralCount>, VisitError>> {
        Box::pin(async move { self.report(&referrals::list(domain, window, rows), referrals::read).await })
    }

    fn referral_totals<'a>(
        &'a self,
        domain: &'a DomainId,
        window: (Day, Day),
    ) -> BoxFuture<'a, Result<ReferralTotals, VisitError>> {
        Box::pin(async move {
            let sums = self.report(&referrals::totals(domain, window), referrals::read_totals).await?;
            Ok(sums.into_iter().next().unwrap_or_default())
        })
    }

    /// ClickHouse packs by itself.
    fn close_days(&self, today: Day) -> BoxFuture<'_, Result<(), VisitError>> {
        Box::pin(async move { self.database.close_days(today).await })
    }

    fn first_day(&self) -> BoxFuture<'_, Result<Option<Day>, VisitError>> {
        Box::pin(async move {
            let sql =
                format!("select min(day) from visits where what not in ({DAY}, {BATCH}) having count() > 0");
            let here = self.read(&sql, |row| row.day()).await?;
            Ok(here.into_iter().chain(self.database.first_day().await?).min())
        })
    }

    /// Also what came for domains after they had been removed.
    fn delete_before(&self, day: Day) -> BoxFuture<'_, Result<(), VisitError>> {
        Box::pin(async move {
            self.database.delete_before(day).await?;
            let client = self.client().await?;
            schema::delete_before(client, day).await?;
            // Half of the room is for pages that have visits.
            room::give_up_expired_paths(client, self.kept.most / 2).await?;
            let domains = schema::list_domains(client).await?;
            let all: Vec<&DomainId> = domains.iter().collect();
            let existing = queries::list_existing(&mut self.db.read().await?, &all).await?;
            for domain in domains.iter().filter(|domain| !existing.contains(*domain)) {
                schema::forget_domain(client, domain).await?;
            }
            Ok(())
        })
    }

    fn forget_domain<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move {
            self.database.forget_domain(domain).await?;
            schema::forget_domain(self.client().await?, domain).await
        })
    }

    fn list_days<'a>(&'a self, domain: &'a DomainId) -> BoxFuture<'a, Result<Vec<Day>, VisitError>> {
        Box::pin(async move {
            let domain = quoted(domain.as_str());
            let sql = format!("select distinct day from visits where domain = {domain} and what != 0");
            self.read(&sql, |row| row.day()).await
        })
    }

    fn read_day<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
    ) -> BoxFuture<'a, Result<StoredDay, VisitError>> {
        Box::pin(async move { self.stored_day(domain, day).await })
    }

    fn put_day<'a>(
        &'a self,
        domain: &'a DomainId,
        day: Day,
        stored: &'a StoredDay,
    ) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move { self.replace_day(domain, day, stored).await })
    }

    fn list_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
    ) -> BoxFuture<'a, Result<Vec<FirstDay>, VisitError>> {
        Box::pin(async move { self.first_days(domain).await })
    }

    fn add_first_days<'a>(
        &'a self,
        domain: &'a DomainId,
        first: &'a [FirstDay],
    ) -> BoxFuture<'a, Result<(), VisitError>> {
        Box::pin(async move { self.insert_first_days(domain, first).await })
    }
}
