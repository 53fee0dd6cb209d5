//! Operations on stored pages in Prerender's interface: `/recache`, `/sitemap` and `/cache-clear`, with the API key as
//! `prerenderToken` in the body. Pages are served by `render::prerender_interface`.
//! Must never change anything when one of the addresses is not of a domain of the account, nor log a token.
//! See docs/decisions/0540.

mod pattern;

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use self::pattern::AddressPattern;
use super::model::{PagesReply, Selection, SiteReply};
use crate::RefreshState;
use accounts::callers::Caller;
use domains::{RequestedDomain, Site};
use platform::api::access::RefreshCache;
use platform::api::extract::read_body;
use platform::api::{ApiError, ApiResult};
use render::prerender_interface::{in_plain_text, present_token};

/// Maximum number of addresses in one request.
const MAX_URLS: usize = 1_000;

/// Returns the routes. They are not operations of the API, and its document does not list them.
pub fn routes() -> Router<RefreshState> {
    Router::new()
        .route("/recache", post(recache))
        .route("/sitemap", post(refresh_sitemap))
        .route("/cache-clear", post(clear_cache))
}

async fn recache(State(app): State<RefreshState>, request: Request) -> Response {
    respond(recached(&app, request).await)
}

async fn refresh_sitemap(State(app): State<RefreshState>, request: Request) -> Response {
    respond(sitemap_refreshed(&app, request).await)
}

async fn clear_cache(State(app): State<RefreshState>, request: Request) -> Response {
    respond(cache_cleared(&app, request).await)
}

fn respond(answer: ApiResult<impl IntoResponse>) -> Response {
    answer.map_or_else(in_plain_text, IntoResponse::into_response)
}

/// Addresses to render again.
#[derive(Deserialize)]
struct RecacheBody {
    url: Option<String>,
    #[serde(default)]
    urls: Vec<String>,
}

async fn recached(app: &RefreshState, request: Request) -> ApiResult<Json<PagesReply>> {
    let (caller, body) = read::<RecacheBody>(app, request).await?;
    let urls: Vec<String> = body.url.into_iter().chain(body.urls).collect();
    if urls.is_empty() || urls.len() > MAX_URLS {
        return Err(ApiError::invalid_parameter("urls", format!("must be 1 to {MAX_URLS} addresses")));
    }
    let mut by_site: Vec<(Arc<Site>, Vec<Url>)> = Vec::new();
    for url in &urls {
        let url = parse(app, "url", url)?;
        let host = url.host_str().unwrap_or_default();
        let known = by_site.iter_mut().find(|(site, _)| site.owns_host(host));
        match known {
            Some((_, pages)) => pages.push(url),
            None => {
                let site = RequestedDomain::of_host(host).site_to_use(&caller, &app.domains).await?;
                by_site.push((site, vec![url]));
            }
        }
    }
    let mut replies = Vec::with_capacity(by_site.len());
    for (site, pages) in by_site {
        replies.push(app.refresh.refresh_pages(&site, pages, None).await?);
    }
    Ok(Json(PagesReply::of_sites(replies)))
}

/// Sitemap whose pages are rendered again.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SitemapBody {
    sitemap_url: String,
}

async fn sitemap_refreshed(app: &RefreshState, request: Request) -> ApiResult<Json<SiteReply>> {
    let (caller, body) = read::<SitemapBody>(app, request).await?;
    let sitemap = parse(app, "sitemapUrl", &body.sitemap_url)?;
    let host = sitemap.host_str().unwrap_or_default();
    let site = RequestedDomain::of_host(host).site_to_use(&caller, &app.domains).await?;
    Ok(Json(app.refresh.refresh_site(&site, Some(sitemap), Selection::Every, None).await?))
}

/// Address or pattern of the pages to delete.
#[derive(Deserialize)]
struct ClearBody {
    query: String,
}

async fn cache_cleared(app: &RefreshState, request: Request) -> ApiResult<Json<Value>> {
    let (caller, body) = read::<ClearBody>(app, request).await?;
    let refuse = |message| ApiError::invalid_parameter("query", message);
    let deleted = match AddressPattern::parse(&body.query).map_err(refuse)? {
        Some(pattern) => {
            let host = RequestedDomain::named(&pattern.host);
            let site = host.site_to_use(&caller, &app.domains).await?;
            app.refresh.delete_pages(&site, |url| pattern.matches(url)).await?
        }
        None => {
            let url = parse(app, "query", &body.query)?;
            let host = RequestedDomain::of_host(url.host_str().unwrap_or_default());
            let site = host.site_to_use(&caller, &app.domains).await?;
            app.refresh.delete_page(&site, url).await?
        }
    };
    Ok(Json(json!({ "ok": true, "deleted": deleted })))
}

fn parse(app: &RefreshState, field: &str, text: &str) -> ApiResult<Url> {
    crawler::url::parse_target(text, app.config.limits.url_bytes)
        .map_err(|error| ApiError::invalid_parameter(field, error.to_string()))
}

/// Reads the body and finds the caller, whose refusals come before what is wrong with the body. The body is JSON or a form,
/// whatever its type says: the middleware of Django sends a form as `application/json`.
async fn read<T: for<'a> Deserialize<'a>>(
    app: &RefreshState,
    request: Request,
) -> ApiResult<(Caller<RefreshCache>, T)> {
    let (mut parts, body) = request.into_parts();
    let fields = read_body(Request::from_parts(parts.clone(), body)).await.map(|body| fields_of(&body));
    let token = match &fields {
        Ok(Some(fields)) => fields.get("prerenderToken"),
        Ok(None) | Err(_) => None,
    };
    // A token that is not text is a wrong one.
    present_token(&mut parts.headers, token.map(|token| token.as_str().unwrap_or_default()));
    let caller = Caller::<RefreshCache>::from_request_parts(&mut parts, app).await?;
    let fields = fields?.ok_or_else(|| ApiError::invalid_parameter("", "is neither JSON nor a form"))?;
    let body = serde_json::from_value(Value::Object(fields));
    Ok((caller, body.map_err(|error| ApiError::invalid_parameter("", error.to_string()))?))
}

/// Parses the fields of a body.
fn fields_of(body: &[u8]) -> Option<Map<String, Value>> {
    if body.trim_ascii_start().starts_with(b"{") {
        return serde_json::from_slice(body).ok();
    }
    let text = std::str::from_utf8(body).ok().filter(|text| text.contains('='))?;
    let pairs = url::form_urlencoded::parse(text.as_bytes());
    Some(pairs.map(|(name, value)| (name.into_owned(), Value::String(value.into_owned()))).collect())
}
