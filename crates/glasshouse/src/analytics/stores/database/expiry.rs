//! Giving up paths whose visits have expired, when a domain has little room left for new ones. Used once a day, after old visits
//! were deleted. Until then paths stay, for the sake of their first days. See docs/decisions/0423.

use std::sync::Arc;

use roaring::RoaringBitmap;

use super::DatabaseStore;
use crate::analytics::model::MAX_PATH_BYTES;
use crate::analytics::queries::{expiry, segments as queries};
use crate::analytics::segments::close::MAX_PAGES;
use crate::analytics::segments::paths::{GIVEN_UP, PathRoom, is_given_up};
use crate::analytics::stores::VisitError;
use crate::domains::DomainId;

impl DatabaseStore {
    /// Gives up expired paths of every domain that has used nine tenths of this room.
    pub(super) async fn give_up_expired_paths(&self, room: PathRoom) -> Result<(), VisitError> {
        // So few paths may fill it.
        let least = room.paths.min(room.bytes / MAX_PATH_BYTES) * 9 / 10;
        let least = i64::try_from(least).unwrap_or(i64::MAX);
        let domains = expiry::list_domains_with_numbers(&mut self.db.read().await?, least).await?;
        for domain in domains {
            self.give_up_paths_of(&domain, room).await?;
        }
        Ok(())
    }

    async fn give_up_paths_of(&self, domain: &DomainId, room: PathRoom) -> Result<(), VisitError> {
        let mut tx = self.db.write().await?;
        queries::lock_numbers(&mut tx, domain).await?;
        let table = queries::find_paths(&mut tx, domain).await?;
        if !room.is_nearly_used_up(&table) {
            return Ok(());
        }
        let mut used = expiry::list_numbers_in_use(&mut tx, domain).await?;
        for day in queries::list_open_days(&mut tx, domain).await? {
            let open = queries::list_open_pages(&mut tx, domain, day, MAX_PAGES).await?;
            used.extend(open.iter().filter_map(|path| table.number(path)));
        }
        let numbered = (1..table.next_number()).zip(&table.paths()[1..]);
        let expired = numbered.filter(|(number, path)| !used.contains(*number) && !is_given_up(path));
        let expired: RoaringBitmap = expired.map(|(number, _)| number).collect();
        if expired.is_empty() {
            return Ok(());
        }
        expiry::give_up_paths(&mut tx, domain, &table, &expired).await?;
        // One more number, of nothing: every process sees that its table is not the one that is stored.
        let table = queries::find_paths(&mut tx, domain).await?;
        queries::add_paths(&mut tx, domain, &table, &[Arc::from(GIVEN_UP)]).await?;
        tx.commit().await?;
        self.tables.remove(domain);
        tracing::info!(domain = domain.as_str(), paths = expired.len(), "paths without visits were given up");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::analytics::segments::tests::{apply, domains, key};
    use crate::analytics::service::Scope;
    use crate::analytics::spool::Counts;
    use crate::testing::TestApp;

    const ROOM: PathRoom = PathRoom { paths: 3, bytes: 1 << 20 };

    async fn paths(store: &DatabaseStore, domain: &DomainId) -> Vec<String> {
        let mut conn = store.db.read().await.unwrap();
        let table = store.tables.find(&mut conn, domain, u32::ge).await.unwrap();
        table.paths()[1..].iter().map(|path| path.to_string()).collect()
    }

    #[tokio::test]
    async fn paths_without_visits_make_room_for_new_ones_in_every_process() {
        TestApp::on_each_engine(async |app| {
            let (shop, _) = domains(&app).await;
            let (analytics, platform) = (&app.state.analytics, &app.state.platform);
            let today = analytics.today();
            let visits = |visits: &[(i64, &str)]| {
                let pages = visits.iter().map(|(ago, path)| (key(today - ago, path), 1));
                Counts { pages: pages.collect(), ..Counts::default() }
            };
            apply(&app, &shop, "1", &visits(&[(500, "/old"), (2, "/kept"), (0, "/open")])).await;
            apply(&app, &shop, "2", &visits(&[(499, "/open"), (1, "/young")])).await;
            analytics.close_days().await.unwrap();
            let stores = [0, 1].map(|_| DatabaseStore::new(&platform.db, &platform.clock));
            assert_eq!(paths(&stores[0], &shop.id).await, ["/old", "/open", "/kept", "/young"]);
            analytics.delete_old_visits().await.unwrap();

            stores[1].give_up_expired_paths(PathRoom { paths: 100, ..ROOM }).await.unwrap();
            assert_eq!(paths(&stores[1], &shop.id).await[0], "/old", "there is room");
            stores[1].give_up_expired_paths(ROOM).await.unwrap();
            apply(&app, &shop, "3", &visits(&[(3, "/new"), (3, "/old")])).await;
            analytics.close_days().await.unwrap();

            for store in &stores {
                let expected = ["", "/open", "/kept", "/young", "", "/new", "/old"];
                assert_eq!(paths(store, &shop.id).await, expected);
            }
            let bots = analytics.bots(&shop.id, (0, today), None, None, Scope::Snapshots).await.unwrap();
            let bots: Value = serde_json::from_slice(&bots.to_json()).unwrap();
            let row = |path| json!({ "path": path, "provider": "google", "count": 1 });
            assert_eq!(
                bots["byProvider"],
                Value::from(["/kept", "/new", "/old", "/open", "/young"].map(row).to_vec())
            );
            let summary = analytics.summary(&shop.id, 30, Scope::Snapshots).await.unwrap();
            assert_eq!(summary.new_pages_crawled, 4, "the first day of /open is known");
        })
        .await;
    }
}
