//! Everything that is kept of one day, and the first days of pages, as they move to another store.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::DatabaseStore;
use crate::analytics::model::{Day, DayKey, TimeKey, VisitKey};
use crate::analytics::queries;
use crate::analytics::referrals::ReferralKey;
use crate::analytics::segments::first_days::FirstDays;
use crate::analytics::segments::rows::Kind;
use crate::analytics::stores::{Detail, FirstDay, StoredDay, VisitError, VisitStore};
use crate::domains::DomainId;

impl DatabaseStore {
    /// A day's counts, each key once, in their order.
    pub(super) async fn gather_day(&self, domain: &DomainId, day: Day) -> Result<StoredDay, VisitError> {
        let mut stored = StoredDay::default();
        // Pages first: what is counted meanwhile is missing in them, and the next copy sees it.
        let visits = self.window(domain, (day, day), Detail::Rows).await?;
        let pages = visits.rows().map(|(day, page, kind, count)| {
            let (path, crawler) = (visits.pages().path(page).clone(), kind.crawler.clone().into());
            let (verified, served, status) = (kind.verified, kind.served, kind.status);
            (VisitKey { domain: domain.clone(), day, path, crawler, verified, served, status }, count)
        });
        // Late visits of a closed day are rows of their own.
        let mut sums: BTreeMap<VisitKey, u64> = BTreeMap::new();
        pages.for_each(|(key, count)| *sums.entry(key).or_default() += count);
        stored.pages = sums.into_iter().collect();
        let mut conn = self.db.read().await?;
        // Late counts of a closed day too.
        let mut days: BTreeMap<Kind, u64> = BTreeMap::new();
        for (_, kind, visits) in queries::totals::list_day_totals(&mut conn, domain, (day, day)).await? {
            *days.entry(kind).or_default() += visits;
        }
        stored.days = days.into_iter().map(|(kind, visits)| (day_key(domain, day, kind), visits)).collect();
        let times = queries::totals::list_times(&mut conn, domain, (day, day)).await?;
        stored.times.extend(times.into_iter().map(|((served, bucket), count)| {
            (TimeKey { domain: domain.clone(), day, served, bucket }, count)
        }));
        // A day has at most 10,000 pages of each assistant, and those that were counted together.
        let all = usize::MAX;
        for row in queries::referrals::list_top_referrals(&mut conn, domain, (day, day), all).await? {
            let (path, assistant) = (row.path.into(), row.assistant);
            stored.referrals.push((ReferralKey { domain: domain.clone(), day, path, assistant }, row.count));
        }
        Ok(stored.sorted())
    }

    /// When each path was visited first.
    pub(super) async fn gather_first_days(&self, domain: &DomainId) -> Result<Vec<FirstDay>, VisitError> {
        let mut conn = self.db.read().await?;
        let (numbered, by_path) = queries::first_days::find_first_days(&mut conn, domain).await?;
        // After the days: it knows all their numbers.
        let table = self.tables.find(&mut conn, domain, u32::ge).await?;
        let path = |(number, days)| Some((table.path(number)?.clone(), days));
        let mut first: HashMap<Arc<str>, FirstDays> = numbered.into_iter().filter_map(path).collect();
        for (path, days) in by_path {
            first.entry(path.into()).or_insert(days).take_earlier(days);
        }
        Ok(first.into_iter().collect())
    }
}

fn day_key(domain: &DomainId, day: Day, kind: Kind) -> DayKey {
    let Kind { crawler, verified, served, status } = kind;
    DayKey { domain: domain.clone(), day, crawler: crawler.into(), verified, served, status_class: status }
}
