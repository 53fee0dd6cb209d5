//! Queries of operators and clients about jobs, batches and queue depth, and operators' changes.

use sqlx::AssertSqlSafe;
use store::{Conn, DbError, Engine, on_engine};

use super::on_list;
use crate::clock::Timestamp;
use crate::jobs::model::{Batch, BatchId, JobInfo, JobState};

#[derive(sqlx::FromRow)]
struct JobRow {
    id: String,
    kind: String,
    state: String,
    account_id: String,
    domain_id: Option<String>,
    batch_id: Option<String>,
    payload: String,
    attempts: i64,
    max_attempts: i64,
    run_at: i64,
    created_at: i64,
    started_at: Option<i64>,
    error: Option<String>,
    progress: Option<String>,
}

impl From<JobRow> for JobInfo {
    fn from(row: JobRow) -> JobInfo {
        JobInfo {
            id: row.id.into(),
            kind: row.kind,
            state: JobState::from_stored(&row.state),
            account_id: row.account_id,
            domain_id: row.domain_id,
            batch_group_id: row.batch_id.map(BatchId::from),
            payload: serde_json::from_str(&row.payload).unwrap_or(serde_json::Value::String(row.payload)),
            attempts: unsigned(row.attempts),
            max_attempts: unsigned(row.max_attempts),
            not_before: (row.run_at > 0).then(|| Timestamp::from_millis(row.run_at)),
            created_at: Timestamp::from_millis(row.created_at),
            started_at: row.started_at.map(Timestamp::from_millis),
            error: row.error,
            progress: row.progress.and_then(|text| serde_json::from_str(&text).ok()),
        }
    }
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Lists jobs, those that run first, then in the order in which they will.
pub async fn list_jobs(conn: &mut Conn, state: Option<JobState>, most: i64) -> Result<Vec<JobInfo>, DbError> {
    const SQL: &str = "select id, kind, state, account_id, domain_id, batch_id, payload, attempts, max_attempts, run_at,
            created_at, started_at, error, progress
        from jobs where $1 = '' or state = $1
        order by case state when 'running' then 0 when 'waiting' then 1 else 2 end, priority, turn, id limit $2";
    let state = state.map_or("", JobState::as_str);
    let rows: Vec<JobRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(state).bind(most).fetch_all(c).await)?;
    Ok(rows.into_iter().map(JobInfo::from).collect())
}

/// Lists the jobs of a batch that gave up.
pub async fn list_dead_of_batch(
    conn: &mut Conn,
    batch: &BatchId,
    most: i64,
) -> Result<Vec<JobInfo>, DbError> {
    const SQL: &str =
        "select id, kind, state, account_id, domain_id, batch_id, payload, attempts, max_attempts, run_at,
            created_at, started_at, error, progress
        from jobs where batch_id = $1 and state = 'dead' order by ended_at, id limit $2";
    let rows: Vec<JobRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(batch.as_str()).bind(most).fetch_all(c).await)?;
    Ok(rows.into_iter().map(JobInfo::from).collect())
}

/// Finds a job's state.
pub async fn find_job_state(conn: &mut Conn, id: &str) -> Result<Option<JobState>, DbError> {
    const SQL: &str = "select state from jobs where id = $1";
    let row: Option<String> = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(id).fetch_optional(c).await)?;
    Ok(row.map(|state| JobState::from_stored(&state)))
}

/// Puts a dead job back into the queue; answers its batch and lane, or `None` when it is not dead.
pub async fn revive(conn: &mut Conn, id: &str) -> Result<Option<(Option<BatchId>, Option<String>)>, DbError> {
    const SQL: &str = "update jobs set state = 'waiting', attempts = 0, run_at = 0, ended_at = null,
            death_told = false
        where id = $1 and state = 'dead' returning batch_id, lane";
    let row: Option<(Option<String>, Option<String>)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?;
    Ok(row.map(|(batch, lane)| (batch.map(BatchId::from), lane)))
}

/// Asks for the end of a job that runs; false when it does not run.
pub async fn request_cancel(conn: &mut Conn, id: &str) -> Result<bool, DbError> {
    const SQL: &str = "update jobs set cancelled = true where id = $1 and state = 'running'";
    let rows =
        on_engine!(conn, |c| sqlx::query(SQL).bind(id).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Deletes a job in any state; answers its state and batch.
pub async fn delete_job(conn: &mut Conn, id: &str) -> Result<Option<(JobState, Option<BatchId>)>, DbError> {
    const SQL: &str = "delete from jobs where id = $1 returning state, batch_id";
    let row: Option<(String, Option<String>)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?;
    Ok(row.map(|(state, batch)| (JobState::from_stored(&state), batch.map(BatchId::from))))
}

/// Deletes those of some jobs that have not begun. Returns their ids.
pub async fn delete_waiting(conn: &mut Conn, ids: &[String]) -> Result<Vec<String>, DbError> {
    Ok(on_list!(
        conn,
        sqlx::query_scalar,
        "delete from jobs where state = 'waiting' and id",
        "returning id",
        ids,
        |query, c| query.fetch_all(c).await
    )?)
}

/// Lists those of some jobs that wait or run.
pub async fn list_alive(conn: &mut Conn, ids: &[String]) -> Result<Vec<String>, DbError> {
    Ok(on_list!(
        conn,
        sqlx::query_scalar,
        "select id from jobs where state <> 'dead' and id",
        "",
        ids,
        |query, c| query.fetch_all(c).await
    )?)
}

pub async fn list_batches_of_domain(conn: &mut Conn, domain: &str) -> Result<Vec<BatchId>, DbError> {
    const SQL: &str = "select id from job_batches where domain_id = $1 order by id";
    let ids: Vec<String> = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain).fetch_all(c).await)?;
    Ok(ids.into_iter().map(BatchId::from).collect())
}

/// Deletes the recurring jobs of a domain, then some of its jobs, or when there are none left, its batches. Returns
/// the number of deleted rows.
pub async fn delete_some_of_domain(conn: &mut Conn, domain: &str) -> Result<u64, DbError> {
    const JOBS: &str = "delete from jobs where id in (select id from jobs where domain_id = $1 limit 1000)";
    const BATCHES: &str = "delete from job_batches where domain_id = $1";
    const RECURRENCES: &str = "delete from job_recurrences where domain_id = $1";
    for sql in [RECURRENCES, JOBS, BATCHES] {
        let deleted = on_engine!(conn, |c| {
            sqlx::query(sql).bind(domain).execute(c).await.map(|done| done.rows_affected())
        })?;
        if deleted > 0 {
            return Ok(deleted);
        }
    }
    Ok(0)
}

#[derive(sqlx::FromRow)]
struct BatchRow {
    id: String,
    kind: String,
    account_id: String,
    domain_id: Option<String>,
    total: i64,
    done: i64,
    failed: i64,
    running: i64,
    is_open: bool,
    fed: i64,
    error: Option<String>,
    created_at: i64,
    started_at: Option<i64>,
    completed_at: Option<i64>,
}

impl From<BatchRow> for Batch {
    fn from(row: BatchRow) -> Batch {
        Batch {
            id: row.id.into(),
            kind: row.kind,
            account: row.account_id,
            domain: row.domain_id,
            total: unsigned(row.total),
            done: unsigned(row.done),
            failed: unsigned(row.failed),
            running: unsigned(row.running),
            is_open: row.is_open,
            fed: unsigned(row.fed),
            error: row.error,
            created_at: Timestamp::from_millis(row.created_at),
            started_at: row.started_at.map(Timestamp::from_millis),
            completed_at: row.completed_at.map(Timestamp::from_millis),
        }
    }
}

/// The columns of a [`BatchRow`], with the count of what runs of it.
macro_rules! select_batches {
    ($rest:literal) => {
        concat!(
            "select id, kind, account_id, domain_id, total, done, failed, is_open, fed, error, created_at, started_at,
            completed_at,
            (select count(*) from jobs where jobs.batch_id = job_batches.id and jobs.state = 'running') as running
        from job_batches where ",
            $rest
        )
    };
}

/// Finds a batch and counts what runs of it.
pub async fn find_batch(conn: &mut Conn, id: &str) -> Result<Option<Batch>, DbError> {
    const SQL: &str = select_batches!("id = $1");
    let row: Option<BatchRow> = on_engine!(conn, |c| sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?;
    Ok(row.map(Batch::from))
}

pub async fn list_newest_batches(conn: &mut Conn, domain: &str, most: i64) -> Result<Vec<Batch>, DbError> {
    const SQL: &str = select_batches!("domain_id = $1 order by created_at desc, id desc limit $2");
    let rows: Vec<BatchRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain).bind(most).fetch_all(c).await)?;
    Ok(rows.into_iter().map(Batch::from).collect())
}

/// Records why a batch that is not over ends early. Returns false when it is over.
pub async fn record_batch_error(conn: &mut Conn, id: &BatchId, error: &str) -> Result<bool, DbError> {
    const SQL: &str = "update job_batches set error = coalesce(error || '; ', '') || $2 where id = $1 and completed_at is null";
    let rows = on_engine!(conn, |c| {
        sqlx::query(SQL).bind(id.as_str()).bind(error).execute(c).await.map(|done| done.rows_affected())
    })?;
    Ok(rows == 1)
}

/// Deletes the jobs of a batch that have not begun, and those that would add to it. Returns the number of the former.
pub async fn delete_waiting_of_batch(conn: &mut Conn, id: &BatchId) -> Result<u64, DbError> {
    const FEEDING: &str = "delete from jobs where feeds = $1 and state = 'waiting'";
    const OWN: &str = "delete from jobs where batch_id = $1 and state = 'waiting'";
    on_engine!(conn, |c| sqlx::query(FEEDING).bind(id.as_str()).execute(c).await.map(drop))?;
    Ok(on_engine!(conn, |c| {
        sqlx::query(OWN).bind(id.as_str()).execute(c).await.map(|done| done.rows_affected())
    })?)
}

/// Counts what an account has in the queue of a kind of jobs: what is left of its batches, and at most `most` single jobs.
///
/// On PostgreSQL other callers for the account wait until the transaction ends. SQLite has one writer anyway.
pub async fn count_pending(
    conn: &mut Conn,
    account: &str,
    (kind, batch_kinds): (&'static str, &[&str]),
    most: u64,
) -> Result<u64, DbError> {
    if conn.engine() == Engine::Postgres {
        const LOCK: &str = "select pg_advisory_xact_lock(hashtext('glasshouse jobs of ' || $1))";
        on_engine!(conn, |c| sqlx::query(LOCK).bind(account).execute(c).await.map(drop))?;
    }
    let batched: i64 = on_list!(
        conn,
        sqlx::query_scalar,
        "select cast(coalesce(sum(total - done - failed), 0) as bigint) from job_batches where kind",
        "and account_id = $2 and completed_at is null",
        batch_kinds,
        |query, c| query.bind(account).fetch_one(c).await
    )?;
    // The kind is written out, since only then the partial index is used.
    let sql = format!(
        "select count(*) from (select 1 from jobs where kind = '{kind}' and account_id = $1 and batch_id is null \
         and state <> 'dead' limit $2) as single"
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let single: i64 = on_engine!(conn, |c| {
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(account).bind(most).fetch_one(c).await
    })?;
    Ok(unsigned(batched).saturating_add(unsigned(single)))
}

/// Records what is to be said about a batch.
pub async fn set_batch_note(conn: &mut Conn, id: &BatchId, text: &str) -> Result<(), DbError> {
    const SQL: &str = "update job_batches set error = $2 where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).bind(text).execute(c).await.map(drop))?)
}

/// Counts the jobs of a batch that wait.
pub async fn count_waiting_in_batch(conn: &mut Conn, id: &BatchId) -> Result<u64, DbError> {
    const SQL: &str = "select count(*) from jobs where batch_id = $1 and state = 'waiting'";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(id.as_str()).fetch_one(c).await)?;
    Ok(unsigned(count))
}
