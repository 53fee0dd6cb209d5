//! Out of the queue: the jobs that may run now, in fair order, and the worker that runs them.

use std::collections::HashMap;

use store::{Conn, DbError, Engine, EngineConn, on_engine};

use super::on_list;
use crate::clock::Timestamp;
use crate::jobs::model::LaneTrouble;

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
    pub checkpoint: Option<String>,
}

/// Lets one claim at a time go through, whichever process makes it: what runs of a lane is counted and added to in one
/// step. Free again when the transaction ends. A write transaction of SQLite is alone anyway.
pub async fn lock_claims(conn: &mut Conn) -> Result<(), DbError> {
    const SQL: &str = "select pg_advisory_xact_lock(hashtext('glasshouse jobs claim'))";
    match conn.raw() {
        EngineConn::Sqlite(_) => Ok(()),
        EngineConn::Postgres(c) => {
            store::time_limited(async { sqlx::query(SQL).execute(c).await.map(drop) }).await?;
            Ok(())
        }
    }
}

/// Makes jobs whose time has come ready, some at a time.
pub async fn promote_due(conn: &mut Conn, now: Timestamp) -> Result<(), DbError> {
    let sql = match conn.engine() {
        Engine::Sqlite => {
            "update jobs set run_at = 0 where id in (select id from jobs
                where state = 'waiting' and run_at > 0 and run_at <= $1 order by run_at limit 1000)"
        }
        // Another process that makes the same jobs ready is not waited for.
        Engine::Postgres => {
            "update jobs set run_at = 0 where id in (select id from jobs
                where state = 'waiting' and run_at > 0 and run_at <= $1 order by run_at limit 1000
                for update skip locked)"
        }
    };
    Ok(on_engine!(conn, |c| sqlx::query(sql).bind(now.as_millis()).execute(c).await.map(drop))?)
}

/// Jobs at the head of the queue that a claim looks at. Beyond them it looks lane by lane.
const HEAD: i64 = 1_000;

/// Limits of a claim.
#[derive(Debug, Clone, Copy)]
pub struct ClaimFilter<'w> {
    /// Kinds that have room.
    pub kinds: &'w [String],
    /// Lanes that have none.
    pub closed_lanes: &'w [String],
    /// Jobs that one lane has room for at most.
    pub of_lane: usize,
    /// Jobs in all.
    pub most: usize,
}

/// Lists the jobs that may run now, lowest start number first, and locks them until the transaction ends.
///
/// The work is bounded by the head's length and the number of lanes, however many jobs of closed lanes or of other
/// kinds are before them. See docs/decisions/0052.
pub async fn list_candidates(conn: &mut Conn, wanted: ClaimFilter<'_>) -> Result<Vec<Candidate>, DbError> {
    let found = list_at_head(conn, wanted).await?;
    if found.len() >= wanted.most || !is_longer_than_head(conn).await? {
        return Ok(found);
    }
    list_by_lane(conn, wanted).await
}

/// The rows are found by their ids. The state is hidden from the planner: without statistics, as after a million rows came at
/// once, it takes an index of waiting jobs to have a single entry and walks through all of it with the list in its hand.
/// See docs/decisions/0052.
macro_rules! columns {
    () => {
        "select id, kind, account_id, domain_id, batch_id, lane, priority, turn, payload, attempts, max_attempts,
            created_at, checkpoint from jobs where state || '' = 'waiting' and run_at = 0 and "
    };
}

async fn list_at_head(conn: &mut Conn, wanted: ClaimFilter<'_>) -> Result<Vec<Candidate>, DbError> {
    // The index is named because the planner knows nothing of json_each.
    const SQLITE: &str = concat!(
        columns!(),
        "rowid in (select place from
            (select rowid as place, kind, lane, priority, turn from jobs indexed by jobs_ready
                where state = 'waiting' and run_at = 0 order by priority, turn limit $4)
            where kind in (select value from json_each($1))
                and (lane is null or lane not in (select value from json_each($2)))
            order by priority, turn limit $3)
        order by priority, turn"
    );
    const POSTGRES: &str = concat!(
        columns!(),
        "id = any(array(select id from
            (select id, kind, lane, priority, turn from jobs
                where state = 'waiting' and run_at = 0 order by priority, turn limit $4) as head
            where kind = any($1) and (lane is null or lane <> all($2))
            order by priority, turn limit $3))
        order by priority, turn for update skip locked"
    );
    list(conn, (SQLITE, POSTGRES), wanted, HEAD).await
}

async fn is_longer_than_head(conn: &mut Conn) -> Result<bool, DbError> {
    const SQL: &str = "select count(*) from (select 1 from jobs where state = 'waiting' and run_at = 0
        order by priority, turn limit $1) as head";
    let count: i64 = on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(HEAD).fetch_one(c).await)?;
    Ok(count == HEAD)
}

/// Lists candidates with one look-up for each lane that has jobs, and one for the first of each kind in open lanes. Jobs
/// without a lane are treated as one more lane: they are ordered by the lane column too, because PostgreSQL would otherwise
/// scan the whole queue for them. The condition must equal that of PostgreSQL's index to the letter: no other index fits.
async fn list_by_lane(conn: &mut Conn, wanted: ClaimFilter<'_>) -> Result<Vec<Candidate>, DbError> {
    const SQLITE: &str = concat!(
        "with recursive lanes (lane) as (
            select min(lane) from jobs indexed by jobs_lane_ready
                where state = 'waiting' and run_at = 0 and lane is not null
            union all
            select (select min(lane) from jobs indexed by jobs_lane_ready
                where state = 'waiting' and run_at = 0 and lane > lanes.lane)
            from lanes where lanes.lane is not null) ",
        columns!(),
        "rowid in (
            select job.rowid from lanes cross join json_each($1) as kinds cross join jobs as job
            where lanes.lane is not null and lanes.lane not in (select value from json_each($2))
                and job.rowid in (select rowid from jobs as own indexed by jobs_lane_ready
                    where own.state = 'waiting' and own.run_at = 0 and own.lane = lanes.lane
                        and own.kind = kinds.value
                    order by own.priority, own.turn limit $4)
            union all
            select job.rowid from json_each($1) as kinds cross join jobs as job
            where job.rowid in (select rowid from jobs as own indexed by jobs_lane_ready
                where own.state = 'waiting' and own.run_at = 0 and own.lane is null and own.kind = kinds.value
                order by own.priority, own.turn limit $3))
        order by priority, turn limit $3"
    );
    const POSTGRES: &str = concat!(
        "with recursive lanes (lane) as (
            select min(lane) from jobs where coalesce(state = 'waiting' and run_at = 0, false) and lane is not null
            union all
            select (select min(lane) from jobs
                where coalesce(state = 'waiting' and run_at = 0, false) and lane > lanes.lane)
            from lanes where lanes.lane is not null),
        heads (id) as (
            select own.id from lanes cross join unnest($1::text[]) as kinds (kind) cross join lateral (
                select id from jobs where coalesce(state = 'waiting' and run_at = 0, false)
                    and lane = lanes.lane and jobs.kind = kinds.kind order by priority, turn limit $4) as own
            where lanes.lane is not null and lanes.lane <> all($2)
            union all
            select own.id from unnest($1::text[]) as kinds (kind) cross join lateral (
                select id from jobs where coalesce(state = 'waiting' and run_at = 0, false)
                    and lane is null and jobs.kind = kinds.kind order by lane, priority, turn limit $3) as own) ",
        columns!(),
        "id = any(array(select id from heads)) order by priority, turn limit $3 for update skip locked"
    );
    let of_lane = i64::try_from(wanted.of_lane.max(1)).unwrap_or(i64::MAX);
    list(conn, (SQLITE, POSTGRES), wanted, of_lane).await
}

async fn list(
    conn: &mut Conn,
    (sqlite, postgres): (&'static str, &'static str),
    wanted: ClaimFilter<'_>,
    bound: i64,
) -> Result<Vec<Candidate>, DbError> {
    let ClaimFilter { kinds, closed_lanes, most, .. } = wanted;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = match conn.raw() {
        // A write transaction of SQLite is alone.
        EngineConn::Sqlite(c) => {
            let query = sqlx::query_as(sqlite)
                .bind(serde_json::to_string(kinds).expect("texts are JSON"))
                .bind(serde_json::to_string(closed_lanes).expect("texts are JSON"))
                .bind(most)
                .bind(bound);
            store::time_limited(query.fetch_all(c)).await?
        }
        EngineConn::Postgres(c) => {
            let query = sqlx::query_as(postgres).bind(kinds).bind(closed_lanes).bind(most).bind(bound);
            store::time_limited(query.fetch_all(c)).await?
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

/// Counts the running jobs of a kind, in all processes.
pub async fn count_running(conn: &mut Conn, kind: &str) -> Result<i64, DbError> {
    const SQL: &str = "select count(*) from jobs where kind = $1 and state = 'running'";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(kind).fetch_one(c).await)?)
}

/// A lane that failed and has not worked since.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct TroubledLane {
    pub lane: String,
    /// Failures in a row.
    pub failures: i64,
    pub rest_until: i64,
    /// Identifier of this cooldown.
    pub rest_id: String,
    /// Time of the first of the failures.
    pub troubled_since: i64,
}

impl From<TroubledLane> for LaneTrouble {
    fn from(lane: TroubledLane) -> LaneTrouble {
        LaneTrouble {
            lane: lane.lane,
            failures: u32::try_from(lane.failures).unwrap_or(u32::MAX),
            rest_until: Timestamp::from_millis(lane.rest_until),
            since: Timestamp::from_millis(lane.troubled_since),
        }
    }
}

pub async fn list_troubled_lanes(conn: &mut Conn) -> Result<Vec<TroubledLane>, DbError> {
    const SQL: &str = "select lane, failures, rest_until, rest_id, troubled_since from job_lanes";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?)
}

/// The rate of a named lane: the time, in epoch milliseconds, at which it allows the next job.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct LaneRate {
    pub lane: String,
    pub next_at: i64,
}

/// Lists how far the rates of named lanes are used up.
pub async fn list_lane_rates(conn: &mut Conn) -> Result<Vec<LaneRate>, DbError> {
    const SQL: &str = "select lane, next_at from job_lane_rates";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?)
}

/// Writes down how far the rate of a named lane is used up. Claims go through one at a time, so nothing is lost between.
pub async fn set_lane_rate(conn: &mut Conn, rate: &LaneRate) -> Result<(), DbError> {
    const SQL: &str = "insert into job_lane_rates (lane, next_at) values ($1, $2)
        on conflict (lane) do update set next_at = excluded.next_at";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(&rate.lane).bind(rate.next_at).execute(c).await.map(drop))?)
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

/// Records the start number that a priority has reached.
pub async fn advance_turn(conn: &mut Conn, priority: i64, turn: i64) -> Result<(), DbError> {
    const SQL: &str = "insert into job_turns (priority, turn) values ($1, $2)
        on conflict (priority) do update set turn = excluded.turn where job_turns.turn < excluded.turn";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(priority).bind(turn).execute(c).await.map(drop))?)
}

/// Returns the earliest start of the delayed jobs; `None` when there is none.
pub async fn find_next_run_at(conn: &mut Conn) -> Result<Option<Timestamp>, DbError> {
    const SQL: &str = "select min(run_at) from jobs where state = 'waiting' and run_at > 0";
    let next: Option<i64> = on_engine!(conn, |c| sqlx::query_scalar(SQL).fetch_one(c).await)?;
    Ok(next.map(Timestamp::from_millis))
}

/// Brings jobs forward that are delayed beyond `horizon`: such a delay was written by a wrong clock.
pub async fn bring_forward(conn: &mut Conn, horizon: Timestamp) -> Result<u64, DbError> {
    const SQL: &str = "update jobs set run_at = 0 where state = 'waiting' and run_at > 0 and run_at > $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(horizon.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}
