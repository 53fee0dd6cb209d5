//! SQL of what is wanted of the snapshots: how often pages are asked for, when they are due, and which may go.
//! Statements about lists differ in form between the engines (arrays here, JSON there) and in nothing else.

use std::collections::HashMap;

use store::{Conn, DbError, EngineConn, on_engine, time_limited};

use accounts::AccountId;
use domains::DomainId;
use platform::clock::Timestamp;

/// Adds how often pages were asked for today. What was asked for before this stretch of thirty days counts half.
///
/// Rows are locked in the order of the list: processes that add to the same pages wait for each other, in one direction.
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

/// A stored page, as far as it matters when it is due.
#[derive(Debug, sqlx::FromRow)]
pub struct PlannedRow {
    /// Hash of the page's key.
    pub key_hash: String,
    /// Address that was rendered.
    pub url: String,
    /// The page's status.
    pub status: i64,
    /// When it was rendered, epoch milliseconds.
    pub created_at: i64,
    /// Not before when to try again, epoch milliseconds.
    pub retry_at: i64,
    /// How often it was asked for lately.
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

/// Lists stored pages after a hash, in the order of hashes.
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

/// Plans when a page is due, unless it was rendered anew since it was looked at.
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

/// The intervals by which each domain's pages were last planned.
pub async fn list_plans(conn: &mut Conn) -> Result<HashMap<String, String>, DbError> {
    const SQL: &str = "select domain_id, intervals from snapshot_plans";
    let rows: Vec<(String, String)> = on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?;
    Ok(rows.into_iter().collect())
}

/// Notes by which intervals a domain's pages are planned.
pub async fn put_plan(conn: &mut Conn, domain: &DomainId, intervals: &str) -> Result<(), DbError> {
    const SQL: &str = "insert into snapshot_plans (domain_id, intervals) values ($1, $2) \
         on conflict (domain_id) do update set intervals = excluded.intervals";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).bind(intervals).execute(c).await.map(drop)
    })?)
}

/// Counts what is stored of a domain.
pub async fn count_stored(conn: &mut Conn, domain: &DomainId) -> Result<i64, DbError> {
    const SQL: &str = "select count(*) from snapshots where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).fetch_one(c).await)?)
}

/// Lists the stored pages of a domain that are asked for least.
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

/// Returns how many bytes of HTML an account's stored pages have.
pub async fn sum_stored_bytes(conn: &mut Conn, account: &AccountId) -> Result<u64, DbError> {
    const SQL: &str = "select cast(coalesce(sum(html_bytes), 0) as bigint) from snapshots \
         where object_key is not null and domain_id in (select id from domains where account_id = $1)";
    let bytes: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(account.as_str()).fetch_one(c).await)?;
    Ok(bytes.unsigned_abs())
}

/// A stored page that may go.
#[derive(Debug, sqlx::FromRow)]
pub struct LeastAskedRow {
    pub domain_id: String,
    pub key_hash: String,
    pub html_bytes: i64,
}

/// Lists the stored pages of an account that are asked for least.
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

/// Lists stored pages of a domain that nobody has wanted since a day, after a hash: hash and address.
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

/// Deletes those of these pages that nobody has wanted since a day; answers the objects that were theirs.
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

/// Finds which objects the rows of these pages name.
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
