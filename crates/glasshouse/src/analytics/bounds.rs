//! How many different pages of a day are counted each: a crawler that invents addresses must not fill the database. The
//! pages beyond are counted together. Used wherever counts enter the database. See
//! docs/decisions/0216.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use store::{Conn, DbError};

use super::model::{Day, OTHER_PATHS, VisitKey};
use super::queries;
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
}

impl KnownPages for Conn {
    type Error = DbError;

    async fn count(&mut self, domain: &DomainId, day: Day, most: usize) -> Result<usize, DbError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let open = queries::segments::count_open_pages(self, domain, day, most).await?;
        Ok(usize::try_from(open).unwrap_or(usize::MAX))
    }

    async fn among(
        &mut self,
        domain: &DomainId,
        day: Day,
        paths: &HashSet<Arc<str>>,
    ) -> Result<HashSet<String>, DbError> {
        queries::segments::list_open_among(self, domain, day, paths).await
    }
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
    use super::*;
    use crate::accounts::Plan;
    use crate::analytics::model::{ServedBy, Verified, day_of};
    use crate::domains::Domain;
    use crate::testing::{NOON, TestApp};

    async fn shop(app: &TestApp) -> Domain {
        let account = app.account("a@x.example", Plan::Business).await;
        app.domain(&account, "shop.example").await
    }

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

    async fn count(app: &TestApp, bounds: &mut PageBounds, rows: &[(VisitKey, u64)]) {
        let mut tx = app.state.platform.db.write().await.unwrap();
        let rows = bounds.fold(&mut *tx, rows).await.unwrap();
        queries::add_counts(&mut tx, &rows, &[]).await.unwrap();
        tx.commit().await.unwrap();
    }

    #[tokio::test]
    async fn new_pages_beyond_the_bound_of_a_day_are_counted_together() {
        TestApp::on_each_engine(async |app| {
            let (domain, today) = (shop(&app).await, day_of(NOON));
            let mut bounds = PageBounds::new(3);

            count(&app, &mut bounds, &rows(&domain, today, &["/a", "/b"])).await;
            count(&app, &mut bounds, &rows(&domain, today, &["/e", "/a", "/d", "/c"])).await;
            count(&app, &mut bounds, &rows(&domain, today - 1, &["/x"])).await;
            // Another process finds the day full.
            count(&app, &mut PageBounds::new(3), &rows(&domain, today, &["/f", "/b"])).await;

            let visits = app.visits().await;
            let mut counted: Vec<_> = visits.iter().map(|row| (row.path.as_str(), row.visits)).collect();
            counted.sort_unstable();
            assert_eq!(counted, [("(other)", 3), ("/a", 2), ("/b", 2), ("/c", 1), ("/x", 1)]);
        })
        .await;
    }
}
