//! Which pages a day has: in open rows, and in its packed row. Used where counts enter the database, to keep a day's pages
//! within their bound.

use std::collections::HashSet;
use std::sync::Arc;

use store::{Conn, DbError};

use super::DatabaseStore;
use crate::analytics::bounds::KnownPages;
use crate::analytics::model::Day;
use crate::analytics::queries::segments as queries;
use crate::analytics::segments::paths::PathTable;
use crate::analytics::segments::rows::OTHER_NUMBER;
use crate::domains::DomainId;

/// The pages of days in the transaction that counts more.
pub(super) struct DayPages<'a> {
    pub store: &'a DatabaseStore,
    pub conn: &'a mut Conn,
}

/// Pages of a packed day.
struct PackedPages {
    numbers: HashSet<u32>,
    table: Arc<PathTable>,
}

impl DayPages<'_> {
    async fn packed(&mut self, domain: &DomainId, day: Day) -> Result<Option<PackedPages>, DbError> {
        let found = queries::find_segments(self.conn, domain, &[day]).await?.remove(&day);
        let Some(rows) = found else { return Ok(None) };
        // After the day: it knows all its pages.
        let table = self.store.tables.find(self.conn, domain, u32::ge).await?;
        let pages = rows.rows.iter().map(|row| row.page);
        Ok(Some(PackedPages { numbers: pages.filter(|page| *page != OTHER_NUMBER).collect(), table }))
    }
}

impl PackedPages {
    fn contains(&self, path: &str) -> bool {
        self.table.number(path).is_some_and(|number| self.numbers.contains(&number))
    }
}

impl KnownPages for DayPages<'_> {
    type Error = DbError;

    async fn count(&mut self, domain: &DomainId, day: Day, most: usize) -> Result<usize, DbError> {
        let packed = self.packed(domain, day).await?;
        let open = queries::list_open_pages(self.conn, domain, day, most).await?;
        Ok(match packed {
            Some(packed) => packed.numbers.len() + open.iter().filter(|path| !packed.contains(path)).count(),
            None => open.len(),
        })
    }

    async fn among(
        &mut self,
        domain: &DomainId,
        day: Day,
        paths: &HashSet<Arc<str>>,
    ) -> Result<HashSet<String>, DbError> {
        let mut known = queries::list_open_among(self.conn, domain, day, paths).await?;
        if let Some(packed) = self.packed(domain, day).await? {
            known.extend(paths.iter().filter(|path| packed.contains(path)).map(|path| path.to_string()));
        }
        Ok(known)
    }

    async fn ever(
        &mut self,
        domain: &DomainId,
        paths: &HashSet<Arc<str>>,
    ) -> Result<HashSet<String>, DbError> {
        let table = self.store.tables.find(self.conn, domain, u32::ge).await?;
        let (numbered, rest): (HashSet<_>, HashSet<_>) =
            paths.iter().cloned().partition(|path| table.number(path).is_some());
        let mut known: HashSet<String> = numbered.iter().map(|path| path.to_string()).collect();
        for day in queries::list_open_days(self.conn, domain).await? {
            known.extend(queries::list_open_among(self.conn, domain, day, &rest).await?);
        }
        Ok(known)
    }
}
