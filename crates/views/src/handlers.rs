//! HTTP of views: taking one, reading one, its pictures and its HTML. For sessions only.

use crate::Views;
use domains::DomainsService;
use platform::config::Config;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, HeaderValue};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::model::{Pane, View, ViewId, ViewState, WIDTHS};
use super::service::{TakeError, ViewReadError};
use crate::ViewsState;
use accounts::callers::Caller;
use domains::{DomainAccess, RequestedDomain};
use platform::api::access::SharedLimit;
use platform::api::access::{Access, Credentials, PersonRole, Rate};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppPath, AppQuery, ErrorCode, Issue, untrusted_bytes};
use refresh::model::{page_url, path_problem};

/// Returns the operations of this feature.
pub fn routes() -> OpenApiRouter<ViewsState> {
    OpenApiRouter::new()
        .routes(routes!(take_view, find_newest_view))
        .routes(routes!(get_view))
        .routes(routes!(get_person_picture))
        .routes(routes!(get_crawler_picture))
        .routes(routes!(get_raw_picture))
        .routes(routes!(get_crawler_html))
}

own_errors! {
    NotTaken: InvalidRequest, DomainNotOwned, DomainSuspended, RenderLimitReached, PayloadTooLarge, UnsupportedMediaType;
    NoNewestView: InvalidRequest, DomainNotOwned;
    NoView: NotFound;
}

/// Taking of views: a session of an active account, 10 a minute.
#[derive(Debug)]
struct TakeViews;

impl Access for TakeViews {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::Sessions;
    const ACTIVE: bool = true;
    const RATE: Rate =
        Rate::Shared(SharedLimit { name: "views", per_minute: 10, per_minute_of_sessions: 10 });
}

/// Reading of views: a session, 600 a minute.
#[derive(Debug)]
struct SeeViews;

impl Access for SeeViews {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::Sessions;
    const RATE: Rate = Rate::Beyond;
}

/// Page that is to be seen.
#[derive(Debug, Deserialize, ToSchema)]
struct ViewOrder {
    /// Domain of the account.
    #[schema(examples("shop.example"))]
    domain: String,
    /// Path and query.
    #[schema(examples("/shoes?size=42"))]
    path: String,
    /// Width of the window: 1280, or 390 for a phone.
    #[serde(default)]
    #[schema(examples(1280))]
    width: Option<u32>,
}

/// Page whose newest view is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct NewestViewQuery {
    /// Domain of the account.
    #[param(example = "shop.example")]
    domain: String,
    /// Path and query.
    #[param(example = "/shoes?size=42")]
    path: String,
}

/// A view that is being taken.
#[derive(Debug, Serialize, ToSchema)]
struct TakenView {
    id: ViewId,
    state: ViewState,
}

/// The newest view of a page.
#[derive(Debug, Serialize, ToSchema)]
struct NewestView {
    #[schema(required = true)]
    view: Option<View>,
}

/// Takes a view of a page.
///
/// Shows the page as a person sees it, as a crawler gets it, and as it is without Glasshouse. The work is done in the background,
/// behind every render that a client waits for. Counts as one render, and as another one when nothing is stored and pages are
/// rendered on demand: that page is then stored as usual. One that fails does not count. It is no visit. At most 10 a minute and 2
/// at once per account. Kept for 24 hours, 20 per domain.
#[utoipa::path(post, path = "/api/dashboard/views", tag = "Dashboard", request_body = ViewOrder, security(("session" = [])),
    responses(Refusals::<TakeViews, NotTaken>, (status = 202, description = "It is being taken.", body = TakenView)))]
async fn take_view(
    caller: Caller<TakeViews>,
    State(app): State<ViewsState>,
    AppJson(order): AppJson<ViewOrder>,
) -> ApiResult<impl IntoResponse> {
    let mut issues = Vec::new();
    if let Some(problem) = path_problem(&order.path, app.config.limits.url_bytes) {
        issues.push(Issue::new("path", problem));
    }
    let width = order.width.unwrap_or(WIDTHS[0]);
    if !WIDTHS.contains(&width) {
        issues.push(Issue::new("width", "must be 1280 or 390"));
    }
    if !issues.is_empty() {
        return Err(ApiError::invalid_request(issues));
    }
    let site = RequestedDomain::named(&order.domain).site_to_use(&caller, &app.domains).await?;
    let url = page_url(&site, &order.path)
        .ok_or_else(|| ApiError::invalid_request(vec![Issue::new("path", "is no path of an address")]))?;
    let account = app.accounts.find_account(caller.account()).await?.ok_or_else(ApiError::not_found)?;
    let id = app.views.take(&site, account.plan, (url, width)).await?;
    let state = ViewState::Running;
    Ok((StatusCode::ACCEPTED, [(CACHE_CONTROL, "private, no-store")], Json(TakenView { id, state })))
}

/// Returns the newest view of a page.
#[utoipa::path(get, path = "/api/dashboard/views", tag = "Dashboard", params(NewestViewQuery), security(("session" = [])),
    responses(Refusals::<SeeViews, NoNewestView>,
        (status = 200, description = "The view, or null when there is none.", body = NewestView)))]
async fn find_newest_view(
    caller: Caller<SeeViews>,
    State(config): State<Arc<Config>>,
    State(domains): State<DomainsService>,
    State(views): State<Views>,
    AppQuery(query): AppQuery<NewestViewQuery>,
) -> ApiResult<impl IntoResponse> {
    if let Some(problem) = path_problem(&query.path, config.limits.url_bytes) {
        return Err(ApiError::invalid_request(vec![Issue::new("path", problem)]));
    }
    let site = RequestedDomain::named(&query.domain).site(&caller, &domains, DomainAccess::Read).await?;
    let view = match page_url(&site, &query.path) {
        Some(url) => views.find_newest(&site, &url).await?,
        None => None,
    };
    Ok(([(CACHE_CONTROL, "private, no-store")], Json(NewestView { view })))
}

/// Returns a view.
#[utoipa::path(get, path = "/api/dashboard/views/{id}", tag = "Dashboard", security(("session" = [])),
    params(("id" = String, Path, description = "Id of the view.")),
    responses(Refusals::<SeeViews, NoView>, (status = 200, description = "The view.", body = View)))]
async fn get_view(
    caller: Caller<SeeViews>,
    State(views): State<Views>,
    AppPath(id): AppPath<String>,
) -> ApiResult<impl IntoResponse> {
    let view =
        views.find(&caller.seen_account(), &ViewId::from(id)).await?.ok_or_else(ApiError::not_found)?;
    Ok(([(CACHE_CONTROL, "private, no-store")], Json(view)))
}

/// Returns the picture of the page as a person sees it.
#[utoipa::path(get, path = "/api/dashboard/views/{id}/person.webp", tag = "Dashboard", security(("session" = [])),
    params(("id" = String, Path, description = "Id of the view.")),
    responses(Refusals::<SeeViews, NoView>,
        (status = 200, description = "The picture.", content_type = "image/webp", body = String)))]
async fn get_person_picture(
    caller: Caller<SeeViews>,
    State(app): State<ViewsState>,
    AppPath(id): AppPath<String>,
) -> ApiResult<Response> {
    picture(&caller, &app, &ViewId::from(id), Pane::Person).await
}

/// Returns the picture of the page as a crawler gets it.
#[utoipa::path(get, path = "/api/dashboard/views/{id}/crawler.webp", tag = "Dashboard", security(("session" = [])),
    params(("id" = String, Path, description = "Id of the view.")),
    responses(Refusals::<SeeViews, NoView>,
        (status = 200, description = "The picture.", content_type = "image/webp", body = String)))]
async fn get_crawler_picture(
    caller: Caller<SeeViews>,
    State(app): State<ViewsState>,
    AppPath(id): AppPath<String>,
) -> ApiResult<Response> {
    picture(&caller, &app, &ViewId::from(id), Pane::Crawler).await
}

/// Returns the picture of the page without Glasshouse.
#[utoipa::path(get, path = "/api/dashboard/views/{id}/raw.webp", tag = "Dashboard", security(("session" = [])),
    params(("id" = String, Path, description = "Id of the view.")),
    responses(Refusals::<SeeViews, NoView>,
        (status = 200, description = "The picture.", content_type = "image/webp", body = String)))]
async fn get_raw_picture(
    caller: Caller<SeeViews>,
    State(app): State<ViewsState>,
    AppPath(id): AppPath<String>,
) -> ApiResult<Response> {
    picture(&caller, &app, &ViewId::from(id), Pane::Raw).await
}

/// Returns the whole HTML that a crawler gets, as a text file.
#[utoipa::path(get, path = "/api/dashboard/views/{id}/crawler.html", tag = "Dashboard", security(("session" = [])),
    params(("id" = String, Path, description = "Id of the view.")),
    responses(Refusals::<SeeViews, NoView>,
        (status = 200, description = "The HTML.", content_type = "text/plain", body = String)))]
async fn get_crawler_html(
    caller: Caller<SeeViews>,
    State(views): State<Views>,
    AppPath(id): AppPath<String>,
) -> ApiResult<Response> {
    let html = views.crawler_html(&caller.seen_account(), &ViewId::from(id)).await?;
    let html = html.ok_or_else(ApiError::not_found)?;
    let mut response = untrusted_bytes("text/plain; charset=utf-8", html);
    let disposition = HeaderValue::from_static("attachment; filename=\"crawler.html\"");
    response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    Ok(response)
}

async fn picture(
    caller: &Caller<SeeViews>,
    app: &ViewsState,
    id: &ViewId,
    pane: Pane,
) -> ApiResult<Response> {
    let webp = app.views.picture(&caller.seen_account(), id, pane).await?;
    Ok(untrusted_bytes("image/webp", webp.ok_or_else(ApiError::not_found)?))
}

impl From<TakeError> for ApiError {
    fn from(error: TakeError) -> ApiError {
        match error {
            TakeError::LimitReached { limit } => {
                ApiError::new(ErrorCode::RenderLimitReached).with("limit", limit).with("current", limit)
            }
            TakeError::TooMany => ApiError::new(ErrorCode::RateLimited).retry_after(Duration::from_secs(5)),
            TakeError::Store(error) => error.into(),
        }
    }
}

impl From<ViewReadError> for ApiError {
    fn from(error: ViewReadError) -> ApiError {
        match error {
            ViewReadError::Store(error) => error.into(),
            ViewReadError::Blobs(error) => ApiError::unavailable(error),
        }
    }
}
