//! SQL of lists and counts of a domain's snapshots. Statements with lists differ between the engines only in form: arrays in
//! PostgreSQL, JSON in SQLite.

use std::collections::HashMap;

use store::{Conn, DbError, EngineConn, on_engine, time_limited};

use super::SnapshotRow;
use domains::DomainId;
use platform::clock::Timestamp;

/// Columns of a snapshot that decide its state and its position in a list.
#[derive(Debug, sqlx::FromRow)]
pub struct SnapshotSummaryRow {
    pub key_hash: String,
    /// Address that was rendered.
    pub url: String,
    /// The page's status.
    pub status: i64,
    pub html_bytes: i64,
    /// Duration of the render, in milliseconds.
    pub render_ms: i64,
    /// Time of the render, epoch milliseconds.
    pub created_at: i64,
    /// 1 when the last render failed.
    pub is_failing: i64,
}

/// A snapshot with the hash of its page's key.
#[derive(sqlx::FromRow)]
struct HashedRow {
    key_hash: String,
    #[sqlx(flatten)]
    row: SnapshotRow,
}

/// Lists all snapshots of a domain whose address contains a text, in no order.
pub async fn list_snapshot_summaries(
    conn: &mut Conn,
    domain: &DomainId,
    search: &str,
) -> Result<Vec<SnapshotSummaryRow>, DbError> {
    const SQL: &str = "select key_hash, url, status, html_bytes, render_ms, created_at, \
             cast(case when last_error is null then 0 else 1 end as bigint) as is_failing \
         from snapshots where domain_id = $1 and object_key is not null \
         and ($2 = '%%' or lower(url) like $2 escape '!')";
    let pattern = format!("%{}%", escape_like(&search.to_lowercase()));
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(&pattern).fetch_all(c).await)?)
}

/// Statement of [`list_snapshots_by_hash`].
macro_rules! by_hash {
    ($condition:literal) => {
        concat!(
            "select key_hash, object_key, url, status, location, etag, headers, problems, html_bytes, text_chars, render_ms, created_at, \
             stored_generation, last_error, last_error_at, failures, retry_at, suspect_at from snapshots \
             where domain_id = $1 and object_key is not null and key_hash ",
            $condition
        )
    };
}

/// Reads the snapshots with the given hashes. Deleted snapshots are left out.
pub async fn list_snapshots_by_hash(
    conn: &mut Conn,
    domain: &DomainId,
    hashes: &[String],
) -> Result<HashMap<String, SnapshotRow>, DbError> {
    let rows: Vec<HashedRow> = match conn.raw() {
        EngineConn::Sqlite(c) => {
            let list = serde_json::to_string(hashes).expect("texts are JSON");
            let query = sqlx::query_as(by_hash!("in (select value from json_each($2))"));
            query.bind(domain.as_str()).bind(list).fetch_all(c).await?
        }
        EngineConn::Postgres(c) => {
            let query = sqlx::query_as(by_hash!("= any($2)"));
            query.bind(domain.as_str()).bind(hashes).fetch_all(c).await?
        }
    };
    Ok(rows.into_iter().map(|HashedRow { key_hash, row }| (key_hash, row)).collect())
}

/// Counts of a domain's snapshots.
#[derive(Debug, sqlx::FromRow)]
pub struct SnapshotCountRow {
    pub domain_id: String,
    /// Snapshots whose last render did not fail.
    pub sound: i64,
    /// Snapshots among `sound` whose due time has passed.
    pub due: i64,
    /// Snapshots among `sound` of pages that are gone, whose due time has not passed, and that are too old.
    pub gone: i64,
    pub failing: i64,
}

/// Statement of [`count_snapshots`]. Each count reads only a partial index; one scan of the rows takes five times as long.
/// See docs/decisions/0450.
macro_rules! counts_of {
    ($domains:literal) => {
        concat!(
            "select ids.value as domain_id, \
             (select count(*) from snapshots where domain_id = ids.value and object_key is not null \
                 and last_error is null) as sound, \
             (select count(*) from snapshots where domain_id = ids.value and object_key is not null \
                 and last_error is null and due_at <= $2) as due, \
             (select count(*) from snapshots where domain_id = ids.value and object_key is not null \
                 and last_error is null and status in (404, 410) and created_at <= $3 \
                 and (due_at is null or due_at > $2)) as gone, \
             (select count(*) from snapshots where domain_id = ids.value and object_key is not null \
                 and last_error is not null) as failing \
             from ",
            $domains
        )
    };
}

/// Counts the snapshots of some domains. A page that is gone is stale when it was rendered before `gone_before`.
pub async fn count_snapshots(
    conn: &mut Conn,
    domains: &[DomainId],
    (now, gone_before): (Timestamp, Timestamp),
) -> Result<Vec<SnapshotCountRow>, DbError> {
    let ids: Vec<&str> = domains.iter().map(DomainId::as_str).collect();
    let (now, gone_before) = (now.as_millis(), gone_before.as_millis());
    Ok(match conn.raw() {
        EngineConn::Sqlite(c) => {
            let list = serde_json::to_string(&ids).expect("texts are JSON");
            let query = sqlx::query_as(counts_of!("json_each($1) as ids"));
            time_limited(query.bind(list).bind(now).bind(gone_before).fetch_all(c)).await?
        }
        EngineConn::Postgres(c) => {
            let query = sqlx::query_as(counts_of!("unnest($1) as ids (value)"));
            time_limited(query.bind(&ids).bind(now).bind(gone_before).fetch_all(c)).await?
        }
    })
}

/// Counts the snapshots of a domain whose last render failed, by the day of the failure (days since 1970), from a day on.
pub async fn count_failures(
    conn: &mut Conn,
    domain: &DomainId,
    from: i64,
) -> Result<Vec<(i64, i64)>, DbError> {
    const SQL: &str = "select last_error_at / 86400000 as day, count(*) as failures from snapshots \
         where domain_id = $1 and object_key is not null and last_error is not null and last_error_at >= $2 * 86400000 \
         group by last_error_at / 86400000 order by 1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(from).fetch_all(c).await)?)
}

/// Finds the refresh intervals by which a domain's pages were last planned.
pub async fn find_plan(conn: &mut Conn, domain: &DomainId) -> Result<Option<String>, DbError> {
    const SQL: &str = "select intervals from snapshot_plans where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).fetch_optional(c).await)?)
}

/// Escapes `%`, `_` and the escape character `!`.
fn escape_like(text: &str) -> String {
    text.replace('!', "!!").replace('%', "!%").replace('_', "!_")
}
