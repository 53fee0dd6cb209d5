//! SQL of sources and searches: pages and sites that answers cite, and the texts that assistants searched for.

use sqlx::AssertSqlSafe;
use store::{Conn, DbError, on_engine};

use super::{SumFilter, bind_filter, summed};

/// Part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPart {
    pub limit: i64,
    pub offset: i64,
}

/// Unit of a list of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceUnit {
    Site,
    Page,
}

/// Sums of a site or page in a window.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SourceTotalsRow {
    /// Number of the page; of a site one of its pages.
    pub page: i64,
    pub url: String,
    pub site: String,
    pub answers: i64,
    pub gap_answers: i64,
    pub citations: i64,
    pub retrieved: i64,
    pub first_day: i64,
    pub last_day: i64,
}

/// Number of sources in a window, and of citations in all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct SourceCountRow {
    pub total: i64,
    pub citations: i64,
}

/// Writes the sums of each source as a table expression. Pages are summed up before their addresses are looked up.
fn totals(filter: &SumFilter<'_>, unit: SourceUnit, engine: store::Engine) -> String {
    let sums = ["site_answers", "site_gap_answers", "citations", "gap_citations", "retrieved"];
    let pages = format!(
        "(select s.page, {}, min(s.day) as first_day, max(s.day) as last_day from mention_source_sums s
        where {} and (s.citations > 0 or s.retrieved > 0) group by s.page) as s
        join mention_pages p on p.domain = $1 and p.page = s.page",
        summed(&sums),
        filter.condition(engine)
    );
    match unit {
        SourceUnit::Page => format!(
            "(select s.page, p.url, p.site, s.citations as answers, s.gap_citations as gap_answers, s.citations,
                s.retrieved, s.first_day, s.last_day from {pages}) as totals"
        ),
        // An answer counts once at a site: at the first of the site's pages that it cites.
        SourceUnit::Site => format!(
            "(select min(s.page) as page, min(p.url) as url, p.site,
                cast(sum(s.site_answers) as bigint) as answers, cast(sum(s.site_gap_answers) as bigint) as gap_answers,
                cast(sum(s.citations) as bigint) as citations, cast(sum(s.retrieved) as bigint) as retrieved,
                min(s.first_day) as first_day, max(s.last_day) as last_day from {pages} group by p.site) as totals"
        ),
    }
}

/// Lists sources, those with most answers first.
pub async fn list_sources(
    conn: &mut Conn,
    filter: &SumFilter<'_>,
    unit: SourceUnit,
    part: ListPart,
) -> Result<Vec<SourceTotalsRow>, DbError> {
    let name = if unit == SourceUnit::Site { "site" } else { "url" };
    let sql = format!(
        "select page, url, site, answers, gap_answers, citations, retrieved, first_day, last_day from {}
        order by answers desc, citations desc, retrieved desc, {name} limit $6 offset $7",
        totals(filter, unit, conn.engine())
    );
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_as(AssertSqlSafe(sql)), filter)
        .bind(part.limit)
        .bind(part.offset)
        .fetch_all(c)
        .await)?)
}

/// Lists the pages of one site, those of most answers first.
pub async fn list_pages_of_site(
    conn: &mut Conn,
    filter: &SumFilter<'_>,
    site: &str,
    part: ListPart,
) -> Result<Vec<SourceTotalsRow>, DbError> {
    let sql = format!(
        "select page, url, site, answers, gap_answers, citations, retrieved, first_day, last_day from {}
        where site = $6 and citations > 0 order by answers desc, url limit $7 offset $8",
        totals(filter, SourceUnit::Page, conn.engine())
    );
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_as(AssertSqlSafe(sql)), filter)
        .bind(site)
        .bind(part.limit)
        .bind(part.offset)
        .fetch_all(c)
        .await)?)
}

pub async fn count_sources(
    conn: &mut Conn,
    filter: &SumFilter<'_>,
    unit: SourceUnit,
) -> Result<SourceCountRow, DbError> {
    let sql = format!(
        "select count(*) as total, cast(coalesce(sum(citations), 0) as bigint) as citations from {}",
        totals(filter, unit, conn.engine())
    );
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_as(AssertSqlSafe(sql)), filter).fetch_one(c).await)?)
}

/// A prompt and provider whose answers have a source or a search.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct MemberRow {
    /// Site, or address of a page, or number of a search.
    pub name: String,
    pub prompt: i64,
    pub provider: String,
}

/// Lists the prompts and providers of sources, by site or address.
pub async fn list_source_members(
    conn: &mut Conn,
    filter: &SumFilter<'_>,
    unit: SourceUnit,
    names: &[String],
) -> Result<Vec<MemberRow>, DbError> {
    let column = if unit == SourceUnit::Site { "p.site" } else { "p.url" };
    let of_names = match conn.engine() {
        store::Engine::Sqlite => "in (select value from json_each($6))",
        store::Engine::Postgres => "in (select value from json_array_elements_text(cast($6 as json)))",
    };
    let sql = format!(
        "select distinct {column} as name, s.prompt, s.provider
        from mention_source_sums s join mention_pages p on p.domain = s.domain and p.page = s.page
        where {} and (s.citations > 0 or s.retrieved > 0) and {column} {of_names} order by name, s.prompt, s.provider",
        filter.condition(conn.engine())
    );
    let names = serde_json::to_string(names).expect("texts are JSON");
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_as(AssertSqlSafe(sql)), filter)
        .bind(names)
        .fetch_all(c)
        .await)?)
}

/// Sums of a search in a window.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SearchTotalsRow {
    /// Stands for the text.
    pub query: i64,
    pub text: String,
    pub answers: i64,
    pub named_in: i64,
}

/// Lists searches, those of most answers first.
pub async fn list_searches(
    conn: &mut Conn,
    filter: &SumFilter<'_>,
    part: ListPart,
) -> Result<Vec<SearchTotalsRow>, DbError> {
    let sql = format!(
        "select totals.query, q.text, totals.answers, totals.named_in from (
            select s.query, cast(sum(s.answers) as bigint) as answers, cast(sum(s.named_in) as bigint) as named_in
            from mention_query_sums s where {} and s.answers > 0 group by s.query) as totals
        join mention_queries q on q.domain = $1 and q.query = totals.query
        order by totals.answers desc, q.text limit $6 offset $7",
        filter.condition(conn.engine())
    );
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_as(AssertSqlSafe(sql)), filter)
        .bind(part.limit)
        .bind(part.offset)
        .fetch_all(c)
        .await)?)
}

pub async fn count_searches(conn: &mut Conn, filter: &SumFilter<'_>) -> Result<i64, DbError> {
    let sql = format!(
        "select count(distinct s.query) from mention_query_sums s where {} and s.answers > 0",
        filter.condition(conn.engine())
    );
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_scalar(AssertSqlSafe(sql)), filter).fetch_one(c).await)?)
}

/// Lists the prompts and providers of searches, by the number of each.
pub async fn list_search_members(
    conn: &mut Conn,
    filter: &SumFilter<'_>,
    searches: &[i64],
) -> Result<Vec<MemberRow>, DbError> {
    let of_searches = match conn.engine() {
        store::Engine::Sqlite => "in (select value from json_each($6))",
        store::Engine::Postgres => {
            "in (select cast(value as bigint) from json_array_elements_text(cast($6 as json)))"
        }
    };
    let sql = format!(
        "select distinct cast(s.query as text) as name, s.prompt, s.provider from mention_query_sums s
        where {} and s.answers > 0 and s.query {of_searches} order by name, s.prompt, s.provider",
        filter.condition(conn.engine())
    );
    let searches = serde_json::to_string(searches).expect("numbers are JSON");
    Ok(on_engine!(conn, |c| bind_filter!(sqlx::query_as(AssertSqlSafe(sql)), filter)
        .bind(searches)
        .fetch_all(c)
        .await)?)
}
