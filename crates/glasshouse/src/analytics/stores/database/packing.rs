//! Packing days that are over: those that were open, and those that an imported log has much of.
//! A part of a log is one transaction, with its checkpoint. See docs/decisions/0215 and 0297.

use store::{Conn, DbError};

use super::DatabaseStore;
use crate::analytics::import::LogPart;
use crate::analytics::model::{Day, day_of};
use crate::analytics::queries;
use crate::analytics::segments::close::{MAX_PAGES, close_some};
use crate::analytics::segments::late::LateDays;
use crate::analytics::segments::paths::PathTable;
use crate::analytics::stores::{CountedLines, VisitError};
use crate::domains::DomainId;

/// Days that are closed at once, if they have few rows.
const DAYS_AT_ONCE: Day = 60;

impl DatabaseStore {
    /// Counts what of a part of a log was not counted before.
    pub(super) async fn import_part(
        &self,
        domain: &DomainId,
        part: &LogPart,
    ) -> Result<CountedLines, VisitError> {
        let counting = &mut *self.counting.lock().await;
        // Mostly nothing of it was counted before: what takes time is done before others have to wait.
        let (whole, now) = (part.counts(0..part.checkpoints.len()), self.clock.now());
        let mut tx = self.db.write().await?;
        queries::imports::lock(&mut tx, domain, now).await?;
        let known = queries::imports::lines_known(&mut tx, domain, &part.checkpoints).await?;
        let new = if known == 0 { whole } else { part.counts(known..part.checkpoints.len()) };
        let (visits, mut pages, mut times) = new;
        let mut late = LateDays::take_from(&mut pages, &mut times, day_of(now));
        let table = match late.is_empty() {
            true => None,
            false => self.pack(&mut tx, domain, &mut late).await?,
        };
        let pages = counting.bounds.fold(&mut *tx, &pages).await?;
        times.sort_unstable();
        queries::add_counts_beside(&mut tx, &pages, &times, late.visits(domain)).await?;
        if let Some(last) = part.checkpoints.last().filter(|_| known < part.checkpoints.len()) {
            queries::imports::add_checkpoint(&mut tx, domain, last.as_str(), None, now).await?;
        }
        tx.commit().await?;
        if let Some(table) = table {
            self.tables.insert(domain, table);
        }
        Ok(CountedLines { known, visits })
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
        let table = self.path_table(tx, domain, u32::eq).await?;
        let new = late.pack(tx, domain, &table).await?;
        Ok((!new.is_empty()).then(|| table.with(&new)))
    }

    /// Closes every open day before this one.
    pub(super) async fn close_all(&self, today: Day) -> Result<(), VisitError> {
        let domains =
            queries::segments::list_domains_with_open_days(&mut self.db.read().await?, today).await?;
        for domain in domains {
            while let Some(first) =
                queries::segments::find_first_open_day(&mut self.db.read().await?, &domain, today).await?
            {
                let days = (first, (today - 1).min(first + DAYS_AT_ONCE - 1));
                close_some(&self.db, &domain, days, MAX_PAGES).await?;
            }
        }
        Ok(())
    }
}
