//! SQL of submissions to IndexNow; both engines run the same text.

use store::{Conn, DbError, on_engine};

use crate::DomainId;
use platform::clock::Timestamp;

/// State of a domain's submissions.
#[derive(Debug, Clone, Default, sqlx::FromRow)]
pub struct IndexNowRow {
    pub submitted: i64,
    pub last_status: Option<i64>,
    pub last_submitted_at: Option<i64>,
    pub problem: Option<String>,
    /// Number of consecutive failed attempts.
    pub failures: i64,
    /// Time before which nothing is submitted, in Unix milliseconds.
    pub next_at: i64,
}

/// Finds the state of a domain's submissions.
pub async fn find_state(conn: &mut Conn, id: &DomainId) -> Result<Option<IndexNowRow>, DbError> {
    const SQL: &str = "select submitted, last_status, last_submitted_at, problem, failures, next_at \
         from indexnow where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?)
}

/// Writes the state of a domain's submissions.
pub async fn put_state(conn: &mut Conn, id: &DomainId, row: &IndexNowRow) -> Result<(), DbError> {
    const SQL: &str = "insert into indexnow \
         (domain_id, submitted, last_status, last_submitted_at, problem, failures, next_at) \
         select id, $2, $3, $4, $5, $6, $7 from domains where id = $1 and removed_at is null \
         on conflict (domain_id) do update set submitted = excluded.submitted, \
         last_status = excluded.last_status, last_submitted_at = excluded.last_submitted_at, \
         problem = excluded.problem, failures = excluded.failures, next_at = excluded.next_at";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(id.as_str())
            .bind(row.submitted)
            .bind(row.last_status)
            .bind(row.last_submitted_at)
            .bind(row.problem.as_deref())
            .bind(row.failures)
            .bind(row.next_at)
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

/// Clears a domain's problem and the pause after failures.
pub async fn reset(conn: &mut Conn, id: &DomainId) -> Result<(), DbError> {
    const SQL: &str = "update indexnow set problem = null, failures = 0, next_at = \
         case when failures > 0 or problem is not null then 0 else next_at end where domain_id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).execute(c).await.map(drop))?;
    Ok(())
}

/// Adds a page to the pending pages.
pub async fn put_page(conn: &mut Conn, id: &DomainId, url: &str, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "insert into indexnow_pages (domain_id, url, changed_at) values ($1, $2, $3) \
         on conflict (domain_id, url) do update set changed_at = excluded.changed_at";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(id.as_str()).bind(url).bind(now.as_millis()).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Counts the pending pages.
pub async fn count_pages(conn: &mut Conn, id: &DomainId) -> Result<u64, DbError> {
    const SQL: &str = "select count(*) from indexnow_pages where domain_id = $1";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(id.as_str()).fetch_one(c).await)?;
    Ok(count.unsigned_abs())
}

/// Lists pending pages with the times of their changes, the oldest change first.
pub async fn list_pages(conn: &mut Conn, id: &DomainId, most: i64) -> Result<Vec<(String, i64)>, DbError> {
    const SQL: &str =
        "select url, changed_at from indexnow_pages where domain_id = $1 order by changed_at, url limit $2";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).bind(most).fetch_all(c).await)?)
}

/// Deletes a pending page, unless it has changed again.
pub async fn delete_page(
    conn: &mut Conn,
    id: &DomainId,
    (url, changed_at): &(String, i64),
) -> Result<(), DbError> {
    const SQL: &str = "delete from indexnow_pages where domain_id = $1 and url = $2 and changed_at = $3";
    on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(url)
        .bind(*changed_at)
        .execute(c)
        .await
        .map(drop))?;
    Ok(())
}

/// Deletes all pending pages.
pub async fn delete_all_pages(conn: &mut Conn, id: &DomainId) -> Result<(), DbError> {
    const SQL: &str = "delete from indexnow_pages where domain_id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).execute(c).await.map(drop))?;
    Ok(())
}
