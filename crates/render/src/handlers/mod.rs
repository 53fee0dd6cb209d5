//! HTTP handlers of rendering: the render endpoint and the list of stored snapshots.
//! See docs/decisions/0030.

mod csv;

use crate::RenderService;
use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use domains::DomainsService;
use http::header::{CACHE_CONTROL, LOCATION};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::decide::EntryPoint;
use super::model::{
    Freshness, PageFormat, RenderCall, RenderResponse, Snapshot, UnverifiedClient, deadline_of,
};
use super::request_facts::{DecidingHeaders, RequestFacts};
use super::response_headers::page_headers;
use super::snapshot_list::{SnapshotCounts, SnapshotQuestion, SnapshotSort, SnapshotState};
use crate::RenderState;
use accounts::callers::Caller;
use accounts::callers::caller::Uncounted;
use analytics::Verified;
use domains::connection::probe::ProbeResponse;
use domains::{DomainAccess, RequestedDomain};
use platform::api::access::SharedLimit;
use platform::api::access::{Rate, ReadDomain, RenderPages};
use platform::api::client::stated_client;
use platform::api::listing::{ListFormat, SortOrder};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppQuery, Issue};
use platform::limits::SharedWindow;

pub fn routes() -> OpenApiRouter<RenderState> {
    OpenApiRouter::new().routes(routes!(render_page)).routes(routes!(list_snapshots))
}

own_errors! {
    NotRendered: InvalidRequest, DomainNotOwned, ApiKeyDomainScopeMismatch, DomainSuspended;
    NotListed: InvalidRequest, DomainNotOwned, ApiKeyDomainScopeMismatch;
}

/// Maximum number of rows in one listing.
const MAX_LIMIT: u32 = 500;
const DEFAULT_LIMIT: u32 = 50;
/// Maximum length of a search text, in characters.
const MAX_SEARCH_CHARS: usize = 500;
/// Rate limits of forced renders: of an API key, and of a domain that no check has proven, whose server may be somebody else's.
const FORCED: Rate = Rate::Shared(SharedLimit { name: "forced", per_minute: 60, per_minute_of_sessions: 60 });
const UNPROVEN_FORCED_PER_MINUTE: u32 = 10;

/// Query of the render endpoint, for the API document only: `parse_query` reads the query, since `url` may contain anything.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only its description is used")]
struct RenderQuery {
    /// The page to render: an absolute http or https URL, URL-encoded, on a domain of the account.
    #[param(example = "https://shop.example/shoes?size=42")]
    url: String,
    /// Exactly `1`: skip every cache tier, render from scratch and replace the stored snapshot. Other values are ignored. At
    /// most 60 a minute per API key, and 10 a minute per domain that no check has proven.
    #[param(example = "1")]
    cache_invalidate: Option<String>,
    /// Format of the page, `html` or `markdown`. Overrides `Accept` and the domain's setting, and requests a page whatever
    /// `Accept` says.
    #[param(example = "markdown")]
    format: Option<String>,
}

/// Headers of the render endpoint, for the API document only.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "only its description is used")]
struct RenderHeaders {
    /// IP address of the visitor, as the integration saw it. A crawler is verified by its address; an unverified crawler counts
    /// in the daily budget of its network. The address is not stored and counts in no rate limit. Ignored when malformed.
    #[param(rename = "x-service-client-address", example = "66.249.66.1")]
    client_address: Option<String>,
    /// Mark of requests by the service's own audits and checks, which are not visits. Pass the header on as received.
    #[param(rename = "x-service-probe")]
    probe: Option<String>,
    /// Mark of a request by an integration, which times out after ten seconds. The answer comes within nine seconds: the page,
    /// or 304 when the render has not ended and no page is stored. The render continues.
    #[param(rename = "x-service-integration", example = "1")]
    integration: Option<String>,
}

/// Renders a page.
///
/// Answers with the page as a crawler should see it: from memory (`edge-hit`), from the stored snapshot (`hit`) or
/// rendered now (`miss`). Forward the visitor's `User-Agent`, `Accept`, `Accept-Language`, `Sec-Fetch-*` and
/// `Upgrade-Insecure-Requests`: people, assets and ignored paths get 304 with the address of the origin in `Location`.
/// `If-None-Match` is ignored: 304 here never means "not modified". A request whose `Accept` names `text/markdown` with a
/// quality not below that of `text/html` gets the page as Markdown, unless the domain's `markdown` is `off`.
#[utoipa::path(get, path = "/api/prerender/render", tag = "Render", params(RenderQuery, RenderHeaders),
    security(("apiKey" = [])),
    responses(
        Refusals::<RenderPages, NotRendered>,
        (status = 200, description = "The rendered page: HTML, or `text/markdown` where that is asked for.", content_type = "text/html", body = String,
            headers(
                ("x-service-render-cache" = String, description = "`edge-hit`, `hit` or `miss`."),
                ("x-markdown-tokens" = u64, description = "Estimated tokens, with Markdown."),
                ("x-service-snapshot-key" = String, description = "Object key of the snapshot, on `hit`."),
                ("x-service-render-partial" = String, description = "`1` when the page was cut off before it was complete."),
                ("cache-control" = String, description = "`public, max-age=N, s-maxage=N` with the refresh interval of the path; `no-store` when partial."),
                ("etag" = String, description = "Weak etag of the document.")),
            example = json!("<!DOCTYPE html><html lang=\"en\"><head><title>Shoes</title></head><body><h1>Shoes</h1></body></html>")),
        (status = 301, description = "A redirect rule or the preferred host applies: forward `Location` to the visitor. Also a page that redirects permanently itself.",
            headers(("location" = String, description = "Absolute address."))),
        (status = "3XX", description = "Another redirect of the page itself: forward `Location` to the visitor.",
            headers(("location" = String, description = "Absolute address."))),
        (status = 304, description = "Not prerendered (a person, an asset, an ignored path, nothing stored while on-demand rendering is off): let the origin answer.",
            headers(("location" = String, description = "The same path and query on the origin host."))),
        (status = 307, description = "A redirect rule with status 307 applies.",
            headers(("location" = String, description = "Absolute address."))),
        (status = "4XX", description = "The page's own status, with its HTML (404, 410 and the like).", content_type = "text/html", body = String),
        (status = "5XX", description = "The page's own status, with its HTML; never stored.", content_type = "text/html", body = String),
    ))]
async fn render_page(
    caller: Uncounted<RenderPages>,
    State(app): State<RenderState>,
    method: Method,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> ApiResult<Response> {
    let deadline = deadline_of(&headers);
    let query = query.unwrap_or_default();
    if is_forced(&query) {
        caller.count(&app.callers, FORCED).await?;
    }
    let caller = caller.admit()?;
    if is_forced(&query) {
        caller.check_writes()?;
    }
    let asked = parse_query(&query, app.config.limits.url_bytes)
        .map_err(|(field, message)| ApiError::invalid_request(vec![Issue::new(field, message)]))?;
    let host = asked.target.host_str().unwrap_or_default();
    let site = RequestedDomain::of_host(host).site(&caller, &app.domains, DomainAccess::Use).await?;
    if let Some(response) = app.connection.respond_over_api(&site.domain, &asked.target) {
        return Ok(probe_response(response));
    }
    if asked.freshness == Freshness::Forced && !site.domain.is_proven() {
        let name = format!("forced:domain:{}", site.domain.budget_name());
        app.callers.rate_limits.take_of(SharedWindow::per_minute(name, UNPROVEN_FORCED_PER_MINUTE)).await?;
    }
    let deciding = DecidingHeaders::of(&headers);
    let crawler = deciding.crawler(&asked.target);
    let facts = deciding.facts(&method, crawler.is_some());
    // The caller is the customer's server: the crawler's own address is known only when an integration states it.
    let stated = stated_client(&headers);
    let verified = match crawler.zip(stated) {
        Some((crawler, address)) => app.verifier.by_address(crawler, address).await,
        None => Verified::Unknown,
    };
    let is_relayed = stated.is_some() || crawler.is_some();
    let call = RenderCall {
        site: &site,
        target: &asked.target,
        // A named format requests a page, whatever `Accept` says.
        facts: RequestFacts { accept: facts.accept.filter(|_| asked.format.is_none()), ..facts },
        entry: EntryPoint::Api,
        freshness: asked.freshness,
        crawler,
        verified,
        is_probe: app.probe_marks.are_in(&headers, host, app.clock.now()),
        deadline,
        format: asked.format,
        unverified_client: (is_relayed && verified != Verified::Yes)
            .then_some(UnverifiedClient { address: stated }),
    };
    let response = app.render.serve(&call).await?;
    if let RenderResponse::Page(page) = &response {
        app.render.fast_path().prepare(&call, page, (caller.account(), &query, &headers));
    }
    Ok(respond(&call, response))
}

/// Makes the answer that proves to a connection check that the customer's server calls this endpoint. The answer is not a
/// page: it is neither stored nor counted.
pub(super) fn probe_response(response: ProbeResponse) -> Response {
    (StatusCode::OK, response.headers(), Body::from(response.html)).into_response()
}

fn respond(call: &RenderCall<'_>, response: RenderResponse) -> Response {
    match response {
        RenderResponse::Redirect { status, location } => elsewhere(status, location),
        RenderResponse::Passthrough { location, .. } => elsewhere(304, location),
        RenderResponse::Refused(refusal) => {
            (refusal.status(), refusal.headers(), Body::from(refusal.text)).into_response()
        }
        RenderResponse::Page(page) => {
            let headers = page_headers(call.site, call.target, &page);
            let status = StatusCode::from_u16(page.page.status).unwrap_or(StatusCode::OK);
            (status, headers, Body::from(page.body().clone())).into_response()
        }
    }
}

/// Makes an empty answer that points to another address and may not be cached.
pub(super) fn elsewhere(status: u16, location: String) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::NOT_MODIFIED);
    let mut headers = HeaderMap::with_capacity(2);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(location) = HeaderValue::from_str(&location) {
        headers.insert(LOCATION, location);
    }
    (status, headers).into_response()
}

/// Parsed query of the render endpoint.
struct ParsedQuery {
    target: Url,
    freshness: Freshness,
    format: Option<PageFormat>,
}

fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

fn is_forced(query: &str) -> bool {
    pairs(query).any(|(name, value)| name == "cache_invalidate" && value == "1")
}

/// Parses the query: exactly one `url`, `cache_invalidate`, and at most one `format`. The error is a parameter and its problem.
fn parse_query(query: &str, max_url_bytes: usize) -> Result<ParsedQuery, (&'static str, String)> {
    let url = only(query, "url")?.ok_or(("url", "is missing".to_owned()))?;
    let target =
        crawler::url::parse_target(&url, max_url_bytes).map_err(|error| ("url", error.to_string()))?;
    let freshness = if is_forced(query) { Freshness::Forced } else { Freshness::Stored };
    let format = match only(query, "format")?.as_deref() {
        None => None,
        Some("html") => Some(PageFormat::Html),
        Some("markdown") => Some(PageFormat::Markdown),
        Some(_) => return Err(("format", "must be html or markdown".to_owned())),
    };
    Ok(ParsedQuery { target, freshness, format })
}

/// Returns the value of a parameter, which may occur once.
pub(super) fn only(query: &str, parameter: &'static str) -> Result<Option<String>, (&'static str, String)> {
    let mut found = pairs(query).filter(|(name, _)| decode(name).as_deref() == Some(parameter));
    let Some((_, value)) = found.next() else { return Ok(None) };
    if found.next().is_some() {
        return Err((parameter, "is there more than once".to_owned()));
    }
    decode(value).map(Some).ok_or((parameter, "is not UTF-8 once it is decoded".to_owned()))
}

/// Decodes one part of a query; `None` when the bytes are not UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    String::from_utf8(domains::patterns::percent_decode(&text.replace('+', " "))).ok()
}

/// Query of the list of snapshots.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SnapshotsQuery {
    /// Domain of the account.
    #[param(example = "shop.example")]
    domain: String,
    /// Only pages whose address contains this text; case does not matter. At most 500 characters.
    #[param(example = "/shoes")]
    search: Option<String>,
    /// Only snapshots in this state.
    #[param(inline, example = "stale")]
    state: Option<SnapshotState>,
    /// Property to order by; `createdAt` unless given.
    #[param(inline, example = "createdAt")]
    sort: Option<SnapshotSort>,
    /// Direction; `desc` unless given.
    #[param(inline, example = "desc")]
    order: Option<SortOrder>,
    /// Number of rows, 1 to 500.
    #[param(minimum = 1, maximum = 500, default = 50)]
    limit: Option<u32>,
    /// Number of rows to skip.
    #[param(default = 0)]
    offset: Option<u64>,
    /// `csv`: all matching snapshots as a file; `limit` and `offset` are ignored.
    #[param(inline, example = "csv")]
    format: Option<ListFormat>,
}

/// Stored snapshots.
#[derive(Debug, Serialize, ToSchema)]
struct SnapshotList {
    /// Snapshots, newest first unless another order is requested.
    snapshots: Vec<Snapshot>,
    /// Number of snapshots that match.
    #[schema(examples(1))]
    total: u64,
    /// Number of snapshots in each state that match the search, whatever `state` is requested.
    counts: SnapshotCounts,
}

impl SnapshotsQuery {
    fn check(&self) -> ApiResult<()> {
        let mut issues = Vec::new();
        if self.limit.is_some_and(|limit| !(1..=MAX_LIMIT).contains(&limit)) {
            issues.push(Issue::new("limit", format!("must be from 1 to {MAX_LIMIT}")));
        }
        if self.search.as_ref().is_some_and(|search| search.chars().count() > MAX_SEARCH_CHARS) {
            issues
                .push(Issue::new("search", format!("must not be longer than {MAX_SEARCH_CHARS} characters")));
        }
        if issues.is_empty() { Ok(()) } else { Err(ApiError::invalid_request(issues)) }
    }

    fn question(&self) -> SnapshotQuestion {
        SnapshotQuestion {
            search: self.search.clone().unwrap_or_default(),
            state: self.state,
            sort: self.sort.unwrap_or_default(),
            is_ascending: self.order.unwrap_or_default() == SortOrder::Asc,
        }
    }

    fn window(&self) -> (usize, usize) {
        let offset = usize::try_from(self.offset.unwrap_or(0)).unwrap_or(usize::MAX);
        (self.limit.unwrap_or(DEFAULT_LIMIT) as usize, offset)
    }
}

/// Lists the stored snapshots of a domain.
#[utoipa::path(get, path = "/api/prerender/snapshots", tag = "Render", params(SnapshotsQuery),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<ReadDomain, NotListed>, (status = 200, description = "The snapshots.", content(
        (SnapshotList = "application/json"),
        (String = "text/csv", example = "url,path,status,state,htmlBytes,renderMs,createdAt,intervalSeconds,lastError\n\"https://shop.example/\",\"/\",\"200\",\"fresh\",\"48213\",\"180\",\"2026-11-20T12:00:00.000Z\",\"86400\",\"\"\n")))))]
async fn list_snapshots(
    caller: Caller<ReadDomain>,
    State(domains): State<DomainsService>,
    State(render): State<RenderService>,
    AppQuery(query): AppQuery<SnapshotsQuery>,
) -> ApiResult<Response> {
    query.check()?;
    let site = RequestedDomain::named(&query.domain).site(&caller, &domains, DomainAccess::Read).await?;
    let lists = render.snapshot_lists();
    let found = lists.find(&site, &query.question()).await?;
    if query.format == Some(ListFormat::Csv) {
        return Ok(csv::response(lists, site, found));
    }
    let snapshots = lists.read(&site, &found, query.window()).await?;
    Ok(Json(SnapshotList { snapshots, total: found.total() as u64, counts: found.counts }).into_response())
}

#[cfg(test)]
mod tests;
