//! SQL of many snapshots of a domain at once, for cache refresh. Statements with lists differ between the engines only in
//! form: arrays in PostgreSQL, JSON in SQLite.

use store::{Conn, DbError, EngineConn, on_engine};

use domains::DomainId;

/// Lists hash and render time of the given pages. Pages without a snapshot are left out.
pub async fn list_created(
    conn: &mut Conn,
    domain: &DomainId,
    key_hashes: &[String],
) -> Result<Vec<(String, i64)>, DbError> {
    Ok(match conn.raw() {
        EngineConn::Sqlite(c) => {
            const SQL: &str = "select key_hash, created_at from snapshots where domain_id = $1 \
                 and key_hash in (select value from json_each($2)) and object_key is not null";
            sqlx::query_as(SQL).bind(domain.as_str()).bind(as_json(key_hashes)).fetch_all(c).await?
        }
        EngineConn::Postgres(c) => {
            const SQL: &str = "select key_hash, created_at from snapshots where domain_id = $1 \
                 and key_hash = any($2) and object_key is not null";
            sqlx::query_as(SQL).bind(domain.as_str()).bind(key_hashes).fetch_all(c).await?
        }
    })
}

/// Deletes the rows of the given pages, including renders in progress. Returns the keys of their objects.
pub async fn delete_snapshots(
    conn: &mut Conn,
    domain: &DomainId,
    key_hashes: &[String],
) -> Result<Vec<Option<String>>, DbError> {
    let rows: Vec<(Option<String>,)> = match conn.raw() {
        EngineConn::Sqlite(c) => {
            const SQL: &str = "delete from snapshots where domain_id = $1 \
                 and key_hash in (select value from json_each($2)) returning object_key";
            sqlx::query_as(SQL).bind(domain.as_str()).bind(as_json(key_hashes)).fetch_all(c).await?
        }
        EngineConn::Postgres(c) => {
            const SQL: &str =
                "delete from snapshots where domain_id = $1 and key_hash = any($2) returning object_key";
            sqlx::query_as(SQL).bind(domain.as_str()).bind(key_hashes).fetch_all(c).await?
        }
    };
    Ok(rows.into_iter().map(|(object,)| object).collect())
}

/// Deletes up to 1,000 rows of a domain, including renders in progress. Returns the number of deleted rows.
pub async fn delete_some(conn: &mut Conn, domain: &DomainId) -> Result<u64, DbError> {
    const SQL: &str = "delete from snapshots where domain_id = $1 and key_hash in \
         (select key_hash from snapshots where domain_id = $1 limit 1000)";
    let deleted = on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).execute(c).await.map(|done| done.rows_affected())
    });
    Ok(deleted?)
}

fn as_json(texts: &[String]) -> String {
    serde_json::to_string(texts).expect("texts are JSON")
}

/// Lists hash and address of stored pages in the order of hashes, after one hash.
pub async fn list_stored(
    conn: &mut Conn,
    domain: &DomainId,
    after: &str,
    most: i64,
) -> Result<Vec<(String, String)>, DbError> {
    const SQL: &str = "select key_hash, url from snapshots \
         where domain_id = $1 and key_hash > $2 and object_key is not null order by key_hash limit $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(after).bind(most).fetch_all(c).await
    })?)
}
