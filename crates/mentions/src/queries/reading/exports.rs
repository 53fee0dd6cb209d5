//! SQL of exports: runs in the order of their days, part by part.

use sqlx::AssertSqlSafe;
use store::{Conn, DbError, Engine, on_engine};

use crate::model::UtcDay;
use ::domains::DomainId;

/// Part of a domain's runs.
#[derive(Debug, Clone, Copy)]
pub struct RunFilter<'a> {
    pub domain: &'a DomainId,
    /// First and last day.
    pub days: (UtcDay, UtcDay),
    /// Empty: all.
    pub provider: &'a str,
    /// Ids of the prompts. None: all, deleted ones included.
    pub prompts: Option<&'a [String]>,
}

/// A run with everything that is exported of it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct ExportedRunRow {
    pub id: String,
    pub prompt_id: String,
    /// Empty: the text is not kept any more.
    pub prompt_text: String,
    pub day: i64,
    pub provider: String,
    pub status: String,
    pub reason: String,
    pub answer: String,
    pub mention_position: i64,
    pub citation_count: i64,
    /// Hundredths.
    pub sentiment: i64,
    pub recommended: Option<bool>,
    pub analysis_text: String,
    pub analysis_mode: String,
    pub competitor_mentions: String,
    pub citation_domains: String,
    pub retrieval: String,
    pub finish: String,
    pub served_model: String,
    pub error_code: String,
    pub is_demo: bool,
    pub calls: i64,
    pub cost_nanos: i64,
    pub is_cost_estimated: bool,
    pub created_at: i64,
    pub details: String,
}

/// Writes the statement that reads some columns of runs, the oldest day first, from behind a day and id on.
fn statement(columns: &str, filter: &RunFilter<'_>, engine: Engine) -> String {
    let of_prompts = match (filter.prompts, engine) {
        (None, _) => "$6 = ''",
        (Some(_), Engine::Sqlite) => "r.prompt_id in (select value from json_each($6))",
        (Some(_), Engine::Postgres) => {
            "r.prompt_id in (select value from json_array_elements_text(cast($6 as json)))"
        }
    };
    format!(
        "select {columns} from mention_runs r
        left join mention_questions q on q.prompt_id = r.prompt_id and q.revision = r.revision
        where r.domain_id = $1 and (r.day, r.id) > ($2, $3) and r.day <= $4 and ($5 = '' or r.provider = $5)
            and {of_prompts}
        order by r.day, r.id limit $7"
    )
}

macro_rules! list {
    ($conn:expr, $make:expr, $columns:expr, $filter:expr, $after:expr, $most:expr) => {{
        let sql = statement($columns, $filter, $conn.engine());
        let prompts = $filter.prompts.map(|ids| serde_json::to_string(ids).expect("texts are JSON"));
        let (day, id) = $after;
        on_engine!($conn, |c| $make(AssertSqlSafe(sql))
            .bind($filter.domain.as_str())
            .bind(day)
            .bind(id)
            .bind($filter.days.1)
            .bind($filter.provider)
            .bind(prompts.unwrap_or_default())
            .bind($most)
            .fetch_all(c)
            .await)
    }};
}

/// Lists the bytes of some runs in the order of [`list_exported`].
pub async fn list_exported_bytes(
    conn: &mut Conn,
    filter: &RunFilter<'_>,
    after: (UtcDay, &str),
    most: i64,
) -> Result<Vec<i64>, DbError> {
    const BYTES: &str = "cast(octet_length(r.answer) + octet_length(r.details) as bigint)";
    Ok(list!(conn, sqlx::query_scalar, BYTES, filter, after, most)?)
}

/// Lists some runs, the oldest day first, from behind a day and id on.
pub async fn list_exported(
    conn: &mut Conn,
    filter: &RunFilter<'_>,
    after: (UtcDay, &str),
    most: i64,
) -> Result<Vec<ExportedRunRow>, DbError> {
    const COLUMNS: &str =
        "r.id, r.prompt_id, coalesce(q.prompt_text, '') as prompt_text, r.day, r.provider, r.status, r.reason,
            r.answer, r.mention_position, r.citation_count, r.sentiment, r.recommended, r.analysis_text, r.analysis_mode,
            r.competitor_mentions, r.citation_domains, r.retrieval, r.finish, r.served_model, r.error_code, r.is_demo,
            r.calls, r.cost_nanos, r.is_cost_estimated, r.created_at, r.details";
    Ok(list!(conn, sqlx::query_as, COLUMNS, filter, after, most)?)
}
