//! Live workers, the jobs of dead ones, and the schedules that all workers keep.

use store::{Conn, DbError, on_engine};

use super::on_list;
use crate::clock::Timestamp;
use crate::jobs::model::BatchId;

/// Shows that a worker lives. Makes its row when there is none.
pub async fn beat(conn: &mut Conn, worker: &str, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "insert into job_workers (id, beat, started_at) values ($1, 0, $2)
        on conflict (id) do update set beat = job_workers.beat + 1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(worker).bind(now.as_millis()).execute(c).await.map(drop))?)
}

/// Lists the workers and the number of each one's last beat.
pub async fn list_workers(conn: &mut Conn) -> Result<Vec<(String, i64)>, DbError> {
    const SQL: &str = "select id, beat from job_workers";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?)
}

/// Removes a worker unless it has sent a beat since. Returns true when it was removed.
pub async fn remove_worker(conn: &mut Conn, worker: &str, last_beat: i64) -> Result<bool, DbError> {
    const SQL: &str = "delete from job_workers where id = $1 and beat = $2";
    let rows = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(worker)
        .bind(last_beat)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Lists the jobs that a worker has, and whether each is to be stopped.
pub async fn list_jobs_of(conn: &mut Conn, worker: &str) -> Result<Vec<(String, bool)>, DbError> {
    const SQL: &str = "select id, cancelled from jobs where state = 'running' and worker_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(worker).fetch_all(c).await)?)
}

/// Puts the jobs of a worker that is gone back into the queue, those that used up their attempts excepted.
pub async fn reclaim(conn: &mut Conn, worker: &str, ids: &[String]) -> Result<u64, DbError> {
    Ok(on_list!(
        conn,
        sqlx::query,
        "update jobs set state = 'waiting', worker_id = null, again = false, run_at = 0,
            error = 'the process that ran it ended' where id",
        "and worker_id = $2 and state = 'running' and not cancelled and (attempts < max_attempts or again)",
        ids,
        |query, c| query.bind(worker).execute(c).await.map(|done| done.rows_affected())
    )?)
}

/// Ends the others; answers the batch of each.
pub async fn give_up_lost(
    conn: &mut Conn,
    worker: &str,
    ids: &[String],
    now: Timestamp,
) -> Result<Vec<Option<BatchId>>, DbError> {
    let rows: Vec<(Option<String>,)> = on_list!(
        conn,
        sqlx::query_as,
        "update jobs set state = 'dead', worker_id = null, ended_at = $3,
            error = 'every process that ran it ended' where id",
        "and worker_id = $2 and state = 'running' returning batch_id",
        ids,
        |query, c| query.bind(worker).bind(now.as_millis()).fetch_all(c).await
    )?;
    Ok(rows.into_iter().map(|(batch,)| batch.map(BatchId::from)).collect())
}

/// Gives the jobs of a worker that ends back, as if it had not begun them.
pub async fn give_back(conn: &mut Conn, worker: &str) -> Result<u64, DbError> {
    const JOBS: &str = "update jobs set state = 'waiting', worker_id = null, again = false, run_at = 0,
            attempts = attempts - 1
        where worker_id = $1 and state = 'running'";
    const WORKER: &str = "delete from job_workers where id = $1";
    let rows = on_engine!(conn, |c| sqlx::query(JOBS)
        .bind(worker)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    on_engine!(conn, |c| sqlx::query(WORKER).bind(worker).execute(c).await.map(drop))?;
    Ok(rows)
}

/// Finds when a schedule is next due.
pub async fn find_next_slot(conn: &mut Conn, kind: &str, key: &str) -> Result<Option<Timestamp>, DbError> {
    const SQL: &str = "select next_at from job_schedules where kind = $1 and key = $2";
    let row: Option<i64> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(kind).bind(key).fetch_optional(c).await)?;
    Ok(row.map(Timestamp::from_millis))
}

/// Inserts a schedule, unless another process has.
pub async fn insert_schedule(conn: &mut Conn, kind: &str, key: &str, next: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "insert into job_schedules (kind, key, next_at) values ($1, $2, $3) on conflict (kind, key) do nothing";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(kind)
        .bind(key)
        .bind(next.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Moves a schedule to its next slot. Returns false when another process did.
pub async fn advance_schedule(
    conn: &mut Conn,
    kind: &str,
    key: &str,
    from: Timestamp,
    to: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "update job_schedules set next_at = $4 where kind = $1 and key = $2 and next_at = $3";
    let rows = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(kind)
        .bind(key)
        .bind(from.as_millis())
        .bind(to.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}
