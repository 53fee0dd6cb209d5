//! Reading counts for the service: days, the visits of a window by page, and how many pages were visited.
//! Unpacks closed days off the runtime's threads.

use std::sync::Arc;

use store::{Conn, DbError};

use super::model::{Day, ServedBy};
use super::queries::{self, DayRow};
use super::report::DayCount;
use super::segments::paths::PathTable;
use super::segments::window::{Scope, WindowVisits};
use super::service::Analytics;
use crate::domains::DomainId;

impl Analytics {
    /// Counts of days, by crawler and way.
    pub(super) async fn days(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        scope: Scope,
    ) -> Result<Vec<DayCount>, DbError> {
        let rows = queries::list_days(&mut self.db.read().await?, domain, window).await?;
        let count = |row: DayRow| DayCount {
            day: row.day,
            crawler: row.crawler,
            served: row.served,
            visits: row.visits.unsigned_abs(),
        };
        let counts = |row: &DayRow| ServedBy::parse(&row.served).is_some_and(|served| scope.includes(served));
        Ok(rows.into_iter().filter(counts).map(count).collect())
    }

    /// Visits by page, those of impostors too. With a path, those of other pages may be left out.
    pub(super) async fn window_visits(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        path: Option<&str>,
    ) -> Result<WindowVisits, DbError> {
        let mut conn = self.db.read().await?;
        let (closed, open) = queries::segments::list_window(&mut conn, domain, window, path).await?;
        // After the days: it knows all their pages.
        let table = self.path_table(&mut conn, domain).await?;
        drop(conn);
        let unpacked = tokio::task::spawn_blocking(move || {
            let unpack = |(day, packed): (Day, Vec<u8>)| {
                Ok((day, queries::segments::unpack(&packed, table.next_number())?))
            };
            let closed = closed.into_iter().map(unpack).collect::<Result<Vec<_>, DbError>>()?;
            Ok(WindowVisits::new(closed, open, table))
        });
        unpacked.await.expect("unpacking does not panic")
    }

    /// How many different pages were visited. Impostors visit nothing.
    pub(super) async fn count_visited_pages(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        scope: Scope,
    ) -> Result<u64, DbError> {
        let mut conn = self.db.read().await?;
        let with_origin = scope == Scope::WithOrigin;
        let (numbers, paths) =
            queries::segments::list_visited_pages(&mut conn, domain, window, with_origin).await?;
        let table = self.path_table(&mut conn, domain).await?;
        let is_new = |path: &&String| table.find(path).map_or(true, |number| !numbers.contains(number));
        Ok(numbers.len() + paths.iter().filter(is_new).count() as u64)
    }

    /// The numbers of a domain's pages, as many as there are now.
    async fn path_table(&self, conn: &mut Conn, domain: &DomainId) -> Result<Arc<PathTable>, DbError> {
        let next = queries::segments::find_next_number(conn, domain).await?;
        if let Some(table) = self.tables.get(domain).filter(|table| table.next_number() >= next) {
            return Ok(table);
        }
        let table = Arc::new(queries::segments::find_paths(conn, domain).await?);
        self.tables.insert(domain.clone(), table.clone());
        Ok(table)
    }
}
