//! SQL of the input of reports: sums of competitors, answers, levels, models and quotes of a window.

use store::{Conn, DbError, on_engine};

use crate::model::UtcDay;
use crate::queries::sums::CompetitorSumColumns;
use ::domains::DomainId;

macro_rules! competitor_sums {
    () => {
        "cast(sum(responses) as bigint) as responses, cast(sum(occurrences) as bigint) as occurrences,
            cast(sum(prominence_sum) as bigint) as prominence_sum, cast(sum(position_sum) as bigint) as position_sum,
            cast(sum(cited) as bigint) as cited, cast(sum(sentiment_sum) as bigint) as sentiment_sum,
            cast(sum(sentiment_count) as bigint) as sentiment_count, cast(sum(ahead_of_own) as bigint) as ahead_of_own "
    };
}

/// Sums of a competitor on a day at a provider.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct DayCompetitorRow {
    pub day: i64,
    pub provider: String,
    pub competitor: String,
    #[sqlx(flatten)]
    pub sums: CompetitorSumColumns,
}

/// Lists the sums of competitors by day and provider.
pub async fn list_day_competitors(
    conn: &mut Conn,
    domain: i64,
    (from, to): (UtcDay, UtcDay),
) -> Result<Vec<DayCompetitorRow>, DbError> {
    const SQL: &str =
        "select day, provider, competitor, responses, occurrences, prominence_sum, position_sum, cited,
            sentiment_sum, sentiment_count, ahead_of_own from mention_domain_competitor_sums
        where domain = $1 and day >= $2 and day <= $3 order by day, provider, competitor";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain).bind(from).bind(to).fetch_all(c).await)?)
}

/// Sums of a competitor in the answers to a prompt at a provider.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct TargetCompetitorRow {
    pub prompt: i64,
    pub provider: String,
    pub competitor: String,
    #[sqlx(flatten)]
    pub sums: CompetitorSumColumns,
}

/// Sums up competitors by prompt and provider.
pub async fn list_target_competitors(
    conn: &mut Conn,
    domain: i64,
    (from, to): (UtcDay, UtcDay),
) -> Result<Vec<TargetCompetitorRow>, DbError> {
    const SQL: &str = concat!(
        "select prompt, provider, competitor, ",
        competitor_sums!(),
        "from mention_competitor_sums where domain = $1 and day >= $2 and day <= $3
        group by prompt, provider, competitor order by prompt, provider, competitor"
    );
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain).bind(from).bind(to).fetch_all(c).await)?)
}

/// An analysed answer as reports compare it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct ReportAnswerRow {
    pub prompt_id: String,
    pub provider: String,
    pub day: i64,
    pub slot: i64,
    pub sample: i64,
    pub revision: i64,
    pub served_model: String,
    pub finish: String,
    pub mention_position: i64,
    /// JSON lists.
    pub competitor_mentions: String,
    pub citation_domains: String,
}

macro_rules! answers {
    ($condition:literal) => {
        concat!(
            "select prompt_id, provider, day, slot, sample, revision, served_model, finish, mention_position,
                competitor_mentions, citation_domains from mention_runs where ",
            $condition
        )
    };
}

/// Lists the analysed answers of some days.
pub async fn list_answers(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (UtcDay, UtcDay),
) -> Result<Vec<ReportAnswerRow>, DbError> {
    const SQL: &str = answers!("domain_id = $1 and day >= $2 and day <= $3 and status = 'ok'");
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(domain.as_str())
        .bind(from)
        .bind(to)
        .fetch_all(c)
        .await)?)
}

/// Finds the last analysed answer of a prompt and provider before a slot.
pub async fn find_answer_before(
    conn: &mut Conn,
    (prompt, provider): (&str, &str),
    slot: i64,
) -> Result<Option<ReportAnswerRow>, DbError> {
    const SQL: &str = answers!(
        "prompt_id = $1 and provider = $2 and slot < $3 and status = 'ok' order by slot desc, sample desc limit 1"
    );
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(prompt)
        .bind(provider)
        .bind(slot)
        .fetch_optional(c)
        .await)?)
}

/// State of the schedule of a prompt at a provider.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct LevelRow {
    pub prompt_id: String,
    pub level: i64,
    pub ewma: Option<f64>,
}

pub async fn list_levels(conn: &mut Conn, domain: &DomainId) -> Result<Vec<LevelRow>, DbError> {
    const SQL: &str = "select prompt_id, level, ewma from mention_targets where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).fetch_all(c).await)?)
}

/// Lists the models that answered: provider and model.
pub async fn list_models(
    conn: &mut Conn,
    domain: i64,
    (from, to): (UtcDay, UtcDay),
) -> Result<Vec<(String, String)>, DbError> {
    const SQL: &str = "select distinct provider, model from mention_models
        where domain = $1 and day >= $2 and day <= $3 and responses > 0 order by provider, model";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain).bind(from).bind(to).fetch_all(c).await)?)
}

/// An answer that speaks badly of the brand.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct NegativeRow {
    pub id: String,
    pub prompt_id: String,
    pub provider: String,
    /// JSON.
    pub details: String,
}

/// Lists answers with a tone below a limit, in hundredths, the lowest first.
pub async fn list_negative(
    conn: &mut Conn,
    domain: &DomainId,
    (from, to): (UtcDay, UtcDay),
    below: i64,
    most: i64,
) -> Result<Vec<NegativeRow>, DbError> {
    const SQL: &str = "select id, prompt_id, provider, details from mention_runs where domain_id = $1
        and day >= $2 and day <= $3 and status = 'ok' and mention_position > 0 and sentiment < $4
        order by sentiment, id limit $5";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(domain.as_str())
        .bind(from)
        .bind(to)
        .bind(below)
        .bind(most)
        .fetch_all(c)
        .await)?)
}
