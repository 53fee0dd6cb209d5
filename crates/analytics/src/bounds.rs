//! Limits on the pages that are counted separately: a crawler that invents addresses must not fill the database. Visits of
//! further pages are counted together. Used wherever counts enter a store. See
//! docs/decisions/0181.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::model::{Day, OTHER_PATHS, Verified, VisitKey};
use domains::DomainId;

/// Maximum number of different pages of one day of a domain that are counted separately.
const MAX_PAGES: usize = 100_000;
/// Number of paths at which a domain gets no new ones. Paths are counted once a day, so the limit leaves a day's new ones
/// below a million.
pub const MAX_PATHS: u64 = 900_000;
/// Maximum number of days of domains that are remembered. At this number all of them are forgotten and looked up again when needed.
const MAX_REMEMBERED: usize = 100_000;

/// Lookup of the pages that a store counts separately.
pub trait KnownPages: Send {
    /// Error of a lookup.
    type Error: Send;

    /// Counts the pages of a day.
    fn count(&mut self, domain: &DomainId, day: Day)
    -> impl Future<Output = Result<u64, Self::Error>> + Send;

    /// Counts the pages of all days.
    fn count_ever(&mut self, domain: &DomainId) -> impl Future<Output = Result<u64, Self::Error>> + Send;

    /// Returns the given paths that are known on a day, or on any day when no day is given.
    fn among(
        &mut self,
        domain: &DomainId,
        day: Option<Day>,
        paths: &HashSet<Arc<str>>,
    ) -> impl Future<Output = Result<HashSet<String>, Self::Error>> + Send;
}

/// Decides whether a visit makes its path a page of the domain. An error does so only for verified crawlers, since anybody can
/// request an address that does not exist.
fn makes_page(key: &VisitKey) -> bool {
    key.status < 400 || key.verified == Verified::Yes
}

/// Folds visits of a part whose paths are not pages: the paths had only errors, only from clients that are no verified
/// crawlers, in all the counts of `together` and ever before. Called in the transaction that counts the part, where there
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
        let found = known.among(domain, None, paths).await?;
        paths.retain(|path| !found.contains(&**path));
    }
    let is_unfound =
        |key: &&VisitKey| unfound.get(&key.domain).is_some_and(|paths| paths.contains(&key.path));
    let refused = part.iter().map(|(key, _)| key).filter(is_unfound);
    Ok(folded(part, &refused.map(|key| (key.domain.clone(), key.day, key.path.clone())).collect()))
}

/// Numbers of pages that this process has counted. The store is asked only where a limit may be reached.
#[derive(Debug)]
pub struct PageBounds {
    max_pages: usize,
    max_paths: u64,
    /// Upper bound of the pages of a day that this process knows: those of the last lookup, and those counted since.
    counted: HashMap<(DomainId, Day), usize>,
    /// Number of paths of a domain, and the day on which they were counted.
    kept: HashMap<DomainId, (Day, u64)>,
}

impl Default for PageBounds {
    fn default() -> PageBounds {
        PageBounds::new(MAX_PAGES, MAX_PATHS)
    }
}

impl PageBounds {
    /// Makes the limits: most pages of a day and most paths of all days that are counted separately.
    pub fn new(max_pages: usize, max_paths: u64) -> PageBounds {
        PageBounds { max_pages, max_paths, counted: HashMap::new(), kept: HashMap::new() }
    }

    /// Folds new pages of a part when their domain or day has reached its limit. Called in the transaction that counts the part,
    /// where there is one.
    pub async fn fold<K: KnownPages>(
        &mut self,
        known: &mut K,
        today: Day,
        rows: &[(VisitKey, u64)],
    ) -> Result<Vec<(VisitKey, u64)>, K::Error> {
        let rows = self.fold_beyond_room(known, today, rows).await?;
        let mut paths: HashMap<(DomainId, Day), HashSet<Arc<str>>> = HashMap::new();
        for (key, _) in &rows {
            paths.entry((key.domain.clone(), key.day)).or_default().insert(key.path.clone());
        }
        let mut refused: HashSet<(DomainId, Day, Arc<str>)> = HashSet::new();
        for ((domain, day), paths) in paths {
            let counted = self.counted.get(&(domain.clone(), day)).copied();
            // Another process may have counted as many pages, so the store is not asked only far below the limit.
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
        Ok(folded(&rows, &refused))
    }

    /// Folds paths that are new to a domain when the domain has reached its limit of paths.
    async fn fold_beyond_room<K: KnownPages>(
        &mut self,
        known: &mut K,
        today: Day,
        rows: &[(VisitKey, u64)],
    ) -> Result<Vec<(VisitKey, u64)>, K::Error> {
        let mut new: HashMap<&DomainId, HashSet<Arc<str>>> = HashMap::new();
        for (key, _) in rows.iter().filter(|(key, _)| *key.path != *OTHER_PATHS) {
            new.entry(&key.domain).or_default().insert(key.path.clone());
        }
        if self.kept.len() >= MAX_REMEMBERED {
            self.kept.clear();
        }
        let mut full: HashMap<DomainId, HashSet<Arc<str>>> = HashMap::new();
        for (domain, mut paths) in new {
            let kept = match self.kept.get(domain) {
                Some((day, kept)) if *day == today => *kept,
                _ => known.count_ever(domain).await?,
            };
            self.kept.insert(domain.clone(), (today, kept));
            if kept >= self.max_paths {
                let found = known.among(domain, None, &paths).await?;
                paths.retain(|path| !found.contains(&**path));
                full.insert(domain.clone(), paths);
            }
        }
        let keys = rows.iter().map(|(key, _)| key);
        let refused = keys.filter(|key| full.get(&key.domain).is_some_and(|paths| paths.contains(&key.path)));
        Ok(folded(rows, &refused.map(|key| (key.domain.clone(), key.day, key.path.clone())).collect()))
    }

    /// Adds the new paths beyond a day's limit to `refused`. Returns the number of pages that the day had before.
    async fn refuse_new<K: KnownPages>(
        &self,
        known: &mut K,
        domain: &DomainId,
        day: Day,
        paths: &HashSet<Arc<str>>,
        refused: &mut HashSet<(DomainId, Day, Arc<str>)>,
    ) -> Result<usize, K::Error> {
        let counted = usize::try_from(known.count(domain, day).await?).unwrap_or(usize::MAX);
        let room = self.max_pages.saturating_sub(counted);
        if paths.len() > room {
            let known = known.among(domain, Some(day), paths).await?;
            let mut new: Vec<_> = paths.iter().filter(|path| !known.contains(&***path)).collect();
            new.sort_unstable();
            refused.extend(new.into_iter().skip(room).map(|path| (domain.clone(), day, path.clone())));
        }
        Ok(self.max_pages - room)
    }
}

/// Returns the rows, with the refused pages of each day counted together.
fn folded(rows: &[(VisitKey, u64)], refused: &HashSet<(DomainId, Day, Arc<str>)>) -> Vec<(VisitKey, u64)> {
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
    use crate::model::day_of;
    use crate::spool::Counts;
    use crate::stores::tests::{domains, key};
    use crate::stores::{ClickHouseStore, DatabaseStore, VisitStore};
    use crate::sums::Scope;
    use crate::testing::*;
    use domains::Domain;
    use platform::config::ClickHouseUrl;

    fn rows(domain: &Domain, day: Day, paths: &[&str]) -> Vec<(VisitKey, u64)> {
        let row = |path: &&str| (VisitKey { domain: domain.id.clone(), ..key(day, path) }, 1);
        paths.iter().map(row).collect()
    }

    /// Returns the counted pages with their visits.
    async fn counted(store: &dyn VisitStore, domain: &Domain, day: Day) -> Vec<(String, u64)> {
        let mut pages: BTreeMap<String, u64> = BTreeMap::new();
        for (key, count) in store.rows(&domain.id, day).await.unwrap() {
            *pages.entry(key.path.to_string()).or_default() += count;
        }
        pages.into_iter().collect()
    }

    /// Runs a test with stores of both databases and of ClickHouse that have these limits. Each call of the function that the
    /// test gets makes the store of another process.
    async fn on_each_store(
        max_pages: usize,
        max_paths: u64,
        test: impl AsyncFn(&TestApp, &Domain, &dyn Fn() -> Box<dyn VisitStore>),
    ) {
        TestApp::on_each_engine(async |app| {
            let (domain, _) = domains(&app).await;
            let platform = &app.state.platform;
            let new = || {
                let store = DatabaseStore::new(&platform.db, &platform.clock).bounded(max_pages, max_paths);
                Box::new(store) as Box<dyn VisitStore>
            };
            test(&app, &domain, &new).await;
        })
        .await;
        let (app, url) =
            (TestApp::new().await, clickhouse_database().await.parse::<ClickHouseUrl>().unwrap());
        let (domain, platform) = (domains(&app).await.0, &app.state.platform);
        let new = || {
            let store = ClickHouseStore::new(url.clone(), &platform.db, &platform.clock);
            Box::new(store.bounded(max_pages, max_paths)) as Box<dyn VisitStore>
        };
        test(&app, &domain, &new).await;
    }

    fn counts(pages: Vec<(VisitKey, u64)>) -> Counts {
        Counts { pages, ..Counts::default() }
    }

    fn page(path: &str, visits: u64) -> (String, u64) {
        (path.to_owned(), visits)
    }

    #[tokio::test]
    async fn new_pages_beyond_the_bound_of_a_day_are_counted_together() {
        on_each_store(3, 1_000, async |_, domain, store| {
            let (first, second, today) = (store(), store(), day_of(NOON));
            let counts = |day: Day, paths: &[&str]| counts(rows(domain, day, paths));

            first.apply("1", &counts(today, &["/a", "/b"])).await.unwrap();
            first.apply("2", &counts(today, &["/a", "/c", "/d", "/e"])).await.unwrap();
            first.apply("3", &counts(today - 1, &["/x"])).await.unwrap();
            first.apply("4", &counts(today, &["/f", "/c"])).await.unwrap();
            second.apply("5", &counts(today, &["/b", "/g"])).await.unwrap();

            let expected = [page("(other)", 4), page("/a", 2), page("/b", 2), page("/c", 2)];
            assert_eq!(counted(&*first, domain, today).await, expected);
            assert_eq!(counted(&*first, domain, today - 1).await, [page("/x", 1)]);
            let pages = first.count_pages(&domain.id, (today, today), Scope::WithOrigin).await.unwrap();
            assert_eq!((pages.visited, pages.new), (3, 3));
        })
        .await;
    }

    #[tokio::test]
    async fn errors_make_a_page_only_for_verified_crawlers() {
        on_each_store(1_000, 1_000, async |_, domain, store| {
            let (store, today) = (store(), day_of(NOON));
            let failed = |paths: &[&str], verified| {
                let failed = |(key, n): (VisitKey, u64)| (VisitKey { status: 404, verified, ..key }, n);
                rows(domain, today, paths).into_iter().map(failed).collect::<Vec<_>>()
            };

            store.apply("1", &counts(rows(domain, today - 1, &["/old"]))).await.unwrap();
            let unknown = failed(&["/made-up", "/old", "/new"], Verified::Unknown);
            store.apply("2", &counts([unknown, rows(domain, today, &["/new"])].concat())).await.unwrap();
            store.apply("3", &counts(failed(&["/gone"], Verified::Yes))).await.unwrap();
            store.apply("4", &counts(failed(&["/gone", "/made-up-too"], Verified::Unknown))).await.unwrap();

            let expected = [page("(other)", 2), page("/gone", 2), page("/new", 2), page("/old", 1)];
            assert_eq!(counted(&*store, domain, today).await, expected);
        })
        .await;
    }

    #[tokio::test]
    async fn a_domain_with_all_the_paths_it_may_have_gets_no_new_ones_until_some_expire() {
        on_each_store(1_000, 3, async |_, domain, store| {
            let today = day_of(NOON);
            let counts = |day: Day, paths: &[&str]| counts(rows(domain, day, paths));

            store().apply("1", &counts(today - 500, &["/old"])).await.unwrap();
            store().apply("2", &counts(today, &["/a", "/b"])).await.unwrap();
            store().apply("3", &counts(today, &["/c", "/a"])).await.unwrap();
            let full = counted(&*store(), domain, today).await;
            store().delete_before(today).await.unwrap();
            store().apply("4", &counts(today, &["/d"])).await.unwrap();

            assert_eq!(full, [page("(other)", 1), page("/a", 2), page("/b", 1)]);
            let now = counted(&*store(), domain, today).await;
            assert_eq!(now, [page("(other)", 1), page("/a", 2), page("/b", 1), page("/d", 1)]);
        })
        .await;
    }
}
