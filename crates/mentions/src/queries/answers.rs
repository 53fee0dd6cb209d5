//! SQL of answers: what came back, what was found in it, and which answers stand beside each other.

use serde::Serialize;
use store::{Conn, DbError, on_engine};

use super::{RowSet, on_texts};
use crate::model::{PromptRunId, UtcDay};
use ::domains::DomainId;
use platform::clock::Timestamp;

/// Columns of an answer and its analysis, the text first: it never changes.
const COLUMNS: &[&str] = &[
    "answer",
    "id",
    "status",
    "changed_at",
    "retrieval",
    "finish",
    "served_model",
    "location",
    "is_query_cut",
    "mention_position",
    "list_rank",
    "citation_count",
    "sentiment",
    "recommended",
    "analysis_text",
    "analysis_mode",
    "analysis_version",
    "competitor_mentions",
    "citation_domains",
    "details",
];
const ANSWERS: RowSet = RowSet::new("mention_runs", COLUMNS);
const ANALYSES: RowSet = RowSet::new("mention_runs", COLUMNS.split_at(1).1);

/// Answer and analysis of a run.
#[derive(Debug, Clone, PartialEq, Serialize, sqlx::FromRow)]
pub struct RunAnswerRow {
    pub id: String,
    pub status: String,
    pub changed_at: i64,
    pub answer: String,
    pub retrieval: String,
    pub finish: String,
    pub served_model: String,
    pub location: String,
    pub is_query_cut: bool,
    pub mention_position: i64,
    pub list_rank: Option<i64>,
    pub citation_count: i64,
    /// Hundredths.
    pub sentiment: i64,
    pub recommended: Option<bool>,
    pub analysis_text: String,
    pub analysis_mode: String,
    pub analysis_version: i64,
    pub competitor_mentions: String,
    pub citation_domains: String,
    pub details: String,
}

/// Writes answers and their analysis.
pub async fn set_answers(conn: &mut Conn, rows: &[RunAnswerRow]) -> Result<u64, DbError> {
    set(conn, &ANSWERS, rows).await
}

/// Writes the analysis of answers, whose texts stay.
pub async fn set_analyses(conn: &mut Conn, rows: &[RunAnswerRow]) -> Result<u64, DbError> {
    set(conn, &ANALYSES, rows).await
}

async fn set(conn: &mut Conn, of: &RowSet<'_>, rows: &[RunAnswerRow]) -> Result<u64, DbError> {
    let assigned = of.columns.iter().filter(|column| **column != "id");
    let set: Vec<String> = assigned.map(|column| format!("{column} = new.{column}")).collect();
    let set = format!("{}, error_code = '', error_detail = '', expected_nanos = 0", set.join(", "));
    // A flag in JSON is a number in SQLite's columns, as it is stored.
    of.update(conn, rows, &["id"], &set).await
}

/// Answer of a run that is analysed again, or for the first time.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoredRunRow {
    pub prompt_id: String,
    pub domain_id: String,
    pub provider: String,
    pub revision: i64,
    pub slot: i64,
    pub day: i64,
    pub sample: i64,
    #[sqlx(flatten)]
    pub answer: RunAnswerRow,
}

macro_rules! stored {
    ($condition:literal) => {
        concat!(
            "select prompt_id, domain_id, provider, revision, slot, day, sample, id, status, changed_at, answer,
                retrieval, finish, served_model, location, is_query_cut, mention_position, list_rank, citation_count,
                sentiment, recommended, analysis_text, analysis_mode, analysis_version, competitor_mentions,
                citation_domains, details from mention_runs where ",
            $condition
        )
    };
}

/// Finds a run with its answer.
pub async fn find_stored(conn: &mut Conn, id: &PromptRunId) -> Result<Option<StoredRunRow>, DbError> {
    const SQL: &str = stored!("id = $1 and status in ('answered', 'ok')");
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?)
}

/// An analysed run without its texts.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredPlaceRow {
    pub id: String,
    pub day: i64,
    pub slot: i64,
    pub sample: i64,
    /// Bytes of the answer and what is kept of it.
    pub bytes: i64,
}

/// Lists some analysed runs of a prompt and provider in their order, from behind a slot and sample on, without their texts.
pub async fn list_stored_places(
    conn: &mut Conn,
    (prompt, provider): (&str, &str),
    (slot, sample): (i64, i64),
    most: i64,
) -> Result<Vec<StoredPlaceRow>, DbError> {
    const SQL: &str = "select id, day, slot, sample, cast(octet_length(answer) + octet_length(details) as bigint) as bytes
        from mention_runs where prompt_id = $1 and provider = $2 and (slot > $3 or (slot = $3 and sample > $4))
            and status = 'ok' order by slot, sample limit $5";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(prompt)
        .bind(provider)
        .bind(slot)
        .bind(sample)
        .bind(most)
        .fetch_all(c)
        .await)?)
}

/// Lists analysed runs by their ids, in their order.
pub async fn list_stored(conn: &mut Conn, ids: &[String]) -> Result<Vec<StoredRunRow>, DbError> {
    Ok(on_texts!(
        conn,
        sqlx::query_as,
        stored!("status = 'ok' and id"),
        "order by slot, sample",
        ids,
        |query, c| query.fetch_all(c).await
    )?)
}

/// Lists the runs with an answer whose analysis has not been completed since a time.
pub async fn list_answered_before(
    conn: &mut Conn,
    before: Timestamp,
    most: i64,
) -> Result<Vec<String>, DbError> {
    const SQL: &str = "select id from mention_runs where status = 'answered' and changed_at < $1 limit $2";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(before.as_millis()).bind(most).fetch_all(c).await)?)
}

/// Place of a run among those of its prompt and provider.
#[derive(Debug)]
pub struct RunPosition {
    pub prompt_id: String,
    pub provider: &'static str,
    pub slot: i64,
    pub sample: i64,
}

/// Facts of an answer that others are compared with.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct ComparedRow {
    pub day: i64,
    pub revision: i64,
    pub served_model: String,
    pub mention_position: i64,
    pub sentiment: i64,
    pub competitor_mentions: String,
    pub citation_domains: String,
}

macro_rules! compared {
    ($condition:literal) => {
        concat!(
            "select day, revision, served_model, mention_position, sentiment, competitor_mentions, citation_domains
            from mention_runs where prompt_id = $1 and provider = $2 and status = 'ok' and finish <> 'absent_overview' and ",
            $condition
        )
    };
}

/// Finds the answer before a run.
pub async fn find_before(conn: &mut Conn, place: &RunPosition) -> Result<Option<ComparedRow>, DbError> {
    const SQL: &str = compared!("(slot, sample) < ($3, $4) order by slot desc, sample desc limit 1");
    find_compared(conn, SQL, place).await
}

/// Finds the answer after a run.
pub async fn find_after(conn: &mut Conn, place: &RunPosition) -> Result<Option<ComparedRow>, DbError> {
    const SQL: &str = compared!("(slot, sample) > ($3, $4) order by slot, sample limit 1");
    find_compared(conn, SQL, place).await
}

async fn find_compared(
    conn: &mut Conn,
    sql: &'static str,
    place: &RunPosition,
) -> Result<Option<ComparedRow>, DbError> {
    Ok(on_engine!(conn, |c| sqlx::query_as(sql)
        .bind(&place.prompt_id)
        .bind(place.provider)
        .bind(place.slot)
        .bind(place.sample)
        .fetch_optional(c)
        .await)?)
}

const RESPONSES: RowSet = RowSet {
    table: "mention_responses",
    columns: &["run_id", "domain_id", "day", "packed"],
    bytes: &["packed"],
};

/// A provider's response, compressed: `\x` and hexadecimal digits.
#[derive(Debug, Clone, Serialize)]
pub struct ResponseRow {
    pub run_id: String,
    pub domain_id: String,
    pub day: i64,
    pub packed: String,
}

/// Keeps providers' responses.
pub async fn put_responses(conn: &mut Conn, rows: &[ResponseRow]) -> Result<(), DbError> {
    RESPONSES
        .insert(conn, rows, "on conflict (run_id) do update set packed = excluded.packed")
        .await
        .map(drop)
}

/// Deletes some responses of days before one. Returns their number.
pub async fn delete_old_responses(conn: &mut Conn, before: UtcDay, most: i64) -> Result<u64, DbError> {
    const SQL: &str = "delete from mention_responses where run_id in
        (select run_id from mention_responses where day < $1 order by day limit $2)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(before)
        .bind(most)
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Deletes some runs of days before one, which are over. Returns their number.
pub async fn delete_old_runs(
    conn: &mut Conn,
    domain: &DomainId,
    before: UtcDay,
    most: i64,
) -> Result<u64, DbError> {
    const SQL: &str = "delete from mention_runs where id in (select id from mention_runs
        where domain_id = $3 and day < $1 and status in ('ok', 'error') order by day limit $2)";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(before)
        .bind(most)
        .bind(domain.as_str())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}
