//! SQL of the daily visit counts. Used by analytics only; both engines run the same text.

use store::{Conn, DbError, on_engine};

use super::model::{VisitCount, VisitKey};
use crate::clock::Timestamp;
use crate::domains::DomainId;

/// Rows per statement: eight parameters each, far below both engines' limits.
const ROWS_PER_STATEMENT: usize = 200;

/// Notes that a batch is being counted. `false`: it was counted before, and must not be again.
pub async fn begin_batch(conn: &mut Conn, batch: &str, now: Timestamp) -> Result<bool, DbError> {
    const SQL: &str =
        "insert into visit_batches (id, applied_at) values ($1, $2) on conflict (id) do nothing";
    let query = on_engine!(conn, |c| {
        sqlx::query(SQL).bind(batch).bind(now.as_millis()).execute(c).await.map(|done| done.rows_affected())
    });
    Ok(query? == 1)
}

/// Forgets batches that nobody can send again.
pub async fn forget_batches(conn: &mut Conn, before: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "delete from visit_batches where applied_at < $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(before.as_millis()).execute(c).await.map(drop))?;
    Ok(())
}

/// Adds counts to their rows. Counts of domains that are gone are dropped.
pub async fn add_visits(conn: &mut Conn, rows: &[(VisitKey, VisitCount)]) -> Result<(), DbError> {
    // The condition also keeps SQLite from reading `on conflict` as part of a join.
    const BEFORE: &str = "with v (domain_id, day, path, crawler, verified, served, visits, total_ms) as (";
    const AFTER: &str = ") insert into visits_daily (domain_id, day, path, crawler, verified, served, visits, total_ms) \
         select domain_id, day, path, crawler, verified, served, visits, total_ms from v \
         where exists (select 1 from domains where domains.id = v.domain_id) \
         on conflict (domain_id, day, path, crawler, verified, served) do update set \
         visits = visits_daily.visits + excluded.visits, total_ms = visits_daily.total_ms + excluded.total_ms";
    for chunk in rows.chunks(ROWS_PER_STATEMENT) {
        on_engine!(conn, |c| {
            let mut query = sqlx::QueryBuilder::new(BEFORE);
            query.push_values(chunk, |mut row, (key, count)| {
                row.push_bind(key.domain.as_str().to_owned())
                    .push_bind(key.day_text())
                    .push_bind(key.path.to_string())
                    .push_bind(key.crawler)
                    .push_bind(key.verified.as_str())
                    .push_bind(key.served.as_str())
                    .push_bind(count.visits as i64)
                    .push_bind(count.total_ms as i64);
            });
            query.push(AFTER).build().execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

/// The paths of a domain that were asked for most often since a day, with their visits.
pub async fn list_most_visited(
    conn: &mut Conn,
    domain: &DomainId,
    since_day: &str,
    most: i64,
) -> Result<Vec<(String, i64)>, DbError> {
    const SQL: &str = "select path, cast(sum(visits) as bigint) as visits from visits_daily \
         where domain_id = $1 and day >= $2 group by path order by 2 desc, path limit $3";
    Ok(on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(since_day).bind(most).fetch_all(c).await
    })?)
}

/// Deletes some of a domain's rows; answers how many.
pub async fn delete_some_visits(conn: &mut Conn, domain: &DomainId) -> Result<u64, DbError> {
    const SQL: &str = "delete from visits_daily where (domain_id, day, path, crawler, verified, served) in \
         (select domain_id, day, path, crawler, verified, served from visits_daily where domain_id = $1 limit 1000)";
    let deleted = on_engine!(conn, |c| {
        sqlx::query(SQL).bind(domain.as_str()).execute(c).await.map(|done| done.rows_affected())
    });
    Ok(deleted?)
}

/// A stored row, for tests of everything that records visits.
#[cfg(test)]
#[derive(Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct VisitRow {
    /// Domain record.
    pub domain_id: String,
    /// UTC day.
    pub day: String,
    /// Path.
    pub path: String,
    /// Id of the crawler.
    pub crawler: String,
    /// Whether it was checked.
    pub verified: String,
    /// How it was answered.
    pub served: String,
    /// How many.
    pub visits: i64,
}

/// All rows, in order.
#[cfg(test)]
pub async fn list_visits(conn: &mut Conn) -> Result<Vec<VisitRow>, DbError> {
    const SQL: &str = "select domain_id, day, path, crawler, verified, served, visits from visits_daily \
         order by domain_id, day, path, crawler, served";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?)
}
