//! SQL of monitored domains: brand profile, competitors, settings, and the number that stands for a domain in sums.

mod competitors;

use assistants::analysis::brand::BrandProfile;
use assistants::providers::{Persona, Usd};
use store::{Conn, DbError, EngineConn, on_engine};

use super::locked;
use ::domains::DomainId;
use accounts::AccountId;
use platform::clock::Timestamp;

pub use competitors::{
    FOUND_POSITION, insert_competitor, list_competitors, list_pending, propose_competitor,
    replace_competitors, trim_pending,
};

/// Domain that is monitored, with its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct MonitoredDomain {
    pub domain: DomainId,
    pub account: AccountId,
    /// Stands for the domain in sums.
    pub number: i64,
    pub brand: BrandProfile,
    /// Somebody saved the profile; otherwise it is derived.
    pub is_brand_saved: bool,
    pub analysis_version: i64,
    pub competitors_version: i64,
    /// Default of new prompts.
    pub persona: Persona,
    /// Per UTC month. None: no limit.
    pub budget: Option<Usd>,
    pub webhook_url: Option<String>,
    /// Secret of the webhook, sealed.
    pub sealed: Option<String>,
    /// off, daily or weekly.
    pub digest: String,
    /// Answers that were analysed again, and those that are to be.
    pub recompute: Option<(i64, i64)>,
}

#[derive(sqlx::FromRow)]
struct DomainRow {
    domain_id: String,
    account_id: String,
    number: i64,
    brand: String,
    is_brand_saved: bool,
    analysis_version: i64,
    competitors_version: i64,
    persona: String,
    budget_nanos: Option<i64>,
    webhook_url: Option<String>,
    sealed: Option<String>,
    digest: String,
    recompute_total: Option<i64>,
    recompute_done: Option<i64>,
}

impl From<DomainRow> for MonitoredDomain {
    fn from(row: DomainRow) -> MonitoredDomain {
        MonitoredDomain {
            domain: DomainId::from(row.domain_id),
            account: AccountId::from(row.account_id),
            number: row.number,
            brand: serde_json::from_str(&row.brand).unwrap_or_default(),
            is_brand_saved: row.is_brand_saved,
            analysis_version: row.analysis_version,
            competitors_version: row.competitors_version,
            persona: serde_json::from_str(&row.persona).unwrap_or_default(),
            budget: row.budget_nanos.map(Usd::from_nanos),
            webhook_url: row.webhook_url,
            sealed: row.sealed,
            digest: row.digest,
            recompute: row.recompute_done.zip(row.recompute_total),
        }
    }
}

macro_rules! select {
    ($condition:literal) => {
        concat!(
            "select domain_id, account_id, number, brand, is_brand_saved, analysis_version, competitors_version, persona,
                budget_nanos, webhook_url, sealed, digest, recompute_total, recompute_done
            from mention_domains where ",
            $condition
        )
    };
}

pub async fn find_domain(conn: &mut Conn, id: &DomainId) -> Result<Option<MonitoredDomain>, DbError> {
    const SQL: &str = select!("domain_id = $1");
    let row: Option<DomainRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(row.map(MonitoredDomain::from))
}

/// Finds a domain whose record is about to change. Answers that are being counted for it are waited for.
pub async fn find_for_change(conn: &mut Conn, id: &DomainId) -> Result<Option<MonitoredDomain>, DbError> {
    let sql = locked(conn, select!("domain_id = $1"), select!("domain_id = $1 for update"));
    let row: Option<DomainRow> =
        on_engine!(conn, |c| sqlx::query_as(sql).bind(id.as_str()).fetch_optional(c).await)?;
    Ok(row.map(MonitoredDomain::from))
}

/// Begins the record of a domain, with a derived profile. False: there is one, or the domain was removed.
pub async fn insert_domain(
    conn: &mut Conn,
    (domain, account): (&DomainId, &AccountId),
    brand: &BrandProfile,
    now: Timestamp,
) -> Result<bool, DbError> {
    const LOCK: &str = "select pg_advisory_xact_lock(hashtext('numbers of monitored domains'))";
    const SQL: &str = "insert into mention_domains (domain_id, account_id, number, next_prompt, brand, is_brand_saved,
            analysis_version, competitors_version, persona, digest, created_at, updated_at)
        select cast($1 as text), cast($2 as text), (select coalesce(max(number), 0) + 1 from mention_domains), 1,
            cast($3 as text), false, 1, 1, '{}', 'off', cast($4 as bigint), cast($4 as bigint)
        where exists (select 1 from domains where id = $1 and removed_at is null)
        on conflict (domain_id) do nothing";
    if let EngineConn::Postgres(c) = conn.raw() {
        store::time_limited(async { sqlx::query(LOCK).execute(c).await.map(drop) }).await?;
    }
    let brand = serde_json::to_string(brand).expect("profiles are plain data");
    let rows = on_engine!(conn, |c| sqlx::query(SQL)
        .bind(domain.as_str())
        .bind(account.as_str())
        .bind(brand)
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Takes numbers for new prompts of a domain. Returns the first.
pub async fn take_prompt_numbers(conn: &mut Conn, domain: &DomainId, count: i64) -> Result<i64, DbError> {
    const SQL: &str = "update mention_domains set next_prompt = next_prompt + $2 where domain_id = $1
        returning next_prompt - $2";
    Ok(on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(domain.as_str()).bind(count).fetch_one(c).await)?)
}

/// Writes a domain's brand profile under a new version.
pub async fn save_brand(conn: &mut Conn, domain: &MonitoredDomain, now: Timestamp) -> Result<(), DbError> {
    const SQL: &str = "update mention_domains set brand = $2, is_brand_saved = $3, analysis_version = $4,
            competitors_version = $5, updated_at = $6 where domain_id = $1";
    let brand = serde_json::to_string(&domain.brand).expect("profiles are plain data");
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(domain.domain.as_str())
        .bind(brand)
        .bind(domain.is_brand_saved)
        .bind(domain.analysis_version)
        .bind(domain.competitors_version)
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Writes how a domain is monitored.
pub async fn save_monitoring(
    conn: &mut Conn,
    domain: &MonitoredDomain,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str =
        "update mention_domains set persona = $2, budget_nanos = $3, webhook_url = $4, sealed = $5,
            digest = $6, updated_at = $7 where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(domain.domain.as_str())
        .bind(domain.persona.to_json())
        .bind(domain.budget.map(Usd::nanos))
        .bind(domain.webhook_url.as_deref())
        .bind(domain.sealed.as_deref())
        .bind(&domain.digest)
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Writes how far analysing a domain's answers again has come. None: it is over.
pub async fn set_recompute(
    conn: &mut Conn,
    domain: &DomainId,
    progress: Option<(i64, i64)>,
) -> Result<(), DbError> {
    const SQL: &str =
        "update mention_domains set recompute_done = $2, recompute_total = $3 where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(domain.as_str())
        .bind(progress.map(|(done, _)| done))
        .bind(progress.map(|(_, total)| total))
        .execute(c)
        .await
        .map(drop))?)
}

/// Lists the domains whose brand is derived, in the order of their ids, from behind one on.
pub async fn list_derived(conn: &mut Conn, after: &str, most: i64) -> Result<Vec<MonitoredDomain>, DbError> {
    const SQL: &str = select!("not is_brand_saved and domain_id > $1 order by domain_id limit $2");
    let rows: Vec<DomainRow> =
        on_engine!(conn, |c| sqlx::query_as(SQL).bind(after).bind(most).fetch_all(c).await)?;
    Ok(rows.into_iter().map(MonitoredDomain::from).collect())
}

/// Lists the ids of some monitored domains in their order, from behind one on.
pub async fn list_ids(conn: &mut Conn, after: &str, most: i64) -> Result<Vec<DomainId>, DbError> {
    const SQL: &str =
        "select domain_id from mention_domains where domain_id > $1 order by domain_id limit $2";
    let ids: Vec<String> =
        on_engine!(conn, |c| sqlx::query_scalar(SQL).bind(after).bind(most).fetch_all(c).await)?;
    Ok(ids.into_iter().map(DomainId::from).collect())
}

/// Records that reports of a domain are older than its answers, from a day on.
pub async fn mark_reports_due(
    conn: &mut Conn,
    domain: &DomainId,
    from_day: i64,
    now: Timestamp,
) -> Result<(), DbError> {
    const SQL: &str = "insert into mention_reports_due (domain_id, from_day, changed_at) values ($1, $2, $3)
        on conflict (domain_id) do update set changed_at = excluded.changed_at,
            from_day = case when excluded.from_day < mention_reports_due.from_day then excluded.from_day
                else mention_reports_due.from_day end";
    Ok(on_engine!(conn, |c| sqlx::query(SQL)
        .bind(domain.as_str())
        .bind(from_day)
        .bind(now.as_millis())
        .execute(c)
        .await
        .map(drop))?)
}

/// Counts up the version of a domain's competitors.
pub async fn record_competitors_changed(conn: &mut Conn, domain: &DomainId) -> Result<(), DbError> {
    const SQL: &str =
        "update mention_domains set competitors_version = competitors_version + 1 where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(SQL).bind(domain.as_str()).execute(c).await.map(drop))?)
}

/// Deletes some of what is kept of a removed domain, the record last. Returns the number of rows that are gone.
pub async fn delete_some_of_domain(conn: &mut Conn, domain: &DomainId) -> Result<u64, DbError> {
    const NUMBER: &str = "select number from mention_domains where domain_id = $1";
    const BY_ID: [(&str, &str); 10] = [
        ("mention_targets", "prompt_id, provider"),
        ("mention_prompts", "id"),
        ("mention_responses", "run_id"),
        ("mention_runs", "id"),
        ("mention_questions", "prompt_id, revision"),
        ("mention_competitors", "domain_id, name_key"),
        ("mention_reports", "id"),
        ("mention_reports_due", "domain_id"),
        ("mention_told", "domain_id, channel, change_key"),
        ("mention_digests", "domain_id"),
    ];
    const BY_NUMBER: [(&str, &str); 9] = [
        ("mention_sums", "domain, day, prompt, provider"),
        ("mention_domain_sums", "domain, day, provider"),
        ("mention_competitor_sums", "domain, day, prompt, provider, competitor"),
        ("mention_domain_competitor_sums", "domain, day, provider, competitor"),
        ("mention_source_sums", "domain, day, prompt, provider, page"),
        ("mention_pages", "domain, page"),
        ("mention_query_sums", "domain, day, prompt, provider, query"),
        ("mention_queries", "domain, query"),
        ("mention_models", "domain, day, provider, model"),
    ];
    let part = |(table, key): (&str, &str), column: &str| {
        sqlx::AssertSqlSafe(format!(
            "delete from {table} where ({key}) in (select {key} from {table} where {column} = $1 limit 2000)"
        ))
    };
    for table in BY_ID {
        let sql = part(table, "domain_id");
        let deleted = on_engine!(conn, |c| sqlx::query(sql)
            .bind(domain.as_str())
            .execute(c)
            .await
            .map(|done| done.rows_affected()))?;
        if deleted > 0 {
            return Ok(deleted);
        }
    }
    let number: Option<i64> =
        on_engine!(conn, |c| sqlx::query_scalar(NUMBER).bind(domain.as_str()).fetch_optional(c).await)?;
    let Some(number) = number else { return Ok(0) };
    for table in BY_NUMBER {
        let sql = part(table, "domain");
        let deleted = on_engine!(conn, |c| sqlx::query(sql)
            .bind(number)
            .execute(c)
            .await
            .map(|done| done.rows_affected()))?;
        if deleted > 0 {
            return Ok(deleted);
        }
    }
    const RECORD: &str = "delete from mention_domains where domain_id = $1";
    Ok(on_engine!(conn, |c| sqlx::query(RECORD)
        .bind(domain.as_str())
        .execute(c)
        .await
        .map(|done| done.rows_affected()))?)
}
