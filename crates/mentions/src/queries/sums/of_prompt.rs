//! SQL of stored sums: of some days of one prompt, and of a domain as a whole.

use store::{Conn, DbError, on_engine};

use super::{DomainSumRow, PromptCompetitorRow, PromptSumRow};
use crate::model::UtcDay;

macro_rules! answer_columns {
    () => {
        "responses, mentions, position_sum, first_positions, sentiment_sum, sentiment_count, positive, neutral, negative,
            recommended_yes, recommended_known, own_cited, own_citations, competitor_citations, third_party_citations,
            absent_overviews, not_retrieved, errors, distinct_competitors, informative, pair_distance_sum, pair_count,
            earlier_distance_sum, earlier_count "
    };
}

macro_rules! competitor_columns {
    () => {
        "responses, occurrences, prominence_sum, position_sum, cited, sentiment_sum, sentiment_count, ahead_of_own "
    };
}

/// Rows of one prompt in a table of sums: `$1` are the days, so that each is one look-up in a table that is clustered by day.
macro_rules! of_prompt {
    ($verb:literal, $columns:expr, $table:literal, $days:literal) => {
        concat!(
            $verb,
            $columns,
            "from ",
            $table,
            " where domain = $2 and day ",
            $days,
            " and prompt = $3 and ($4 = '' or provider = $4)"
        )
    };
}

/// Runs a body with a statement about one prompt, whose days are a list of either engine.
macro_rules! on_days {
    ($conn:expr, $make:expr, $verb:literal, $columns:expr, $table:literal, $of:expr, |$query:ident, $c:ident| $body:expr) => {
        match $conn.raw() {
            store::EngineConn::Sqlite($c) => {
                let days = serde_json::to_string(&$of.days).expect("numbers are JSON");
                let sql = of_prompt!($verb, $columns, $table, "in (select value from json_each($1))");
                let $query = $make(sql).bind(days).bind($of.domain).bind($of.prompt).bind($of.provider);
                store::time_limited(async { $body }).await
            }
            store::EngineConn::Postgres($c) => {
                let sql = of_prompt!($verb, $columns, $table, "= any($1)");
                let $query = $make(sql).bind(&$of.days).bind($of.domain).bind($of.prompt).bind($of.provider);
                store::time_limited(async { $body }).await
            }
        }
    };
}

/// Part of the sums of one prompt.
#[derive(Debug, Clone)]
pub struct PromptDays<'a> {
    pub domain: i64,
    pub prompt: i64,
    /// Empty: all.
    pub provider: &'a str,
    pub days: Vec<UtcDay>,
}

/// Lists the sums of a prompt and those of the competitors in its answers.
pub async fn list_of_prompt(
    conn: &mut Conn,
    of: &PromptDays<'_>,
) -> Result<(Vec<PromptSumRow>, Vec<PromptCompetitorRow>), DbError> {
    let sums = on_days!(
        conn,
        sqlx::query_as,
        "select domain, day, prompt, provider, ",
        answer_columns!(),
        "mention_sums",
        of,
        |query, c| query.fetch_all(c).await
    )?;
    let competitors = on_days!(
        conn,
        sqlx::query_as,
        "select domain, day, prompt, provider, competitor, ",
        competitor_columns!(),
        "mention_competitor_sums",
        of,
        |query, c| query.fetch_all(c).await
    )?;
    Ok((sums, competitors))
}

/// Deletes the sums of a prompt, with those of competitors, sources and searches.
pub async fn delete_of_prompt(conn: &mut Conn, of: &PromptDays<'_>) -> Result<(), DbError> {
    macro_rules! delete {
        ($($table:literal),+) => {
            $(on_days!(conn, sqlx::query, "delete ", "", $table, of, |query, c| query.execute(c).await.map(drop))?;)+
        };
    }
    delete!("mention_sums", "mention_competitor_sums", "mention_source_sums", "mention_query_sums");
    Ok(())
}

/// Lists the sums of a domain from one day to another.
pub async fn list_of_domain(
    conn: &mut Conn,
    domain: i64,
    (from, to): (UtcDay, UtcDay),
) -> Result<Vec<DomainSumRow>, DbError> {
    const SQL: &str = concat!(
        "select domain, day, provider, ",
        answer_columns!(),
        ", ok_runs, error_runs from mention_domain_sums where domain = $1 and day >= $2 and day <= $3
        order by day, provider"
    );
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain).bind(from).bind(to).fetch_all(c).await)?)
}
