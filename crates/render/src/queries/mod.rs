//! SQL of the snapshots table: the snapshot of each page, and the lease of the process that renders it.
//! Both engines run the same text, except for one lock.
//! See docs/decisions/0032.

mod listed;
mod outcomes;
mod remote_renders;
mod retention;
mod snapshot_list;
mod stored_pages;

use store::{Conn, DbError, Engine, on_engine};

use super::listed_facts::ListedFacts;
use domains::DomainId;
use platform::clock::Timestamp;

pub use listed::{list_links, list_listable, put_links};
pub use outcomes::{
    MinuteOutcomes, add_outcomes, delete_outcomes_before, list_newest_outcomes, sum_outcomes,
};
pub use remote_renders::{delete_remote_renders, find_remote_render, insert_remote_render};
pub use retention::*;
pub use snapshot_list::{
    SnapshotSummaryRow, count_failures, count_snapshots, find_plan, list_snapshot_summaries,
    list_snapshots_by_hash,
};
pub use stored_pages::{delete_snapshots, delete_some, list_created, list_stored};

/// Id of a page: the domain record and the hash of the page's key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PageId {
    pub domain: DomainId,
    /// Hash of the page's key within the domain.
    pub key_hash: String,
}

impl cache::Key for PageId {
    fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        (self.domain.as_str(), self.key_hash.as_str()).with_bytes(f)
    }
}

/// Row of a page: its snapshot, and the results of later renders.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct SnapshotRow {
    /// Key of the object that holds the HTML.
    pub object_key: String,
    /// Address that was rendered.
    pub url: String,
    /// The page's status.
    pub status: i64,
    /// Target of a redirecting page.
    pub location: Option<String>,
    /// Weak etag of the HTML.
    pub etag: String,
    /// Kept header lines, as JSON.
    pub headers: Option<String>,
    /// Failures of a page that shows nothing, as JSON.
    problems: Option<String>,
    pub html_bytes: i64,
    /// Number of characters of visible text.
    pub text_chars: i64,
    /// Duration of the render, in milliseconds.
    pub render_ms: i64,
    /// Time of the render, epoch milliseconds.
    pub created_at: i64,
    /// Generation of the render that made the snapshot.
    pub stored_generation: i64,
    /// Error of the last failed render since the snapshot.
    pub last_error: Option<String>,
    /// Time of that failure, epoch milliseconds.
    pub last_error_at: Option<i64>,
    /// Number of consecutive failed renders.
    pub failures: i64,
    /// Earliest time of the next attempt, epoch milliseconds.
    pub retry_at: i64,
    /// Time at which a render was held back because it had less content, epoch milliseconds.
    pub suspect_at: Option<i64>,
}

impl SnapshotRow {
    /// Returns the failures of a page that shows nothing.
    pub fn problems(&self) -> Vec<String> {
        self.problems.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }
}

/// A render to store.
#[derive(Debug)]
pub struct NewSnapshot<'a> {
    /// Key of the object, which is already written.
    pub object_key: &'a str,
    /// Address that was rendered.
    pub url: &'a str,
    /// The page's status.
    pub status: u16,
    /// Target of a redirecting page.
    pub location: Option<&'a str>,
    /// Weak etag of the HTML.
    pub etag: &'a str,
    /// Kept header lines, as JSON.
    pub headers: Option<String>,
    /// Failures of a page that shows nothing.
    pub problems: &'a [String],
    pub html_bytes: usize,
    /// Number of characters of visible text.
    pub text_chars: u64,
    /// Duration of the render, in milliseconds.
    pub render_ms: u64,
    /// Time of the render.
    pub created_at: Timestamp,
    /// Time at which the page is due for a new render without a request, if ever.
    pub due_at: Option<Timestamp>,
    pub facts: &'a ListedFacts,
}

/// Finds the row of a page that has a snapshot.
pub async fn find_snapshot(conn: &mut Conn, page: &PageId) -> Result<Option<SnapshotRow>, DbError> {
    const SQL: &str = "select object_key, url, status, location, etag, headers, problems, html_bytes, text_chars, render_ms, created_at, \
         stored_generation, last_error, last_error_at, failures, retry_at, suspect_at from snapshots \
         where domain_id = $1 and key_hash = $2 and object_key is not null";
    let row = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(page.domain.as_str()).bind(&page.key_hash).fetch_optional(c).await
    });
    Ok(row?)
}

/// Acquires the lease on a page for a render. `None`: another render holds the lease.
///
/// Returns the generations of the render and of the snapshot. With `takes_over` the lease is taken from its holder.
pub async fn begin_render(
    conn: &mut Conn,
    page: &PageId,
    (page_key, url): (&str, &str),
    token: &str,
    (now, until): (Timestamp, Timestamp),
    takes_over: bool,
) -> Result<Option<(i64, i64)>, DbError> {
    // A generation is a time, so that it also rises over a row that was deleted in between.
    const SQL: &str = "insert into snapshots (domain_id, key_hash, page_key, url, stored_generation, generation, \
         lease_token, lease_until, failures, retry_at, wanted_day) values ($1, $2, $3, $4, 0, $6, $5, $7, 0, 0, $9) \
         on conflict (domain_id, key_hash) do update set \
         generation = case when snapshots.generation >= $6 then snapshots.generation + 1 else $6 end, \
         lease_token = $5, lease_until = $7 \
         where snapshots.lease_token is null or snapshots.lease_until < $6 or $8 \
         returning generation, stored_generation";
    let begun = on_engine!(conn, |c| {
        sqlx::query_as(SQL)
            .bind(page.domain.as_str())
            .bind(&page.key_hash)
            .bind(page_key)
            .bind(url)
            .bind(token)
            .bind(now.as_millis())
            .bind(until.as_millis())
            .bind(takes_over)
            .bind(now.day_number())
            .fetch_optional(c)
            .await
    });
    Ok(begun?)
}

/// Extends the lease on a page. Returns false when the lease is no longer held.
pub async fn extend_lease(
    conn: &mut Conn,
    page: &PageId,
    token: &str,
    until: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "update snapshots set lease_until = $4 \
         where domain_id = $1 and key_hash = $2 and lease_token = $3";
    let changed = on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(page.domain.as_str())
            .bind(&page.key_hash)
            .bind(token)
            .bind(until.as_millis())
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    });
    Ok(changed? > 0)
}

/// Releases the lease on a page after a render that was not stored, and deletes the row if it has no snapshot.
pub async fn end_render(conn: &mut Conn, page: &PageId, token: &str) -> Result<(), DbError> {
    const DELETE: &str = "delete from snapshots \
         where domain_id = $1 and key_hash = $2 and lease_token = $3 and object_key is null";
    const RELEASE: &str = "update snapshots set lease_token = null, lease_until = 0 \
         where domain_id = $1 and key_hash = $2 and lease_token = $3";
    for sql in [DELETE, RELEASE] {
        on_engine!(conn, |c| {
            sqlx::query(sql)
                .bind(page.domain.as_str())
                .bind(&page.key_hash)
                .bind(token)
                .execute(c)
                .await
                .map(drop)
        })?;
    }
    Ok(())
}

/// Result of storing a render.
#[derive(Debug, PartialEq, Eq)]
pub enum Stored {
    /// The render is the page's snapshot now; the replaced object may be deleted.
    Yes {
        /// Key of the object that was replaced.
        replaced: Option<String>,
        /// True when search engines have something new to see.
        is_news: bool,
    },
    /// A render that was started later is stored, or the domain is gone.
    Outdated,
}

/// Stores a render as the snapshot of its page, unless a later render is stored, and releases the lease.
///
/// Must run in a transaction: the row is read before it is written.
pub async fn store_snapshot(
    conn: &mut Conn,
    page: &PageId,
    generation: i64,
    token: &str,
    new: &NewSnapshot<'_>,
) -> Result<Stored, DbError> {
    // PostgreSQL has other writers beside this transaction; SQLite has none, and no `for update`.
    let sql = match conn.engine() {
        Engine::Sqlite => {
            "select object_key, stored_generation, status, text_hash, text_changed_at, listable from snapshots \
             where domain_id = $1 and key_hash = $2"
        }
        Engine::Postgres => {
            "select object_key, stored_generation, status, text_hash, text_changed_at, listable from snapshots \
             where domain_id = $1 and key_hash = $2 for update"
        }
    };
    let current: Option<ReplacedRow> = on_engine!(conn, |c| {
        sqlx::query_as(sql).bind(page.domain.as_str()).bind(&page.key_hash).fetch_optional(c).await
    })?;
    let Some(old) = current else { return Ok(Stored::Outdated) };
    if old.stored_generation >= generation {
        end_render(conn, page, token).await?;
        return Ok(Stored::Outdated);
    }
    const SQL: &str = "update snapshots set url = $3, object_key = $4, status = $5, location = $6, etag = $7, \
         html_bytes = $8, text_chars = $9, render_ms = $10, created_at = $11, stored_generation = $12, \
         lease_token = case when lease_token = $13 then null else lease_token end, \
         lease_until = case when lease_token = $13 then 0 else lease_until end, \
         last_error = null, last_error_at = null, failures = 0, retry_at = 0, suspect_at = null, due_at = $14, \
         headers = $15, problems = $16, text_hash = $17, text_changed_at = $18, listable = $19 \
         where domain_id = $1 and key_hash = $2";
    let problems = (!new.problems.is_empty()).then(|| serde_json::to_string(new.problems).expect("texts"));
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(page.domain.as_str())
            .bind(&page.key_hash)
            .bind(new.url)
            .bind(new.object_key)
            .bind(i64::from(new.status))
            .bind(new.location)
            .bind(new.etag)
            .bind(as_stored(new.html_bytes as u64))
            .bind(as_stored(new.text_chars))
            .bind(as_stored(new.render_ms))
            .bind(new.created_at.as_millis())
            .bind(generation)
            .bind(token)
            .bind(new.due_at.map(Timestamp::as_millis))
            .bind(new.headers.as_deref())
            .bind(problems.as_deref())
            .bind(&new.facts.text_hash)
            .bind(old.text_changed_at(new))
            .bind(new.facts.is_listable)
            .execute(c)
            .await
            .map(drop)
    })?;
    put_links(conn, page, &new.facts.links).await?;
    Ok(Stored::Yes { is_news: old.makes_news(new), replaced: old.object_key })
}

/// Columns of the replaced snapshot that are compared with the new render.
#[derive(sqlx::FromRow)]
struct ReplacedRow {
    /// None: nothing was stored.
    object_key: Option<String>,
    stored_generation: i64,
    status: Option<i64>,
    text_hash: Option<String>,
    text_changed_at: Option<i64>,
    listable: Option<bool>,
}

impl ReplacedRow {
    fn has_other_text(&self, new: &NewSnapshot<'_>) -> bool {
        self.text_hash.as_ref().is_some_and(|hash| *hash != new.facts.text_hash)
    }

    fn text_changed_at(&self, new: &NewSnapshot<'_>) -> i64 {
        let kept = self.text_changed_at.filter(|_| self.object_key.is_some() && !self.has_other_text(new));
        kept.unwrap_or(new.created_at.as_millis())
    }

    /// Decides whether search engines have something new to see: a page that they may list and whose text or status has
    /// changed, or one that they may have listed until now. A page that is missing at its first render is not new to them.
    fn makes_news(&self, new: &NewSnapshot<'_>) -> bool {
        let is_first = self.object_key.is_none();
        let has_other_status = !is_first && self.status != Some(i64::from(new.status));
        match new.facts.is_listable {
            true => is_first || has_other_status || self.has_other_text(new),
            false => has_other_status && self.listable == Some(true),
        }
    }
}

/// Records that a page with a snapshot could not be rendered again, and the time of the next attempt.
pub async fn record_failure(
    conn: &mut Conn,
    page: &PageId,
    error: &str,
    (failures, now, retry_at): (i64, Timestamp, Timestamp),
) -> Result<(), DbError> {
    const SQL: &str = "update snapshots set last_error = $3, last_error_at = $4, failures = $5, retry_at = $6, \
         due_at = case when due_at < $6 then $6 else due_at end \
         where domain_id = $1 and key_hash = $2 and object_key is not null";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(page.domain.as_str())
            .bind(&page.key_hash)
            .bind(error)
            .bind(now.as_millis())
            .bind(failures)
            .bind(retry_at.as_millis())
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Records that a render was held back because it had less content, and the time of the next attempt.
pub async fn record_suspect(
    conn: &mut Conn,
    page: &PageId,
    suspect_at: Timestamp,
    retry_at: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "update snapshots set suspect_at = $3, retry_at = $4, \
         due_at = case when due_at < $4 then $4 else due_at end \
         where domain_id = $1 and key_hash = $2 and object_key is not null";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(page.domain.as_str())
            .bind(&page.key_hash)
            .bind(suspect_at.as_millis())
            .bind(retry_at.as_millis())
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

fn as_stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
