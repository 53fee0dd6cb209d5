//! The service's part in the reports about crawlers and in the export: reads the counts and hands them over.

use std::collections::HashMap;

use crawler::robots::Robots;
use store::DbError;

use super::crawl_report::{self, CrawlerCount, CrawlerDays, ForbiddenVisits, PageError};
use super::export::{self, ExportRow};
use super::model::Day;
use super::queries;
use super::referrals::ReferralCount;
use super::segments::window::WindowVisits;
use super::service::Analytics;
use crate::domains::DomainId;

impl Analytics {
    /// Every crawler that came in a window.
    pub async fn crawlers(
        &self,
        domain: &DomainId,
        window: (Day, Day),
    ) -> Result<Vec<CrawlerCount>, DbError> {
        let mut conn = self.db.read().await?;
        let days: Vec<CrawlerDays> = queries::list_crawler_days(&mut conn, domain, window).await?;
        let seen: HashMap<String, (Day, Day)> = queries::list_crawlers_seen(&mut conn, domain).await?;
        drop(conn);
        self.of_window(domain, window, None, move |visits| crawl_report::crawlers(&days, &seen, visits)).await
    }

    /// What crawlers got errors for: so many rows at most, and how many there are.
    pub async fn errors(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        most: usize,
    ) -> Result<(Vec<PageError>, usize), DbError> {
        self.of_window(domain, window, None, move |visits| crawl_report::errors(visits, most)).await
    }

    /// Visits that these rules forbid: so many rows at most, and how many there are.
    pub async fn forbidden(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        rules: Robots,
        most: usize,
    ) -> Result<(Vec<ForbiddenVisits>, usize), DbError> {
        self.of_window(domain, window, None, move |visits| crawl_report::forbidden(visits, &rules, most))
            .await
    }

    /// People who came from assistants, by assistant and page; most people first.
    pub async fn referrals(
        &self,
        domain: &DomainId,
        window: (Day, Day),
    ) -> Result<Vec<ReferralCount>, DbError> {
        let mut conn = self.db.read().await?;
        let mut rows = queries::referrals::list_referrals(&mut conn, domain, window).await?;
        rows.sort_unstable_by(|a, b| {
            b.count.cmp(&a.count).then_with(|| (&a.path, &a.assistant).cmp(&(&b.path, &b.assistant)))
        });
        Ok(rows)
    }

    /// Every row of a day, impostors' too.
    pub async fn export_day(&self, domain: &DomainId, day: Day) -> Result<Vec<ExportRow>, DbError> {
        self.of_window(domain, (day, day), None, export::rows).await
    }

    /// The part of a window of which visits may be kept by page.
    pub fn kept_days(&self, (from, to): (Day, Day)) -> (Day, Day) {
        (from.max(self.first_kept_day()), to.min(self.today()))
    }

    /// Makes a report of the visits of a window, off the runtime's threads and not too many at once. With a path, those of
    /// other pages may be left out.
    pub(super) async fn of_window<T: Send + 'static>(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        path: Option<&str>,
        report: impl FnOnce(&WindowVisits) -> T + Send + 'static,
    ) -> Result<T, DbError> {
        let _slot = self.lists.acquire().await.expect("nobody closes it");
        let visits = self.window_visits(domain, window, path).await?;
        Ok(tokio::task::spawn_blocking(move || report(&visits)).await.expect("a report does not panic"))
    }
}
