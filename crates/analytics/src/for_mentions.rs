//! Visits for AI monitoring, which joins them with the pages that assistants cite: visits of AI crawlers, and people whom
//! assistants sent. Impostors are left out.

use std::collections::HashMap;

use super::crawlers::{Class, CrawlerIndex};
use super::model::Day;
use super::referrals::{ReferralCount, ReferralRows};
use super::service::{Analytics, Scope};
use super::stores::{PageSelection, VisitError};
use super::sums::PageVisits;
use domains::DomainId;

/// Maximum number of rows of assistant and page that are read for the pages with the most people.
const MOST_TOP_ROWS: usize = 1_000;

/// Visits of AI crawlers to one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AiCrawls {
    /// Day of the last visit.
    pub last: Day,
    pub visits: u64,
}

impl Analytics {
    /// Counts the visits of AI crawlers of the last `days` days, by path without query.
    pub async fn ai_crawls(
        &self,
        domain: &DomainId,
        days: u32,
    ) -> Result<HashMap<String, AiCrawls>, VisitError> {
        self.of_pages(domain, self.window(days), Scope::WithOrigin, PageSelection::All, ai_crawls).await
    }

    /// Counts the people whom assistants sent to the pages with the most people, by path without query.
    pub async fn people_of_top_pages(
        &self,
        domain: &DomainId,
        window: (Day, Day),
    ) -> Result<HashMap<String, u64>, VisitError> {
        Ok(by_page(self.store.referrals(domain, window, ReferralRows::Top(MOST_TOP_ROWS)).await?))
    }

    /// Counts the people whom assistants sent to some pages, by path without query.
    pub async fn people_of_pages(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        paths: &[String],
    ) -> Result<HashMap<String, u64>, VisitError> {
        Ok(by_page(self.store.referrals(domain, window, ReferralRows::OfPages(paths)).await?))
    }
}

fn by_page(rows: Vec<ReferralCount>) -> HashMap<String, u64> {
    let mut pages: HashMap<String, u64> = HashMap::new();
    for row in rows {
        *pages.entry(row.path).or_default() += row.count;
    }
    pages
}

fn ai_crawls(visits: Vec<PageVisits>) -> HashMap<String, AiCrawls> {
    let is_ai = |crawler: &str| {
        let class = CrawlerIndex::shared().find(crawler).map(|crawler| crawler.class);
        matches!(class, Some(Class::LlmTraining | Class::LlmSearch | Class::LlmUser))
    };
    let crawls = |page: PageVisits| {
        let sums = page.sums.iter().filter(|sum| is_ai(&sum.kind.crawler));
        let last = sums.clone().map(|sum| sum.last).max()?;
        Some((page.path.to_string(), AiCrawls { last, visits: sums.map(|sum| sum.visits).sum() }))
    };
    visits.into_iter().filter_map(crawls).collect()
}
