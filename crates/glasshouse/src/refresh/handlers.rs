//! HTTP of cache refresh: the four endpoints, for keys and again for the dashboard, and the progress of a batch.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use url::Url;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::model::{
    BatchProgress, MAX_PATHS, PageRequest, PagesReply, PathsRequest, Selection, SiteReply, SiteRequest,
    page_url, path_problem,
};
use crate::api::caller::{Access, ReadDomain, Rendering, WriteDomain};
use crate::api::openapi::{ErrorBody, Refusals};
use crate::api::{ApiError, ApiResult, AppJson, AppPath, Caller, Issue};
use crate::app::AppState;
use crate::domains::{Site, names};

/// The operations of this feature.
pub fn routes() -> OpenApiRouter<AppState> {
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
}

type RenderingRefusals = Refusals<Rendering>;
type ReadDomainRefusals = Refusals<ReadDomain>;
type WriteDomainRefusals = Refusals<WriteDomain>;

/// What is said about every refusal that has to do with the request's domain or body.
#[derive(utoipa::IntoResponses)]
#[expect(dead_code, reason = "only their description is used")]
enum RefreshRefusals {
    /// The body is not right. Nothing was queued.
    #[response(status = 400, example = json!({ "error": "invalid_request", "issues": [{ "path": "path", "message": "must start with /" }] }))]
    Invalid(ErrorBody),
    /// The domain is not on the account, not the key's, or suspended; or the credential does not allow this.
    #[response(status = 403, examples(
        ("domain_not_owned" = (value = json!({ "error": "domain_not_owned" }))),
        ("api_key_domain_scope_mismatch" = (value = json!({ "error": "api_key_domain_scope_mismatch" }))),
        ("domain_suspended" = (value = json!({ "error": "domain_suspended" }))),
        ("csrf_token_missing" = (value = json!({ "error": "csrf_token_missing" })))))]
    Forbidden(ErrorBody),
    /// The body is too large.
    #[response(status = 413, example = json!({ "error": "payload_too_large" }))]
    TooLarge(ErrorBody),
    /// The body is not JSON.
    #[response(status = 415, example = json!({ "error": "unsupported_media_type" }))]
    NotJson(ErrorBody),
}

/// Declares one operation for keys and its twin for the dashboard.
macro_rules! twins {
    ($(#[doc = $doc:literal])* $name:ident, $twin:ident, $path:literal, $twin_path:literal, $request:ident, $reply:ident, $do:ident $(, $extra:expr)?) => {
        $(#[doc = $doc])*
        #[utoipa::path(post, path = $path, tag = "Cache refresh", request_body = $request,
            security(("apiKey" = []), ("bearer" = [])),
            responses(
                RenderingRefusals,
                RefreshRefusals,
                (status = 200, description = "What was queued, or why nothing was.", body = $reply),
            ))]
        async fn $name(
            caller: Caller<Rendering>,
            State(app): State<AppState>,
            AppJson(request): AppJson<$request>,
        ) -> ApiResult<Json<$reply>> {
            $do(&caller, &app, request $(, $extra)?).await
        }

        $(#[doc = $doc])*
        ///
        /// The same for a session, or for a key beside the specification's own address.
        #[utoipa::path(post, path = $twin_path, tag = "Cache refresh", request_body = $request,
            security(("apiKey" = []), ("bearer" = []), ("session" = [])),
            responses(
                WriteDomainRefusals,
                RefreshRefusals,
                (status = 200, description = "What was queued, or why nothing was.", body = $reply),
            ))]
        async fn $twin(
            caller: Caller<WriteDomain>,
            State(app): State<AppState>,
            AppJson(request): AppJson<$request>,
        ) -> ApiResult<Json<$reply>> {
            $do(&caller, &app, request $(, $extra)?).await
        }
    };
}

twins! {
    /// Refreshes one page.
    ///
    /// Queues a render at high priority and answers at once. The stored page is served until the new one replaces it,
    /// and up to 5 minutes longer from the memory of each place. Look at `ok`: when nothing is queued the status is 200 too.
    invalidate_page_cache, dashboard_invalidate_page_cache,
    "/api/prerender/cache/invalidate-page-cache", "/api/dashboard/cache/invalidate-page-cache",
    PageRequest, PagesReply, refresh_page
}

twins! {
    /// Refreshes several pages.
    ///
    /// Like one page. Of the first twenty paths those that the site's server does not have are left out.
    invalidate_paths_cache, dashboard_invalidate_paths_cache,
    "/api/prerender/cache/invalidate-paths-cache", "/api/dashboard/cache/invalidate-paths-cache",
    PathsRequest, PagesReply, refresh_paths
}

twins! {
    /// Refreshes every page of the sitemap.
    ///
    /// The work runs in the background under a `batchGroupId`; each page counts as a render. The sitemap is read before
    /// the answer, for at most 5 seconds; one that takes longer is read in the background.
    invalidate_site_cache, dashboard_invalidate_site_cache,
    "/api/prerender/cache/invalidate-site-cache", "/api/dashboard/cache/invalidate-site-cache",
    SiteRequest, SiteReply, refresh_site, Selection::Every
}

twins! {
    /// Refreshes the pages that changed.
    ///
    /// Those whose `lastmod` in the sitemap is later than their snapshot, those that were never stored, and those without
    /// a `lastmod`. Otherwise like the whole site.
    invalidate_updated_paths, dashboard_invalidate_updated_paths,
    "/api/prerender/cache/invalidate-updated-paths", "/api/dashboard/cache/invalidate-updated-paths",
    SiteRequest, SiteReply, refresh_site, Selection::Updated
}

async fn refresh_page<A: Access>(
    caller: &Caller<A>,
    app: &AppState,
    request: PageRequest,
) -> ApiResult<Json<PagesReply>> {
    let max_bytes = app.platform.config.limits.url_bytes;
    if let Some(problem) = path_problem(&request.path, max_bytes) {
        return Err(ApiError::invalid_request(vec![Issue::new("path", problem)]));
    }
    let site = owned(caller, app, &request.domain).await?;
    let pages = page_url(&site, &request.path).into_iter().collect();
    Ok(Json(app.refresh.refresh_pages(&site, pages, request.prewarm).await?))
}

async fn refresh_paths<A: Access>(
    caller: &Caller<A>,
    app: &AppState,
    request: PathsRequest,
) -> ApiResult<Json<PagesReply>> {
    let max_bytes = app.platform.config.limits.url_bytes;
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
    let site = owned(caller, app, &request.domain).await?;
    let pages = request.paths.iter().filter_map(|path| page_url(&site, path)).collect();
    Ok(Json(app.refresh.refresh_pages(&site, pages, request.prewarm).await?))
}

async fn refresh_site<A: Access>(
    caller: &Caller<A>,
    app: &AppState,
    request: SiteRequest,
    selection: Selection,
) -> ApiResult<Json<SiteReply>> {
    let max_bytes = app.platform.config.limits.url_bytes;
    let sitemap: Option<Url> = match &request.sitemap_url {
        None => None,
        Some(text) => match crawler::url::parse_target(text, max_bytes) {
            Ok(url) => Some(url),
            Err(error) => {
                return Err(ApiError::invalid_request(vec![Issue::new("sitemapUrl", error.to_string())]));
            }
        },
    };
    let site = owned(caller, app, &request.domain).await?;
    Ok(Json(app.refresh.refresh_site(&site, sitemap, selection, request.prewarm).await?))
}

/// Says how far a refresh has come.
///
/// `total` grows while a sitemap is still being read. `completedAt` is set when every page is done or failed.
#[utoipa::path(get, path = "/api/prerender/batches/{batchGroupId}", tag = "Cache refresh",
    params(("batchGroupId" = String, Path, description = "As the refresh answered it.", example = "01989d3c-5b1e-7c40-8f0a-2f6f7c1f4a10")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(
        ReadDomainRefusals,
        (status = 200, description = "How far it has come.", body = BatchProgress),
        (status = 403, description = "The key is another domain's.", body = ErrorBody,
            example = json!({ "error": "api_key_domain_scope_mismatch" })),
        (status = 404, description = "The account has no such batch.", body = ErrorBody, example = json!({ "error": "not_found" })),
    ))]
async fn get_batch(
    caller: Caller<ReadDomain>,
    State(app): State<AppState>,
    AppPath(batch): AppPath<String>,
) -> ApiResult<Json<BatchProgress>> {
    let found = app.refresh.progress(caller.account(), &batch).await?;
    let (progress, domain) = found.ok_or_else(ApiError::not_found)?;
    if let Some(domain) = domain {
        caller.check_scope(&domain.host)?;
    }
    Ok(Json(progress))
}

/// The account's domain that a request names: 403 for another domain's key, for a name that is not on the account, and
/// for a suspended one.
async fn owned<A: Access>(caller: &Caller<A>, app: &AppState, domain: &str) -> ApiResult<Arc<Site>> {
    let host = names::parse_domain(domain).ok_or_else(ApiError::domain_not_owned)?;
    caller.check_scope(&host)?;
    let site = app.domains.find(caller.account(), &host).await?.ok_or_else(ApiError::domain_not_owned)?;
    if site.is_suspended() {
        return Err(ApiError::forbidden("domain_suspended"));
    }
    Ok(site)
}
