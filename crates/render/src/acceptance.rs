//! What is done with a rendered page: whether it becomes the snapshot, waits for a second render that agrees, or is not
//! kept. Used by the render task. Must never let a render that was started earlier replace a later one's result, nor a
//! good snapshot become a worse one.

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

/// After how long an earlier suspicion no longer counts as the first of two renders.
const SUSPICION_KEPT: Duration = Duration::from_secs(24 * 3600);
/// Pause after the first failed re-render; doubled with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(60);
/// Longest pause between failing re-renders.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
/// What is kept of an error's text.
const MAX_ERROR_CHARS: usize = 500;

/// Whether a page is the snapshot now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotUpdate {
    Yes,
    /// It is less than what is stored: not until a second render agrees.
    HeldBack,
    /// It is not: not a page to store, outdated, or the stores failed.
    No,
}

pub struct Acceptance {
    durable: DurableTier,
    clock: Clock,
}

impl Acceptance {
    /// Accepts pages for these snapshots.
    pub fn new(durable: DurableTier, clock: Clock) -> Acceptance {
        Acceptance { durable, clock }
    }

    /// Stores a page, or says why not. Storing is for later requests: failing at it does not take the page from this one.
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
        // What is gone is looked at again when somebody asks for it.
        let due_at = (!is_gone(made.status)).then(|| made.created_at.plus(page.refresh_interval));
        let url = page.url.as_str();
        let of_page = (site, facts, render_ms);
        match self.durable.store(id, (generation, token), url, (made, due_at), of_page).await {
            Ok(Stored::Yes { .. }) => Ok(SnapshotUpdate::Yes),
            // This one's client asked before the later render began, and gets what it asked for.
            Ok(Stored::Outdated) => Ok(SnapshotUpdate::No),
            Err(error) => {
                // An outage of the object store has a line of its own, once a minute.
                if !matches!(error, CacheError::Blobs(_)) {
                    tracing::error!(error = %one_line(&error), url = without_query(&page.url), "a render could not be stored");
                }
                // The lease runs out by itself when the database is what failed.
                let _ = self.durable.end(id, token).await;
                Ok(SnapshotUpdate::No)
            }
        }
    }

    /// Notes why a render is not stored, and gives the page back.
    pub async fn refuse(&self, id: &PageId, token: &str, reason: &str) -> Result<SnapshotUpdate, DbError> {
        self.note_failure(id, reason).await?;
        self.durable.end(id, token).await?;
        Ok(SnapshotUpdate::No)
    }

    /// Whether a render is less than the good page that is stored, and no render a minute ago said so too.
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
        self.durable.note_suspect(id, since, since.plus(CONFIRM_AFTER)).await?;
        Ok(true)
    }

    /// Notes the failure beside the snapshot, if there is one, with a growing pause before the next attempt.
    pub async fn note_failure(&self, id: &PageId, error: &str) -> Result<(), DbError> {
        let Some(row) = self.durable.find_row(id).await? else { return Ok(()) };
        let error: String = error.chars().take(MAX_ERROR_CHARS).collect();
        let failures = row.failures.saturating_add(1);
        let retry_at = self.clock.now().plus(pause_after(failures));
        self.durable.note_failure(id, &error, failures, retry_at).await
    }
}

/// Whether a page is less than what is stored: a redirect or an error page instead of a good one, or most of its text gone.
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
