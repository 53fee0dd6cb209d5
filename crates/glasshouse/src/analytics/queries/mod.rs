//! SQL of crawler visits. Used by analytics only; both engines run the same text. Texts are never sorted here: the engines
//! sort them differently.

pub mod expiry;
pub mod first_days;
pub mod imports;
pub mod moving;
pub mod referrals;
pub mod segments;
pub mod tokens;
pub mod totals;

use std::collections::HashSet;

use store::{Conn, DbError, on_engine};

use crate::analytics::model::{Day, DayKey, TimeKey, VisitKey, days_among};
use crate::analytics::segments::rows::Damaged;
use crate::clock::Timestamp;
use crate::domains::DomainId;

/// Rows per statement, eight parameters each: far below both engines' limits.
const ROWS_PER_STATEMENT: usize = 200;
/// Rows per statement that takes them as arrays.
const ROWS_PER_ARRAYS: usize = 2_000;

/// Adds rows in statements of some hundred, each column with its type. Rows of domains that are gone are dropped: `$after`
/// says so, and the condition also keeps SQLite from reading `on conflict` as part of a join. SQLite takes a parameter for
/// each value. PostgreSQL gets each column as one array: it plans a list of values anew each time.
macro_rules! add_rows {
    ($conn:ident, $rows:expr, $before:expr, $after:expr, |$item:pat_param| { $($kind:literal: $value:expr),+ $(,)? }) => {
        match $conn.raw() {
            store::EngineConn::Sqlite(c) => {
                for chunk in $rows.chunks($crate::analytics::queries::ROWS_PER_STATEMENT) {
                    let mut query = sqlx::QueryBuilder::new($before);
                    query.push_values(chunk, |mut row, $item| {
                        $(row.push_bind($value);)+
                    });
                    store::time_limited(query.push($after).build().execute(&mut *c)).await?;
                }
            }
            store::EngineConn::Postgres(c) => {
                let sql = $crate::analytics::queries::from_arrays($before, &[$($kind),+], $after);
                for chunk in $rows.chunks($crate::analytics::queries::ROWS_PER_ARRAYS) {
                    let query = sqlx::query(sqlx::AssertSqlSafe(sql.clone()));
                    $(
                        #[allow(unused_variables, reason = "a column is one part of a row")]
                        let query = query.bind(chunk.iter().map(|$item| $value).collect::<Vec<_>>());
                    )+
                    store::time_limited(query.execute(&mut *c)).await?;
                }
            }
        }
    };
}

/// A statement that reads its rows from one array of each type and writes them in the order of their keys. A plan may take them
/// in any other, and two processes that write the same rows in different orders wait for each other for ever.
fn from_arrays(before: &str, types: &[&str], after: &str) -> String {
    const EXPECTED: &str = "the statement names its columns and its key";
    let columns = before.split_once("with v (").and_then(|(_, rest)| rest.split_once(')')).expect(EXPECTED).0;
    let (select, on_conflict) = after.split_once("on conflict (").expect(EXPECTED);
    let is_text =
        |key: &str| columns.split(", ").zip(types).any(|(column, kind)| column == key && *kind == "text");
    let key = on_conflict.split_once(')').expect(EXPECTED).0.split(", ");
    // Bytewise, as the rows are sorted here.
    let key =
        key.map(|column| if is_text(column) { format!("{column} collate \"C\"") } else { column.to_owned() });
    let order = key.collect::<Vec<_>>().join(", ");
    let array = |(at, name): (usize, &&str)| format!("${}::{name}[]", at + 1);
    let arrays = types.iter().enumerate().map(array).collect::<Vec<_>>().join(", ");
    format!("{before}select * from unnest({arrays}){select}order by {order} on conflict ({on_conflict}")
}

pub(crate) use add_rows;

/// Those of the domains whose records are there.
pub async fn list_existing(conn: &mut Conn, domains: &[&DomainId]) -> Result<HashSet<DomainId>, DbError> {
    let mut existing = HashSet::new();
    for chunk in domains.chunks(ROWS_PER_STATEMENT) {
        let ids: Vec<String> = on_engine!(conn, |c| {
            let mut query = sqlx::QueryBuilder::new("select id from domains where id in (");
            let mut list = query.separated(", ");
            for domain in chunk {
                list.push_bind(domain.as_str().to_owned());
            }
            query.push(")").build_query_scalar().fetch_all(c).await
        })?;
        existing.extend(ids.iter().map(|id| DomainId::from(id.as_str())));
    }
    Ok(existing)
}

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
pub async fn forget_batches(conn: &mut Conn, batches: &[String]) -> Result<(), DbError> {
    for chunk in batches.chunks(ROWS_PER_STATEMENT) {
        on_engine!(conn, |c| {
            let mut query = sqlx::QueryBuilder::new("delete from visit_batches where id in (");
            let mut ids = query.separated(", ");
            for batch in chunk {
                ids.push_bind(batch.clone());
            }
            query.push(")").build().execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

/// Forgets some of the batches that were counted before a point in time; answers how many.
pub async fn forget_batches_before(conn: &mut Conn, before: Timestamp) -> Result<u64, DbError> {
    const SQL: &str = "delete from visit_batches where id in \
         (select id from visit_batches where applied_at < $1 limit 1000)";
    Ok(on_engine!(conn, |c| {
        sqlx::query(SQL).bind(before.as_millis()).execute(c).await.map(|done| done.rows_affected())
    })?)
}

/// Adds counts of pages.
async fn add_visits(conn: &mut Conn, rows: &[(VisitKey, u64)]) -> Result<(), DbError> {
    const BEFORE: &str = "with v (domain_id, day, path, crawler, verified, served, status, visits) as (";
    const AFTER: &str = ") insert into visit_open (domain_id, day, path, crawler, verified, served, status, visits) \
         select domain_id, day, path, crawler, verified, served, status, visits from v \
         where exists (select 1 from domains where domains.id = v.domain_id) \
         on conflict (domain_id, day, path, crawler, verified, served, status) do update set \
         visits = visit_open.visits + excluded.visits";
    add_rows!(conn, rows, BEFORE, AFTER, |(key, visits)| {
        "text": key.domain.as_str().to_owned(),
        "bigint": key.day,
        "text": key.path.to_string(),
        "text": key.crawler.to_string(),
        "text": key.verified.as_str(),
        "text": key.served.as_str(),
        "bigint": i64::from(key.status),
        "bigint": *visits as i64,
    });
    Ok(())
}

/// Adds counts of days.
async fn add_days(conn: &mut Conn, rows: &[(DayKey, u64)]) -> Result<(), DbError> {
    const BEFORE: &str = "with v (domain_id, day, crawler, verified, served, status_class, visits) as (";
    const AFTER: &str = ") insert into visit_days (domain_id, day, crawler, verified, served, status_class, visits) \
         select domain_id, day, crawler, verified, served, status_class, visits from v \
         where exists (select 1 from domains where domains.id = v.domain_id) \
         on conflict (domain_id, day, crawler, verified, served, status_class) do update set \
         visits = visit_days.visits + excluded.visits";
    add_rows!(conn, rows, BEFORE, AFTER, |(key, visits)| {
        "text": key.domain.as_str().to_owned(),
        "bigint": key.day,
        "text": key.crawler.to_string(),
        "text": key.verified.as_str(),
        "text": key.served.as_str(),
        "bigint": i64::from(key.status_class),
        "bigint": *visits as i64,
    });
    Ok(())
}

/// Adds counts of times.
async fn add_times(conn: &mut Conn, rows: &[(TimeKey, u64)]) -> Result<(), DbError> {
    const BEFORE: &str = "with v (domain_id, day, served, bucket, visits) as (";
    const AFTER: &str = ") insert into visit_times (domain_id, day, served, bucket, visits) \
         select domain_id, day, served, bucket, visits from v \
         where exists (select 1 from domains where domains.id = v.domain_id) \
         on conflict (domain_id, day, served, bucket) do update set \
         visits = visit_times.visits + excluded.visits";
    add_rows!(conn, rows, BEFORE, AFTER, |(key, visits)| {
        "text": key.domain.as_str().to_owned(),
        "bigint": key.day,
        "text": key.served.as_str(),
        "bigint": key.bucket,
        "bigint": *visits as i64,
    });
    Ok(())
}

/// Adds what was counted together to every table that a report reads.
pub async fn add_counts(
    conn: &mut Conn,
    pages: &[(VisitKey, u64)],
    times: &[(TimeKey, u64)],
) -> Result<(), DbError> {
    add_visits(conn, pages).await?;
    add_days(conn, &days_among(pages)).await?;
    add_times(conn, times).await
}

/// The first day of which something is kept by page.
pub async fn find_first_day(conn: &mut Conn) -> Result<Option<Day>, DbError> {
    // Domain by domain: the first day of each is where its keys begin.
    const SQL: &str = "select min(day) from (\
         select (select min(day) from visit_open where domain_id = domains.id) as day from domains \
         union all select (select min(day) from visit_segments where domain_id = domains.id) from domains \
         union all select (select min(day) from visit_times where domain_id = domains.id) from domains \
         union all select (select min(day) from visit_referrals where domain_id = domains.id) from domains) first_days";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).fetch_one(c).await)?)
}

/// Deletes some of what is kept of a domain; answers how many rows.
pub async fn delete_some(conn: &mut Conn, domain: &DomainId) -> Result<u64, DbError> {
    const STATEMENTS: [&str; 10] = [
        "delete from visit_open where domain_id = $1 and (day, path, crawler, verified, served, status) in \
         (select day, path, crawler, verified, served, status from visit_open where domain_id = $1 limit 1000)",
        "delete from visit_days where domain_id = $1 and (day, crawler, verified, served, status_class) in \
         (select day, crawler, verified, served, status_class from visit_days where domain_id = $1 limit 1000)",
        "delete from visit_paths where domain_id = $1 and path in \
         (select path from visit_paths where domain_id = $1 limit 1000)",
        "delete from visit_times where domain_id = $1 and (day, served, bucket) in \
         (select day, served, bucket from visit_times where domain_id = $1 limit 1000)",
        "delete from visit_totals where domain_id = $1 and day in \
         (select day from visit_totals where domain_id = $1 limit 1000)",
        "delete from visit_segments where domain_id = $1 and day in \
         (select day from visit_segments where domain_id = $1 limit 100)",
        "delete from visit_first_days where domain_id = $1 and first_number in \
         (select first_number from visit_first_days where domain_id = $1 limit 100)",
        "delete from visit_path_lists where domain_id = $1 and first_number in \
         (select first_number from visit_path_lists where domain_id = $1 limit 100)",
        "delete from visit_referrals where domain_id = $1 and (day, assistant, path) in \
         (select day, assistant, path from visit_referrals where domain_id = $1 limit 1000)",
        "delete from visit_imports where domain_id = $1",
    ];
    let mut deleted = 0;
    for sql in STATEMENTS {
        deleted += on_engine!(conn, |c| {
            sqlx::query(sql).bind(domain.as_str()).execute(c).await.map(|done| done.rows_affected())
        })?;
    }
    Ok(deleted)
}

/// What the database says of bytes that are not what was kept.
fn damaged(damage: Damaged) -> DbError {
    sqlx::Error::Decode(Box::new(damage)).into()
}

/// A stored row, for tests of everything that records visits.
#[cfg(test)]
#[derive(Debug, PartialEq, Eq)]
pub struct VisitRow {
    /// Domain record.
    pub domain_id: String,
    /// UTC day, `YYYY-MM-DD`.
    pub day: String,
    pub path: String,
    /// Id of the crawler.
    pub crawler: String,
    /// Whether it was checked.
    pub verified: String,
    /// How it was answered.
    pub served: String,
    /// Status of the answer.
    pub status: i64,
    pub visits: i64,
}

/// All rows, in order.
#[cfg(test)]
pub async fn list_visits(conn: &mut Conn) -> Result<Vec<VisitRow>, DbError> {
    const SQL: &str = "select domain_id, day, path, crawler, verified, served, status, visits from visit_open \
         order by domain_id, day, path, crawler, served";
    type Row = (String, i64, String, String, String, String, i64, i64);
    let rows: Vec<Row> = on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?;
    let row = |(domain_id, day, path, crawler, verified, served, status, visits): Row| {
        let day = crate::analytics::model::start_of(day).day();
        VisitRow { domain_id, day, path, crawler, verified, served, status, visits }
    };
    Ok(rows.into_iter().map(row).collect())
}
