//! SQL of runs that are to be queued.

use serde::Serialize;
use store::{Conn, DbError};

use super::super::{RowSet, on_texts};
use crate::model::{NewPromptRun, PromptRunId, PromptRunStatus};
use platform::clock::Timestamp;

const NEW: RowSet = RowSet::new(
    "mention_runs",
    &[
        "id",
        "account_id",
        "domain_id",
        "prompt_id",
        "revision",
        "provider",
        "slot",
        "day",
        "sample",
        "reason",
        "status",
        "job_id",
        "calls",
        "unanswered",
        "expected_nanos",
        "cost_nanos",
        "is_cost_estimated",
        "created_at",
        "changed_at",
        "is_demo",
        "error_code",
        "error_detail",
        "answer",
        "retrieval",
        "finish",
        "served_model",
        "location",
        "is_query_cut",
        "mention_position",
        "citation_count",
        "sentiment",
        "analysis_text",
        "analysis_mode",
        "analysis_version",
        "competitor_mentions",
        "citation_domains",
        "details",
    ],
);

#[derive(Serialize)]
struct NewRow<'a> {
    id: &'a str,
    account_id: &'a str,
    domain_id: &'a str,
    prompt_id: &'a str,
    revision: i64,
    provider: &'static str,
    slot: i64,
    day: i64,
    sample: i64,
    reason: &'static str,
    status: &'static str,
    job_id: &'a str,
    expected_nanos: i64,
    created_at: i64,
    changed_at: i64,
    is_demo: bool,
    #[serde(flatten)]
    unknown: Unknown,
}

/// Values of what is not known before there is an answer.
#[derive(Serialize)]
struct Unknown {
    calls: i64,
    unanswered: i64,
    cost_nanos: i64,
    is_cost_estimated: bool,
    error_code: &'static str,
    error_detail: &'static str,
    answer: &'static str,
    retrieval: &'static str,
    finish: &'static str,
    served_model: &'static str,
    location: &'static str,
    is_query_cut: bool,
    mention_position: i64,
    citation_count: i64,
    sentiment: i64,
    analysis_text: &'static str,
    analysis_mode: &'static str,
    analysis_version: i64,
    competitor_mentions: &'static str,
    citation_domains: &'static str,
    details: &'static str,
}

const UNKNOWN: Unknown = Unknown {
    calls: 0,
    unanswered: 0,
    cost_nanos: 0,
    is_cost_estimated: false,
    error_code: "",
    error_detail: "",
    answer: "",
    retrieval: "unknown",
    finish: "",
    served_model: "",
    location: "none",
    is_query_cut: false,
    mention_position: 0,
    citation_count: 0,
    sentiment: 0,
    analysis_text: "",
    analysis_mode: "",
    analysis_version: 0,
    competitor_mentions: "[]",
    citation_domains: "[]",
    details: "{}",
};

/// Queues runs, each with the id of its job. Returns the ids of those that are new: a slot is asked once.
pub async fn insert_runs(
    conn: &mut Conn,
    runs: &[(NewPromptRun, String)],
    now: Timestamp,
) -> Result<Vec<PromptRunId>, DbError> {
    let rows: Vec<NewRow<'_>> = runs
        .iter()
        .map(|(run, job)| NewRow {
            id: run.id.as_str(),
            account_id: run.account.as_str(),
            domain_id: run.domain.as_str(),
            prompt_id: run.prompt.as_str(),
            revision: run.revision,
            provider: run.provider.as_str(),
            slot: run.slot.as_millis(),
            day: run.slot.day_number(),
            sample: run.sample,
            reason: run.reason.as_str(),
            status: PromptRunStatus::Queued.as_str(),
            job_id: job,
            expected_nanos: run.expected.nanos(),
            created_at: now.as_millis(),
            changed_at: now.as_millis(),
            is_demo: run.is_demo,
            unknown: UNKNOWN,
        })
        .collect();
    let inserted =
        NEW.insert(conn, &rows, "on conflict (prompt_id, provider, slot, sample) do nothing").await?;
    let ids: Vec<String> = runs.iter().map(|(run, _)| run.id.to_string()).collect();
    if inserted == ids.len() as u64 {
        return Ok(ids.into_iter().map(PromptRunId::from).collect());
    }
    let found: Vec<String> =
        on_texts!(conn, sqlx::query_scalar, "select id from mention_runs where id", "", &ids, |query, c| {
            query.fetch_all(c).await
        })?;
    Ok(found.into_iter().map(PromptRunId::from).collect())
}
