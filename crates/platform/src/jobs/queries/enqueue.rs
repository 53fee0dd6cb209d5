//! Into the queue: start numbers, jobs, batches. Runs in the caller's transaction.
//! See docs/decisions/0050.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use sqlx::AssertSqlSafe;
use sqlx_postgres::PgConnection;
use store::{Conn, DbError, Engine, EngineConn, Tx, on_engine};

use crate::clock::Timestamp;
use crate::jobs::model::{BatchId, NewBatch, NewJob};

/// Rows of one insert on SQLite. Larger saves little and makes a statement that takes long to prepare.
const ROWS_SQLITE: usize = 100;
/// Rows of a statement on PostgreSQL, where its length does not depend on the number of rows.
const ROWS_POSTGRES: usize = 1_000;
/// Columns that are bound.
const BOUND: usize = 15;

/// Channel that tells other processes on PostgreSQL that there is work.
pub const CHANNEL: &str = "glasshouse_jobs";

/// Reserves start numbers for an account's jobs and returns the first one.
///
/// Start-time fair queueing: an account that was idle starts now, behind no other; one that queued a million jobs has
/// used a million start numbers, and the next job of every other account goes between them.
async fn take_turns(conn: &mut Conn, priority: i64, account: &str, count: i64) -> Result<i64, DbError> {
    const NOW: &str = "select turn from job_turns where priority = $1";
    const SQL: &str = "insert into job_shares (priority, account_id, last_turn) values ($1, $2, $3 + $4)
        on conflict (priority, account_id) do update set last_turn =
            case when job_shares.last_turn > $3 then job_shares.last_turn else $3 end + $4
        returning last_turn";
    let now: Option<i64> =
        on_engine!(conn, |c| sqlx::query_scalar(NOW).bind(priority).fetch_optional(c).await)?;
    let last: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(priority)
        .bind(account)
        .bind(now.unwrap_or(0))
        .bind(count)
        .fetch_one(c)
        .await)?;
    Ok(last - count + 1)
}

/// Queues jobs; answers how many of them are new. The others are queued already under their unique key.
pub async fn insert_jobs(tx: &mut Tx, jobs: Vec<NewJob>, now: Timestamp) -> Result<u64, DbError> {
    let mut keys = HashSet::new();
    // One statement cannot meet the same key twice.
    let jobs: Vec<NewJob> = jobs
        .into_iter()
        .filter(|job| job.unique_key.as_ref().is_none_or(|key| keys.insert((job.kind.clone(), key.clone()))))
        .collect();
    // Shares are locked in one order by everybody, so that two transactions never wait for each other.
    let mut groups: BTreeMap<(i64, String), Vec<NewJob>> = BTreeMap::new();
    for job in jobs {
        groups.entry((job.priority.rank(), job.account.clone())).or_default().push(job);
    }
    let mut inserted = 0;
    for ((priority, account), jobs) in &groups {
        let count = i64::try_from(jobs.len()).unwrap_or(i64::MAX);
        let mut turn = take_turns(tx, *priority, account, count).await?;
        let most = match tx.engine() {
            Engine::Sqlite => ROWS_SQLITE,
            Engine::Postgres => ROWS_POSTGRES,
        };
        for rows in jobs.chunks(most) {
            inserted += insert_rows(tx, rows, turn, now).await?;
            turn += i64::try_from(rows.len()).unwrap_or(0);
        }
    }
    notify(tx).await?;
    Ok(inserted)
}

/// Inserts jobs with consecutive start numbers. Returns the number of new ones.
async fn insert_rows(
    conn: &mut Conn,
    rows: &[NewJob],
    first_turn: i64,
    now: Timestamp,
) -> Result<u64, DbError> {
    let returned: Vec<String> = match conn.raw() {
        EngineConn::Sqlite(c) => {
            let mut query = sqlx::query_scalar(AssertSqlSafe(insert_values(rows.len())));
            for (turn, job) in (first_turn..).zip(rows) {
                query = query
                    .bind(job.id.as_str())
                    .bind(job.kind.as_ref())
                    .bind(&job.account)
                    .bind(job.domain.as_deref())
                    .bind(job.batch.as_ref().map(BatchId::as_str))
                    .bind(job.unique_key.as_deref())
                    .bind(job.lane.as_deref())
                    .bind(job.priority.rank())
                    .bind(turn)
                    .bind(&job.payload)
                    .bind(i64::from(job.max_attempts))
                    .bind(run_at(job))
                    .bind(now.as_millis())
                    .bind(job.feeds.as_ref().map(BatchId::as_str))
                    .bind(job.tells_death);
            }
            store::time_limited(query.fetch_all(c)).await?
        }
        EngineConn::Postgres(c) => store::time_limited(insert_columns(c, rows, first_turn, now)).await?,
    };
    let ours: HashSet<&str> = rows.iter().map(|job| job.id.as_str()).collect();
    Ok(returned.iter().filter(|id| ours.contains(id.as_str())).count() as u64)
}

macro_rules! insert {
    ($rows:literal) => {
        concat!(
            "insert into jobs (id, kind, account_id, domain_id, batch_id, unique_key, lane, priority, turn, payload,
                max_attempts, run_at, created_at, feeds, tells_death, attempts, state, again) ",
            $rows
        )
    };
}

const UNLESS_QUEUED: &str = " on conflict (kind, unique_key) where unique_key is not null and state <> 'dead'
    do update set again = (jobs.state = 'running') returning id";

/// Writes the statement with rows of values: a parameter for each value.
fn insert_values(rows: usize) -> String {
    let mut sql = String::from(insert!("values "));
    for row in 0..rows {
        let separator = if row == 0 { "(" } else { ", (" };
        sql.push_str(separator);
        for column in 1..=BOUND {
            let _ = write!(sql, "${}, ", row * BOUND + column);
        }
        sql.push_str("0, 'waiting', false)");
    }
    sql.push_str(UNLESS_QUEUED);
    sql
}

/// Inserts jobs by columns: a thousand rows are fifteen parameters, and the statement is prepared once.
async fn insert_columns(
    conn: &mut PgConnection,
    rows: &[NewJob],
    first_turn: i64,
    now: Timestamp,
) -> Result<Vec<String>, sqlx::Error> {
    const SQL: &str = insert!(
        "select job.*, 0, 'waiting', false from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
            $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::text[], $11::bigint[], $12::bigint[],
            $13::bigint[], $14::text[], $15::bool[]) as job"
    );
    fn column<'j, T>(rows: &'j [NewJob], value: impl Fn(&'j NewJob) -> T) -> Vec<T> {
        rows.iter().map(value).collect()
    }
    let query = sqlx::query_scalar(AssertSqlSafe([SQL, UNLESS_QUEUED].concat()))
        .bind(column(rows, |job| job.id.as_str()))
        .bind(column(rows, |job| job.kind.as_ref()))
        .bind(column(rows, |job| job.account.as_str()))
        .bind(column(rows, |job| job.domain.as_deref()))
        .bind(column(rows, |job| job.batch.as_ref().map(BatchId::as_str)))
        .bind(column(rows, |job| job.unique_key.as_deref()))
        .bind(column(rows, |job| job.lane.as_deref()))
        .bind(column(rows, |job| job.priority.rank()))
        .bind((first_turn..).take(rows.len()).collect::<Vec<i64>>())
        .bind(column(rows, |job| job.payload.as_str()))
        .bind(column(rows, |job| i64::from(job.max_attempts)))
        .bind(column(rows, run_at))
        .bind(vec![now.as_millis(); rows.len()])
        .bind(column(rows, |job| job.feeds.as_ref().map(BatchId::as_str)))
        .bind(column(rows, |job| job.tells_death));
    query.fetch_all(conn).await
}

/// Returns the stored start time: 0 for a job that may run at once, because a clock that is set back must not delay work.
fn run_at(job: &NewJob) -> i64 {
    job.run_at.map_or(0, Timestamp::as_millis)
}

/// Tells the workers of other processes, when the transaction commits. SQLite's only worker is in this process.
pub async fn notify(conn: &mut Conn) -> Result<(), DbError> {
    if conn.engine() == Engine::Postgres {
        on_engine!(conn, |c| sqlx::query("select pg_notify($1, '')")
            .bind(CHANNEL)
            .execute(c)
            .await
            .map(drop))?;
    }
    Ok(())
}

pub async fn insert_batch(
    conn: &mut Conn,
    id: &BatchId,
    batch: &NewBatch,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into job_batches
            (id, kind, account_id, domain_id, total, done, failed, is_open, fed, source, created_at)
        values ($1, $2, $3, $4, $5, 0, 0, $6, 0, $7, $8)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(batch.kind)
        .bind(&batch.account)
        .bind(batch.domain.as_deref())
        .bind(i64::try_from(batch.total).unwrap_or(i64::MAX))
        .bind(batch.is_open)
        .bind(batch.source.as_deref())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Records that a batch has this many jobs in all, while it is open.
pub async fn set_batch_total(conn: &mut Conn, id: &BatchId, total: u64) -> Result<(), DbError> {
    const SQL: &str = "update job_batches set total = $2 where id = $1 and is_open";
    let total = i64::try_from(total).unwrap_or(i64::MAX);
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).bind(total).execute(c).await.map(drop))?)
}

/// Moves the position in a batch's list forward. Returns false when another process did.
pub async fn advance_batch(conn: &mut Conn, id: &BatchId, from: u64, to: u64) -> Result<bool, DbError> {
    const SQL: &str = "update job_batches set fed = $3 where id = $1 and fed = $2 and is_open";
    let (from, to) = (i64::try_from(from).unwrap_or(i64::MAX), i64::try_from(to).unwrap_or(i64::MAX));
    let rows = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(from)
        .bind(to)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Ends the adding of jobs to a batch. It is complete at once when all of its jobs are over. When something went wrong,
/// what has not become a job counts as failed.
pub async fn close_batch(
    conn: &mut Conn,
    id: &BatchId,
    error: Option<&str>,
    now: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "update job_batches set is_open = false, error = coalesce($2, error),
            failed = failed + case when $2 is null then 0 else total - fed end,
            completed_at = case when done + failed + case when $2 is null then 0 else total - fed end >= total
                then $3 end
        where id = $1 and is_open returning completed_at";
    let completed_at: Option<Option<i64>> = on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(id.as_str())
        .bind(error)
        .bind(now.as_millis())
        .fetch_optional(c)
        .await)?;
    Ok(completed_at.flatten().is_some())
}
