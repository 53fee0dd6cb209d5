//! Out of the queue: what may run now, in whose turn, and who runs it.

use std::collections::HashMap;

use store::{Conn, DbError, EngineConn, on_engine};

use super::on_list;
use crate::clock::Timestamp;

/// A job that may be begun.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Candidate {
    pub id: String,
    pub kind: String,
    pub account_id: String,
    pub domain_id: Option<String>,
    pub batch_id: Option<String>,
    pub lane: Option<String>,
    pub priority: i64,
    pub turn: i64,
    pub payload: String,
    pub attempts: i64,
    pub max_attempts: i64,
    pub created_at: i64,
}

/// Lists what may run now, first turns first; nobody else can take these until the transaction ends.
pub async fn list_candidates(
    conn: &mut Conn,
    now: Timestamp,
    kinds: &[String],
    full_lanes: &[String],
    most: usize,
) -> Result<Vec<Candidate>, DbError> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = match conn.raw() {
        // A write transaction of SQLite is alone. The index is named because the planner knows nothing of json_each.
        EngineConn::Sqlite(c) => {
            const SQL: &str =
                "select id, kind, account_id, domain_id, batch_id, lane, priority, turn, payload,
                    attempts, max_attempts, created_at
                from jobs indexed by jobs_waiting
                where state = 'waiting' and run_at <= $1 and kind in (select value from json_each($2))
                    and (lane is null or lane not in (select value from json_each($3)))
                order by priority, turn limit $4";
            sqlx::query_as(SQL)
                .bind(now.as_millis())
                .bind(serde_json::to_string(kinds).expect("texts are JSON"))
                .bind(serde_json::to_string(full_lanes).expect("texts are JSON"))
                .bind(most)
                .fetch_all(c)
                .await?
        }
        EngineConn::Postgres(c) => {
            const SQL: &str =
                "select id, kind, account_id, domain_id, batch_id, lane, priority, turn, payload,
                    attempts, max_attempts, created_at
                from jobs
                where state = 'waiting' and run_at <= $1 and kind = any($2)
                    and (lane is null or lane <> all($3))
                order by priority, turn limit $4
                for update skip locked";
            sqlx::query_as(SQL)
                .bind(now.as_millis())
                .bind(kinds)
                .bind(full_lanes)
                .bind(most)
                .fetch_all(c)
                .await?
        }
    };
    Ok(rows)
}

/// Counts the running jobs of every lane that has some, in all processes.
pub async fn count_running_by_lane(conn: &mut Conn) -> Result<HashMap<String, i64>, DbError> {
    const SQL: &str =
        "select lane, count(*) from jobs where state = 'running' and lane is not null group by lane";
    let rows: Vec<(String, i64)> = on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?;
    Ok(rows.into_iter().collect())
}

/// Lists the lanes that rest. A rest that is further away than `horizon` was written by a clock that was wrong.
pub async fn list_resting_lanes(
    conn: &mut Conn,
    now: Timestamp,
    horizon: Timestamp,
) -> Result<Vec<String>, DbError> {
    const SQL: &str = "select lane from job_lanes where rest_until > $1 and rest_until <= $2";
    let rows: Vec<(String,)> = on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(now.as_millis())
        .bind(horizon.as_millis())
        .fetch_all(c)
        .await)?;
    Ok(rows.into_iter().map(|(lane,)| lane).collect())
}

/// Hands jobs to a worker.
pub async fn begin_jobs(
    conn: &mut Conn,
    ids: &[String],
    worker: &str,
    now: Timestamp,
) -> Result<(), DbError> {
    on_list!(
        conn,
        sqlx::query,
        "update jobs set state = 'running', attempts = attempts + 1, worker_id = $2, started_at = $3 where id",
        "",
        ids,
        |query, c| query.bind(worker).bind(now.as_millis()).execute(c).await.map(drop)
    )?;
    Ok(())
}

/// Notes how far the turns of a priority have come.
pub async fn advance_turn(conn: &mut Conn, priority: i64, turn: i64) -> Result<(), DbError> {
    const SQL: &str = "insert into job_turns (priority, turn) values ($1, $2)
        on conflict (priority) do update set turn = excluded.turn where job_turns.turn < excluded.turn";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(priority).bind(turn).execute(c).await.map(drop))?)
}

/// When the next job that is put off may run; `None` when there is none.
pub async fn find_next_run_at(conn: &mut Conn, now: Timestamp) -> Result<Option<Timestamp>, DbError> {
    const SQL: &str = "select min(run_at) from jobs where state = 'waiting' and run_at > $1";
    let next: Option<i64> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(now.as_millis()).fetch_one(c).await)?;
    Ok(next.map(Timestamp::from_millis))
}

/// Brings jobs forward that wait beyond `horizon`: no job is put off for so long, so a clock was wrong.
pub async fn bring_forward(conn: &mut Conn, horizon: Timestamp) -> Result<u64, DbError> {
    const SQL: &str = "update jobs set run_at = 0 where state = 'waiting' and run_at > $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(horizon.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}
