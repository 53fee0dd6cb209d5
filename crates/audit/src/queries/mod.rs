//! SQL of runs; SQL of their parts and of audit settings is in the files beside it. Used by audits only; both engines
//! run the same text.

pub mod segments;
pub mod settings;
pub mod summaries;

use audit_engine::engine::AuditProgress;
use store::{Conn, DbError, on_engine};

use super::model::{
    AuditRequest, CloseReason, Frequency, Outcome, Run, RunId, RunReport, RunStatus, Trigger,
};
use accounts::AccountId;
use domains::DomainId;
use platform::clock::Timestamp;

#[derive(sqlx::FromRow)]
struct RunRow {
    id: String,
    account_id: String,
    domain_id: String,
    host: String,
    started_at: i64,
    completed_at: Option<i64>,
    status: String,
    active: bool,
    triggered_by: String,
    frequency: String,
    request: String,
    run_count: i64,
    pages_crawled: i64,
    waiting: i64,
    probes_waiting: i64,
    pages_counted: i64,
    continuations: i64,
    health_score: f64,
    issue_count: i64,
    delta_issues: i64,
    delta_health: f64,
    close_reason: String,
    needs_continuation: bool,
    begun_at: Option<i64>,
    open_attempts: i64,
    working_until: i64,
    hit_url_limit: bool,
    cancel_requested: bool,
    error_message: Option<String>,
    report: String,
    archived_at: Option<i64>,
    forgotten: bool,
}

impl RunRow {
    /// Reads the run. Returns `None`, with an error in the log, when a newer version wrote it.
    fn read(self) -> Option<Run> {
        let id = self.id.clone();
        let read = self.parse();
        if read.is_none() {
            tracing::error!(run = id, "an audit's row cannot be read: it is of a newer version");
        }
        read
    }

    fn parse(self) -> Option<Run> {
        Some(Run {
            id: RunId::from(self.id),
            account_id: AccountId::from(self.account_id),
            domain_id: DomainId::from(self.domain_id),
            host: self.host,
            started_at: Timestamp::from_millis(self.started_at),
            completed_at: self.completed_at.map(Timestamp::from_millis),
            status: RunStatus::parse(&self.status)?,
            is_active: self.active,
            trigger: Trigger::parse(&self.triggered_by)?,
            frequency: Frequency::parse(&self.frequency)?,
            request: serde_json::from_str::<AuditRequest>(&self.request).ok()?,
            run_count: self.run_count.unsigned_abs(),
            pages_crawled: self.pages_crawled.unsigned_abs(),
            waiting: self.waiting.unsigned_abs(),
            probes_waiting: self.probes_waiting.unsigned_abs(),
            pages_counted: self.pages_counted.unsigned_abs(),
            continuations: self.continuations.unsigned_abs(),
            health_score: self.health_score,
            issue_count: self.issue_count.unsigned_abs(),
            delta_issues: self.delta_issues,
            delta_health: self.delta_health,
            close_reason: CloseReason::parse(&self.close_reason),
            needs_continuation: self.needs_continuation,
            begun_at: self.begun_at.map(Timestamp::from_millis),
            open_attempts: self.open_attempts.unsigned_abs(),
            working_until: Timestamp::from_millis(self.working_until),
            hit_url_limit: self.hit_url_limit,
            cancel_requested: self.cancel_requested,
            error_message: self.error_message,
            report: serde_json::from_str::<RunReport>(&self.report).ok()?,
            archived_at: self.archived_at.map(Timestamp::from_millis),
            is_forgotten: self.forgotten,
        })
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("what is stored is plain data")
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Writes a new run. A unique violation means that the domain has an active one.
pub async fn insert_run(conn: &mut Conn, run: &Run) -> Result<(), DbError> {
    const SQL: &str = "insert into audit_runs (id, account_id, domain_id, host, started_at, status, active, \
         triggered_by, frequency, scope_key, request, run_count, pages_crawled, waiting, probes_waiting, pages_counted, \
         continuations, health_score, issue_count, delta_issues, delta_health, close_reason, needs_continuation, hit_url_limit, \
         cancel_requested, report, updated_at, forgotten) \
         values ($1, $2, $3, $4, $5, $6, true, $7, $8, $9, $10, \
         (select count(*) + 1 from audit_runs where domain_id = $3), 0, 0, 0, 0, 0, 0, 0, 0, 0, '', false, false, false, $11, \
         $5, false)";
    on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(run.id.as_str())
            .bind(run.account_id.as_str())
            .bind(run.domain_id.as_str())
            .bind(&run.host)
            .bind(run.started_at.as_millis())
            .bind(run.status.as_str())
            .bind(run.trigger.as_str())
            .bind(run.frequency.as_str())
            .bind(run.request.scope_key())
            .bind(json(&run.request))
            .bind(json(&run.report))
            .execute(c)
            .await
            .map(drop)
    })?;
    Ok(())
}

pub async fn find_run(conn: &mut Conn, id: &str) -> Result<Option<Run>, DbError> {
    const SQL: &str = "select * from audit_runs where id = $1";
    let row: Option<RunRow> = on_engine!(conn, |c| sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?;
    Ok(row.and_then(RunRow::read))
}

pub async fn find_active(conn: &mut Conn, domain: &DomainId) -> Result<Option<RunId>, DbError> {
    const SQL: &str = "select id from audit_runs where domain_id = $1 and active";
    let id: Option<String> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).fetch_optional(c).await)?;
    Ok(id.map(RunId::from))
}

/// Lists the newest runs of an account's domains, or of one of them. Runs of removed domains are left out.
pub async fn list_runs(
    conn: &mut Conn,
    account: &AccountId,
    domains: Option<&[DomainId]>,
    most: i64,
) -> Result<Vec<Run>, DbError> {
    // Ids have no comma.
    const SQL: &str = "select * from audit_runs where account_id = $1 and not forgotten \
         and ($2 = '' or $2 like '%,' || domain_id || ',%') \
         and exists (select 1 from domains where domains.id = audit_runs.domain_id and domains.removed_at is null) \
         order by started_at desc, id desc limit $3";
    let chosen = domains.map_or_else(String::new, |ids| {
        ids.iter().fold(String::from(","), |text, id| text + id.as_str() + ",")
    });
    let rows: Vec<RunRow> = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(account.as_str()).bind(&chosen).bind(most).fetch_all(c).await
    })?;
    Ok(rows.into_iter().filter_map(RunRow::read).collect())
}

/// Lists the newest runs of a domain that have results and ended before a time, the newest first.
pub async fn list_with_results(
    conn: &mut Conn,
    domain: &DomainId,
    before: Timestamp,
    most: i64,
) -> Result<Vec<Run>, DbError> {
    const SQL: &str = "select * from audit_runs where domain_id = $1 and completed_at <= $2 \
         and status in ('success', 'limit_reached', 'partial') and not forgotten \
         order by started_at desc, id desc limit $3";
    let rows: Vec<RunRow> = on_engine!(conn, |c| {
        sqlx::query_as(SQL).bind(domain.as_str()).bind(before.as_millis()).bind(most).fetch_all(c).await
    })?;
    Ok(rows.into_iter().filter_map(RunRow::read).collect())
}

/// Records that a job works on a run now, and says that it will until `working_until`. `false`: the run is over.
pub async fn begin_run(
    conn: &mut Conn,
    id: &RunId,
    now: Timestamp,
    working_until: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "update audit_runs set status = 'running', updated_at = $2, needs_continuation = false, \
         begun_at = coalesce(begun_at, $2), open_attempts = open_attempts + 1, working_until = $3, \
         continuations = continuations + case when exists \
         (select 1 from audit_segments where run_id = $1 and kind = 'checkpoint') then 1 else 0 end \
         where id = $1 and active";
    let changed = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(now.as_millis())
        .bind(working_until.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()));
    Ok(changed? > 0)
}

/// Records that a process still works on a run.
pub async fn record_alive(conn: &mut Conn, id: &RunId, working_until: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "update audit_runs set working_until = $2 where id = $1 and active";
    on_engine!(conn, |c| {
        sqlx::query(SQL).bind(id.as_str()).bind(working_until.as_millis()).execute(c).await.map(drop)
    })?;
    Ok(())
}

/// Records that an attempt returned before the run was over.
pub async fn leave_run(conn: &mut Conn, id: &RunId) -> Result<(), DbError> {
    const SQL: &str = "update audit_runs set needs_continuation = true, working_until = 0, \
         open_attempts = case when open_attempts > 0 then open_attempts - 1 else 0 end where id = $1 and active";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).execute(c).await.map(drop))?;
    Ok(())
}

/// Stores the progress of a run, and clears the count of attempts that died. Returns true when the run should stop; none:
/// it is over.
pub async fn record_progress(
    conn: &mut Conn,
    id: &RunId,
    progress: AuditProgress,
    now: Timestamp,
) -> Result<Option<bool>, DbError> {
    const SQL: &str = "update audit_runs set pages_crawled = $2, waiting = $3, probes_waiting = $4, updated_at = $5, \
         open_attempts = 1 where id = $1 and active returning cancel_requested";
    Ok(on_engine!(conn, |c| {
        sqlx::query_scalar(SQL)
            .bind(id.as_str())
            .bind(count(progress.pages as u64))
            .bind(count(progress.waiting as u64))
            .bind(count(progress.probes as u64))
            .bind(now.as_millis())
            .fetch_optional(c)
            .await
    })?)
}

/// Counts pages of a run against the plan.
pub async fn record_counted(conn: &mut Conn, id: &RunId, pages: u64) -> Result<(), DbError> {
    const SQL: &str = "update audit_runs set pages_counted = $2 where id = $1";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).bind(count(pages)).execute(c).await.map(drop))?;
    Ok(())
}

/// Returns true when an active run should stop. Returns `None` when it is over.
pub async fn is_cancel_requested(conn: &mut Conn, id: &RunId) -> Result<Option<bool>, DbError> {
    const SQL: &str = "select cancel_requested from audit_runs where id = $1 and active";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(id.as_str()).fetch_optional(c).await)?)
}

/// Asks an active run to stop.
pub async fn request_cancel(conn: &mut Conn, id: &RunId) -> Result<(), DbError> {
    const SQL: &str = "update audit_runs set cancel_requested = true where id = $1 and active";
    on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).execute(c).await.map(drop))?;
    Ok(())
}

/// Ends a run that no process has begun. `false`: one has, or the run is over.
pub async fn end_waiting(
    conn: &mut Conn,
    id: &RunId,
    outcome: &Outcome,
    now: Timestamp,
) -> Result<bool, DbError> {
    // Whoever begins it meanwhile waits for this row, and then finds the run ended.
    const SQL: &str = "update audit_runs set updated_at = $2 where id = $1 and active and begun_at is null";
    let changed = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()));
    Ok(changed? > 0 && finish_run(conn, id, outcome, now).await?)
}

/// Writes how a run ended. `false`: it had ended already.
pub async fn finish_run(
    conn: &mut Conn,
    id: &RunId,
    outcome: &Outcome,
    now: Timestamp,
) -> Result<bool, DbError> {
    const SQL: &str = "update audit_runs set active = false, completed_at = $2, updated_at = $2, status = $3, \
         close_reason = $4, pages_crawled = $5, waiting = 0, probes_waiting = 0, health_score = $6, issue_count = $7, \
         delta_issues = $8, delta_health = $9, error_message = $10, report = $11, needs_continuation = false, hit_url_limit = $12 \
         where id = $1 and active";
    let changed = on_engine!(conn, |c| {
        sqlx::query(SQL)
            .bind(id.as_str())
            .bind(now.as_millis())
            .bind(outcome.status.as_str())
            .bind(outcome.close_reason.as_str())
            .bind(count(outcome.pages_crawled))
            .bind(outcome.health_score)
            .bind(count(outcome.issue_count))
            .bind(outcome.delta_issues)
            .bind(outcome.delta_health)
            .bind(outcome.error_message.as_deref())
            .bind(json(&outcome.report))
            .bind(outcome.close_reason == CloseReason::UrlLimit)
            .execute(c)
            .await
            .map(|done| done.rows_affected())
    });
    Ok(changed? > 0)
}

/// Records that a run's parts are in the object store.
pub async fn mark_archived(conn: &mut Conn, run: &RunId, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "update audit_runs set archived_at = $2 where id = $1";
    on_engine!(conn, |c| sqlx::query(SQL)
        .bind(run.as_str())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?;
    Ok(())
}

/// Runs whose parts may move to the object store: ended before a time, or with `newer` newer ones of their domain.
pub async fn list_archivable(
    conn: &mut Conn,
    ended_before: Timestamp,
    newer: i64,
    most: i64,
) -> Result<Vec<RunId>, DbError> {
    const SQL: &str = "select id from audit_runs where not active and archived_at is null and not forgotten \
         and status <> 'error' and (completed_at < $1 or $2 <= (select count(*) from audit_runs newer \
         where newer.domain_id = audit_runs.domain_id and newer.started_at > audit_runs.started_at)) \
         order by started_at limit $3";
    let ids: Vec<String> = on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(ended_before.as_millis()).bind(newer).bind(most).fetch_all(c).await
    })?;
    Ok(ids.into_iter().map(RunId::from).collect())
}

/// Lists active runs that no process has worked on since a time.
pub async fn list_silent(conn: &mut Conn, since: Timestamp, most: i64) -> Result<Vec<Run>, DbError> {
    const SQL: &str =
        "select * from audit_runs where active and updated_at < $1 order by updated_at limit $2";
    let rows: Vec<RunRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(since.as_millis()).bind(most).fetch_all(c).await)?;
    Ok(rows.into_iter().filter_map(RunRow::read).collect())
}

/// Ends every active run of a removed domain and says that nothing is left of any.
pub async fn forget_runs(conn: &mut Conn, domain: &DomainId, now: Timestamp) -> Result<Vec<RunId>, DbError> {
    const SQL: &str = "update audit_runs set forgotten = true, active = false, needs_continuation = false, \
         completed_at = coalesce(completed_at, $2), \
         status = case when status in ('queued', 'running') then 'error' else status end, \
         close_reason = case when close_reason = '' then 'cancelled' else close_reason end \
         where domain_id = $1 returning id";
    let ids: Vec<String> = on_engine!(conn, |c| {
        sqlx::query_scalar(SQL).bind(domain.as_str()).bind(now.as_millis()).fetch_all(c).await
    })?;
    Ok(ids.into_iter().map(RunId::from).collect())
}

/// Deletes the rows of runs whose domain was removed long ago.
pub async fn delete_forgotten(conn: &mut Conn, ended_before: Timestamp) -> Result<u64, DbError> {
    const SQL: &str = "delete from audit_runs where forgotten and completed_at < $1";
    let deleted = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(ended_before.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()));
    Ok(deleted?)
}
