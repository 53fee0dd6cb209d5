//! Into the queue: turns, jobs, batches. Runs in the caller's transaction.
//! See docs/decisions/0050.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use sqlx::AssertSqlSafe;
use store::{Conn, DbError, Engine, Tx, on_engine};

use crate::clock::Timestamp;
use crate::jobs::model::{BatchId, NewBatch, NewJob};

/// Rows of one insert. Larger saves little and makes a statement that takes long to prepare.
const ROWS: usize = 100;
/// Columns that are bound.
const BOUND: usize = 15;

/// Channel that tells other processes on PostgreSQL that there is work.
pub const CHANNEL: &str = "glasshouse_jobs";

/// Takes turns for an account's jobs and answers the first one.
///
/// Fair by start time: an account that was idle starts now, behind nobody; one that queued a million jobs has taken a
/// million turns, and everybody else's next job goes between them.
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
        for rows in jobs.chunks(ROWS) {
            inserted += insert_rows(tx, rows, turn, now).await?;
            turn += i64::try_from(rows.len()).unwrap_or(0);
        }
    }
    notify(tx).await?;
    Ok(inserted)
}

async fn insert_rows(
    conn: &mut Conn,
    rows: &[NewJob],
    first_turn: i64,
    now: Timestamp,
) -> Result<u64, DbError> {
    let mut sql = String::from(
        "insert into jobs (id, kind, account_id, domain_id, batch_id, unique_key, lane, priority, turn, payload,
            max_attempts, run_at, created_at, feeds, tells_death, attempts, state, again) values ",
    );
    for row in 0..rows.len() {
        let separator = if row == 0 { "(" } else { ", (" };
        sql.push_str(separator);
        for column in 1..=BOUND {
            let _ = write!(sql, "${}, ", row * BOUND + column);
        }
        sql.push_str("0, 'waiting', false)");
    }
    sql.push_str(
        " on conflict (kind, unique_key) where unique_key is not null and state <> 'dead'
          do update set again = (jobs.state = 'running') returning id",
    );
    let returned: Vec<(String,)> = on_engine!(conn, |c| {
        let mut query = sqlx::query_as(AssertSqlSafe(sql));
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
                // 0 and not the time: a clock that is set back must not put work off.
                .bind(job.run_at.map_or(0, Timestamp::as_millis))
                .bind(now.as_millis())
                .bind(job.feeds.as_ref().map(BatchId::as_str))
                .bind(job.tells_death);
        }
        query.fetch_all(c).await
    })?;
    let ours: HashSet<&str> = rows.iter().map(|job| job.id.as_str()).collect();
    Ok(returned.iter().filter(|(id,)| ours.contains(id.as_str())).count() as u64)
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

/// Makes a batch.
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

/// Notes that an open batch has this many jobs in all.
pub async fn set_batch_total(conn: &mut Conn, id: &BatchId, total: u64) -> Result<(), DbError> {
    const SQL: &str = "update job_batches set total = $2 where id = $1";
    let total = i64::try_from(total).unwrap_or(i64::MAX);
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).bind(total).execute(c).await.map(drop))?)
}

/// Moves the mark in a batch's list forward; false when somebody else did.
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
) -> Result<(), DbError> {
    const SQL: &str = "update job_batches set is_open = false, error = coalesce($2, error),
            failed = failed + case when $2 is null then 0 else total - fed end,
            completed_at = case when done + failed + case when $2 is null then 0 else total - fed end >= total
                then $3 end
        where id = $1 and is_open";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(error)
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}
