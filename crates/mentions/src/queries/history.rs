//! SQL of runs as they are read: lists, counts and single runs. Writes nothing.

use store::{Conn, DbError, on_engine};

use super::on_texts;
use crate::model::UtcDay;
use ::domains::DomainId;

/// Runs of a domain that are wanted.
#[derive(Debug, Clone)]
pub struct RunSelection {
    pub domain: DomainId,
    /// None: of all prompts, deleted ones included.
    pub prompt: Option<String>,
    /// Empty: of all.
    pub provider: &'static str,
    /// Both included.
    pub days: (UtcDay, UtcDay),
}

/// A run, as a list shows it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct RunListRow {
    pub id: String,
    pub prompt_id: String,
    pub day: i64,
    pub provider: String,
    pub status: String,
    pub answer: String,
    pub mention_position: i64,
    pub citation_count: i64,
    /// Hundredths.
    pub sentiment: i64,
    pub analysis_text: String,
    pub competitor_mentions: String,
    pub citation_domains: String,
    pub created_at: i64,
    pub retrieval: String,
    pub finish: String,
    pub served_model: String,
    pub error_code: String,
    pub is_demo: bool,
}

/// Lists the ids of some of the selected runs, the newest first, with the bytes of their answers.
pub async fn list_runs(
    conn: &mut Conn,
    of: &RunSelection,
    (limit, offset): (i64, i64),
) -> Result<Vec<(String, i64)>, DbError> {
    macro_rules! selected {
        ($owner:literal) => {
            concat!(
                "select id, cast(octet_length(answer) as bigint) from mention_runs where ",
                $owner,
                " = $1 and day >= $2 and day <= $3 and ($4 = '' or provider = $4)
                    order by day desc, id desc limit $5 offset $6"
            )
        };
    }
    const OF_DOMAIN: &str = selected!("domain_id");
    const OF_PROMPT: &str = selected!("prompt_id");
    let (sql, id) = match &of.prompt {
        None => (OF_DOMAIN, of.domain.as_str()),
        Some(prompt) => (OF_PROMPT, prompt.as_str()),
    };
    Ok(on_engine!(conn, |c| sqlx::query_as(sql)
        .bind(id)
        .bind(of.days.0)
        .bind(of.days.1)
        .bind(of.provider)
        .bind(limit)
        .bind(offset)
        .fetch_all(c)
        .await)?)
}

/// Lists runs by their ids, the newest first.
pub async fn list_by_ids(conn: &mut Conn, ids: &[String]) -> Result<Vec<RunListRow>, DbError> {
    Ok(on_texts!(
        conn,
        sqlx::query_as,
        "select id, prompt_id, day, provider, status, answer, mention_position, citation_count, sentiment,
            analysis_text, competitor_mentions, citation_domains, created_at, retrieval, finish, served_model,
            error_code, is_demo from mention_runs where id",
        "order by day desc, id desc",
        ids,
        |query, c| query.fetch_all(c).await
    )?)
}

/// Finds the domain whose prompt this is or was, as long as there are runs of it.
pub async fn find_domain_of_prompt(conn: &mut Conn, prompt: &str) -> Result<Option<String>, DbError> {
    const SQL: &str = "select domain_id from mention_questions where prompt_id = $1 limit 1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(prompt).fetch_optional(c).await)?)
}

/// Counts the selected runs of one prompt by status.
pub async fn count_of_prompt(
    conn: &mut Conn,
    prompt: &str,
    of: &RunSelection,
) -> Result<Vec<(String, i64)>, DbError> {
    const SQL: &str =
        "select status, count(*) from mention_runs where prompt_id = $1 and day >= $2 and day <= $3
            and ($4 = '' or provider = $4) group by status";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(prompt)
        .bind(of.days.0)
        .bind(of.days.1)
        .bind(of.provider)
        .fetch_all(c)
        .await)?)
}

/// Counts the selected runs of a domain that are not over, by status.
pub async fn count_open(conn: &mut Conn, of: &RunSelection) -> Result<Vec<(String, i64)>, DbError> {
    const SQL: &str =
        "select status, count(*) from mention_runs where status in ('queued', 'running', 'answered')
            and domain_id = $1 and day >= $2 and day <= $3 and ($4 = '' or provider = $4) group by status";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(of.domain.as_str())
        .bind(of.days.0)
        .bind(of.days.1)
        .bind(of.provider)
        .fetch_all(c)
        .await)?)
}

/// Counts the selected runs of a domain that are over: those with an answer, and those with an error. Reads sums, of the days
/// whose runs are kept.
pub async fn count_ended(conn: &mut Conn, of: &RunSelection) -> Result<(i64, i64), DbError> {
    const SQL: &str =
        "select cast(coalesce(sum(s.ok_runs), 0) as bigint), cast(coalesce(sum(s.error_runs), 0) as bigint)
        from mention_domain_sums s join mention_domains d on d.number = s.domain
        where d.domain_id = $1 and s.day >= $2 and s.day <= $3 and ($4 = '' or s.provider = $4)
            and s.day >= (select coalesce(min(day), 0) from mention_runs where domain_id = $1)";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(of.domain.as_str())
        .bind(of.days.0)
        .bind(of.days.1)
        .bind(of.provider)
        .fetch_one(c)
        .await)?)
}

/// A run with its question and everything that was found in its answer.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct RunRow {
    pub account_id: String,
    pub domain_id: String,
    pub prompt_text: String,
    pub persona: String,
    pub reason: String,
    pub location: String,
    pub is_query_cut: bool,
    pub list_rank: Option<i64>,
    pub recommended: Option<bool>,
    pub calls: i64,
    pub cost_nanos: i64,
    pub is_cost_estimated: bool,
    pub error_detail: String,
    pub analysis_mode: String,
    pub analysis_version: i64,
    pub details: String,
    #[sqlx(flatten)]
    pub listed: RunListRow,
}

/// Finds a run with the text that it asked.
pub async fn find_run(conn: &mut Conn, id: &str) -> Result<Option<RunRow>, DbError> {
    const SQL: &str = "select r.account_id, r.domain_id, q.prompt_text, q.persona, r.reason, r.location, r.is_query_cut,
            r.list_rank, r.recommended, r.calls, r.cost_nanos, r.is_cost_estimated, r.error_detail, r.analysis_mode,
            r.analysis_version, r.details, r.id, r.prompt_id, r.day, r.provider, r.status, r.answer, r.mention_position,
            r.citation_count, r.sentiment, r.analysis_text, r.competitor_mentions, r.citation_domains, r.created_at,
            r.retrieval, r.finish, r.served_model, r.error_code, r.is_demo
        from mention_runs r join mention_questions q on q.prompt_id = r.prompt_id and q.revision = r.revision
        where r.id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(id).fetch_optional(c).await)?)
}
