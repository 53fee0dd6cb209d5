//! SQL of the retention of snapshots: how often pages are requested, when they are due, and which may be deleted.
//! Statements with lists differ between the engines only in form: arrays in PostgreSQL, JSON in SQLite.

use std::collections::HashMap;

use store::{Conn, DbError, EngineConn, on_engine, time_limited};

use accounts::AccountId;
use domains::DomainId;
use platform::clock::Timestamp;

/// Adds today's numbers of requests for pages. Requests from before the current period of thirty days count half.
///
/// Rows are locked in the order of hashes, so that processes that update the same pages cannot deadlock.
pub async fn add_asks(
    conn: &mut Conn,
    domain: &DomainId,
    asks: &[(String, i64)],
    day: i64,
) -> Result<(), DbError> {
    match conn.raw() {
        EngineConn::Sqlite(c) => {
            const SQL: &str = "update snapshots set wanted_day = $3, \
                 asks = case when wanted_day / 30 < $3 / 30 then asks / 2 else asks end + asked.times \
                 from (select value->>0 as key_hash, value->>1 as times from json_each($2)) as asked \
                 where domain_id = $1 and snapshots.key_hash = asked.key_hash";
            let list = serde_json::to_string(asks).expect("texts and numbers are JSON");
            let query = sqlx::query(SQL).bind(domain.as_str()).bind(list).bind(day);
            time_limited(query.execute(c)).await?;
        }
        EngineConn::Postgres(c) => {
            const LOCK: &str = "select 1 from snapshots where domain_id = $1 and key_hash = any($2) \
                 order by key_hash for update";
            const SQL: &str = "update snapshots set wanted_day = $4, \
                 asks = case when wanted_day / 30 < $4 / 30 then asks / 2 else asks end + asked.times \
                 from unnest($2::text[], $3::bigint[]) as asked (key_hash, times) \
                 where domain_id = $1 and snapshots.key_hash = asked.key_hash";
            let (hashes, times): (Vec<&str>, Vec<i64>) =
                asks.iter().map(|(hash, times)| (hash.as_str(), *times)).unzip();
            let lock = sqlx::query(LOCK).bind(domain.as_str()).bind(&hashes);
            time_limited(lock.execute(&mut *c)).await?;
            let query = sqlx::query(SQL).bind(domain.as_str()).bind(&hashes).bind(times).bind(day);
            time_limited(query.execute(c)).await?;
        }
    }
    Ok(())
}

/// Columns of a stored page that decide when the page is due.
#[derive(Debug, sqlx::FromRow)]
pub struct PlannedRow {
    /// Hash of the page's key.
    pub key_hash: String,
    /// Address that was rendered.
    pub url: String,
    /// The page's status.
    pub status: i64,
    /// Time of the render, epoch milliseconds.
    pub created_at: i64,
    /// Earliest time of the next attempt, epoch milliseconds.
    pub retry_at: i64,
    /// Number of recent requests for the page.
    pub asks: i64,
}

/// Lists a domain's pages that are due, the longest overdue first.
pub async fn list_due(
    conn: &mut Conn,
    domain: &DomainId,
    now: Timestamp,
    most: i64,
) -> Result<Vec<PlannedRow>, DbError> {
    const SQL: &str = "select key_hash, url, status, created_at, retry_at, asks from snapshots \
         where domain_id = $1 and due_at <= $2 order by due_at limit $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(now.as_millis()).bind(most).fetch_all(c).await
    })?)
}

/// Lists stored pages in the order of hashes, after one hash.
pub async fn list_planned(
    conn: &mut Conn,
    domain: &DomainId,
    after: &str,
    most: i64,
) -> Result<Vec<PlannedRow>, DbError> {
    const SQL: &str = "select key_hash, url, status, created_at, retry_at, asks from snapshots \
         where domain_id = $1 and key_hash > $2 and object_key is not null order by key_hash limit $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(after).bind(most).fetch_all(c).await
    })?)
}

/// Sets the time at which a page is due, unless the page was rendered after its row was read.
pub async fn plan_page(
    conn: &mut Conn,
    domain: &DomainId,
    row: &PlannedRow,
    due_at: Option<Timestamp>,
) -> Result<(), DbError> {
    const SQL: &str = "update snapshots set due_at = $4 \
         where domain_id = $1 and key_hash = $2 and created_at = $3 and object_key is not null";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(domain.as_str())
            .bind(&row.key_hash)
            .bind(row.created_at)
            .bind(due_at.map(Timestamp::as_millis))
            .execute(c)
            .await
            .map(drop)
    })?)
}

/// Lists the refresh intervals by which each domain's pages were last planned.
pub async fn list_plans(conn: &mut Conn) -> Result<HashMap<String, String>, DbError> {
    const SQL: &str = "select domain_id, intervals from snapshot_plans";
    let rows: Vec<(String, String)> = on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?;
    Ok(rows.into_iter().collect())
}

/// Stores the refresh intervals by which a domain's pages are planned.
pub async fn put_plan(conn: &mut Conn, domain: &DomainId, intervals: &str) -> Result<(), DbError> {
    const SQL: &str = "insert into snapshot_plans (domain_id, intervals) values ($1, $2) \
         on conflict (domain_id) do update set intervals = excluded.intervals";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).bind(intervals).execute(c).await.map(drop)
    })?)
}

/// Counts the rows of a domain, including pages that are being rendered for the first time.
pub async fn count_stored(conn: &mut Conn, domain: &DomainId) -> Result<i64, DbError> {
    const SQL: &str = "select count(*) from snapshots where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).fetch_one(c).await)?)
}

/// Lists the least requested stored pages of a domain.
pub async fn list_least_asked(
    conn: &mut Conn,
    domain: &DomainId,
    day: i64,
    most: i64,
) -> Result<Vec<String>, DbError> {
    const SQL: &str = "select key_hash from snapshots where domain_id = $1 and object_key is not null \
         order by case when wanted_day / 30 < $2 / 30 then asks / 2 else asks end, wanted_day, created_at limit $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(domain.as_str()).bind(day).bind(most).fetch_all(c).await
    })?)
}

/// Returns the size of the HTML of an account's stored pages, in bytes.
pub async fn sum_stored_bytes(conn: &mut Conn, account: &AccountId) -> Result<u64, DbError> {
    const SQL: &str = "select cast(coalesce(sum(html_bytes), 0) as bigint) from snapshots \
         where object_key is not null and domain_id in (select id from domains where account_id = $1)";
    let bytes: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(account.as_str()).fetch_one(c).await)?;
    Ok(bytes.unsigned_abs())
}

/// A stored page that may be deleted.
#[derive(Debug, sqlx::FromRow)]
pub struct LeastAskedRow {
    pub domain_id: String,
    pub key_hash: String,
    pub html_bytes: i64,
}

/// Lists the least requested stored pages of an account.
pub async fn list_least_asked_of_account(
    conn: &mut Conn,
    account: &AccountId,
    day: i64,
    most: i64,
) -> Result<Vec<LeastAskedRow>, DbError> {
    const SQL: &str = "select domain_id, key_hash, coalesce(html_bytes, 0) as html_bytes from snapshots \
         where object_key is not null and domain_id in (select id from domains where account_id = $1) \
         order by case when wanted_day / 30 < $2 / 30 then asks / 2 else asks end, wanted_day, created_at limit $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(account.as_str()).bind(day).bind(most).fetch_all(c).await
    })?)
}

/// Lists hash and address of a domain's stored pages whose `wanted_day` is before a day, in the order of these days.
pub async fn list_unwanted(
    conn: &mut Conn,
    domain: &DomainId,
    before_day: i64,
    most: i64,
) -> Result<Vec<(String, String)>, DbError> {
    const SQL: &str = "select key_hash, url from snapshots \
         where domain_id = $1 and wanted_day < $2 and object_key is not null order by wanted_day limit $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(before_day).bind(most).fetch_all(c).await
    })?)
}

/// Deletes those of the given pages whose `wanted_day` is before a day. Returns the keys of their objects.
pub async fn delete_unwanted(
    conn: &mut Conn,
    domain: &DomainId,
    key_hashes: &[String],
    before_day: i64,
) -> Result<Vec<Option<String>>, DbError> {
    let rows: Vec<(Option<String>,)> = match conn.raw() {
        EngineConn::Sqlite(c) => {
            const SQL: &str = "delete from snapshots where domain_id = $1 and wanted_day < $3 \
                 and key_hash in (select value from json_each($2)) returning object_key";
            let list = serde_json::to_string(key_hashes).expect("texts are JSON");
            let query = sqlx::query_as(SQL).bind(domain.as_str()).bind(list).bind(before_day);
            time_limited(query.fetch_all(c)).await?
        }
        EngineConn::Postgres(c) => {
            const SQL: &str = "delete from snapshots where domain_id = $1 and wanted_day < $3 \
                 and key_hash = any($2) returning object_key";
            let query = sqlx::query_as(SQL).bind(domain.as_str()).bind(key_hashes).bind(before_day);
            time_limited(query.fetch_all(c)).await?
        }
    };
    Ok(rows.into_iter().map(|(object,)| object).collect())
}

/// Lists the object keys in the rows of the given pages.
pub async fn list_objects(
    conn: &mut Conn,
    domain: &DomainId,
    key_hashes: &[String],
) -> Result<Vec<String>, DbError> {
    let found = match conn.raw() {
        EngineConn::Sqlite(c) => {
            const SQL: &str = "select object_key from snapshots where domain_id = $1 \
                 and key_hash in (select value from json_each($2)) and object_key is not null";
            let list = serde_json::to_string(key_hashes).expect("texts are JSON");
            time_limited(sqlx::query_scalar(SQL).bind(domain.as_str()).bind(list).fetch_all(c)).await?
        }
        EngineConn::Postgres(c) => {
            const SQL: &str = "select object_key from snapshots where domain_id = $1 \
                 and key_hash = any($2) and object_key is not null";
            time_limited(sqlx::query_scalar(SQL).bind(domain.as_str()).bind(key_hashes).fetch_all(c)).await?
        }
    };
    Ok(found)
}
