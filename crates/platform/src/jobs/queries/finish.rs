//! The end of a run: done, again, later, dead. Every statement names the worker: one that lost its jobs changes nothing.

use store::{Conn, DbError, Engine, on_engine};

use super::{TroubledLane, on_list};
use crate::clock::Timestamp;
use crate::jobs::model::{BatchId, JobId};

/// Deletes jobs that ended well; answers the batch of each deleted one.
pub async fn delete_done(
    conn: &mut Conn,
    worker: &str,
    ids: &[String],
) -> Result<Vec<Option<BatchId>>, DbError> {
    let rows: Vec<(Option<String>,)> = on_list!(
        conn,
        sqlx::query_as,
        "delete from jobs where id",
        "and worker_id = $2 and state = 'running' and not again returning batch_id",
        ids,
        |query, c| query.bind(worker).fetch_all(c).await
    )?;
    Ok(rows.into_iter().map(|(batch,)| batch.map(BatchId::from)).collect())
}

/// Puts those that were asked for again while they ran back into the queue.
pub async fn rerun(conn: &mut Conn, worker: &str, ids: &[String]) -> Result<u64, DbError> {
    Ok(on_list!(
        conn,
        sqlx::query,
        "update jobs set state = 'waiting', again = false, attempts = 0, run_at = 0, worker_id = null, error = null,
            checkpoint = null, progress = null
            where id",
        "and worker_id = $2 and state = 'running' and again",
        ids,
        |query, c| query.bind(worker).execute(c).await.map(|done| done.rows_affected())
    )?)
}

/// Puts a job off. `attempts_back` is 1 when the run does not count.
pub async fn put_off(
    conn: &mut Conn,
    worker: &str,
    id: &JobId,
    run_at: Timestamp,
    error: Option<&str>,
    attempts_back: i64,
) -> Result<(), DbError> {
    const SQL: &str = "update jobs set state = 'waiting', again = false, run_at = $3, worker_id = null,
            error = coalesce($4, error), attempts = attempts - $5
        where id = $1 and worker_id = $2 and state = 'running'";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(worker)
        .bind(run_at.as_millis())
        .bind(error)
        .bind(attempts_back)
        .execute(c)
        .await
        .map(drop))?)
}

/// Ends a job that gave up; answers its batch, or `None` when the job is not this worker's any more.
pub async fn give_up(
    conn: &mut Conn,
    worker: &str,
    id: &JobId,
    error: &str,
    now: Timestamp,
) -> Result<Option<Option<BatchId>>, DbError> {
    const SQL: &str = "update jobs set state = 'dead', worker_id = null, error = $3, ended_at = $4
        where id = $1 and worker_id = $2 and state = 'running' and not again returning batch_id";
    let row: Option<(Option<String>,)> = on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(id.as_str())
        .bind(worker)
        .bind(error)
        .bind(now.as_millis())
        .fetch_optional(c)
        .await)?;
    Ok(row.map(|(batch,)| batch.map(BatchId::from)))
}

/// Deletes a job that stopped because it was cancelled; answers its batch, or `None` when the job is not this worker's.
pub async fn delete_cancelled(
    conn: &mut Conn,
    worker: &str,
    id: &JobId,
) -> Result<Option<Option<BatchId>>, DbError> {
    const SQL: &str =
        "delete from jobs where id = $1 and worker_id = $2 and state = 'running' returning batch_id";
    let row: Option<(Option<String>,)> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).bind(worker).fetch_optional(c).await)?;
    Ok(row.map(|(batch,)| batch.map(BatchId::from)))
}

/// Changes what a batch counts; returns true when the batch is over. Call it in the order of ids: two transactions that count in
/// the same batches must not wait for each other.
pub async fn count_in_batch(
    conn: &mut Conn,
    id: &BatchId,
    done: i64,
    failed: i64,
    now: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "update job_batches set done = done + $2, failed = failed + $3,
            started_at = coalesce(started_at, $4),
            completed_at = case when done + failed + $2 + $3 >= total and not is_open then $4 end
        where id = $1 returning completed_at";
    let completed_at: Option<Option<i64>> = on_engine!(conn, |c| sqlx::query_scalar(SQL)
        .bind(id.as_str())
        .bind(done)
        .bind(failed)
        .bind(now.as_millis())
        .fetch_optional(c)
        .await)?;
    Ok(completed_at.flatten().is_some())
}

/// Clears the trouble of a lane that works again, unless a newer cooldown has begun.
pub async fn clear_lane(conn: &mut Conn, lane: &str, rest_id: &str) -> Result<(), DbError> {
    const SQL: &str = "delete from job_lanes where lane = $1 and rest_id = $2";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(lane).bind(rest_id).execute(c).await.map(drop))?)
}

/// Forgets the trouble of a lane, whatever it is.
pub async fn reset_lane(conn: &mut Conn, lane: &str) -> Result<(), DbError> {
    const SQL: &str = "delete from job_lanes where lane = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(lane).execute(c).await.map(drop))?)
}

/// Finds a lane's trouble, and locks it until the transaction ends.
pub async fn find_troubled_lane(conn: &mut Conn, lane: &str) -> Result<Option<TroubledLane>, DbError> {
    let sql = match conn.engine() {
        Engine::Sqlite => {
            "select lane, failures, rest_until, rest_id, troubled_since from job_lanes where lane = $1"
        }
        Engine::Postgres => {
            "select lane, failures, rest_until, rest_id, troubled_since from job_lanes where lane = $1
                for update"
        }
    };
    Ok(on_engine!(conn, |c| sqlx::query_as(sql).bind(lane).fetch_optional(c).await)?)
}

/// Stores the cooldown of a lane.
pub async fn rest_lane(conn: &mut Conn, lane: &TroubledLane) -> Result<(), DbError> {
    const SQL: &str = "insert into job_lanes (lane, failures, rest_until, rest_id, troubled_since)
        values ($1, $2, $3, $4, $5)
        on conflict (lane) do update set failures = excluded.failures, rest_until = excluded.rest_until,
            rest_id = excluded.rest_id, troubled_since = excluded.troubled_since";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(&lane.lane)
        .bind(lane.failures)
        .bind(lane.rest_until)
        .bind(&lane.rest_id)
        .bind(lane.troubled_since)
        .execute(c)
        .await
        .map(drop))?)
}

/// Ends some waiting jobs of a kind and lane that no client waits for. Returns the batch of each.
pub async fn give_up_on_lane(
    conn: &mut Conn,
    (lane, kind): (&str, &str),
    least_rank: i64,
    error: &str,
    now: Timestamp,
) -> Result<Vec<Option<BatchId>>, DbError> {
    const SQL: &str = "update jobs set state = 'dead', run_at = 0, error = $4, ended_at = $5
        where id in (select id from jobs
            where lane = $1 and kind = $2 and state = 'waiting' and priority >= $3 limit 1000)
            and state = 'waiting'
        returning batch_id";
    let rows: Vec<(Option<String>,)> = on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(lane)
        .bind(kind)
        .bind(least_rank)
        .bind(error)
        .bind(now.as_millis())
        .fetch_all(c)
        .await)?;
    Ok(rows.into_iter().map(|(batch,)| batch.map(BatchId::from)).collect())
}
