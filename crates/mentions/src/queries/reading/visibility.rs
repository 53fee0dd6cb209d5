//! SQL of visibility: rates of all domains of an account, and what happened in one, for the dashboard.

use store::{Conn, DbError, on_engine};

use crate::model::UtcDay;
use ::domains::DomainId;
use accounts::AccountId;

/// Answers and mentions of a domain in a window and in the one before, without branded prompts.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct DomainRatesRow {
    pub domain_id: String,
    pub answers: i64,
    pub mentions: i64,
    pub previous_answers: i64,
    pub previous_mentions: i64,
}

/// Sums up every monitored domain of an account, without branded prompts: from `middle` to `last`, and before that from `first` on.
pub async fn list_rates(
    conn: &mut Conn,
    account: &AccountId,
    (first, middle, last): (UtcDay, UtcDay, UtcDay),
) -> Result<Vec<DomainRatesRow>, DbError> {
    const SQL: &str = "select d.domain_id,
            cast(sum(case when s.day >= $3 then s.responses else 0 end) as bigint) as answers,
            cast(sum(case when s.day >= $3 then s.mentions else 0 end) as bigint) as mentions,
            cast(sum(case when s.day < $3 then s.responses else 0 end) as bigint) as previous_answers,
            cast(sum(case when s.day < $3 then s.mentions else 0 end) as bigint) as previous_mentions
        from mention_domains d join mention_prompts p on p.domain_id = d.domain_id and not p.branded
            join mention_sums s on s.domain = d.number and s.prompt = p.number
        where d.account_id = $1 and s.day >= $2 and s.day <= $4
        group by d.domain_id order by d.domain_id";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL)
        .bind(account.as_str())
        .bind(first)
        .bind(middle)
        .bind(last)
        .fetch_all(c)
        .await)?)
}

/// First day on which a provider named the own brand.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct FirstNamedRow {
    pub provider: String,
    pub day: i64,
    pub mentions: i64,
}

/// Lists the providers that named the own brand for the first time on a day or later, with that day.
pub async fn list_first_named(
    conn: &mut Conn,
    domain: i64,
    from: UtcDay,
) -> Result<Vec<FirstNamedRow>, DbError> {
    const SQL: &str = "select s.provider, s.day, s.mentions from mention_domain_sums s join (
            select provider, min(day) as day from mention_domain_sums
            where domain = $1 and mentions > 0 group by provider) as first
            on first.provider = s.provider and first.day = s.day
        where s.domain = $1 and s.day >= $2 order by s.day, s.provider";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain).bind(from).fetch_all(c).await)?)
}

/// A report that is ready.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ReadyReportRow {
    pub id: String,
    pub day: i64,
}

/// Lists the reports of a domain from a day on.
pub async fn list_ready_reports(
    conn: &mut Conn,
    domain: &DomainId,
    from: UtcDay,
) -> Result<Vec<ReadyReportRow>, DbError> {
    const SQL: &str =
        "select id, day from mention_reports where domain_id = $1 and day >= $2 order by day, id";
    Ok(on_engine!(conn, |c| sqlx::query_as(SQL).bind(domain.as_str()).bind(from).fetch_all(c).await)?)
}
