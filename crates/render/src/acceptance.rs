//! Acceptance of rendered pages: stores a page as the snapshot, holds it back until a second render agrees, or discards it.
//! Used by the render task. Must never let a render replace the result of a render that was started later, nor a worse
//! page replace a good snapshot.

use std::time::Duration;

use crawler::errors::one_line;
use crawler::url::without_query;
use store::DbError;

use super::cache::{CacheError, DurableTier};
use super::listed_facts::ListedFacts;
use super::model::{CONFIRM_AFTER, RenderPurpose, RenderedPage, is_gone};
use super::outcome::RenderOrder;
use super::queries::{PageId, SnapshotRow, Stored};
use super::text::count_visible_chars;
use platform::clock::{Clock, Timestamp};

/// Time for which a held-back render counts as the first of two that agree.
const SUSPICION_KEPT: Duration = Duration::from_secs(24 * 3600);
/// Pause after the first failed re-render, doubled after each further failure.
const FIRST_PAUSE: Duration = Duration::from_secs(60);
/// Longest pause between failed re-renders.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
/// Maximum length of a stored error text, in characters.
const MAX_ERROR_CHARS: usize = 500;

/// Result of accepting a rendered page: whether the page is the snapshot now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotUpdate {
    Yes,
    /// The page has less content than the stored one, and is not stored until a second render agrees.
    HeldBack,
    /// The page may not be stored or is outdated, or a store failed.
    No,
}

pub struct Acceptance {
    durable: DurableTier,
    clock: Clock,
}

impl Acceptance {
    pub fn new(durable: DurableTier, clock: Clock) -> Acceptance {
        Acceptance { durable, clock }
    }

    /// Stores a page, or returns why not. A failure to store a page does not fail the request for it.
    pub async fn keep(
        &self,
        order: &RenderOrder<'_>,
        (generation, token): (i64, &str),
        made: &RenderedPage,
        facts: &ListedFacts,
        render_ms: u64,
    ) -> Result<SnapshotUpdate, DbError> {
        let RenderOrder { site, page, id, purpose, .. } = *order;
        if !made.is_storable() {
            return self.refuse(id, token, &made.describe_unstored()).await;
        }
        if purpose == RenderPurpose::Look && made.status >= 400 {
            self.durable.end(id, token).await?;
            return Ok(SnapshotUpdate::No);
        }
        if matches!(purpose, RenderPurpose::Background | RenderPurpose::Refresh | RenderPurpose::Look)
            && self.is_suspicious(id, made).await?
        {
            self.durable.end(id, token).await?;
            return Ok(SnapshotUpdate::HeldBack);
        }
        // A page that is gone (404, 410) is rendered again only on request.
        let due_at = (!is_gone(made.status)).then(|| made.created_at.plus(page.refresh_interval));
        let url = page.url.as_str();
        let of_page = (site, facts, render_ms);
        match self.durable.store(id, (generation, token), url, (made, due_at), of_page).await {
            Ok(Stored::Yes { .. }) => Ok(SnapshotUpdate::Yes),
            // The client asked before the later render began, so it still gets this page.
            Ok(Stored::Outdated) => Ok(SnapshotUpdate::No),
            Err(error) => {
                // `StoreOutage` logs an outage of the object store, once a minute.
                if !matches!(error, CacheError::Blobs(_)) {
                    tracing::error!(error = %one_line(&error), url = without_query(&page.url), "a render could not be stored");
                }
                // If the database failed, the lease expires by itself.
                let _ = self.durable.end(id, token).await;
                Ok(SnapshotUpdate::No)
            }
        }
    }

    /// Records why a render is not stored, and releases the lease on the page.
    pub async fn refuse(&self, id: &PageId, token: &str, reason: &str) -> Result<SnapshotUpdate, DbError> {
        self.record_failure(id, reason).await?;
        self.durable.end(id, token).await?;
        Ok(SnapshotUpdate::No)
    }

    /// Decides whether a render has less content than the good stored page, and no render at least `CONFIRM_AFTER` earlier had
    /// less content too. Records the time of the first such render.
    async fn is_suspicious(&self, id: &PageId, made: &RenderedPage) -> Result<bool, DbError> {
        let Some(stored) = self.durable.find_row(id).await? else { return Ok(false) };
        if !is_less(&stored, made) {
            return Ok(false);
        }
        let now = self.clock.now();
        let suspected = stored.suspect_at.map(Timestamp::from_millis);
        let suspected = suspected.filter(|at| now.since(*at) < SUSPICION_KEPT);
        if suspected.is_some_and(|at| now.since(at) >= CONFIRM_AFTER) {
            return Ok(false);
        }
        let since = suspected.unwrap_or(now);
        self.durable.record_suspect(id, since, since.plus(CONFIRM_AFTER)).await?;
        Ok(true)
    }

    /// Records the failure in the snapshot's row, if there is one, with a growing pause before the next attempt.
    pub async fn record_failure(&self, id: &PageId, error: &str) -> Result<(), DbError> {
        let Some(row) = self.durable.find_row(id).await? else { return Ok(()) };
        let error: String = error.chars().take(MAX_ERROR_CHARS).collect();
        let failures = row.failures.saturating_add(1);
        let retry_at = self.clock.now().plus(pause_after(failures));
        self.durable.record_failure(id, &error, failures, retry_at).await
    }
}

/// Decides whether a page has less content than a stored page with status 200: another status, or less than a tenth of the text.
fn is_less(stored: &SnapshotRow, made: &RenderedPage) -> bool {
    if stored.status != 200 {
        return false;
    }
    let before = stored.text_chars.unsigned_abs();
    made.status != 200
        || count_visible_chars(&String::from_utf8_lossy(&made.html)).saturating_mul(10) < before
}

fn pause_after(failures: i64) -> Duration {
    let doublings = u32::try_from(failures.saturating_sub(1)).unwrap_or(0).min(16);
    FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_between_failing_renders_grows_to_an_hour() {
        let minutes = |failures| pause_after(failures).as_secs() / 60;

        assert_eq!([1, 2, 3, 6, 7, 1000].map(minutes), [1, 2, 4, 32, 60, 60]);
    }
}
