//! SQL of statistics: sums of prompts, of competitors and of days.

use assistants::providers::Provider;
use sqlx::AssertSqlSafe;
use store::{Conn, DbError, on_engine};

use super::{SumFilter, bind_filter, summed};
use crate::queries::sums::{AnswerSumColumns, CompetitorSumColumns};
use ::domains::DomainId;

/// Sums of a prompt and provider in a window.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct PromptTotalsRow {
    pub prompt: i64,
    pub provider: String,
    #[sqlx(flatten)]
    pub sums: AnswerSumColumns,
}

/// Sums up each prompt and provider. Pairs of two answers count when both are in the window.
pub async fn list_prompt_totals(
    conn: &mut Conn,
    filter: &SumFilter<'_>,
) -> Result<Vec<PromptTotalsRow>, DbError> {
    // The pair of the first day with an earlier one reaches out of the window.
    let sum = |name: &&str| match name.starts_with("earlier_") {
        true => format!("cast(coalesce(sum(s.{name}) filter (where s.day > f.day), 0) as bigint) as {name}"),
        false => summed(&[name]),
    };
    let sums: Vec<String> = AnswerSumColumns::NAMES.iter().map(sum).collect();
    let condition = filter.condition(conn.engine());
    let sql = format!(
        "select s.prompt, s.provider, {} from mention_sums s left join (
            select s.prompt, s.provider, min(s.day) as day from mention_sums s
            where {condition} and s.responses > 0 group by s.prompt, s.provider
        ) f on f.prompt = s.prompt and f.provider = s.provider
        where {condition} group by s.prompt, s.provider order by s.prompt, s.provider",
        sums.join(", ")
    );
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_as(AssertSqlSafe(sql)), filter).fetch_all(c).await)?)
}

/// Sums of a competitor in the answers to a prompt.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct CompetitorTotalsRow {
    pub prompt: i64,
    pub competitor: String,
    #[sqlx(flatten)]
    pub sums: CompetitorSumColumns,
}

/// Sums up each competitor by prompt.
pub async fn list_competitor_totals(
    conn: &mut Conn,
    filter: &SumFilter<'_>,
) -> Result<Vec<CompetitorTotalsRow>, DbError> {
    let sql = format!(
        "select s.prompt, s.competitor, {} from mention_competitor_sums s where {}
        group by s.prompt, s.competitor order by s.prompt, s.competitor",
        summed(CompetitorSumColumns::NAMES),
        filter.condition(conn.engine())
    );
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_as(AssertSqlSafe(sql)), filter).fetch_all(c).await)?)
}

/// Sums of a provider on a day.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct DayTotalsRow {
    pub day: i64,
    pub provider: String,
    #[sqlx(flatten)]
    pub sums: AnswerSumColumns,
}

/// Sums up each day and provider. All prompts together have rows of their own.
pub async fn list_day_totals(conn: &mut Conn, filter: &SumFilter<'_>) -> Result<Vec<DayTotalsRow>, DbError> {
    let table = if filter.prompts.is_none() { "mention_domain_sums" } else { "mention_sums" };
    let sql = format!(
        "select s.day, s.provider, {} from {table} s where {} group by s.day, s.provider order by s.day, s.provider",
        summed(AnswerSumColumns::NAMES),
        filter.condition(conn.engine())
    );
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_as(AssertSqlSafe(sql)), filter).fetch_all(c).await)?)
}

/// Answers of a day that name a competitor, each counted once for each competitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct DayVoicesRow {
    pub day: i64,
    pub voices: i64,
}

/// Counts the competitors that answers name, by day.
pub async fn list_day_voices(conn: &mut Conn, filter: &SumFilter<'_>) -> Result<Vec<DayVoicesRow>, DbError> {
    let table =
        if filter.prompts.is_none() { "mention_domain_competitor_sums" } else { "mention_competitor_sums" };
    let sql = format!(
        "select s.day, cast(sum(s.responses) as bigint) as voices from {table} s where {} group by s.day",
        filter.condition(conn.engine())
    );
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_as(AssertSqlSafe(sql)), filter).fetch_all(c).await)?)
}

/// Time at which the last run of a prompt and provider was made that is over.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct LastRunRow {
    pub prompt_id: String,
    pub created_at: i64,
}

/// Lists the last runs of a domain's prompts, at one provider or at each (empty).
pub async fn list_last_runs(
    conn: &mut Conn,
    domain: &DomainId,
    provider: &str,
) -> Result<Vec<LastRunRow>, DbError> {
    let providers = Provider::ALL.map(|provider| format!("select '{provider}' as provider"));
    // One look-up in the index of runs by their slots for each prompt and provider.
    let sql = format!(
        "select prompt_id, created_at from (
        select p.id as prompt_id, (select r.created_at from mention_runs r
            where r.prompt_id = p.id and r.provider = v.provider and r.status in ('ok', 'error')
            order by r.slot desc, r.sample desc limit 1) as created_at
        from mention_prompts p cross join ({}) v
        where p.domain_id = $1 and ($2 = '' or v.provider = $2)) as last where created_at is not null",
        providers.join(" union all ")
    );
    Ok(on_engine!(conn, |c| sqlx::query_as(AssertSqlSafe(sql))
        .bind(domain.as_str())
        .bind(provider)
        .fetch_all(c)
        .await)?)
}

/// Lists the registrable domains that answers cite or that were found for them.
pub async fn list_sites(conn: &mut Conn, domain: i64) -> Result<Vec<String>, DbError> {
    const SQL: &str = "select distinct site from mention_pages where domain = $1";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain).fetch_all(c).await)?)
}
