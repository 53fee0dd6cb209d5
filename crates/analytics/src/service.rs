//! Crawler visits: the reports, the public tokens that open them, and deletion.
//! Used by the handlers, by cache refresh (for the pages with the most visits) and by the removal of domains. Must never count
//! a visit: that is [`super::ingest`].
//! See docs/decisions/0036.

use std::sync::Arc;
use std::time::Duration;

use store::{Db, DbError};
use tokio::sync::Semaphore;

use super::model::{Day, Verified, counted_path, day_of, start_of};
use super::queries;
use super::report::{self, Bots, CrawlerVisits, Daily, DayCount, Summary, Times, WindowInfo};
use super::stores::{PageSelection, VisitError, VisitStore};
use super::sums::{DayTotal, PageVisits};
use accounts::keys::{KeyHash, KeyKind, NewKey, is_well_formed};
use domains::DomainId;
use platform::Platform;
use platform::clock::{Clock, Timestamp};

pub use super::sums::Scope;

/// Maximum number of days that a report may look back at.
pub const MAX_DAYS: u32 = 180;
/// Days that a report looks back at by default.
pub const DEFAULT_DAYS: u32 = 30;

/// Maximum number of days whose visits are deleted in one run of the hourly job. With a right clock one day a day is due.
/// See docs/decisions/0181.
const DELETED_AT_ONCE: Day = 3;

/// Time for which a pushed log with an idempotency key counts once.
const PUSHES_KNOWN_FOR: Duration = Duration::from_secs(24 * 3600);

/// Maximum number of lists of all pages that are made at once: one may take a hundred megabytes.
const LISTS_AT_ONCE: usize = 4;

/// Crawler visits. Cheap to clone.
#[derive(Clone)]
pub struct Analytics {
    /// Database with the public tokens.
    db: Db,
    pub(super) store: Arc<dyn VisitStore>,
    clock: Clock,
    /// Number of days for which visits are kept by page.
    keep_days: u32,
    /// Permits of reports that read whole windows.
    pub(super) lists: Arc<Semaphore>,
}

/// State of a public token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenState {
    /// The token was never made.
    Unknown,
    /// The token opened this domain, and was replaced or switched off.
    Ended(DomainId),
    /// The token opens this domain.
    Opens(DomainId),
}

impl Analytics {
    /// Makes the service for the visits of a store.
    pub fn new(platform: &Platform, store: Arc<dyn VisitStore>) -> Analytics {
        Analytics {
            db: platform.db.clone(),
            store,
            clock: platform.clock.clone(),
            keep_days: platform.config.analytics.keep_days,
            lists: Arc::new(Semaphore::new(LISTS_AT_ONCE)),
        }
    }

    /// Returns the last `days` days, today included.
    pub fn window(&self, days: u32) -> (Day, Day) {
        let today = self.today();
        (today - i64::from(days) + 1, today)
    }

    /// Returns the current UTC day.
    pub fn today(&self) -> Day {
        day_of(self.clock.now())
    }

    /// Returns the first day of which visits are kept by page.
    pub(super) fn first_kept_day(&self) -> Day {
        self.today() - i64::from(self.keep_days) + 1
    }

    /// Returns the last `days` days in the form of a report.
    pub fn window_info(&self, days: u32) -> WindowInfo {
        WindowInfo { days, from: start_of(self.window(days).0), to: self.clock.now() }
    }

    /// Reports visits by page, of one page or of the pages whose path contains `search`.
    pub async fn bots(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        path: Option<&str>,
        search: Option<String>,
        scope: Scope,
    ) -> Result<Bots, VisitError> {
        // Paths are recorded without query and fragment.
        let path = path.map(|path| counted_path(path.split(['?', '#']).next().unwrap_or_default()));
        let search = search.map(|text| text.to_lowercase());
        let list = move |mut visits: Vec<PageVisits>| {
            visits.retain(|page| search.as_ref().is_none_or(|text| page.contains(text)));
            report::bots(&visits)
        };
        let pages = path.as_deref().map_or(PageSelection::All, PageSelection::One);
        self.of_pages(domain, window, scope, pages, list).await
    }

    /// Reports visits by day.
    pub async fn daily(&self, domain: &DomainId, days: u32, scope: Scope) -> Result<Daily, VisitError> {
        let window = self.window(days);
        Ok(report::daily(&self.days(domain, window, scope).await?, window))
    }

    /// Reports a summary of visits.
    pub async fn summary(&self, domain: &DomainId, days: u32, scope: Scope) -> Result<Summary, VisitError> {
        let window = self.window(days);
        let counts = self.days(domain, window, scope).await?;
        let pages = self.store.count_pages(domain, window, scope).await?;
        let times = self.times(domain, window).await?;
        Ok(report::summary(&counts, (pages.visited, pages.new), &times))
    }

    /// Reads the durations of answers: those of the window, or of all kept days when the window has no renders.
    pub(super) async fn times(&self, domain: &DomainId, window: (Day, Day)) -> Result<Times, VisitError> {
        let times = Times::of(&self.store.times(domain, window).await?);
        match times.render.is_empty() {
            true => Ok(Times::of(&self.store.times(domain, (0, Day::MAX)).await?)),
            false => Ok(times),
        }
    }

    /// Reports visits of one page.
    pub async fn page(
        &self,
        domain: &DomainId,
        path: &str,
        days: u32,
        scope: Scope,
    ) -> Result<CrawlerVisits, VisitError> {
        let path = counted_path(path);
        let visits = self.store.pages(domain, self.window(days), scope, PageSelection::One(&path)).await?;
        Ok(report::page(&visits))
    }

    /// Deletes visits by page of days that are too long ago, a few days at a time: if the clock is wrong, operators
    /// have time to read the warning. Forgets logs that were pushed a day ago.
    pub async fn delete_old_visits(&self) -> Result<(), VisitError> {
        let first_kept = self.first_kept_day();
        let first = self.store.first_day().await?.unwrap_or(first_kept);
        let before = first_kept.min(first + DELETED_AT_ONCE);
        if before < first_kept {
            let (days, today) = (first_kept - first, start_of(self.today()).day());
            tracing::warn!(
                days,
                %today,
                "more days of visits than usual are older than analytics.keep_days: some are deleted now, others later. Is the clock right?"
            );
        }
        self.store.delete_before(before).await?;
        let mut tx = self.db.write().await?;
        let pushed_before = self.clock.now().minus(PUSHES_KNOWN_FOR);
        queries::imports::forget_pushes_before(&mut tx, pushed_before).await?;
        Ok(tx.commit().await?)
    }

    /// Makes the public token of a domain. An earlier token ends.
    pub async fn create_token(&self, domain: &DomainId) -> Result<NewKey, DbError> {
        let token = NewKey::generate(KeyKind::Stats);
        let mut tx = self.db.write().await?;
        let (hash, now) = (token.hash().to_hex(), self.clock.now());
        queries::tokens::lock(&mut tx, domain).await?;
        queries::tokens::insert_token(&mut tx, domain, &hash, token.last4(), now).await?;
        tx.commit_durably().await?;
        Ok(token)
    }

    /// Switches the public token of a domain off. Returns false when there was none.
    pub async fn revoke_token(&self, domain: &DomainId) -> Result<bool, DbError> {
        let mut tx = self.db.write().await?;
        let revoked = queries::tokens::revoke_token(&mut tx, domain, self.clock.now()).await?;
        tx.commit_durably().await?;
        Ok(revoked)
    }

    /// Returns the last four characters of a domain's public token, and the time at which the token was made.
    pub async fn find_token_of(&self, domain: &DomainId) -> Result<Option<(String, Timestamp)>, DbError> {
        queries::tokens::find_token_of(&mut self.db.read().await?, domain).await
    }

    /// Finds the state of a public token that a client presents.
    pub async fn open_token(&self, text: &str) -> Result<TokenState, DbError> {
        if !is_well_formed(KeyKind::Stats, text) {
            return Ok(TokenState::Unknown);
        }
        let hash = KeyHash::of(text).to_hex();
        Ok(match queries::tokens::find_token(&mut self.db.read().await?, &hash).await? {
            None => TokenState::Unknown,
            Some((domain, false)) => TokenState::Ended(domain),
            Some((domain, true)) => TokenState::Opens(domain),
        })
    }

    /// Deletes everything that is kept of a domain.
    pub async fn forget_domain(&self, domain: &DomainId) -> Result<(), VisitError> {
        let mut tx = self.db.write().await?;
        queries::tokens::delete_tokens(&mut tx, domain).await?;
        tx.commit().await?;
        self.store.forget_domain(domain).await
    }

    /// Reads the visits in scope by day, crawler and source of the answer.
    pub(super) async fn days(
        &self,
        domain: &DomainId,
        window: (Day, Day),
        scope: Scope,
    ) -> Result<Vec<DayCount>, VisitError> {
        Ok(day_counts(&self.store.totals(domain, window).await?, scope))
    }
}

/// Selects the visits in scope.
pub(super) fn day_counts(totals: &[DayTotal], scope: Scope) -> Vec<DayCount> {
    let counted = totals.iter().filter(|total| scope.counts(&total.kind));
    let count = |total: &DayTotal| DayCount {
        day: total.day,
        crawler: total.kind.crawler.clone(),
        served: total.kind.served,
        visits: total.visits,
    };
    counted.map(count).collect()
}

/// Selects the visits of impostors, by day; a day may come twice.
pub(super) fn spoofed_days(totals: &[DayTotal]) -> Vec<(Day, u64)> {
    let spoofed = totals.iter().filter(|total| total.kind.verified == Verified::No);
    spoofed.map(|total| (total.day, total.visits)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use platform::plans::Plan;

    async fn shop(app: &TestApp) -> DomainId {
        let account = app.account("a@x.example", Plan::Business).await;
        app.domain(&account, "shop.example").await.id
    }

    #[tokio::test]
    async fn of_tokens_that_are_made_at_once_one_opens_the_domain() {
        TestApp::on_each_engine(async |app| {
            let (domain, analytics) = (shop(&app).await, &app.state.analytics);

            let made = futures::future::join_all((0..8).map(|_| analytics.create_token(&domain))).await;

            let mut open = 0;
            for token in made {
                let state = analytics.open_token(token.unwrap().reveal()).await.unwrap();
                open += usize::from(state == TokenState::Opens(domain.clone()));
            }
            assert_eq!(open, 1);
        })
        .await;
    }
}
