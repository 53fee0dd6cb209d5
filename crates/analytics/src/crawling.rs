//! Reports about crawlers, and the export: reading of the counts from the store.

use std::time::Duration;

use crawler::robots::Robots;

use super::crawl_report::{self, CrawlerCount, CrawlerFacts, ForbiddenVisits, PageError};
use super::export::{self, ExportRow};
use super::model::Day;
use super::pages::{self, CrawledPage, PageQuestion};
use super::policy::{PolicyRow, policy_rows};
use super::referrals::{ReferralCount, ReferralRows, ReferralTotals};
use super::service::{Analytics, Scope, day_counts, spoofed_days};
use super::stores::{PageSelection, VisitError};
use super::sums::PageVisits;
use super::timeline::{self, Timeline, TimelineBy};
use domains::DomainId;

/// Time that a report waits for a permit.
const PATIENCE: Duration = Duration::from_secs(10);

impl Analytics {
    /// Lists the crawlers with visits in a window.
    pub async fn crawlers(
        &self,
        domain: &DomainId,
        window: (Day, Day),
    ) -> Result<Vec<CrawlerCount>, VisitError> {
        let facts = CrawlerFacts { totals: self.store.totals(domain, (Day::MIN, Day::MAX)).await?, window };
        let report = move |visits: Vec<PageVisits>| crawl_report::crawlers(&facts, &visits);
        self.of_pages(domain, window, Scope::WithOrigin, PageSelection::All, report).await
    }

    /// Lists visits with errors by page and status, `most` rows at most. Returns the number of all rows too.
    pub async fn errors(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        most: usize,
    ) -> Result<(Vec<PageError>, usize), VisitError> {
        let report = move |visits: Vec<PageVisits>| crawl_report::errors(&visits, most);
        self.of_pages(domain, window, Scope::WithOrigin, PageSelection::Failed, report).await
    }

    /// Lists visits that these rules forbid, `most` rows at most. Returns the number of all rows too.
    pub async fn forbidden(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        rules: Robots,
        most: usize,
    ) -> Result<(Vec<ForbiddenVisits>, usize), VisitError> {
        let report = move |visits: Vec<PageVisits>| crawl_report::forbidden(&visits, &rules, most);
        self.of_pages(domain, window, Scope::WithOrigin, PageSelection::All, report).await
    }

    /// Sums up the people who came from assistants.
    pub async fn referral_totals(
        &self,
        domain: &DomainId,
        window: (Day, Day),
    ) -> Result<ReferralTotals, VisitError> {
        self.store.referral_totals(domain, window).await
    }

    /// Lists people who came from assistants, by assistant and page: `most` rows at most, most people first.
    pub async fn referrals(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        most: usize,
    ) -> Result<Vec<ReferralCount>, VisitError> {
        let mut rows = self.store.referrals(domain, window, ReferralRows::Top(most)).await?;
        rows.sort_unstable_by(|a, b| {
            b.count.cmp(&a.count).then_with(|| (&a.path, &a.assistant).cmp(&(&b.path, &b.assistant)))
        });
        Ok(rows)
    }

    /// Returns the visits of each of the last days, grouped as requested, and those of impostors.
    pub async fn timeline(
        &self,
        domain: &DomainId,
        days: u32,
        by: TimelineBy,
    ) -> Result<Timeline, VisitError> {
        let window = self.window(days);
        let totals = self.store.totals(domain, window).await?;
        let counts = day_counts(&totals, Scope::WithOrigin);
        Ok(timeline::timeline(by, &counts, &spoofed_days(&totals), window))
    }

    /// Lists refusals by a domain's crawler policy in the last days, by crawler and action, most refusals first.
    pub async fn policy(&self, domain: &DomainId, days: u32) -> Result<Vec<PolicyRow>, VisitError> {
        let window = self.window(days);
        Ok(policy_rows(&self.store.refusals(domain, window).await?, window))
    }

    /// Lists the requested pages of a window, and counts all that match. `stored` are the paths that have a snapshot.
    pub async fn pages(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        question: PageQuestion,
        stored: Vec<String>,
    ) -> Result<(Vec<CrawledPage>, usize), VisitError> {
        let first = self.store.list_first_days(domain).await?;
        let report = move |visits: Vec<PageVisits>| pages::pages(&question, &visits, &first, &stored, window);
        self.of_pages(domain, window, Scope::WithOrigin, PageSelection::All, report).await
    }

    /// Lists every row of a day, impostors' included.
    pub async fn export_day(&self, domain: &DomainId, day: Day) -> Result<Vec<ExportRow>, VisitError> {
        Ok(export::rows(self.store.rows(domain, day).await?))
    }

    /// Returns the part of a window of which visits may be kept by page.
    pub fn kept_days(&self, (from, to): (Day, Day)) -> (Day, Day) {
        (from.max(self.first_kept_day()), to.min(self.today()))
    }

    /// Makes a report of the visits of a window by page, in the order of their paths, on a blocking thread. The number of
    /// concurrent reports is limited.
    pub(super) async fn of_pages<T: Send + 'static>(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        scope: Scope,
        pages: PageSelection<'_>,
        report: impl FnOnce(Vec<PageVisits>) -> T + Send + 'static,
    ) -> Result<T, VisitError> {
        let turn = tokio::time::timeout(PATIENCE, self.lists.acquire()).await;
        let _turn = turn.map_err(|_| VisitError::Busy)?.expect("nobody closes it");
        let mut visits = self.store.pages(domain, window, scope, pages).await?;
        let made = tokio::task::spawn_blocking(move || {
            visits.sort_unstable_by(|a, b| a.path.cmp(&b.path));
            report(visits)
        });
        Ok(made.await.expect("a report does not panic"))
    }
}
