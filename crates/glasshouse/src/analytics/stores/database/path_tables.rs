//! The numbers of domains' pages, as far as they are remembered. They never change; there can only be more.
//! A domain with a million pages takes seconds to read: that is done once for all who wait.

use std::sync::Arc;

use store::{Conn, DbError};
use tokio::sync::Mutex;

use crate::analytics::queries::segments as queries;
use crate::analytics::segments::paths::PathTable;
use crate::domains::DomainId;

/// Domains whose tables are read at one time, and somewhat more.
const READ_AT_ONCE: u64 = 1_000;

pub(super) struct PathTables {
    tables: cache::Cache<DomainId, PathTable>,
    /// Turns of those who read the table of a domain.
    turns: cache::Cache<DomainId, Mutex<()>>,
}

impl PathTables {
    /// Room for so many bytes. A table that takes more fits in alone: it is the one that takes longest to read.
    pub fn new(bytes: u64) -> PathTables {
        let most = usize::try_from(bytes).unwrap_or(usize::MAX);
        let weigh = move |_: &_, table: &PathTable| table.bytes().min(most);
        PathTables {
            tables: cache::Cache::builder(bytes).weigher(weigh).build(),
            turns: cache::Cache::new(READ_AT_ONCE),
        }
    }

    /// The numbers of a domain's pages. The ones that are remembered will do if their next number `fits` the one that is given
    /// next: who reads may know more than there was a moment ago.
    pub async fn find(
        &self,
        conn: &mut Conn,
        domain: &DomainId,
        fits: fn(&u32, &u32) -> bool,
    ) -> Result<Arc<PathTable>, DbError> {
        let next = queries::find_next_number(conn, domain).await?;
        let known = || self.tables.get(domain).filter(|table| fits(&table.next_number(), &next));
        if let Some(table) = known() {
            return Ok(table);
        }
        let turn = self.turns.get_with(domain, Mutex::default);
        // Who has it waits for nothing but the database.
        let _turn = turn.lock().await;
        if let Some(table) = known() {
            return Ok(table);
        }
        let table = Arc::new(queries::find_paths(conn, domain).await?);
        self.tables.insert(domain, table.clone());
        Ok(table)
    }

    /// Remembers the numbers of a domain's pages once they are committed.
    pub fn insert(&self, domain: &DomainId, table: impl Into<Arc<PathTable>>) {
        self.tables.insert(domain, table);
    }

    /// Forgets those of a domain.
    pub fn remove(&self, domain: &DomainId) {
        self.tables.remove(domain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::segments::tests::{apply, domains, key};
    use crate::analytics::spool::Counts;
    use crate::testing::TestApp;

    #[tokio::test]
    async fn a_table_is_read_once_for_all_who_wait_and_stays_however_large_it_is() {
        TestApp::on_each_engine(async |app| {
            let (shop, _) = domains(&app).await;
            let day = app.state.analytics.today() - 1;
            let pages = (0..50).map(|number| (key(day, &format!("/{number}")), 1)).collect();
            apply(&app, &shop, "1", &Counts { pages, ..Counts::default() }).await;
            app.state.analytics.close_days().await.unwrap();
            let (tables, db) = (PathTables::new(100), &app.state.platform.db);
            let find = async || tables.find(&mut db.read().await.unwrap(), &shop.id, u32::ge).await.unwrap();

            let (first, second, third) = tokio::join!(find(), find(), find());
            tables.tables.settle();
            let later = find().await;

            assert_eq!(first.next_number(), 51);
            assert!([second, third, later].iter().all(|table| Arc::ptr_eq(table, &first)));
        })
        .await;
    }
}
