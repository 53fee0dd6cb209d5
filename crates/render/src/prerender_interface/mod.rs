//! Prerender's interface, which the middlewares of sites speak: pages by their address, for an API key in `X-Prerender-Token`.
//! The render service answers as it answers the render endpoint. `refresh` has the interface's operations on stored pages.
//! Must never fetch an address of a domain that is not the caller's, nor log a token. See docs/decisions/0540.

mod address;
mod answer;
mod relay;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::StatusCode;
use http::request::Parts;

use self::address::address_of;
use self::answer::{MiddlewareRefusal, for_middleware};
pub use self::answer::{in_plain_text, present_token};
pub use self::relay::Relays;
use super::decide::EntryPoint;
use super::handlers::{elsewhere, probe_response};
use super::model::{Freshness, RenderCall, RenderResponse, UnverifiedClient};
use super::request_facts::DecidingHeaders;
use super::response_headers::page_headers;
use crate::RenderState;
use accounts::callers::Caller;
use analytics::Verified;
use domains::{DomainAccess, RequestedDomain};
use platform::api::ApiError;
use platform::api::access::{Access, PersonRole, Rate};
use platform::api::client::stated_client;
use platform::api::header_names::{PRERENDER, SNAPSHOT_KEY};

/// Pages for middlewares: any key of an active account.
#[derive(Debug)]
pub struct MiddlewarePages;

impl Access for MiddlewarePages {
    const ROLE: PersonRole = PersonRole::Viewer;
    const ACTIVE: bool = true;
    const RATE: Rate = Rate::Beyond;
}

/// Returns the routes of pages. They are not operations of the API, and its document does not list them.
pub fn routes() -> Router<RenderState> {
    Router::new()
        .route("/https:/{*address}", get(get_page))
        .route("/http:/{*address}", get(get_page))
        // Some middlewares encode the address.
        .route("/https%3A{*address}", get(get_page))
        .route("/http%3A{*address}", get(get_page))
        .route("/render", get(get_page))
}

async fn get_page(State(app): State<RenderState>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let answer = answer(&app, parts).await.unwrap_or_else(IntoResponse::into_response);
    for_middleware(answer)
}

async fn answer(app: &RenderState, mut parts: Parts) -> Result<Response, MiddlewareRefusal> {
    present_token(&mut parts.headers, None);
    let caller = Caller::<MiddlewarePages>::from_request_parts(&mut parts, app).await?;
    let headers = &parts.headers;
    if headers.contains_key(PRERENDER) {
        return Err(MiddlewareRefusal::Loop);
    }
    let address = address_of(&parts.uri, parts.version);
    let address = address.map_err(|message| ApiError::invalid_parameter("url", message))?;
    let target = crawler::url::parse_target(&address, app.config.limits.url_bytes)
        .map_err(|error| ApiError::invalid_parameter("url", error.to_string()))?;
    let host = target.host_str().unwrap_or_default();
    let site = RequestedDomain::of_host(host).site(&caller, &app.domains, DomainAccess::Use).await?;
    if let Some(response) = app.connection.respond_over_api(&site.domain, &target) {
        return Ok(probe_response(response));
    }
    let deciding = DecidingHeaders::of(headers);
    let crawler = deciding.middlewares_crawler(&target);
    let stated = stated_client(headers);
    let verified = match stated {
        Some(address) => app.verifier.by_address(crawler, address).await,
        None => Verified::Unknown,
    };
    let call = RenderCall {
        site: &site,
        target: &target,
        facts: deciding.middlewares_facts(),
        entry: EntryPoint::Middleware,
        freshness: Freshness::Stored,
        crawler: Some(crawler),
        verified,
        unverified_client: (verified != Verified::Yes).then_some(UnverifiedClient { address: stated }),
        is_probe: app.probe_marks.are_in(headers, host, app.clock.now()),
        deadline: None,
        format: None,
    };
    match app.render.serve(&call).await.map_err(ApiError::from)? {
        RenderResponse::Redirect { status, location } => Ok(elsewhere(status, location)),
        RenderResponse::Passthrough { render_failed: true, .. } => Err(MiddlewareRefusal::NotRendered),
        RenderResponse::Passthrough { .. } => app.relays.relay(&call).await,
        RenderResponse::Refused(refusal) => {
            Ok((refusal.status(), refusal.headers(), Body::from(refusal.text)).into_response())
        }
        RenderResponse::Page(page) => {
            let mut headers = page_headers(&site, &target, &page);
            // Middlewares relay headers to crawlers, and the key of the object is nobody else's business.
            headers.remove(SNAPSHOT_KEY);
            let status = StatusCode::from_u16(page.page.status).unwrap_or(StatusCode::OK);
            Ok((status, headers, Body::from(page.body().clone())).into_response())
        }
    }
}

#[cfg(test)]
mod tests;
