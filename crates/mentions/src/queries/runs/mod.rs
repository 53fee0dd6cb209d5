//! SQL of runs on their way: queued, asked, answered, ended.

mod new;

use assistants::providers::{Persona, Provider};
use store::{Conn, DbError, on_engine};

use super::{locked, on_texts};
use crate::model::{PromptId, PromptRunId, PromptRunStatus, RunErrorCode, RunReason, UtcDay};
use ::domains::DomainId;
use accounts::AccountId;
use platform::clock::Timestamp;

pub use new::insert_runs;

/// A run that is about to be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTask {
    pub id: PromptRunId,
    pub account: AccountId,
    pub domain: DomainId,
    pub prompt: PromptId,
    pub revision: i64,
    pub provider: Provider,
    pub slot: Timestamp,
    pub day: UtcDay,
    pub sample: i64,
    pub reason: RunReason,
    pub status: PromptRunStatus,
    /// Requests so far, and those of them without an answer.
    pub calls: u32,
    pub unanswered: u32,
    /// Last failure.
    pub failure: Option<(RunErrorCode, String)>,
    pub created_at: Timestamp,
    pub is_demo: bool,
    pub text: String,
    pub persona: Persona,
}

#[derive(sqlx::FromRow)]
struct TaskRow {
    id: String,
    account_id: String,
    domain_id: String,
    prompt_id: String,
    revision: i64,
    provider: String,
    slot: i64,
    day: i64,
    sample: i64,
    reason: String,
    status: String,
    calls: i64,
    unanswered: i64,
    error_code: String,
    error_detail: String,
    created_at: i64,
    is_demo: bool,
    prompt_text: String,
    persona: String,
}

impl TaskRow {
    fn read(self) -> Option<RunTask> {
        let small = |number: i64| u32::try_from(number).unwrap_or_default();
        Some(RunTask {
            id: PromptRunId::from(self.id),
            account: AccountId::from(self.account_id),
            domain: DomainId::from(self.domain_id),
            prompt: PromptId::from(self.prompt_id),
            revision: self.revision,
            provider: self.provider.parse().ok()?,
            slot: Timestamp::from_millis(self.slot),
            day: self.day,
            sample: self.sample,
            reason: RunReason::parse(&self.reason)?,
            status: PromptRunStatus::parse(&self.status)?,
            calls: small(self.calls),
            unanswered: small(self.unanswered),
            failure: RunErrorCode::parse(&self.error_code).map(|code| (code, self.error_detail)),
            created_at: Timestamp::from_millis(self.created_at),
            is_demo: self.is_demo,
            text: self.prompt_text,
            persona: serde_json::from_str(&self.persona).unwrap_or_default(),
        })
    }
}

/// Finds a run with the text that it asks. None: it is gone, or of a newer version.
pub async fn find_task(conn: &mut Conn, id: &PromptRunId) -> Result<Option<RunTask>, DbError> {
    const SQL: &str = "select r.id, r.account_id, r.domain_id, r.prompt_id, r.revision, r.provider, r.slot, r.day, r.sample,
            r.reason, r.status, r.calls, r.unanswered, r.error_code, r.error_detail, r.created_at, r.is_demo,
            q.prompt_text, q.persona
        from mention_runs r join mention_questions q on q.prompt_id = r.prompt_id and q.revision = r.revision
        where r.id = $1";
    let row: Option<TaskRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(row.and_then(TaskRow::read))
}

/// A run that is not over.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct OpenRun {
    pub id: String,
    pub prompt_id: String,
    pub provider: String,
    pub status: String,
    pub job_id: String,
    pub day: i64,
    pub reason: String,
    pub changed_at: i64,
}

macro_rules! open_runs {
    ($condition:literal) => {
        concat!(
            "select id, prompt_id, provider, status, job_id, day, reason, changed_at from mention_runs
            where status in ('queued', 'running', 'answered') and ",
            $condition
        )
    };
}

/// Lists the runs of a domain that are not over.
pub async fn list_open_of_domain(conn: &mut Conn, domain: &DomainId) -> Result<Vec<OpenRun>, DbError> {
    const SQL: &str = open_runs!("domain_id = $1");
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_all(c).await)?)
}

/// Lists the runs of a prompt that are not over.
pub async fn list_open_of_prompt(conn: &mut Conn, prompt: &PromptId) -> Result<Vec<OpenRun>, DbError> {
    const SQL: &str = open_runs!("prompt_id = $1");
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(prompt.as_str()).fetch_all(c).await)?)
}

/// Counts the runs of a prompt on a day, by provider.
pub async fn count_by_provider(
    conn: &mut Conn,
    prompt: &PromptId,
    day: UtcDay,
) -> Result<Vec<(String, i64)>, DbError> {
    const SQL: &str =
        "select provider, count(*) from mention_runs where prompt_id = $1 and day = $2 group by provider";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(prompt.as_str()).bind(day).fetch_all(c).await)?)
}

/// Lists the runs of some prompts that are not over.
pub async fn list_open_of_prompts(conn: &mut Conn, prompts: &[String]) -> Result<Vec<OpenRun>, DbError> {
    Ok(on_texts!(
        conn,
        sqlx::query_as,
        "select id, prompt_id, provider, status, job_id, day, reason, changed_at from mention_runs
            where status in ('queued', 'running', 'answered') and prompt_id",
        "",
        prompts,
        |query, c| query.fetch_all(c).await
    )?)
}

/// Lists some runs of all domains that are not over, in the order of their ids, from behind one on.
pub async fn list_open(conn: &mut Conn, after: &str, most: i64) -> Result<Vec<OpenRun>, DbError> {
    const SQL: &str = open_runs!("id > $1 order by id limit $2");
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(after).bind(most).fetch_all(c).await)?)
}

/// Finds a run that is not over. Nobody else changes the row until the transaction ends.
pub async fn lock_open(conn: &mut Conn, id: &PromptRunId) -> Result<Option<OpenRun>, DbError> {
    let sql = locked(conn, open_runs!("id = $1"), open_runs!("id = $1 for update"));
    Ok(on_engine!(conn, |c| sqlx::query_as(sql).bind(id.as_str()).fetch_optional(c).await)?)
}

/// Counts the analysed answers of a domain.
pub async fn count_analysed(conn: &mut Conn, domain: &DomainId) -> Result<i64, DbError> {
    const SQL: &str = "select count(*) from mention_runs where domain_id = $1 and status = 'ok'";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).fetch_one(c).await)?)
}

/// Finds the next prompt of a domain by its id, deleted ones with runs included.
pub async fn find_next_prompt(
    conn: &mut Conn,
    domain: &DomainId,
    after: &str,
) -> Result<Option<String>, DbError> {
    const SQL: &str = "select min(prompt_id) from mention_questions where domain_id = $1 and prompt_id > $2";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).bind(after).fetch_one(c).await)?)
}

/// Lists the providers that answered a prompt on a day.
pub async fn list_answered_on(
    conn: &mut Conn,
    prompt: &PromptId,
    day: UtcDay,
) -> Result<Vec<String>, DbError> {
    const SQL: &str =
        "select distinct provider from mention_runs where prompt_id = $1 and day = $2 and status = 'ok'";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(prompt.as_str()).bind(day).fetch_all(c).await)?)
}

/// Deletes queued runs. Returns those that were: id, prompt and provider.
pub async fn delete_queued(conn: &mut Conn, ids: &[String]) -> Result<Vec<String>, DbError> {
    Ok(on_texts!(
        conn,
        sqlx::query_scalar,
        "delete from mention_runs where status = 'queued' and id",
        "returning id",
        ids,
        |query, c| query.fetch_all(c).await
    )?)
}

/// Deletes a run without an answer, because money or permission ended.
pub async fn delete_unanswered(conn: &mut Conn, id: &PromptRunId) -> Result<(), DbError> {
    const SQL: &str = "delete from mention_runs where id = $1 and status in ('queued', 'running')";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).execute(c).await.map(drop))?)
}

/// New state of a run without an answer.
#[derive(Debug)]
pub struct RunState<'a> {
    pub status: PromptRunStatus,
    pub code: RunErrorCode,
    pub detail: &'a str,
    pub changed_at: Timestamp,
}

/// Writes the state of a run that is not over.
pub async fn set_state(conn: &mut Conn, id: &PromptRunId, state: &RunState<'_>) -> Result<(), DbError> {
    const SQL: &str =
        "update mention_runs set status = $2, changed_at = $3, error_code = $4, error_detail = $5,
            expected_nanos = case when $2 = 'error' then 0 else expected_nanos end
        where id = $1";
    // No database keeps a null character in a text.
    let detail = state.detail.replace('\0', "\u{fffd}");
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(state.status.as_str())
        .bind(state.changed_at.as_millis())
        .bind(state.code.as_str())
        .bind(detail)
        .execute(c)
        .await
        .map(drop))?)
}

/// Change of the requests and costs of a run.
#[derive(Debug, Default, Clone)]
pub struct RunCalls {
    pub calls: i64,
    pub unanswered: i64,
    pub cost_nanos: i64,
    pub is_cost_estimated: bool,
}

/// Adds requests and costs to a run.
pub async fn add_calls(conn: &mut Conn, id: &PromptRunId, change: &RunCalls) -> Result<(), DbError> {
    const SQL: &str = "update mention_runs set calls = calls + $2, unanswered = unanswered + $3,
            cost_nanos = cost_nanos + $4, is_cost_estimated = (is_cost_estimated or $5)
        where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(change.calls)
        .bind(change.unanswered)
        .bind(change.cost_nanos)
        .bind(change.is_cost_estimated)
        .execute(c)
        .await
        .map(drop))?)
}

/// Writes that a run is being asked.
pub async fn begin_run(conn: &mut Conn, id: &PromptRunId, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "update mention_runs set status = 'running', expected_nanos = 0, changed_at = $2
        where id = $1 and status in ('queued', 'running')";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(id.as_str())
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Records which job works on a run from now on.
pub async fn set_job(conn: &mut Conn, id: &PromptRunId, job: &str) -> Result<(), DbError> {
    const SQL: &str = "update mention_runs set job_id = $2 where id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(id.as_str()).bind(job).execute(c).await.map(drop))?)
}

/// Sum of the expected prices of queued runs, by account, domain and provider.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct ExpectedRow {
    pub account_id: String,
    pub domain_id: String,
    pub provider: String,
    pub nanos: i64,
}

/// Sums up what queued runs are expected to cost.
pub async fn list_expected(conn: &mut Conn) -> Result<Vec<ExpectedRow>, DbError> {
    const SQL: &str = "select account_id, domain_id, provider, cast(sum(expected_nanos) as bigint) as nanos
        from mention_runs where status in ('queued', 'running', 'answered') and status = 'queued'
        group by account_id, domain_id, provider";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).fetch_all(c).await)?)
}
