//! Bound of the paths that a domain keeps in ClickHouse: with nearly as many as it may have, new ones are counted together, and those
//! whose visits have expired go. Used by counting and deleting. A domain's paths are counted once a day, which is why the bound
//! leaves room for the new ones of a day. See docs/decisions/0423.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::ClickHouseStore;
use super::client::{Client, quoted};
use super::rows::PAGE;
use super::schema::{self, count};
use crate::analytics::bounds::{KnownPages, folded};
use crate::analytics::model::{Day, OTHER_PATHS, VisitKey, day_of};
use crate::analytics::segments::close::MAX_PAGES;
use crate::analytics::segments::paths::PathRoom;
use crate::analytics::stores::VisitError;
use crate::domains::DomainId;

/// Domains whose paths are remembered to be counted.
const MOST_REMEMBERED: u64 = 10_000;

/// Paths that domains keep.
pub(super) struct KeptPaths {
    /// With so many, a domain gets no new ones.
    pub most: u64,
    /// The day of the last count of each domain, and what was counted.
    counted: cache::Cache<DomainId, (Day, u64)>,
}

impl KeptPaths {
    /// Nothing is counted yet.
    pub fn new(most: u64) -> KeptPaths {
        KeptPaths { most, counted: cache::Cache::new(MOST_REMEMBERED) }
    }
}

impl Default for KeptPaths {
    fn default() -> KeptPaths {
        KeptPaths::new((PathRoom::OF_DOMAIN.paths - MAX_PAGES) as u64)
    }
}

impl ClickHouseStore {
    /// Folds the paths that a domain never had, of domains that get no new ones.
    pub(super) async fn fold_beyond_room(
        &self,
        pages: Vec<(VisitKey, u64)>,
    ) -> Result<Vec<(VisitKey, u64)>, VisitError> {
        let mut asked: HashMap<DomainId, HashSet<Arc<str>>> = HashMap::new();
        for (key, _) in pages.iter().filter(|(key, _)| *key.path != *OTHER_PATHS) {
            asked.entry(key.domain.clone()).or_default().insert(key.path.clone());
        }
        let mut refused: HashMap<DomainId, HashSet<Arc<str>>> = HashMap::new();
        for (domain, mut paths) in asked {
            if self.count_kept_paths(&domain).await? >= self.kept.most {
                let known = (&mut &*self).ever(&domain, &paths).await?;
                paths.retain(|path| !known.contains(&**path));
                refused.insert(domain, paths);
            }
        }
        if refused.is_empty() {
            return Ok(pages);
        }
        let is_refused =
            |key: &&VisitKey| refused.get(&key.domain).is_some_and(|paths| paths.contains(&key.path));
        let keys = pages.iter().map(|(key, _)| key).filter(is_refused);
        Ok(folded(&pages, &keys.map(|key| (key.domain.clone(), key.day, key.path.clone())).collect()))
    }

    async fn count_kept_paths(&self, domain: &DomainId) -> Result<u64, VisitError> {
        let today = day_of(self.clock.now());
        if let Some(counted) = self.kept.counted.get(domain).filter(|counted| counted.0 == today) {
            return Ok(counted.1);
        }
        let name = quoted(domain.as_str());
        let other = quoted(OTHER_PATHS);
        let sql = format!(
            "select uniqCombined(path) from (select path from visits where domain = {name} and what = {PAGE} \
             union all select path from visit_first_days where domain = {name}) where path <> {other}"
        );
        let paths = count(self.client().await?, &sql).await?;
        self.kept.counted.insert(domain, (today, paths));
        Ok(paths)
    }
}

/// Deletes the first days of pages without visits, of domains that have so many.
pub(super) async fn give_up_expired_paths(client: &Client, most: u64) -> Result<(), VisitError> {
    for domain in schema::list_domains_with_first_days(client, most).await? {
        let name = quoted(domain.as_str());
        let sql = format!(
            "alter table visit_first_days delete where domain = {name} \
             and path not in (select path from visits where domain = {name} and what = {PAGE})"
        );
        client.run(&sql).await?;
        schema::wait(client).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::Plan;
    use crate::analytics::segments::tests::key;
    use crate::analytics::spool::Counts;
    use crate::analytics::stores::VisitStore;
    use crate::config::ClickHouseUrl;
    use crate::testing::{TestApp, clickhouse_database};

    #[tokio::test]
    async fn a_domain_with_all_the_paths_it_may_have_gets_no_new_ones_until_some_expire() {
        let (app, url) =
            (TestApp::new().await, clickhouse_database().await.parse::<ClickHouseUrl>().unwrap());
        let account = app.account("a@x.example", Plan::Business).await;
        let domain = app.domain(&account, "shop.example").await.id;
        let platform = &app.state.platform;
        // A process of its own each time: the paths are counted anew.
        let store = || {
            let mut store = ClickHouseStore::new(url.clone(), &platform.db, &platform.clock);
            store.kept = KeptPaths::new(2);
            store
        };
        let today = day_of(platform.clock.now());
        let counts = |day: Day, paths: &[&str]| {
            let page = |path: &&str| (VisitKey { domain: domain.clone(), ..key(day, path) }, 1);
            Counts { pages: paths.iter().map(page).collect(), ..Counts::default() }
        };
        let first_days = async || {
            let mut paths: Vec<_> = store().first_days(&domain).await.unwrap();
            paths.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            paths.into_iter().map(|(path, _)| path.to_string()).collect::<Vec<_>>()
        };

        store().apply("1", &counts(today - 9, &["/a", "/b"])).await.unwrap();
        store().apply("2", &counts(today, &["/a", "/c"])).await.unwrap();
        assert_eq!(first_days().await, ["/a", "/b"]);
        store().delete_before(today - 1).await.unwrap();
        assert_eq!(first_days().await, ["/a"]);
        store().apply("3", &counts(today, &["/d"])).await.unwrap();

        assert_eq!(first_days().await, ["/a", "/d"]);
    }
}
