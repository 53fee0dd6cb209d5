//! SQL of the snapshots of a domain as people look through them. Statements about lists differ in form between the engines
//! (arrays here, JSON there) and in nothing else.

use std::collections::HashMap;

use store::{Conn, DbError, EngineConn, on_engine};

use super::SnapshotRow;
use crate::domains::DomainId;

/// As much of a snapshot as tells its state and its place in a list.
#[derive(Debug, sqlx::FromRow)]
pub struct SnapshotSummaryRow {
    pub key_hash: String,
    /// Address that was rendered.
    pub url: String,
    /// The page's status.
    pub status: i64,
    pub html_bytes: i64,
    /// Time that the render took.
    pub render_ms: i64,
    /// Time of its render, epoch milliseconds.
    pub created_at: i64,
    /// 1: its last render failed.
    pub is_failing: i64,
}

/// A snapshot and its hash.
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

/// The statement of [`list_snapshots_by_hash`].
macro_rules! by_hash {
    ($condition:literal) => {
        concat!(
            "select key_hash, object_key, url, status, location, etag, html_bytes, text_chars, render_ms, created_at, \
             stored_generation, last_error, last_error_at, failures, retry_at, suspect_at from snapshots \
             where domain_id = $1 and object_key is not null and key_hash ",
            $condition
        )
    };
}

/// Reads the snapshots with these hashes; those that are gone are left out.
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

/// Takes the meaning of `%`, `_` and the escape itself away.
fn escape_like(text: &str) -> String {
    text.replace('!', "!!").replace('%', "!%").replace('_', "!_")
}
