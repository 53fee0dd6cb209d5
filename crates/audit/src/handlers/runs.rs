//! HTTP of runs: starting one, listing them, reading one with its pages.

use audit_engine::checks::CheckId;
use audit_engine::engine::CrawlMode;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domains::DomainsService;
use futures::StreamExt;
use http::header::{CONTENT_TYPE, HeaderValue};
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{RunNotRead, visible_run};
use crate::AuditState;
use crate::access::{ReadAudits, StartAudit};
use crate::model::{Frequency, IssueBreakdown, Run, RunStatus, RunView, Trigger};
use crate::ports::LAST_VISIT;
use crate::segments::ReadError;
use crate::service::{
    AuditReader, AuditStartError, NewRun, PageFilter, PageOrder, SelectedPages, WantedFields, page_rows,
};
use crate::stored::{PAGE_FIELDS, PageRow};
use accounts::callers::Caller;
use accounts::callers::caller::Credential;
use domains::{RequestedDomain, Site, names};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppPath, AppQuery, ErrorCode, Issue};

/// Addresses that one request may name.
const MAX_URLS: usize = 10_000;
/// Longest `search`, in characters.
const MAX_SEARCH_CHARS: usize = 500;
/// Maximum number of pages of one answer, when it says how many it wants.
const MAX_LIMIT: u64 = 500;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AuditState> {
    OpenApiRouter::new().routes(routes!(start_run, list_runs)).routes(routes!(get_run))
}

own_errors! {
    NotStarted: InvalidRequest, InvalidUrls, NoSitemap, ApiKeyDomainScopeMismatch, DomainNotOwned, DomainSuspended,
        NoSeoSpiderAccess, OnDemandLimitReached, MaxPagesPerMonthLimitReached, RunAlreadyActive, NoNewPages,
        ArchiveUnavailable, PayloadTooLarge, UnsupportedMediaType;
    NotListed: InvalidRequest;
}

/// Audit to start.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StartRequest {
    /// Domain of the account.
    #[schema(examples("shop.example"))]
    domain: String,
    /// Addresses on the domain: where links are followed from, or all there is to audit. At least one.
    #[schema(min_items = 1, max_items = 10_000, example = json!(["https://shop.example/"]))]
    urls: Vec<String>,
    /// `follow`: links from `urls`; `selected`: only `urls`; `sitemap`: what the sitemap lists.
    mode: CrawlMode,
    /// Templates with many pages are sampled; true unless given.
    allow_sampling: Option<bool>,
    /// Only pages that are new or changed since the last completed run, in sitemap mode; false unless given.
    new_pages_only: Option<bool>,
    /// Overrides the domain's sitemap.
    #[schema(examples("https://shop.example/sitemap.xml"))]
    sitemap_url: Option<String>,
}

/// A run that was started.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Started {
    /// Always true.
    ok: bool,
    #[schema(examples("01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10"))]
    run_id: String,
    /// `running`.
    status: RunStatus,
}

impl StartRequest {
    /// Parses the request into types, or lists its problems. The caller's domain is not checked yet.
    fn parse(&self, max_url_bytes: usize) -> ApiResult<(Vec<Url>, Option<Url>)> {
        if self.urls.is_empty() || self.urls.len() > MAX_URLS {
            let issue = Issue::new("urls", format!("must have 1 to {MAX_URLS} items"));
            return Err(ApiError::invalid_request(vec![issue]));
        }
        let parse = |text: &String| crawler::url::parse_target(text, max_url_bytes);
        let sitemap = self.sitemap_url.as_ref().map(parse).transpose();
        let sitemap =
            sitemap.map_err(|error| ApiError::invalid_parameter("sitemapUrl", error.to_string()))?;
        let parsed = self.urls.iter().map(|text| parse(text).map_err(|error| error.to_string()));
        Ok((all_or_issues(parsed)?, sitemap))
    }
}

const NOT_ON_DOMAIN: &str = "is not on the domain";

/// Returns the addresses, if all are on the site.
fn on_site(urls: Vec<Url>, site: &Site) -> ApiResult<Vec<Url>> {
    let own = |url: Url| is_on_site(&url, site).then_some(url).ok_or_else(|| NOT_ON_DOMAIN.to_owned());
    all_or_issues(urls.into_iter().map(own))
}

/// Returns the sitemap, if the audit can use it: entries of a sitemap on another host do not count.
fn usable_sitemap(sitemap: Option<Url>, mode: CrawlMode, site: &Site) -> ApiResult<Option<Url>> {
    match sitemap {
        Some(url) if mode == CrawlMode::Sitemap && !is_on_site(&url, site) => {
            Err(ApiError::invalid_parameter("sitemapUrl", NOT_ON_DOMAIN))
        }
        // With links followed, the sitemap only adds pages.
        sitemap => Ok(sitemap.filter(|url| is_on_site(url, site))),
    }
}

fn is_on_site(url: &Url, site: &Site) -> bool {
    // Another port is another site, and none that crawlers are sent to.
    url.port().is_none() && url.host_str().is_some_and(|host| site.owns_host(host))
}

/// Returns all addresses, or 400 `invalid_urls` with the problem of each.
fn all_or_issues(urls: impl Iterator<Item = Result<Url, String>>) -> ApiResult<Vec<Url>> {
    let mut good = Vec::new();
    let mut issues = Vec::new();
    for (at, url) in urls.enumerate() {
        match url {
            Ok(url) => good.push(url),
            Err(problem) => issues.push(Issue::new(format!("urls.{at}"), problem)),
        }
    }
    issues.truncate(100);
    match issues.is_empty() {
        true => Ok(good),
        false => Err(ApiError::new(ErrorCode::InvalidUrls).with("issues", issues)),
    }
}

/// Starts an audit.
///
/// One at a time per domain. Its pages count against the plan as they are audited.
#[utoipa::path(post, path = "/api/seo-spider/runs", tag = "SEO audit", request_body = StartRequest,
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<StartAudit, NotStarted>, (status = 200, description = "It runs.", body = Started)))]
async fn start_run(
    caller: Caller<StartAudit>,
    State(app): State<AuditState>,
    AppJson(request): AppJson<StartRequest>,
) -> ApiResult<Json<Started>> {
    let (urls, sitemap) = request.parse(app.config.limits.url_bytes)?;
    let site = RequestedDomain::named(&request.domain).site_to_use(&caller, &app.domains).await?;
    let new = NewRun {
        urls: on_site(urls, &site)?,
        mode: request.mode,
        allow_sampling: request.allow_sampling.unwrap_or(true),
        new_pages_only: request.new_pages_only.unwrap_or(false),
        sitemap: usable_sitemap(sitemap, request.mode, &site)?,
        trigger: match caller.credential {
            Credential::Key(_) => Trigger::Api,
            Credential::Session(_) => Trigger::Manual,
        },
        frequency: Frequency::Manual,
    };
    let run = app.runs.start(&site, caller.limits(), new).await?;
    Ok(Json(Started { ok: true, run_id: run.to_string(), status: RunStatus::Running }))
}

impl From<AuditStartError> for ApiError {
    fn from(error: AuditStartError) -> ApiError {
        match error {
            AuditStartError::NoAccess => ApiError::new(ErrorCode::NoSeoSpiderAccess),
            AuditStartError::AlreadyActive(run) => {
                ApiError::new(ErrorCode::RunAlreadyActive).with("runId", run)
            }
            AuditStartError::OnDemandLimit { limit, current } => {
                ApiError::new(ErrorCode::OnDemandLimitReached).with("limit", limit).with("current", current)
            }
            AuditStartError::PagesLimit { limit, current } => {
                ApiError::new(ErrorCode::MaxPagesPerMonthLimitReached)
                    .with("limit", limit)
                    .with("current", current)
            }
            AuditStartError::NoSitemap => ApiError::new(ErrorCode::NoSitemap),
            AuditStartError::NoNewPages => ApiError::new(ErrorCode::NoNewPages),
            AuditStartError::Read(error) => error.into(),
            AuditStartError::Store(error) => error.into(),
        }
    }
}

/// Selection of runs.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Only runs of this domain. A key that is restricted to a domain gets that domain's, whatever is asked for.
    #[param(example = "shop.example")]
    domain: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct RunList {
    /// The newest first, at most 50.
    runs: Vec<RunView>,
}

/// Lists the newest audits of the account's domains.
#[utoipa::path(get, path = "/api/seo-spider/runs", tag = "SEO audit", params(ListQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadAudits, NotListed>, (status = 200, description = "The runs.", body = RunList)))]
async fn list_runs(
    caller: Caller<ReadAudits>,
    State(domains): State<DomainsService>,
    State(reader): State<AuditReader>,
    AppQuery(query): AppQuery<ListQuery>,
) -> ApiResult<Json<RunList>> {
    let asked = query.domain.filter(|domain| !domain.is_empty());
    let named = caller.scope().map(str::to_owned).or_else(|| asked.clone());
    let nothing = || Ok(Json(RunList { runs: Vec::new() }));
    let chosen = match &named {
        None if caller.seen_account().domains.is_none() => None,
        None => {
            let seen = domains.list_seen(&caller.seen_account()).await?;
            Some(seen.into_iter().map(|domain| domain.id).collect())
        }
        Some(name) => {
            let Some(host) = names::parse_domain(name) else { return nothing() };
            let found = domains.find(caller.account(), &host).await?;
            let Some(site) = found.filter(|site| caller.sees(&site.domain.host)) else { return nothing() };
            Some(vec![site.domain.id.clone()])
        }
    };
    let runs = reader.list_runs(caller.account(), chosen.as_deref()).await?;
    Ok(Json(RunList { runs: runs.into_iter().map(RunView::of).collect() }))
}

/// Selection, order and fields of a run's pages.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct PagesQuery {
    /// Pages in the answer, 1 to 500; all unless given.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u64>,
    /// Pages that are left out; needs `limit`.
    offset: Option<u64>,
    /// Only pages with this text in their path, in any case.
    #[param(max_length = 500)]
    search: Option<String>,
    /// Only pages with this issue.
    #[param(example = "META_DESC_MISSING")]
    issue_id: Option<String>,
    /// Field of a page that they are sorted by, or `lastCrawlerVisit`; `path` unless given.
    #[param(example = "healthScore")]
    sort: Option<String>,
    /// `asc` or `desc`.
    order: Option<String>,
    /// Fields of a page that are wanted, separated by commas; all unless given. `lastCrawlerVisit`, the day on which a
    /// crawler last came, is there only when it is wanted.
    #[param(example = "path,healthScore")]
    fields: Option<String>,
}

impl PagesQuery {
    /// Parses the parameters of an export.
    pub(super) fn of_export(
        search: Option<String>,
        issue_id: Option<String>,
        sort: Option<String>,
        order: Option<String>,
        fields: Option<String>,
    ) -> PagesQuery {
        PagesQuery { limit: None, offset: None, search, issue_id, sort, order, fields }
    }

    pub(super) fn check(&self) -> ApiResult<()> {
        let mut issues = Vec::new();
        let mut note = |path: &str, message: &str| issues.push(Issue::new(path, message));
        if self.limit.is_some_and(|limit| !(1..=MAX_LIMIT).contains(&limit)) {
            note("limit", "must be from 1 to 500");
        }
        if self.offset.is_some() && self.limit.is_none() {
            note("offset", "needs a limit");
        }
        if self.search.as_ref().is_some_and(|search| search.chars().count() > MAX_SEARCH_CHARS) {
            note("search", "is longer than 500 characters");
        }
        if self.issue_id.as_ref().is_some_and(|id| CheckId::find(id).is_none()) {
            note("issueId", "is not an issue id");
        }
        let is_field = |name: &str| name == LAST_VISIT || PAGE_FIELDS.contains(&name);
        if self.sort.as_ref().is_some_and(|sort| !is_field(sort)) {
            note("sort", "is not a field of a page");
        }
        if self.order.as_ref().is_some_and(|order| !matches!(order.as_str(), "asc" | "desc")) {
            note("order", "must be asc or desc");
        }
        if self.fields.as_ref().is_some_and(|fields| !fields.split(',').all(is_field)) {
            note("fields", "must be fields of a page, separated by commas");
        }
        if issues.is_empty() { Ok(()) } else { Err(ApiError::invalid_request(issues)) }
    }

    pub(super) fn filter(&self) -> PageFilter {
        let is_descending = self.order.as_deref() == Some("desc");
        let field = self.sort.clone().or_else(|| is_descending.then(|| "path".to_owned()));
        PageFilter {
            search: self.search.clone().filter(|search| !search.is_empty()),
            issue: self.issue_id.clone(),
            order: field.map(|field| PageOrder { field, is_descending }),
        }
    }

    /// Returns each name once.
    pub(super) fn field_names(&self) -> Option<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for name in self.fields.as_ref()?.split(',') {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        Some(names)
    }
}

/// A run with its pages. Written piece by piece: see [`details`].
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunDetails {
    run: RunView,
    pages: Vec<PageRow>,
    /// Number of matching pages.
    page_total: usize,
    /// Pages that carry each issue, over the whole run; only with `offset` 0 and without `search`, else null.
    #[schema(value_type = Option<BTreeMap<String, usize>>)]
    issue_breakdown: Option<IssueBreakdown>,
}

/// Reads an audit with its pages.
///
/// Pages of archived runs come from cold storage, in the same form.
#[utoipa::path(get, path = "/api/seo-spider/runs/{runId}", tag = "SEO audit",
    params(("runId" = String, Path, description = "The run."), PagesQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadAudits, RunNotRead>, (status = 200, description = "The run.", body = RunDetails)))]
async fn get_run(
    caller: Caller<ReadAudits>,
    State(app): State<AuditState>,
    AppPath(id): AppPath<String>,
    AppQuery(query): AppQuery<PagesQuery>,
) -> ApiResult<Response> {
    query.check()?;
    let run = visible_run(&caller, &app.domains, &app.reader, &id).await?;
    let _call = match query.filter().order {
        Some(_) => Some(app.callers.rate_limits.long_calls.wait(caller.account()).await?),
        None => None,
    };
    Ok(details(&app.reader, run, &query).await?)
}

async fn details(reader: &AuditReader, run: Run, query: &PagesQuery) -> Result<Response, ReadError> {
    let found = SelectedPages::select(reader, &run, &query.filter()).await?;
    let total = found.count();
    let offset = query.offset.unwrap_or(0);
    let count = query.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let rows = found.part(usize::try_from(offset).unwrap_or(usize::MAX), count);
    let is_first = offset == 0 && query.search.as_ref().is_none_or(String::is_empty);
    let breakdown = if is_first { Some(reader.issue_breakdown(&run).await?) } else { None };
    let breakdown = serde_json::to_string(&breakdown).expect("numbers by id are plain data");
    let wanted = WantedFields::read(reader, &run, query.field_names()).await?;
    let pages = page_rows(reader, &run, rows, wanted);
    let mut pages = Box::pin(pages.fuse());
    // A store that cannot be read fails the request before the answer begins.
    let first = pages.next().await.transpose()?.unwrap_or_default();
    let view = serde_json::to_string(&RunView::detailed(run)).expect("runs are plain data");
    let head = format!("{{\"run\":{view},\"pageTotal\":{total},\"issueBreakdown\":{breakdown},\"pages\":[");
    let start = futures::stream::iter([Ok(Bytes::from(head)), Ok(first)]);
    let end = futures::stream::once(async { Ok(Bytes::from_static(b"]}")) });
    let body = start.chain(pages).chain(end);
    let json = HeaderValue::from_static("application/json");
    if query.limit.is_some() {
        let pieces: Vec<Result<Bytes, ReadError>> = body.collect().await;
        let pieces = pieces.into_iter().collect::<Result<Vec<Bytes>, ReadError>>()?;
        return Ok(([(CONTENT_TYPE, json)], pieces.concat()).into_response());
    }
    Ok(([(CONTENT_TYPE, json)], Body::from_stream(body)).into_response())
}
