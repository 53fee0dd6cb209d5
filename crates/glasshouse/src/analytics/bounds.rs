//! How many different pages of a day are counted each: a crawler that invents addresses must not fill the database. The
//! pages beyond are counted together. Used wherever counts enter the database. See
//! docs/decisions/0216.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::model::{Day, OTHER_PATHS, Verified, VisitKey};
use crate::domains::DomainId;

/// Days of domains that are remembered; with more, those that are asked about again are looked up again.
const MAX_REMEMBERED: usize = 100_000;

/// The pages of a day that a store has counted each.
pub trait KnownPages: Send {
    /// Why it does not know.
    type Error: Send;

    /// How many they are; there is no need to count beyond `most`.
    fn count(
        &mut self,
        domain: &DomainId,
        day: Day,
        most: usize,
    ) -> impl Future<Output = Result<usize, Self::Error>> + Send;

    /// Those among some paths.
    fn among(
        &mut self,
        domain: &DomainId,
        day: Day,
        paths: &HashSet<Arc<str>>,
    ) -> impl Future<Output = Result<HashSet<String>, Self::Error>> + Send;

    /// Returns those among some paths that any day has.
    fn ever(
        &mut self,
        domain: &DomainId,
        paths: &HashSet<Arc<str>>,
    ) -> impl Future<Output = Result<HashSet<String>, Self::Error>> + Send;
}

/// Decides whether a visit makes its path a page of the domain. An address that does not exist is none because a stranger asks for it.
fn makes_page(key: &VisitKey) -> bool {
    key.status < 400 || key.verified == Verified::Yes
}

/// Folds the visits of a part whose paths are no pages: that had errors only, and only from clients that are no verified
/// crawlers, in all the counts that come together and ever before. Called in the transaction that counts the part, where there
/// is one.
pub async fn fold_unfound<K: KnownPages>(
    known: &mut K,
    part: &[(VisitKey, u64)],
    together: &[(VisitKey, u64)],
) -> Result<Vec<(VisitKey, u64)>, K::Error> {
    let mut unfound: HashMap<&DomainId, HashSet<Arc<str>>> = HashMap::new();
    for (key, _) in part.iter().filter(|(key, _)| !makes_page(key) && *key.path != *OTHER_PATHS) {
        unfound.entry(&key.domain).or_default().insert(key.path.clone());
    }
    if unfound.is_empty() {
        return Ok(part.to_vec());
    }
    for (key, _) in together.iter().filter(|(key, _)| makes_page(key)) {
        if let Some(paths) = unfound.get_mut(&key.domain) {
            paths.remove(&key.path);
        }
    }
    for (domain, paths) in unfound.iter_mut().filter(|(_, paths)| !paths.is_empty()) {
        let found = known.ever(domain, paths).await?;
        paths.retain(|path| !found.contains(&**path));
    }
    let is_unfound =
        |key: &&VisitKey| unfound.get(&key.domain).is_some_and(|paths| paths.contains(&key.path));
    let refused = part.iter().map(|(key, _)| key).filter(is_unfound);
    Ok(folded(part, &refused.map(|key| (key.domain.clone(), key.day, key.path.clone())).collect()))
}

/// What this process has counted. What it has not is looked up only when it could matter.
#[derive(Debug)]
pub struct PageBounds {
    max_pages: usize,
    /// No more pages of a day than this were counted since the number was last looked up.
    counted: HashMap<(DomainId, Day), usize>,
}

impl PageBounds {
    /// So many different pages of a day are counted each.
    pub fn new(max_pages: usize) -> PageBounds {
        PageBounds { max_pages, counted: HashMap::new() }
    }

    /// Folds the new pages of a part that its days have no room for. Called in the transaction that counts the part, where there is one.
    pub async fn fold<K: KnownPages>(
        &mut self,
        known: &mut K,
        rows: &[(VisitKey, u64)],
    ) -> Result<Vec<(VisitKey, u64)>, K::Error> {
        let mut paths: HashMap<(DomainId, Day), HashSet<Arc<str>>> = HashMap::new();
        for (key, _) in rows {
            paths.entry((key.domain.clone(), key.day)).or_default().insert(key.path.clone());
        }
        let mut refused: HashSet<(DomainId, Day, Arc<str>)> = HashSet::new();
        for ((domain, day), paths) in paths {
            let counted = self.counted.get(&(domain.clone(), day)).copied();
            // Another process may have counted as many: only far below the bound nobody need ask.
            let counted = match counted {
                Some(counted) if counted + paths.len() <= self.max_pages / 2 => counted,
                None if paths.len() <= self.max_pages / 2 && self.counted.len() < MAX_REMEMBERED => 0,
                _ => self.refuse_new(known, &domain, day, &paths, &mut refused).await?,
            };
            self.counted.insert((domain, day), counted + paths.len());
        }
        if self.counted.len() >= MAX_REMEMBERED {
            self.counted.clear();
        }
        Ok(folded(rows, &refused))
    }

    /// Adds the new paths beyond a day's room to those refused; answers how many the day had before.
    async fn refuse_new<K: KnownPages>(
        &self,
        known: &mut K,
        domain: &DomainId,
        day: Day,
        paths: &HashSet<Arc<str>>,
        refused: &mut HashSet<(DomainId, Day, Arc<str>)>,
    ) -> Result<usize, K::Error> {
        let room = self.max_pages.saturating_sub(known.count(domain, day, self.max_pages).await?);
        if paths.len() > room {
            let known = known.among(domain, day, paths).await?;
            let mut new: Vec<_> = paths.iter().filter(|path| !known.contains(&***path)).collect();
            new.sort_unstable();
            refused.extend(new.into_iter().skip(room).map(|path| (domain.clone(), day, path.clone())));
        }
        Ok(self.max_pages - room)
    }
}

/// Returns rows with the refused pages of days counted together.
pub fn folded(
    rows: &[(VisitKey, u64)],
    refused: &HashSet<(DomainId, Day, Arc<str>)>,
) -> Vec<(VisitKey, u64)> {
    let mut counts: std::collections::BTreeMap<VisitKey, u64> = std::collections::BTreeMap::new();
    for (key, visits) in rows {
        let mut key = key.clone();
        if !refused.is_empty() && refused.contains(&(key.domain.clone(), key.day, key.path.clone())) {
            key.path = OTHER_PATHS.into();
            metrics::counter!("glasshouse_visits_folded_total").increment(*visits);
        }
        *counts.entry(key).or_default() += visits;
    }
    counts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::accounts::Plan;
    use crate::analytics::model::{ServedBy, day_of};
    use crate::analytics::service::Scope;
    use crate::analytics::spool::Counts;
    use crate::analytics::stores::{ClickHouseStore, DatabaseStore, Detail, VisitStore};
    use crate::config::ClickHouseUrl;
    use crate::domains::Domain;
    use crate::testing::{NOON, TestApp, clickhouse_database};

    fn rows(domain: &Domain, day: Day, paths: &[&str]) -> Vec<(VisitKey, u64)> {
        let row = |path: &&str| {
            let key = VisitKey {
                domain: domain.id.clone(),
                day,
                path: (*path).into(),
                crawler: "googlebot".into(),
                verified: Verified::Yes,
                served: ServedBy::Cache,
                status: 200,
            };
            (key, 1)
        };
        paths.iter().map(row).collect()
    }

    /// Each page once that was counted, and its visits.
    async fn counted(store: &dyn VisitStore, domain: &Domain, day: Day) -> Vec<(String, u64)> {
        let visits = store.window(&domain.id, (day, day), Detail::Rows).await.unwrap();
        let mut pages: BTreeMap<String, u64> = BTreeMap::new();
        for (_, page, _, count) in visits.rows() {
            *pages.entry(visits.pages().path(page).to_string()).or_default() += count;
        }
        pages.into_iter().collect()
    }

    /// Counts pages of two days with room for three each, where `act` may pack the first one in between, and another process
    /// finds that one full.
    async fn count<S: VisitStore>(domain: &Domain, store: impl Fn() -> S, act: impl AsyncFn(&S, Day)) {
        let (first, second, today) = (store(), store(), day_of(NOON));
        let file = |number: u8| format!("{}-{number}", domain.host);
        let counts =
            |day: Day, paths: &[&str]| Counts { pages: rows(domain, day, paths), ..Counts::default() };

        first.apply(&file(1), &counts(today, &["/a", "/b"])).await.unwrap();
        act(&first, today).await;
        first.apply(&file(2), &counts(today, &["/a", "/c", "/d", "/e"])).await.unwrap();
        first.apply(&file(3), &counts(today - 1, &["/x"])).await.unwrap();
        act(&first, today).await;
        first.apply(&file(4), &counts(today, &["/f", "/c"])).await.unwrap();
        second.apply(&file(5), &counts(today, &["/b", "/g"])).await.unwrap();

        let page = |path: &str, visits| (path.to_owned(), visits);
        let expected = [page("(other)", 4), page("/a", 2), page("/b", 2), page("/c", 2)];
        assert_eq!(counted(&first, domain, today).await, expected);
        assert_eq!(counted(&first, domain, today - 1).await, [page("/x", 1)]);
        let pages = first.count_pages(&domain.id, (today, today), Scope::WithOrigin).await.unwrap();
        assert_eq!((pages.visited, pages.new), (3, 3));
    }

    #[tokio::test]
    async fn new_pages_beyond_the_bound_of_a_day_are_counted_together_packed_or_not() {
        TestApp::on_each_engine(async |app| {
            let account = app.account("a@x.example", Plan::Business).await;
            let domains = ["shop.example", "twin.example"].map(|name| app.domain(&account, name));
            let [packed, open] = futures::future::join_all(domains).await.try_into().expect("two");
            let platform = &app.state.platform;
            let store = || DatabaseStore::new(&platform.db, &platform.clock).bounded(3);

            count(&open, store, async |_, _| {}).await;
            count(&packed, store, async |store, day| store.pack_busy_day(&packed.id, day).await.unwrap())
                .await;
        })
        .await;
    }

    /// Counts errors for strangers: of pages that were never found, that were found before, and that are found together with them.
    async fn count_errors<S: VisitStore>(domain: &Domain, store: &S, act: impl AsyncFn(&S, Day)) {
        let today = day_of(NOON);
        let failed = |day: Day, paths: &[&str]| {
            let failed =
                |(key, n): (VisitKey, u64)| (VisitKey { status: 404, verified: Verified::Unknown, ..key }, n);
            rows(domain, day, paths).into_iter().map(failed).collect::<Vec<_>>()
        };
        let counts = |pages: Vec<(VisitKey, u64)>| Counts { pages, ..Counts::default() };
        let file = |number: u8| format!("{}-{number}", domain.host);

        store.apply(&file(1), &counts(rows(domain, today - 1, &["/old"]))).await.unwrap();
        act(store, today - 1).await;
        let together =
            [failed(today, &["/made-up", "/old", "/new"]), rows(domain, today, &["/new"])].concat();
        store.apply(&file(2), &counts(together)).await.unwrap();
        let verified = |(key, n): (VisitKey, u64)| (VisitKey { verified: Verified::Yes, ..key }, n);
        let gone = failed(today, &["/gone"]).into_iter().map(verified).collect();
        store.apply(&file(3), &counts(gone)).await.unwrap();
        act(store, today).await;
        store.apply(&file(4), &counts(failed(today, &["/gone", "/made-up-too"]))).await.unwrap();

        let page = |path: &str, visits| (path.to_owned(), visits);
        let expected = [page("(other)", 2), page("/gone", 2), page("/new", 2), page("/old", 1)];
        assert_eq!(counted(store, domain, today).await, expected);
    }

    #[tokio::test]
    async fn errors_make_a_page_only_for_verified_crawlers_packed_or_not() {
        TestApp::on_each_engine(async |app| {
            let account = app.account("a@x.example", Plan::Business).await;
            let domains = ["shop.example", "twin.example"].map(|name| app.domain(&account, name));
            let [packed, open] = futures::future::join_all(domains).await.try_into().expect("two");
            let platform = &app.state.platform;
            let store = DatabaseStore::new(&platform.db, &platform.clock);

            count_errors(&open, &store, async |_, _| {}).await;
            count_errors(&packed, &store, async |store, day| {
                store.pack_busy_day(&packed.id, day).await.unwrap();
            })
            .await;
        })
        .await;
    }

    #[tokio::test]
    async fn errors_make_a_page_only_for_verified_crawlers_in_clickhouse() {
        let (app, url) =
            (TestApp::new().await, clickhouse_database().await.parse::<ClickHouseUrl>().unwrap());
        let account = app.account("a@x.example", Plan::Business).await;
        let (domain, platform) = (app.domain(&account, "shop.example").await, &app.state.platform);
        let store = ClickHouseStore::new(url, &platform.db, &platform.clock);

        count_errors(&domain, &store, async |_, _| {}).await;
    }

    #[tokio::test]
    async fn new_pages_beyond_the_bound_of_a_day_are_counted_together_in_clickhouse() {
        let (app, url) =
            (TestApp::new().await, clickhouse_database().await.parse::<ClickHouseUrl>().unwrap());
        let account = app.account("a@x.example", Plan::Business).await;
        let (domain, platform) = (app.domain(&account, "shop.example").await, &app.state.platform);
        let store = || ClickHouseStore::new(url.clone(), &platform.db, &platform.clock).bounded(3);

        count(&domain, store, async |_, _| {}).await;
    }
}
