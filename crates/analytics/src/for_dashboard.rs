//! Visits for the dashboard's overview and its list of sites: sums of many domains in one read, and numbers of one domain.
//! Impostors are left out.

use std::collections::{BTreeMap, HashSet};

use super::crawl_report::crawlers_seen;
use super::model::Day;
use super::report::{self, DayCount};
use super::service::{Analytics, Scope};
use super::stores::VisitError;
use super::timeline::{self, Timeline, TimelineBy};
use domains::DomainId;

/// Visits of one domain on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainDay {
    pub domain: DomainId,
    pub day: Day,
    /// Number of visits, those that the origin answered included.
    pub visits: u64,
    /// Number of visits that were answered with a snapshot.
    pub served: u64,
    /// Number of visits that were answered with a status of 400 and above.
    pub failed: u64,
}

/// Crawler visits of one domain in a window, and in the window before.
#[derive(Debug)]
pub struct VisitsOverview {
    /// Visits by kind of crawler for every day of the window.
    pub timeline: Timeline,
    /// Number of crawlers that came.
    pub crawlers: u64,
    /// Number of pages that they asked for.
    pub pages: u64,
    /// Number of visits in as many days before. None: visits were not counted on all of those days.
    pub previous: Option<u64>,
    /// Share of the visits with a snapshot that were served from cache, in percent with one decimal.
    pub cache_percent: f64,
    /// Number of visits served from cache.
    pub cache_hits: u64,
    /// Time that the cache saved crawlers, in minutes with one decimal.
    pub minutes_saved: f64,
}

/// First visit of a crawler, or first visits to pages, on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstVisit {
    /// Id of the crawler.
    Crawler(String),
    /// Number of pages that no crawler had asked for before.
    Pages(u64),
}

impl Analytics {
    /// Sums up the visits of some domains by day. Days without visits are left out.
    pub async fn days_of_domains(
        &self,
        domains: &[DomainId],
        window: (Day, Day),
    ) -> Result<Vec<DomainDay>, VisitError> {
        if domains.is_empty() {
            return Ok(Vec::new());
        }
        self.store.days_of_domains(domains, window).await
    }

    /// Lists the domains whose visits have been counted since a day: those with a visit on that day or before.
    pub async fn counted_since(
        &self,
        domains: &[DomainId],
        day: Day,
    ) -> Result<HashSet<DomainId>, VisitError> {
        if domains.is_empty() {
            return Ok(HashSet::new());
        }
        let first = self.store.first_days_of_domains(domains).await?;
        Ok(first.into_iter().filter(|(_, first)| *first <= day).map(|(domain, _)| domain).collect())
    }

    /// Decides whether all visits of the `days` days before the last `days` days were counted.
    async fn is_earlier_counted(&self, domain: &DomainId, days: u32) -> Result<bool, VisitError> {
        let day = self.window(days).0 - i64::from(days);
        Ok(!self.counted_since(std::slice::from_ref(domain), day).await?.is_empty())
    }

    /// Sums up the visits of the last `days` days, today included, and of as many before.
    pub async fn visits_overview(&self, domain: &DomainId, days: u32) -> Result<VisitsOverview, VisitError> {
        let (from, to) = self.window(days);
        let counts = self.days(domain, (from - i64::from(days), to), Scope::WithOrigin).await?;
        let (now, before): (Vec<DayCount>, Vec<DayCount>) =
            counts.into_iter().partition(|count| count.day >= from);
        let times = self.times(domain, (from, to)).await?;
        let pages = self.store.count_pages(domain, (from, to), Scope::WithOrigin).await?;
        let crawlers: HashSet<&str> = now.iter().map(|count| count.crawler.as_str()).collect();
        let saved = report::summary(&now, (0, 0), &times).crawl_budget_saved;
        Ok(VisitsOverview {
            crawlers: crawlers.len() as u64,
            pages: pages.visited,
            timeline: timeline::timeline(TimelineBy::Kind, &now, &[], (from, to)),
            previous: self
                .is_earlier_counted(domain, days)
                .await?
                .then(|| before.iter().map(|count| count.visits).sum()),
            cache_percent: saved.percentage,
            cache_hits: saved.cache_hits,
            minutes_saved: saved.minutes_saved,
        })
    }

    /// Counts the people whom assistants sent in the last `days` days, and in as many before. None: people were not counted on
    /// all days before.
    pub async fn people_overview(
        &self,
        domain: &DomainId,
        days: u32,
    ) -> Result<(u64, Option<u64>), VisitError> {
        let (from, to) = self.window(days);
        let before = (from - i64::from(days), from - 1);
        let now = self.store.referral_totals(domain, (from, to)).await?.people;
        let previous = match self.is_earlier_counted(domain, days).await? {
            true => Some(self.store.referral_totals(domain, before).await?.people),
            false => None,
        };
        Ok((now, previous))
    }

    /// Lists the first visits in a window: crawlers, and numbers of pages by day.
    pub async fn first_visits(
        &self,
        domain: &DomainId,
        (from, to): (Day, Day),
    ) -> Result<Vec<(Day, FirstVisit)>, VisitError> {
        let seen = crawlers_seen(&self.store.totals(domain, (Day::MIN, Day::MAX)).await?);
        let mut firsts: Vec<(Day, FirstVisit)> = seen
            .into_iter()
            .filter(|(_, (first, _))| (from..=to).contains(first))
            .map(|(crawler, (first, _))| (first, FirstVisit::Crawler(crawler)))
            .collect();
        let mut pages: BTreeMap<Day, u64> = BTreeMap::new();
        for (_, days) in self.store.list_first_days(domain).await? {
            if (from..=to).contains(&days.any) {
                *pages.entry(days.any).or_default() += 1;
            }
        }
        firsts.extend(pages.into_iter().map(|(day, count)| (day, FirstVisit::Pages(count))));
        firsts.sort_by(|a, b| (a.0, sort_key(&a.1)).cmp(&(b.0, sort_key(&b.1))));
        Ok(firsts)
    }
}

fn sort_key(first: &FirstVisit) -> (bool, &str) {
    match first {
        FirstVisit::Crawler(id) => (false, id),
        FirstVisit::Pages(_) => (true, ""),
    }
}
