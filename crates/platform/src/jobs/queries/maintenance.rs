//! Maintenance that one process does for all: its election, and the upkeep of jobs and batches in small amounts that
//! do not slow requests.
//! Every statement is bounded and uses an index.

use store::{Conn, DbError, Engine, EngineConn, on_engine};

use super::on_list;
use crate::clock::Timestamp;
use crate::jobs::model::{BatchId, JobId};

/// Rows that one statement changes at most.
const SOME: i64 = 1_000;
/// Jobs up to which a depth is counted.
pub const COUNTED: i64 = 10_000;

/// Finds the process elected for a kind of maintenance, and the number of its last beat.
pub async fn find_maintainer(conn: &mut Conn, name: &str) -> Result<Option<(String, i64)>, DbError> {
    const SQL: &str = "select worker_id, beat from job_chores where name = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(name).fetch_optional(c).await)?)
}

/// Takes a kind of maintenance over from the process elected before, or keeps it. Returns false when another process was faster.
pub async fn take_maintenance(
    conn: &mut Conn,
    name: &str,
    worker: &str,
    seen: Option<i64>,
) -> Result<bool, DbError> {
    const INSERT: &str = "insert into job_chores (name, worker_id, beat) values ($1, $2, 1)
        on conflict (name) do nothing";
    const UPDATE: &str =
        "update job_chores set worker_id = $2, beat = beat + 1 where name = $1 and beat = $3";
    let rows = match seen {
        None => on_engine!(conn, |c| sqlx::query(INSERT)
            .bind(name)
            .bind(worker)
            .execute(c)
            .await
            .map(|done| done.rows_affected()))?,
        Some(seen) => on_engine!(conn, |c| sqlx::query(UPDATE)
            .bind(name)
            .bind(worker)
            .bind(seen)
            .execute(c)
            .await
            .map(|done| done.rows_affected()))?,
    };
    Ok(rows == 1)
}

/// Gives up the maintenance of a worker that ends.
pub async fn leave_maintenance(conn: &mut Conn, worker: &str) -> Result<(), DbError> {
    const SQL: &str = "delete from job_chores where worker_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(worker).execute(c).await.map(drop))?)
}

/// Position in the queue of one priority: start number, and id of the job.
pub type WaitingPlace = (i64, String);

/// A waiting job, as far as its age matters.
#[derive(Debug, sqlx::FromRow)]
pub struct AgingJob {
    pub id: String,
    pub turn: i64,
    pub created_at: i64,
    pub lane: Option<String>,
}

/// Lists some jobs of a priority that may run, in the order of the queue, from behind a place on.
pub async fn list_aging(
    conn: &mut Conn,
    priority: i64,
    behind: Option<&WaitingPlace>,
    most: usize,
) -> Result<Vec<AgingJob>, DbError> {
    // The last turn is looked up first, in the order of the index. Without statistics PostgreSQL would sort all that are behind.
    const SQL: &str = "select id, turn, created_at, lane from jobs
        where state = 'waiting' and run_at = 0 and priority = $1 and turn >= $2 and (turn > $2 or id > $3)
            and turn <= coalesce((select turn from jobs where state = 'waiting' and run_at = 0 and priority = $1
                and turn >= $2 and (turn > $2 or id > $3) order by turn limit 1 offset $4 - 1), 9223372036854775807)
        order by turn, id limit $4";
    let (turn, id) = behind.map_or((i64::MIN, ""), |(turn, id)| (*turn, id.as_str()));
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(priority)
        .bind(turn)
        .bind(id)
        .bind(most)
        .fetch_all(c)
        .await)?)
}

/// Moves waiting jobs from one priority to the head of another.
pub async fn raise(conn: &mut Conn, (from, to): (i64, i64), ids: &[String]) -> Result<u64, DbError> {
    const HEAD: &str = "select coalesce((select turn from job_turns where priority = $1), 0)";
    if ids.is_empty() {
        return Ok(0);
    }
    let turn: i64 = on_engine!(conn, |c| sqlx::query_scalar(HEAD).bind(to).fetch_one(c).await)?;
    Ok(on_list!(
        conn,
        sqlx::query,
        "update jobs set priority = $2, turn = $3 where state = 'waiting' and priority = $4 and id",
        "",
        ids,
        |query, c| query.bind(to).bind(turn).bind(from).execute(c).await.map(|done| done.rows_affected())
    )?)
}

/// Deletes some of the jobs that gave up before a time.
pub async fn delete_old_dead(conn: &mut Conn, before: Timestamp) -> Result<u64, DbError> {
    const SQL: &str = "delete from jobs where id in
        (select id from jobs where state = 'dead' and ended_at < $1 order by ended_at limit $2)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(before.as_millis())
        .bind(SOME)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Lists the accounts that have jobs that gave up. One index look-up for each account, however many jobs it has.
pub async fn list_accounts_with_dead(conn: &mut Conn) -> Result<Vec<String>, DbError> {
    const SQL: &str = "with recursive accounts (account_id) as (
            select min(account_id) from jobs where state = 'dead'
            union all
            select (select min(account_id) from jobs where state = 'dead' and account_id > accounts.account_id)
            from accounts where accounts.account_id is not null)
        select account_id from accounts where account_id is not null";
    let rows: Vec<(String,)> = on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?;
    Ok(rows.into_iter().map(|(account,)| account).collect())
}

/// Deletes some of an account's jobs that gave up, beyond the newest `kept`.
pub async fn delete_dead_beyond(conn: &mut Conn, account: &str, kept: i64) -> Result<u64, DbError> {
    const SQL: &str =
        "delete from jobs where id in (select id from jobs where state = 'dead' and account_id = $1
        order by ended_at desc limit $2 offset $3)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(account)
        .bind(SOME)
        .bind(kept)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Closes open batches that nothing fills any more. What was never queued of them counts as failed.
pub async fn close_abandoned_batches(
    conn: &mut Conn,
    made_before: Timestamp,
    now: Timestamp,
) -> Result<u64, DbError> {
    const SQL: &str = "update job_batches set is_open = false, failed = total - done,
            error = coalesce(error, 'its list could not be read to the end'), completed_at = $2
        where completed_at is null and is_open and created_at < $1
        and not exists (select 1 from jobs where jobs.feeds = job_batches.id and jobs.state <> 'dead')
        and not exists (select 1 from jobs where jobs.batch_id = job_batches.id and jobs.state <> 'dead')";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(made_before.as_millis())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Completes closed batches none of whose jobs is left, whatever kept them from being counted.
pub async fn complete_stuck_batches(
    conn: &mut Conn,
    made_before: Timestamp,
    now: Timestamp,
) -> Result<u64, DbError> {
    const SQL: &str = "update job_batches set failed = total - done, completed_at = $2
        where completed_at is null and not is_open and created_at < $1
        and not exists (select 1 from jobs where jobs.batch_id = job_batches.id and jobs.state <> 'dead')";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(made_before.as_millis())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Deletes some of the batches that were complete before this time.
pub async fn delete_old_batches(conn: &mut Conn, before: Timestamp) -> Result<u64, DbError> {
    // A dead job that an operator may still retry keeps its batch.
    const SQL: &str = "delete from job_batches where id in (select id from job_batches
        where completed_at is not null and completed_at < $1
            and not exists (select 1 from jobs where jobs.batch_id = job_batches.id) limit $2)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(before.as_millis())
        .bind(SOME)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}

/// A job that gave up and whose kind has not been notified.
#[derive(Debug, sqlx::FromRow)]
pub struct Untold {
    pub id: String,
    pub kind: String,
    pub payload: String,
    pub error: Option<String>,
}

/// Lists some dead jobs of these kinds that have not been notified.
pub async fn list_untold(conn: &mut Conn, kinds: &[String]) -> Result<Vec<Untold>, DbError> {
    Ok(on_list!(
        conn,
        sqlx::query_as,
        "select id, kind, payload, error from jobs
            where state = 'dead' and tells_death and not death_told and kind",
        "limit 100",
        kinds,
        |query, c| query.fetch_all(c).await
    )?)
}

/// Records that the kind of a dead job was notified.
pub async fn record_told(conn: &mut Conn, id: &JobId) -> Result<(), DbError> {
    const SQL: &str = "update jobs set death_told = true where id = $1 and state = 'dead'";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).execute(c).await.map(drop))?)
}

/// Number of jobs of a kind in a state, up to [`COUNTED`], and the time at which the oldest was made.
#[derive(Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Depth {
    pub kind: String,
    pub state: String,
    pub jobs: i64,
    pub oldest: Option<i64>,
}

/// Counts the jobs of each of these kinds in each state. One statement: for each a look at the start of the same index.
pub async fn count_depths(conn: &mut Conn, kinds: &[String]) -> Result<Vec<Depth>, DbError> {
    // In the order of the index: PostgreSQL would read the table from its start until it has found so many otherwise.
    macro_rules! depths {
        ($kinds:literal) => {
            concat!(
                "select kinds.kind as kind, states.state as state,
                    (select count(*) from (select 1 from jobs where jobs.kind = kinds.kind
                        and jobs.state = states.state order by jobs.created_at limit $2) as counted) as jobs,
                    (select min(created_at) from jobs where jobs.kind = kinds.kind
                        and jobs.state = states.state) as oldest
                from (",
                $kinds,
                ") as kinds cross join
                    (select 'waiting' as state union all select 'running' union all select 'dead') as states"
            )
        };
    }
    const SQLITE: &str = depths!("select value as kind from json_each($1)");
    const POSTGRES: &str = depths!("select unnest($1::text[]) as kind");
    let depths = match conn.raw() {
        EngineConn::Sqlite(c) => {
            let kinds = serde_json::to_string(kinds).expect("texts are JSON");
            store::time_limited(sqlx::query_as(SQLITE).bind(kinds).bind(COUNTED).fetch_all(c)).await?
        }
        EngineConn::Postgres(c) => {
            store::time_limited(sqlx::query_as(POSTGRES).bind(kinds).bind(COUNTED).fetch_all(c)).await?
        }
    };
    Ok(depths)
}

/// Checks that an attempt still owns its job, and locks the job until the transaction ends.
pub async fn hold_job(conn: &mut Conn, id: &JobId, worker: &str, attempt: i64) -> Result<bool, DbError> {
    let sql = match conn.engine() {
        // A write transaction of SQLite is alone.
        Engine::Sqlite => {
            "select 1 from jobs where id = $1 and worker_id = $2 and attempts = $3 and state = 'running'"
        }
        Engine::Postgres => {
            "select 1 from jobs where id = $1 and worker_id = $2 and attempts = $3 and state = 'running'
                for update"
        }
    };
    let found = on_engine!(conn, |c| sqlx::query(sql)
        .bind(id.as_str())
        .bind(worker)
        .bind(attempt)
        .fetch_optional(c)
        .await
        .map(|row| row.is_some()))?;
    Ok(found)
}

/// Keeps where a job was and what it shows.
pub async fn save_checkpoint(
    conn: &mut Conn,
    id: &JobId,
    checkpoint: &str,
    progress: &str,
) -> Result<(), DbError> {
    const SQL: &str = "update jobs set checkpoint = $2, progress = $3 where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(checkpoint)
        .bind(progress)
        .execute(c)
        .await
        .map(drop))?)
}

/// Lists batches that are not complete of a domain, the oldest first.
pub async fn list_incomplete_batches(
    conn: &mut Conn,
    domain: &str,
) -> Result<Vec<(BatchId, String, Option<String>)>, DbError> {
    const SQL: &str = "select id, kind, source from job_batches
        where domain_id = $1 and completed_at is null order by id limit 100";
    let rows: Vec<(String, String, Option<String>)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain).fetch_all(c).await)?;
    Ok(rows.into_iter().map(|(id, kind, source)| (id.into(), kind, source)).collect())
}
