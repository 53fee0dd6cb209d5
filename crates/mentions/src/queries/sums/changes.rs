//! SQL of changes of sums, as transactions over many runs collect them.

use std::collections::{BTreeMap, HashMap};

use store::{Conn, DbError};

use super::{
    AnswerSumColumns, CompetitorSumColumns, DomainCompetitorRow, DomainSumColumns, DomainSumRow,
    ModelSumColumns, ModelSumRow, PromptCompetitorRow, PromptSumRow, QuerySumColumns, QuerySumRow,
    QueryTextRow, SourcePageRow, SourceSumColumns, SourceSumRow, add_domain_competitors, add_domain_sums,
    add_models, add_prompt_competitors, add_prompt_sums, add_queries, add_sources, put_pages, put_queries,
};
use crate::sums::{DomainKey, PromptKey, SumChanges};

/// Writes changes of sums. Rows are in the order of their keys, so that two transactions never wait for each other.
pub async fn write(conn: &mut Conn, changes: SumChanges) -> Result<(), DbError> {
    let SumChanges {
        prompts, domains, prompt_competitors, domain_competitors, sources, queries, models, ..
    } = changes;
    write_answers(conn, prompts, domains).await?;
    write_competitors(conn, prompt_competitors, domain_competitors).await?;
    write_finds(conn, sources, queries, models).await?;
    put_texts(conn, changes.pages, changes.query_texts).await
}

async fn write_answers(
    conn: &mut Conn,
    prompts: BTreeMap<PromptKey, AnswerSumColumns>,
    domains: BTreeMap<DomainKey, DomainSumColumns>,
) -> Result<(), DbError> {
    let prompts: Vec<PromptSumRow> = prompts
        .into_iter()
        .filter(|(_, sums)| !sums.is_zero())
        .map(|((domain, day, prompt, provider), sums)| PromptSumRow {
            domain,
            day,
            prompt,
            provider: provider.to_string(),
            sums,
        })
        .collect();
    add_prompt_sums(conn, &prompts).await?;
    let domains: Vec<DomainSumRow> = domains
        .into_iter()
        .filter(|(_, sums)| *sums != DomainSumColumns::default())
        .map(|((domain, day, provider), sums)| DomainSumRow {
            domain,
            day,
            provider: provider.to_string(),
            sums,
        })
        .collect();
    add_domain_sums(conn, &domains).await
}

async fn write_competitors(
    conn: &mut Conn,
    prompts: BTreeMap<(PromptKey, String), CompetitorSumColumns>,
    domains: BTreeMap<(DomainKey, String), CompetitorSumColumns>,
) -> Result<(), DbError> {
    let rows: Vec<PromptCompetitorRow> = prompts
        .into_iter()
        .filter(|(_, sums)| !sums.is_zero())
        .map(|(((domain, day, prompt, provider), competitor), sums)| PromptCompetitorRow {
            domain,
            day,
            prompt,
            provider: provider.to_string(),
            competitor,
            sums,
        })
        .collect();
    add_prompt_competitors(conn, &rows).await?;
    let rows: Vec<DomainCompetitorRow> = domains
        .into_iter()
        .filter(|(_, sums)| !sums.is_zero())
        .map(|(((domain, day, provider), competitor), sums)| DomainCompetitorRow {
            domain,
            day,
            provider: provider.to_string(),
            competitor,
            sums,
        })
        .collect();
    add_domain_competitors(conn, &rows).await
}

async fn write_finds(
    conn: &mut Conn,
    sources: BTreeMap<(PromptKey, i64), SourceSumColumns>,
    queries: BTreeMap<(PromptKey, i64), QuerySumColumns>,
    models: BTreeMap<(DomainKey, String), i64>,
) -> Result<(), DbError> {
    let rows: Vec<SourceSumRow> = sources
        .into_iter()
        .map(|(((domain, day, prompt, provider), page), sums)| SourceSumRow {
            domain,
            day,
            prompt,
            provider: provider.to_string(),
            page,
            sums,
        })
        .collect();
    add_sources(conn, &rows).await?;
    let rows: Vec<QuerySumRow> = queries
        .into_iter()
        .map(|(((domain, day, prompt, provider), query), sums)| QuerySumRow {
            domain,
            day,
            prompt,
            provider: provider.to_string(),
            query,
            sums,
        })
        .collect();
    add_queries(conn, &rows).await?;
    let rows: Vec<ModelSumRow> = models
        .into_iter()
        .map(|(((domain, day, provider), model), responses)| ModelSumRow {
            domain,
            day,
            provider: provider.to_string(),
            model,
            sums: ModelSumColumns { responses },
        })
        .collect();
    add_models(conn, &rows).await
}

/// Addresses of pages with their sites, by domain and number.
type Pages = HashMap<(i64, i64), (String, String)>;

async fn put_texts(
    conn: &mut Conn,
    pages: Pages,
    queries: HashMap<(i64, i64), String>,
) -> Result<(), DbError> {
    let mut rows: Vec<SourcePageRow> = pages
        .into_iter()
        .map(|((domain, page), (url, site))| SourcePageRow { domain, page, url, site })
        .collect();
    rows.sort_by_key(|row| (row.domain, row.page));
    put_pages(conn, &rows).await?;
    let mut rows: Vec<QueryTextRow> =
        queries.into_iter().map(|((domain, query), text)| QueryTextRow { domain, query, text }).collect();
    rows.sort_by_key(|row| (row.domain, row.query));
    put_queries(conn, &rows).await
}
