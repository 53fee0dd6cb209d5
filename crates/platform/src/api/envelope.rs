//! Layers around every response: request id, client address, body limit, panics, metrics, log, common headers.
//! Every listener of the API and every test goes through it, so that none of this can be forgotten.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::FutureExt;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};
use tower::ServiceExt;
use tracing::Instrument;

use super::client::resolve_client;
use super::client::{ClientAddress, PeerAddress};
use super::error::ApiError;
use super::error_code::ErrorCode;
use super::extract::BodyLimit;
use super::header_names::{RENDER_CACHE, REQUEST_ID};
use super::rate_limit_state::RateLimitSlot;
use crate::config::Config;

/// Answers some requests from memory, before anything else is looked at; `None` leaves the request to the router.
pub type FastResponder = dyn Fn(&Parts) -> Option<Response> + Send + Sync;

/// A year over TLS only, for the host of the public address alone: other names below it are not ours.
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// End of the path to which whole files are sent, and the bytes that they may have together.
const FILES_PATH: &str = "/root-files";
const FILES_BYTES: usize = 12 << 20;

/// Path to which logs are pushed, and the bytes that one may have.
const LOGS_PATH: &str = "/api/analytics/logs";
const LOG_BYTES: usize = 10 << 20;

/// The whole API as one function from request to response. Cheap to clone.
#[derive(Clone)]
pub struct Envelope {
    config: Arc<Config>,
    /// Browsers reach the API over TLS.
    is_secure: bool,
    router: Router,
    fast: Arc<FastResponder>,
}

impl Envelope {
    /// Surrounds a router. `fast` is offered every request without a body first.
    pub fn new(config: Arc<Config>, router: Router, fast: Arc<FastResponder>) -> Envelope {
        let router = router.layer(axum::middleware::from_fn(record_route));
        let is_secure = config.public_url().starts_with("https:");
        Envelope { config, is_secure, router, fast }
    }

    /// Answers a request that came over a connection from `peer`. Never fails: failures are answers too.
    pub async fn respond<B>(&self, request: http::Request<B>, peer: IpAddr) -> Response
    where
        B: http_body::Body<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
    {
        let started = Instant::now();
        let (parts, body) = request.into_parts();
        let id = request_id(&parts.headers);
        let is_api = parts.uri.path().starts_with("/api/");
        let fast = if body.is_end_stream() { (self.fast)(&parts) } else { None };
        let mut response = match fast {
            Some(response) => response,
            // Boxed: what the fast path answers needs no room for the router.
            None => Box::pin(self.route(parts, Body::new(body), peer, &id, started)).await,
        };
        let headers = response.headers_mut();
        headers.insert(REQUEST_ID, id);
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if self.is_secure {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
        }
        if is_api {
            // No cache may keep an answer to a session or a key: nobody else may read it, and nobody after the sign-out.
            headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        }
        response
    }

    async fn route(
        &self,
        mut parts: Parts,
        body: Body,
        peer: IpAddr,
        id: &HeaderValue,
        started: Instant,
    ) -> Response {
        let client = resolve_client(peer, &parts.headers, &self.config.edge.trusted_proxies);
        let standing = RateLimitSlot::default();
        parts.extensions.insert(ClientAddress(client));
        parts.extensions.insert(PeerAddress(peer.to_canonical()));
        parts.extensions.insert(standing.clone());
        let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
        // The query stays out of the log: it may carry a public stats token.
        let span = tracing::info_span!("request", id = %id.to_str().unwrap_or_default(), %method, path = %cut(&path));

        let guarded = AssertUnwindSafe(self.guarded(parts, body)).catch_unwind();
        let outcome = guarded.instrument(span.clone()).await;
        let mut response = outcome.unwrap_or_else(|_| {
            // The panic itself was logged, with its place, by the panic hook.
            ApiError::internal("the handler panicked").into_response()
        });

        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            response = with_body(response, ApiError::new(ErrorCode::MethodNotAllowed));
        }
        if let Some(standing) = standing.0.get() {
            standing.write_headers(response.headers_mut());
        }
        let status = response.status().as_u16();
        let route =
            response.extensions().get::<MatchedPath>().map_or("unknown", MatchedPath::as_str).to_owned();
        let answered_by = AnsweredBy::of(&response);
        record(&route, status, answered_by, started.elapsed());
        span.in_scope(|| {
            let duration_ms = started.elapsed().as_millis() as u64;
            tracing::debug!(target: "glasshouse::http", status, route, duration_ms, client = %client, "answered");
        });
        response
    }

    /// Returns the bytes that a request's body may have.
    fn body_limit(&self, parts: &Parts) -> usize {
        let usual = self.config.limits.request_body_bytes;
        match (&parts.method, parts.uri.path()) {
            (&Method::PUT, path) if path.ends_with(FILES_PATH) => usual.max(FILES_BYTES),
            (&Method::POST, LOGS_PATH) => usual.max(LOG_BYTES),
            _ => usual,
        }
    }

    /// Refuses a body that says it is too long, and asks the router, which reads bodies once it knows the caller.
    async fn guarded(&self, mut parts: Parts, body: Body) -> Response {
        let limit = self.body_limit(&parts);
        if http_body::Body::size_hint(&body).lower() > limit as u64 {
            return ApiError::new(ErrorCode::PayloadTooLarge).into_response();
        }
        parts.extensions.insert(BodyLimit(limit));
        let request = Request::from_parts(parts, body);
        match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// Puts an error's body into a response, keeping its other headers (`Allow`).
fn with_body(response: Response, error: ApiError) -> Response {
    let (mut kept, _) = response.into_parts();
    let (fresh, body) = error.into_response().into_parts();
    kept.headers.remove(header::CONTENT_LENGTH);
    kept.headers.extend(fresh.headers);
    Response::from_parts(kept, body)
}

/// Leaves the matched route for the metrics: paths themselves would make a series per domain.
async fn record_route(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

/// Speaker of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The service itself.
    Service,
    /// A page, whose own status is relayed: its 503 is not an error of the service.
    Page,
}

impl AnsweredBy {
    /// Returns the speaker that the handler names, else the one that the headers show.
    fn of(response: &Response) -> AnsweredBy {
        let named = response.extensions().get::<AnsweredBy>().copied();
        let is_page = response.headers().contains_key(RENDER_CACHE);
        named.unwrap_or(if is_page { AnsweredBy::Page } else { AnsweredBy::Service })
    }

    /// Returns the value of the label.
    pub const fn as_str(self) -> &'static str {
        match self {
            AnsweredBy::Service => "service",
            AnsweredBy::Page => "page",
        }
    }
}

/// Counts an answer. The fast path calls it too.
pub fn record(route: &str, status: u16, answered_by: AnsweredBy, duration: Duration) {
    let labels = [("route", route.to_owned()), ("status", status.to_string())];
    let by = [("answered_by", answered_by.as_str().to_owned())];
    let labels_with_speaker = [&labels[..], &by].concat();
    metrics::counter!("glasshouse_http_requests_total", &labels_with_speaker).increment(1);
    metrics::histogram!("glasshouse_http_request_duration_seconds", &labels).record(duration.as_secs_f64());
}

/// Returns the client's own id when it is harmless to log and to send back, else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let is_sane = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        (1..=128).contains(&bytes.len())
            && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    headers.get(REQUEST_ID).filter(is_sane).cloned().unwrap_or_else(|| {
        let id = uuid::Uuid::now_v7().simple().to_string();
        HeaderValue::try_from(id).expect("hexadecimal digits")
    })
}

/// Cuts a path for the log: a query that is encoded into the path stays out like any other.
fn cut(path: &str) -> &str {
    let query = path.as_bytes().windows(3).position(|part| part.eq_ignore_ascii_case(b"%3f"));
    let mut end = query.unwrap_or(path.len()).min(512);
    while !path.is_char_boundary(end) {
        end -= 1;
    }
    &path[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_for(sent: &[u8]) -> HeaderValue {
        let value = HeaderValue::from_bytes(sent).unwrap();
        request_id(&HeaderMap::from_iter([(REQUEST_ID, value)]))
    }

    #[test]
    fn a_path_is_logged_without_a_query_and_not_at_any_length() {
        assert_eq!(
            cut("/https%3A%2F%2Fshop.example%2Freset%3Ftoken=1"),
            "/https%3A%2F%2Fshop.example%2Freset"
        );
        assert_eq!(cut("/https://shop.example/a%3fb%3f"), "/https://shop.example/a");
        assert_eq!(cut(&"/é".repeat(300)).len(), 511);
    }

    #[test]
    fn a_sane_request_id_is_kept_and_another_is_replaced() {
        assert_eq!(id_for(b"trace-1.2_3"), "trace-1.2_3");

        for sent in ["", "a b", "a\tb", "<script>", &"a".repeat(129)] {
            assert_ne!(id_for(sent.as_bytes()), sent, "{sent}");
        }
        assert_eq!(id_for(b"\xff").len(), 32);
    }
}
