//! Recurring jobs of owners, and their due times.

use store::{Conn, DbError, Engine, on_engine};

use crate::clock::Timestamp;
use crate::jobs::model::{JobId, JobPriority, NewJob};

/// A row: who wants what, and what is queued for it.
#[derive(Debug, sqlx::FromRow)]
pub struct RecurrenceRow {
    pub owner: String,
    pub kind: String,
    pub account_id: String,
    pub domain_id: Option<String>,
    pub recurrence: String,
    pub next_at: i64,
    pub payload: String,
    pub max_attempts: i64,
    pub unique_key: Option<String>,
    pub lane: Option<String>,
    pub priority: i64,
    pub tells_death: bool,
}

impl RecurrenceRow {
    /// Makes the job that is queued now.
    pub fn job(self) -> NewJob {
        NewJob {
            id: JobId::generate(),
            kind: self.kind.into(),
            account: self.account_id,
            payload: self.payload,
            max_attempts: u32::try_from(self.max_attempts).unwrap_or(1),
            domain: self.domain_id,
            batch: None,
            unique_key: self.unique_key,
            lane: self.lane,
            priority: JobPriority::from_rank(self.priority),
            run_at: None,
            feeds: None,
            tells_death: self.tells_death,
        }
    }
}

/// Finds the rule of an owner and its planned time, and locks the row until the transaction ends.
pub async fn find_recurrence(
    conn: &mut Conn,
    owner: &str,
    kind: &str,
) -> Result<Option<(String, i64)>, DbError> {
    let sql = match conn.engine() {
        // A write transaction of SQLite is alone.
        Engine::Sqlite => "select recurrence, next_at from job_recurrences where owner = $1 and kind = $2",
        Engine::Postgres => {
            "select recurrence, next_at from job_recurrences where owner = $1 and kind = $2 for update"
        }
    };
    Ok(on_engine!(conn, |c| sqlx::query_as(sql).bind(owner).bind(kind).fetch_optional(c).await)?)
}

/// Finds when something is next due.
pub async fn find_next_run(conn: &mut Conn, owner: &str, kind: &str) -> Result<Option<Timestamp>, DbError> {
    const SQL: &str = "select next_at from job_recurrences where owner = $1 and kind = $2";
    let next: Option<i64> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(owner).bind(kind).fetch_optional(c).await)?;
    Ok(next.map(Timestamp::from_millis))
}

/// Writes what an owner wants, over what it wanted before.
pub async fn put_recurrence(
    conn: &mut Conn,
    owner: &str,
    (recurrence, next_at): (&str, Timestamp),
    job: &NewJob,
) -> Result<(), DbError> {
    const SQL: &str = "insert into job_recurrences (owner, kind, account_id, domain_id, recurrence, next_at, payload,
            max_attempts, unique_key, lane, priority, tells_death)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        on conflict (owner, kind) do update set account_id = excluded.account_id, domain_id = excluded.domain_id,
            recurrence = excluded.recurrence, next_at = excluded.next_at, payload = excluded.payload,
            max_attempts = excluded.max_attempts, unique_key = excluded.unique_key, lane = excluded.lane,
            priority = excluded.priority, tells_death = excluded.tells_death";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(owner)
        .bind(job.kind.as_ref())
        .bind(&job.account)
        .bind(job.domain.as_deref())
        .bind(recurrence)
        .bind(next_at.as_millis())
        .bind(&job.payload)
        .bind(i64::from(job.max_attempts))
        .bind(job.unique_key.as_deref())
        .bind(job.lane.as_deref())
        .bind(job.priority.rank())
        .bind(job.tells_death)
        .execute(c)
        .await
        .map(drop))?)
}

/// Forgets what an owner wanted.
pub async fn delete_recurrence(conn: &mut Conn, owner: &str, kind: &str) -> Result<(), DbError> {
    const SQL: &str = "delete from job_recurrences where owner = $1 and kind = $2";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(owner).bind(kind).execute(c).await.map(drop))?)
}

/// Lists some of what is due, and of what is further away than any rule can be; in PostgreSQL what another process has in
/// hand is left out.
pub async fn list_due_recurrences(
    conn: &mut Conn,
    (now, horizon): (Timestamp, Timestamp),
    most: i64,
) -> Result<Vec<RecurrenceRow>, DbError> {
    let sql = match conn.engine() {
        Engine::Sqlite => {
            "select owner, kind, account_id, domain_id, recurrence, next_at, payload, max_attempts, unique_key, lane,
                priority, tells_death
            from job_recurrences where next_at <= $1 or next_at > $2 limit $3"
        }
        Engine::Postgres => {
            "select owner, kind, account_id, domain_id, recurrence, next_at, payload, max_attempts, unique_key, lane,
                priority, tells_death
            from job_recurrences where next_at <= $1 or next_at > $2 limit $3 for update skip locked"
        }
    };
    Ok(on_engine!(conn, |c| sqlx::query_as(sql)
        .bind(now.as_millis())
        .bind(horizon.as_millis())
        .bind(most)
        .fetch_all(c)
        .await)?)
}

/// Plans the next time.
pub async fn plan_recurrence(
    conn: &mut Conn,
    row: &RecurrenceRow,
    next_at: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "update job_recurrences set next_at = $3 where owner = $1 and kind = $2";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(&row.owner)
        .bind(&row.kind)
        .bind(next_at.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}
