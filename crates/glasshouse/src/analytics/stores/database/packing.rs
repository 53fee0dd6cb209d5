//! Packing days: those that are over, those that an imported log has much of, and busy ones while they go on.
//! A part of a log is one transaction, with its checkpoint. See docs/decisions/0215, docs/decisions/0297 and docs/decisions/0311.

use std::sync::Arc;

use crawler::errors::one_line;
use store::{Conn, DbError, Tx};

use super::DatabaseStore;
use super::day_pages::DayPages;
use crate::analytics::import::LogPart;
use crate::analytics::model::{Day, day_of};
use crate::analytics::queries;
use crate::analytics::segments::close::{
    MAX_PAGES, ROWS_AT_ONCE, add_first_days, add_rows, close_some, take_rows,
};
use crate::analytics::segments::late::LateDays;
use crate::analytics::segments::paths::PathTable;
use crate::analytics::stores::{CountedLines, FirstDay, VisitError};
use crate::domains::DomainId;

/// Days that are closed at once, if they have few rows.
const DAYS_AT_ONCE: Day = 60;

impl DatabaseStore {
    /// Counts the first lines of a part of a log, unless some of it was counted before.
    pub(super) async fn import_part(
        &self,
        domain: &DomainId,
        part: &LogPart,
    ) -> Result<CountedLines, VisitError> {
        let counting = &mut *self.counting.lock().await;
        // Mostly nothing of it was counted before: what takes time is done before others have to wait.
        let lines = part.lines_at_once();
        let ((visits, mut pages, mut times), now) = (part.counts(0..lines), self.clock.now());
        let mut tx = self.db.write().await?;
        queries::imports::lock(&mut tx, domain, now).await?;
        let known = queries::imports::lines_known(&mut tx, domain, &part.checkpoints).await?;
        if known > 0 {
            return Ok(CountedLines::Known(known));
        }
        let mut late = LateDays::take_from(&mut pages, &mut times, day_of(now));
        // Before any day is packed: numbers of pages that are not committed must not be remembered.
        let mut known = DayPages { store: self, conn: &mut tx };
        let pages = counting.bounds.fold(&mut known, &pages).await?;
        let table = match late.is_empty() {
            true => None,
            false => self.pack(&mut tx, domain, &mut late).await?,
        };
        times.sort_unstable();
        queries::add_counts(&mut tx, &pages, &times).await?;
        let checkpoint = part.checkpoints[lines - 1].as_str();
        queries::imports::add_checkpoint(&mut tx, domain, checkpoint, None, now).await?;
        tx.commit().await?;
        counting.busy.note(&pages);
        if let Some(table) = table {
            self.tables.insert(domain, table);
        }
        self.pack_busy_days(counting.busy.take_due(now)).await;
        Ok(CountedLines::New { lines, visits })
    }

    /// Packs visits of days that are over; answers the numbers of pages with the new ones, once they are committed.
    async fn pack(
        &self,
        tx: &mut Conn,
        domain: &DomainId,
        late: &mut LateDays,
    ) -> Result<Option<PathTable>, DbError> {
        queries::segments::lock_numbers(tx, domain).await?;
        // Nobody else gives numbers now: one that has more was of a domain whose visits were forgotten.
        let table = self.tables.find(tx, domain, u32::eq).await?;
        let new = late.pack(tx, domain, &table).await?;
        Ok((!new.is_empty()).then(|| table.with(&new)))
    }

    /// Closes every open day before this one, and packs what busy days have open: nobody may come who packs it later.
    pub(super) async fn close_all(&self, today: Day) -> Result<(), VisitError> {
        self.close_days_before(today).await?;
        self.pack_rows_of_first_days().await?;
        let busy = self.counting.lock().await.busy.take_all(self.clock.now());
        self.pack_busy_days(busy).await;
        Ok(())
    }

    /// Closes every open day before this one.
    pub(super) async fn close_days_before(&self, today: Day) -> Result<(), VisitError> {
        let domains =
            queries::segments::list_domains_with_open_days(&mut self.db.read().await?, today).await?;
        for domain in domains {
            while let Some(first) =
                queries::segments::find_first_open_day(&mut self.db.read().await?, &domain, today).await?
            {
                let days = (first, (today - 1).min(first + DAYS_AT_ONCE - 1));
                if !close_some(&self.db, &domain, days, MAX_PAGES).await? {
                    // Another process has them in hand.
                    break;
                }
            }
        }
        Ok(())
    }

    /// Notes when paths were visited first.
    pub(super) async fn pack_first_days(
        &self,
        domain: &DomainId,
        first: &[FirstDay],
    ) -> Result<(), VisitError> {
        for part in first.chunks(ROWS_AT_ONCE) {
            let mut tx = self.db.write().await?;
            queries::segments::lock_numbers(&mut tx, domain).await?;
            self.pack_some_first_days(tx, domain, part).await?;
        }
        Ok(())
    }

    /// Packs what earlier versions kept in a row for each page.
    async fn pack_rows_of_first_days(&self) -> Result<(), VisitError> {
        let domains = queries::first_days::list_domains_with_unpacked(&mut self.db.read().await?).await?;
        for domain in domains {
            loop {
                let mut tx = self.db.write().await?;
                queries::segments::lock_numbers(&mut tx, &domain).await?;
                let rows = queries::first_days::take_unpacked(&mut tx, &domain, ROWS_AT_ONCE).await?;
                if rows.is_empty() {
                    break;
                }
                let rows: Vec<FirstDay> = rows.into_iter().map(|(path, days)| (path.into(), days)).collect();
                self.pack_some_first_days(tx, &domain, &rows).await?;
            }
        }
        Ok(())
    }

    /// Packs first days in a transaction that has the lock of the domain's numbers, and commits it.
    async fn pack_some_first_days(
        &self,
        mut tx: Tx,
        domain: &DomainId,
        first: &[FirstDay],
    ) -> Result<(), DbError> {
        let table = self.tables.find(&mut tx, domain, u32::eq).await?;
        let new = add_first_days(&mut tx, domain, first, &table).await?;
        self.commit_numbers(tx, domain, &table, &new).await
    }

    /// Commits, and remembers the numbers of new paths only then.
    async fn commit_numbers(
        &self,
        tx: Tx,
        domain: &DomainId,
        table: &PathTable,
        new: &[Arc<str>],
    ) -> Result<(), DbError> {
        tx.commit().await?;
        if !new.is_empty() {
            self.tables.insert(domain, table.with(new));
        }
        Ok(())
    }

    /// Packs open rows of days that have many. Where that fails they are packed with the next ones: reports only take longer.
    pub(super) async fn pack_busy_days(&self, busy: Vec<(DomainId, Day)>) {
        for (domain, day) in busy {
            if let Err(error) = self.pack_busy_day(&domain, day).await {
                tracing::warn!(error = one_line(&error), %domain, "visits of a busy day could not be packed");
            }
        }
    }

    /// What the day adds up to stays in rows: other processes count in the same few all the time.
    pub(in crate::analytics) async fn pack_busy_day(
        &self,
        domain: &DomainId,
        day: Day,
    ) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        queries::segments::lock_numbers(&mut tx, domain).await?;
        let mut open = take_rows(&mut tx, domain, (day, day)).await?;
        let table = self.tables.find(&mut tx, domain, u32::eq).await?;
        let new = add_rows(&mut tx, domain, &mut open, &table, MAX_PAGES).await?;
        self.commit_numbers(tx, domain, &table, &new).await
    }
}
