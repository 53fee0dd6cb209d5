//! HTTP of tools: the streamable transport of the Model Context Protocol, stateless, one answer per request.
//! See docs/decisions/0546.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderValue, ORIGIN, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use http_body_util::Full;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use url::Url;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::{McpState, ToolCaller};
use accounts::callers::Caller;
use platform::api::access::{Access, PersonRole, Rate};
use platform::api::client::client_address;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, ErrorCode};

/// Forms of an answer. Clients must take both by the protocol; each answer is JSON.
const ANSWERED: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BEARER: HeaderValue = HeaderValue::from_static("Bearer");

/// Returns the operation of this feature.
pub fn routes() -> OpenApiRouter<McpState> {
    OpenApiRouter::new().routes(routes!(call_tools))
}

own_errors! {
    NotCalled: InvalidRequest, CrossSiteRequest, MethodNotAllowed, PayloadTooLarge, UnsupportedMediaType;
}

/// Use of tools: any key, as a bearer token too. Each operation that a tool calls has demands of its own.
#[derive(Debug)]
struct UseTools;

impl Access for UseTools {
    // Operations refuse what a tool may not change.
    const ROLE: PersonRole = PersonRole::Viewer;
    const BEARER: bool = true;
    const RATE: Rate = Rate::Beyond;
}

/// Message of JSON-RPC 2.0, for the API document only: the protocol's library reads messages.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its description is used")]
struct JsonRpcMessage {
    /// Always `2.0`.
    #[schema(examples("2.0"))]
    jsonrpc: String,
    /// Id of the request, which the answer repeats; none: a notification.
    #[schema(value_type = Option<i64>, examples(1))]
    id: Option<i64>,
    /// Method such as `tools/list`, `tools/call`, `resources/read`.
    #[schema(examples("tools/call"))]
    method: String,
    /// Parameters of the method.
    #[schema(value_type = Option<Object>, example = json!({ "name": "list_domains", "arguments": {} }))]
    params: Option<Value>,
}

/// Answer of JSON-RPC 2.0, for the API document only.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its description is used")]
struct JsonRpcAnswer {
    /// Always `2.0`.
    #[schema(examples("2.0"))]
    jsonrpc: String,
    /// Id of the request.
    #[schema(examples(1))]
    id: Option<i64>,
    /// Result of the method, unless it failed.
    #[schema(value_type = Option<Object>)]
    result: Option<Value>,
    /// Error of the protocol: `code` and `message`.
    #[schema(value_type = Option<Object>)]
    error: Option<Value>,
}

/// Speaks the Model Context Protocol.
///
/// Streamable HTTP without sessions: each request is a JSON-RPC message, each answer JSON. `tools/list` and `tools/call` need no
/// `initialize`. A tool does what the same key may do by the other operations, within the same limits; a refusal is a result with
/// `isError`, a sentence and the code, except 401 and 429. See docs/mcp.md.
#[utoipa::path(post, path = "/api/mcp", tag = "Tools", request_body = JsonRpcMessage,
    security(("apiKey" = []), ("bearer" = [])),
    responses(Refusals::<UseTools, NotCalled>,
        (status = 200, description = "The answer to a request.", body = JsonRpcAnswer),
        (status = 202, description = "A notification was taken.")))]
async fn call_tools(State(app): State<McpState>, request: Request) -> Response {
    answer(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn answer(app: &McpState, request: Request) -> ApiResult<Response> {
    let (mut parts, body) = request.into_parts();
    let caller = Caller::<UseTools>::from_request_parts(&mut parts, app).await.map_err(with_scheme)?;
    if !is_own_origin(&parts.headers, &app.config.public_url()) {
        return Err(ApiError::new(ErrorCode::CrossSiteRequest));
    }
    let sent = Request::from_parts(parts.clone(), body);
    let AppJson(message) = AppJson::<Value>::from_request(sent, &()).await?;

    let caller = ToolCaller::new(caller.credential.clone(), client_address(&parts));
    let refused = caller.refused.clone();
    parts.extensions.insert(caller);
    parts.headers.insert(ACCEPT, ANSWERED);
    parts.headers.insert(CONTENT_TYPE, JSON);
    // The library demands a host, which HTTP/1.0 need not send. A key is needed from every host.
    parts.headers.entry(HOST).or_insert(HeaderValue::from_static("localhost"));
    let server = app.tools.clone();
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(usize::MAX);
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let body = Full::new(Bytes::from(message.to_string()));
    let response = service.handle(http::Request::from_parts(parts, body)).await;
    if let Some(refused) = refused.get() {
        return Ok(refused.clone().into_response());
    }
    // The library answers a body that is not a message, or of an unknown revision, with text.
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| *kind == JSON);
    if response.status().is_client_error() && !is_json {
        return Err(ApiError::invalid_parameter("", "is no message of a known revision of the protocol"));
    }
    Ok(response.map(Body::new))
}

/// Names the scheme of credentials with 401, as HTTP demands.
fn with_scheme(error: ApiError) -> ApiError {
    match error.status() {
        StatusCode::UNAUTHORIZED => error.with_header(WWW_AUTHENTICATE, BEARER),
        _ => error,
    }
}

/// Decides whether a request comes from no browser or from a page of the service itself.
fn is_own_origin(headers: &HeaderMap, public_url: &str) -> bool {
    let own = Url::parse(public_url).map(|url| url.origin());
    headers.get_all(ORIGIN).iter().all(|origin| {
        let sent = origin.to_str().ok().and_then(|origin| Url::parse(origin).ok()).map(|url| url.origin());
        sent.is_some_and(|sent| sent.is_tuple() && own.as_ref().is_ok_and(|own| *own == sent))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_own(origin: &'static str) -> bool {
        let headers = HeaderMap::from_iter([(ORIGIN, HeaderValue::from_static(origin))]);
        is_own_origin(&headers, "https://glass.example")
    }

    #[test]
    fn only_pages_of_the_service_itself_may_call_from_a_browser() {
        assert!(is_own_origin(&HeaderMap::new(), "https://glass.example"));
        assert!(is_own("https://glass.example"));
        assert!(is_own("https://glass.example:443"));
        for other in [
            "null",
            "",
            "http://glass.example",
            "https://glass.example:8443",
            "https://evil.example",
            "file://",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }
}
