//! Visits of days that are over, as a log has them by the thousand. They are packed in the transaction that counts them: as
//! open rows each would be written, read and deleted once more. Used by the import. See docs/decisions/0297.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use store::{Conn, DbError};

use super::close::{MAX_PAGES, add_rows};
use super::paths::PathTable;
use super::rows::Kind;
use super::totals::DayTotals;
use super::window::OpenRow;
use crate::analytics::model::{Day, TimeKey, VisitKey};
use crate::analytics::queries::totals;
use crate::domains::DomainId;

/// Days with fewer rows are left to the job that closes days: a day is packed anew however few are added.
const MIN_ROWS: usize = 20;

/// Visits of one domain by day.
#[derive(Debug, Default)]
pub struct LateDays {
    rows: BTreeMap<Day, Vec<OpenRow>>,
    totals: BTreeMap<Day, DayTotals>,
}

impl LateDays {
    /// Takes out of some counts of a domain those of days before this one, where a day has many.
    pub fn take_from(
        pages: &mut Vec<(VisitKey, u64)>,
        times: &mut Vec<(TimeKey, u64)>,
        today: Day,
    ) -> LateDays {
        let mut rows: HashMap<Day, usize> = HashMap::new();
        for (key, _) in pages.iter().filter(|(key, _)| key.day < today) {
            *rows.entry(key.day).or_default() += 1;
        }
        let is_late = |day: Day| rows.get(&day).is_some_and(|rows| *rows >= MIN_ROWS);
        let mut late = LateDays::default();
        for (key, visits) in pages.extract_if(.., |(key, _)| is_late(key.day)) {
            late.add(key, visits);
        }
        for (key, visits) in times.extract_if(.., |(key, _)| is_late(key.day)) {
            let times = &mut late.totals.entry(key.day).or_default().times;
            *times.entry((key.served, key.bucket)).or_default() += visits;
        }
        late
    }

    fn add(&mut self, key: VisitKey, visits: u64) {
        let VisitKey { day, path, crawler, verified, served, status, .. } = key;
        let kind = Kind { crawler: crawler.into_owned(), verified, served, status };
        let class = Kind { status: status / 100, ..kind.clone() };
        *self.totals.entry(day).or_default().kinds.entry(class).or_default() += visits;
        self.rows.entry(day).or_default().push(OpenRow { day, path, kind, visits });
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds them to their closed days; answers the new paths. Comes before open rows are written: whoever closes a day begins
    /// with the same lock, which the caller has taken before it read the table.
    pub async fn pack(
        &mut self,
        conn: &mut Conn,
        domain: &DomainId,
        table: &PathTable,
    ) -> Result<Vec<Arc<str>>, DbError> {
        totals::add_totals(conn, domain, std::mem::take(&mut self.totals)).await?;
        add_rows(conn, domain, &mut self.rows, table, MAX_PAGES).await
    }
}
