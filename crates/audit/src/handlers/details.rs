//! HTTP of a run's details: one page, the link graph, a comparison with another run.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{NoRun, RunNotRead, visible_run};
use crate::AuditState;
use crate::service::{AuditReader, Comparison, LinkFilter, LinkGraph, LinkList, RunIssues, RunPage};
use crate::stored::parse_page_id;
use accounts::callers::Caller;
use domains::DomainsService;
use platform::api::access::ReadDomain;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppPath, AppQuery};

/// Links in one answer.
const DEFAULT_LINKS: usize = 100;
const MAX_LINKS: usize = 500;
/// Pages of a link graph.
const DEFAULT_NODES: usize = 500;
const MAX_NODES: usize = 2000;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AuditState> {
    OpenApiRouter::new()
        .routes(routes!(get_run_page))
        .routes(routes!(list_run_links))
        .routes(routes!(compare_runs))
        .routes(routes!(get_link_graph))
        .routes(routes!(list_run_issues))
}

own_errors! {
    NoPage: ApiKeyDomainScopeMismatch, DomainNotOwned, DomainAccessForbidden, NotFound, ArchiveUnavailable;
}

/// Reads one page of an audit, with the evidence of its findings and the links around it.
#[utoipa::path(get, path = "/api/seo-spider/runs/{runId}/pages/{pageId}", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run."), ("pageId" = String, Path, description = "The page's `id`.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, NoPage>, (status = 200, description = "The page.", body = RunPage)))]
async fn get_run_page(
    caller: Caller<ReadDomain>,
    State(domains): State<DomainsService>,
    State(reader): State<AuditReader>,
    AppPath((id, page)): AppPath<(String, String)>,
) -> ApiResult<Json<RunPage>> {
    let run = visible_run(&caller, &domains, &reader, &id).await?;
    let page = parse_page_id(&page).ok_or_else(ApiError::not_found)?;
    let page = RunPage::read(&reader, &run, page).await?;
    page.map(Json).ok_or_else(ApiError::not_found)
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct LinksQuery {
    /// Path of the page that they stand on.
    #[param(example = "/")]
    from: Option<String>,
    /// Path on the site that they lead to, or an absolute address elsewhere.
    #[param(example = "/pricing")]
    to: Option<String>,
    /// Status of their target; 0: no answer.
    #[param(example = 404)]
    status: Option<u16>,
    /// Only links to other hosts (true), or only links of the site (false).
    external: Option<bool>,
    /// Links in the answer, 1 to 500; 100 unless given.
    #[param(minimum = 1, maximum = 500, default = 100)]
    limit: Option<usize>,
    /// Links that are left out.
    offset: Option<usize>,
}

/// Lists links of the site, by the page they stand on.
#[utoipa::path(get, path = "/api/seo-spider/runs/{runId}/links", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run."), LinksQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, RunNotRead>, (status = 200, description = "The links.", body = LinkList)))]
async fn list_run_links(
    caller: Caller<ReadDomain>,
    State(app): State<AuditState>,
    AppPath(id): AppPath<String>,
    AppQuery(query): AppQuery<LinksQuery>,
) -> ApiResult<Json<LinkList>> {
    let limit = query.limit.unwrap_or(DEFAULT_LINKS);
    if !(1..=MAX_LINKS).contains(&limit) {
        return Err(ApiError::invalid_parameter("limit", "must be from 1 to 500"));
    }
    let run = visible_run(&caller, &app.domains, &app.reader, &id).await?;
    let LinksQuery { from, to, status, external, offset, .. } = query;
    let filter = LinkFilter { from, to, status, is_external: external, limit, offset: offset.unwrap_or(0) };
    // All links of the run are looked through, but those of one page.
    let _call = match filter.from {
        None => Some(app.callers.rate_limits.long_calls.wait(caller.account()).await?),
        Some(_) => None,
    };
    Ok(Json(LinkList::read(&app.reader, &run, &filter).await?))
}

/// Run to compare with.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct CompareQuery {
    /// The other run, of the same domain. The one that began first is the earlier one.
    with: String,
}

/// Compares two audits of a domain: findings that are new, fixed and still there, pages added, removed and not visited, and
/// what changed.
#[utoipa::path(get, path = "/api/seo-spider/runs/{runId}/compare", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run."), CompareQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, RunNotRead>, (status = 200, description = "What changed.", body = Comparison)))]
async fn compare_runs(
    caller: Caller<ReadDomain>,
    State(app): State<AuditState>,
    AppPath(id): AppPath<String>,
    AppQuery(query): AppQuery<CompareQuery>,
) -> ApiResult<Json<Comparison>> {
    let run = visible_run(&caller, &app.domains, &app.reader, &id).await?;
    let other = visible_run(&caller, &app.domains, &app.reader, &query.with).await?;
    if other.domain_id != run.domain_id {
        return Err(ApiError::invalid_parameter("with", "is of another domain"));
    }
    let (earlier, later) = if other.started_at <= run.started_at { (other, run) } else { (run, other) };
    let _call = app.callers.rate_limits.long_calls.wait(caller.account()).await?;
    Ok(Json(Comparison::read(&app.reader, &earlier, &later).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct GraphQuery {
    /// Pages in the answer, 1 to 2,000; 500 unless given.
    #[param(minimum = 1, maximum = 2000, default = 500)]
    limit: Option<usize>,
}

/// Reads the link graph of an audit: the pages with the most links to them, and the links between these.
#[utoipa::path(get, path = "/api/seo-spider/runs/{runId}/graph", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run."), GraphQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, RunNotRead>, (status = 200, description = "The graph.", body = LinkGraph)))]
async fn get_link_graph(
    caller: Caller<ReadDomain>,
    State(domains): State<DomainsService>,
    State(reader): State<AuditReader>,
    AppPath(id): AppPath<String>,
    AppQuery(query): AppQuery<GraphQuery>,
) -> ApiResult<Json<LinkGraph>> {
    let limit = query.limit.unwrap_or(DEFAULT_NODES);
    if !(1..=MAX_NODES).contains(&limit) {
        return Err(ApiError::invalid_parameter("limit", "must be from 1 to 2000"));
    }
    let run = visible_run(&caller, &domains, &reader, &id).await?;
    Ok(Json(LinkGraph::read(&reader, &run, limit).await?))
}

/// Lists how many pages carried each issue in an audit and in up to nine before it.
#[utoipa::path(get, path = "/api/seo-spider/runs/{runId}/issues", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, NoRun>, (status = 200, description = "The issues.", body = RunIssues)))]
async fn list_run_issues(
    caller: Caller<ReadDomain>,
    State(domains): State<DomainsService>,
    State(reader): State<AuditReader>,
    AppPath(id): AppPath<String>,
) -> ApiResult<Json<RunIssues>> {
    let run = visible_run(&caller, &domains, &reader, &id).await?;
    Ok(Json(RunIssues::read(&reader, run).await?))
}
