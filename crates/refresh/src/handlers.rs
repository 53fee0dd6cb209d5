//! HTTP of cache refresh: the four endpoints, for keys and again for the dashboard, and the progress of a batch.

use crate::RefreshService;
use domains::DomainsService;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use url::Url;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::batches::QueueError;
use super::model::{
    BatchCancelled, BatchList, BatchProgress, MAX_PATHS, PageRequest, PagesReply, PathsRequest, Selection,
    SiteReply, SiteRequest, page_url, path_problem,
};
use crate::RefreshState;
use accounts::callers::Caller;
use accounts::callers::for_keys_and_sessions::for_keys_and_sessions;
use domains::{Domain, DomainAccess, RequestedDomain};
use platform::api::access::{Access, ReadDomain, RefreshCache, StopWork};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppPath, AppQuery, ErrorCode, Issue};
use platform::jobs::BatchId;

/// Returns the operations of this feature.
pub fn routes() -> OpenApiRouter<RefreshState> {
    OpenApiRouter::new()
        .routes(routes!(invalidate_page_cache))
        .routes(routes!(invalidate_paths_cache))
        .routes(routes!(invalidate_site_cache))
        .routes(routes!(invalidate_updated_paths))
        .routes(routes!(dashboard_invalidate_page_cache))
        .routes(routes!(dashboard_invalidate_paths_cache))
        .routes(routes!(dashboard_invalidate_site_cache))
        .routes(routes!(dashboard_invalidate_updated_paths))
        .routes(routes!(get_batch))
        .routes(routes!(list_batches))
        .routes(routes!(cancel_batch))
}

own_errors! {
    NotRefreshed: InvalidRequest, DomainNotOwned, ApiKeyDomainScopeMismatch, DomainSuspended, PayloadTooLarge,
        UnsupportedMediaType;
    NoBatch: ApiKeyDomainScopeMismatch, NotFound;
    BatchesNotListed: InvalidRequest, DomainNotOwned, ApiKeyDomainScopeMismatch;
}

for_keys_and_sessions! {
    /// Refreshes one page.
    ///
    /// Queues a render at high priority and answers at once. The stored page is served until the new one replaces it,
    /// and up to 5 minutes longer from the memory of each place. Look at `ok`: when nothing is queued the status is 200 too.
    /// At most 120 requests per minute and key, all refreshes together.
    post(Caller<RefreshCache>) invalidate_page_cache: "/api/prerender/cache/invalidate-page-cache",
        dashboard_invalidate_page_cache: "/api/dashboard/cache/invalidate-page-cache";
    state(RefreshState);
    tag("Cache refresh");
    security(("apiKey" = []));
    errors(NotRefreshed);
    body(content = PageRequest);
    responses((status = 200, description = "What was queued, or why nothing was.", body = PagesReply));
    refresh_page(request: AppJson<PageRequest>) -> Json<PagesReply>
}

for_keys_and_sessions! {
    /// Refreshes several pages.
    ///
    /// Like one page. Of the first twenty paths those that the site's server does not have are left out. `prewarmed` is smaller
    /// than the list when the month, or the 100,000 renders that an account has in the queue, leave room for fewer.
    post(Caller<RefreshCache>) invalidate_paths_cache: "/api/prerender/cache/invalidate-paths-cache",
        dashboard_invalidate_paths_cache: "/api/dashboard/cache/invalidate-paths-cache";
    state(RefreshState);
    tag("Cache refresh");
    security(("apiKey" = []));
    errors(NotRefreshed);
    body(content = PathsRequest);
    responses((status = 200, description = "What was queued, or why nothing was.", body = PagesReply));
    refresh_paths(request: AppJson<PathsRequest>) -> Json<PagesReply>
}

for_keys_and_sessions! {
    /// Refreshes every page of the sitemap.
    ///
    /// The work runs in the background under a `batchGroupId`; each page counts as a render. The sitemap is read before
    /// the answer, for at most 5 seconds; one that takes longer is read in the background.
    post(Caller<RefreshCache>) invalidate_site_cache: "/api/prerender/cache/invalidate-site-cache",
        dashboard_invalidate_site_cache: "/api/dashboard/cache/invalidate-site-cache";
    state(RefreshState);
    tag("Cache refresh");
    security(("apiKey" = []));
    errors(NotRefreshed);
    body(content = SiteRequest);
    responses((status = 200, description = "What was queued, or why nothing was.", body = SiteReply));
    refresh_whole_site(request: AppJson<SiteRequest>) -> Json<SiteReply>
}

for_keys_and_sessions! {
    /// Refreshes the pages that changed.
    ///
    /// Those whose `lastmod` in the sitemap is later than their snapshot, those that were never stored, and those without
    /// a `lastmod`. Otherwise like the whole site.
    post(Caller<RefreshCache>) invalidate_updated_paths: "/api/prerender/cache/invalidate-updated-paths",
        dashboard_invalidate_updated_paths: "/api/dashboard/cache/invalidate-updated-paths";
    state(RefreshState);
    tag("Cache refresh");
    security(("apiKey" = []));
    errors(NotRefreshed);
    body(content = SiteRequest);
    responses((status = 200, description = "What was queued, or why nothing was.", body = SiteReply));
    refresh_updated_paths(request: AppJson<SiteRequest>) -> Json<SiteReply>
}

async fn refresh_page<A: Access>(
    caller: &Caller<A>,
    app: &RefreshState,
    AppJson(request): AppJson<PageRequest>,
) -> ApiResult<Json<PagesReply>> {
    let max_bytes = app.config.limits.url_bytes;
    if let Some(problem) = path_problem(&request.path, max_bytes) {
        return Err(ApiError::invalid_request(vec![Issue::new("path", problem)]));
    }
    let site = RequestedDomain::named(&request.domain).site_to_use(caller, &app.domains).await?;
    let pages = page_url(&site, &request.path).into_iter().collect();
    Ok(Json(app.refresh.refresh_pages(&site, pages, request.prewarm).await?))
}

async fn refresh_paths<A: Access>(
    caller: &Caller<A>,
    app: &RefreshState,
    AppJson(request): AppJson<PathsRequest>,
) -> ApiResult<Json<PagesReply>> {
    let max_bytes = app.config.limits.url_bytes;
    let problems =
        request.paths.iter().enumerate().filter_map(|(at, path)| Some((at, path_problem(path, max_bytes)?)));
    let mut issues: Vec<Issue> =
        problems.map(|(at, problem)| Issue::new(format!("paths.{at}"), problem)).take(100).collect();
    if request.paths.is_empty() || request.paths.len() > MAX_PATHS {
        issues.push(Issue::new("paths", format!("must have 1 to {MAX_PATHS} items")));
    }
    if !issues.is_empty() {
        return Err(ApiError::invalid_request(issues));
    }
    let site = RequestedDomain::named(&request.domain).site_to_use(caller, &app.domains).await?;
    let pages = request.paths.iter().filter_map(|path| page_url(&site, path)).collect();
    Ok(Json(app.refresh.refresh_pages(&site, pages, request.prewarm).await?))
}

async fn refresh_whole_site<A: Access>(
    caller: &Caller<A>,
    app: &RefreshState,
    AppJson(request): AppJson<SiteRequest>,
) -> ApiResult<Json<SiteReply>> {
    refresh_site(caller, app, request, Selection::Every).await
}

async fn refresh_updated_paths<A: Access>(
    caller: &Caller<A>,
    app: &RefreshState,
    AppJson(request): AppJson<SiteRequest>,
) -> ApiResult<Json<SiteReply>> {
    refresh_site(caller, app, request, Selection::Updated).await
}

async fn refresh_site<A: Access>(
    caller: &Caller<A>,
    app: &RefreshState,
    request: SiteRequest,
    selection: Selection,
) -> ApiResult<Json<SiteReply>> {
    let max_bytes = app.config.limits.url_bytes;
    let sitemap: Option<Url> = match &request.sitemap_url {
        None => None,
        Some(text) => match crawler::url::parse_target(text, max_bytes) {
            Ok(url) => Some(url),
            Err(error) => {
                return Err(ApiError::invalid_request(vec![Issue::new("sitemapUrl", error.to_string())]));
            }
        },
    };
    let site = RequestedDomain::named(&request.domain).site_to_use(caller, &app.domains).await?;
    Ok(Json(app.refresh.refresh_site(&site, sitemap, selection, request.prewarm).await?))
}

/// Says how far a refresh has come.
///
/// `total` grows while a sitemap is still being read. `completedAt` is set when every page is done or failed.
#[utoipa::path(get, path = "/api/prerender/batches/{batchGroupId}", tag = "Cache refresh",
    params(("batchGroupId" = String, Path, description = "As the refresh answered it.", example = "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, NoBatch>, (status = 200, description = "How far it has come.", body = BatchProgress)))]
async fn get_batch(
    caller: Caller<ReadDomain>,
    State(refresh): State<RefreshService>,
    AppPath(batch): AppPath<String>,
) -> ApiResult<Json<BatchProgress>> {
    let found = refresh.progress(caller.account(), &batch).await?;
    let (progress, domain) = found.ok_or_else(ApiError::not_found)?;
    check_batch_scope(&caller, domain.as_ref())?;
    Ok(Json(progress))
}

/// Refuses a key that is restricted to another domain than a batch's, and a person who does not see the domain.
fn check_batch_scope<A: Access>(caller: &Caller<A>, domain: Option<&Domain>) -> ApiResult<()> {
    match domain {
        _ if !caller.sees(domain.map_or("", |domain| &domain.host)) => Err(ApiError::not_found()),
        Some(domain) => caller.check_scope(&domain.host),
        // Nobody knows any more which name the removed domain had.
        None if caller.scope().is_some() => Err(ApiError::new(ErrorCode::ApiKeyDomainScopeMismatch)),
        None => Ok(()),
    }
}

/// Domain whose refreshes are listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct BatchesQuery {
    /// Domain of the account.
    #[param(example = "shop.example")]
    domain: String,
}

/// Lists the newest refreshes of a domain's pages.
#[utoipa::path(get, path = "/api/prerender/batches", tag = "Cache refresh", params(BatchesQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, BatchesNotListed>, (status = 200, description = "The refreshes.", body = BatchList)))]
async fn list_batches(
    caller: Caller<ReadDomain>,
    State(domains): State<DomainsService>,
    State(refresh): State<RefreshService>,
    AppQuery(query): AppQuery<BatchesQuery>,
) -> ApiResult<Json<BatchList>> {
    let site = RequestedDomain::named(&query.domain).site(&caller, &domains, DomainAccess::Read).await?;
    Ok(Json(BatchList { batches: refresh.list_batches(&site.domain.id).await? }))
}

/// Stops a refresh.
///
/// Pages that nobody has begun are not rendered and count as failed; those that are being rendered are finished.
#[utoipa::path(post, path = "/api/prerender/batches/{batchGroupId}/cancel", tag = "Cache refresh",
    params(("batchGroupId" = String, Path, description = "As the refresh answered it.", example = "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<StopWork, NoBatch>,
        (status = 200, description = "Whether there was anything to stop.", body = BatchCancelled)))]
async fn cancel_batch(
    caller: Caller<StopWork>,
    State(refresh): State<RefreshService>,
    AppPath(batch): AppPath<String>,
) -> ApiResult<Json<BatchCancelled>> {
    let found = refresh.progress(caller.account(), &batch).await?;
    let (_, domain) = found.ok_or_else(ApiError::not_found)?;
    check_batch_scope(&caller, domain.as_ref())?;
    Ok(Json(BatchCancelled { ok: refresh.cancel(&BatchId::from(batch)).await? }))
}

/// Too much in progress is a limit of rate: a minute later some of it is over.
impl From<QueueError> for ApiError {
    fn from(error: QueueError) -> ApiError {
        match error {
            QueueError::TooManyBatches => {
                ApiError::new(ErrorCode::RateLimited).retry_after(Duration::from_secs(60))
            }
            QueueError::Store(error) => error.into(),
        }
    }
}
