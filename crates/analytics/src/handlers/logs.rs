//! HTTP API of pushed access logs, and the proof that Fastly asks for before it pushes. For sessions and keys.

use std::time::Duration;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::response::IntoResponse;
use domains::{DomainAccess, DomainsService, RequestedDomain};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AnalyticsState;
use crate::access::PushLogs;
use crate::import::{LogFormat, LogPushes, PushError, PushedLines, PushedLog};
use accounts::callers::Caller;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{AnyBody, ApiError, ApiResult, AppQuery, ErrorCode};

/// Header with the key of a log that counts once however often it is sent.
const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// Maximum bytes of such a key.
const MAX_KEY_BYTES: usize = 255;

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AnalyticsState> {
    OpenApiRouter::new().routes(routes!(push_log)).routes(routes!(get_fastly_challenge))
}

own_errors! {
    LogNotCounted: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned, DomainSuspended, IdempotencyKeyReused, PayloadTooLarge,
        UnsupportedMediaType;
}

/// Domain and format of a log.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct LogQuery {
    /// Domain of the account.
    #[param(required, example = "shop.example")]
    domain: Option<String>,
    /// `auto`, `combined`, `vhost-combined`, `traefik`, `caddy`, `cloudflare`, `cloudfront`, `alb`, `iis`, `fastly`, `vercel` or `ndjson`; `auto`
    /// unless given.
    #[param(example = "fastly")]
    format: Option<String>,
}

/// Lines of a log.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "names the form of the body in the API document")]
struct LogText(Vec<u8>);

/// Numbers of a log's lines.
#[derive(Serialize, ToSchema)]
struct CountedLog {
    /// Number of lines.
    lines: u64,
    /// Number of visits that reports count.
    visits: u64,
    /// Number of lines that are not of the format.
    unreadable: u64,
}

/// Counts the crawlers' visits in lines of an access log.
///
/// The lines are those that `glasshouse analytics import` reads, and visits count as they do there. A log has at most 10 MiB, unpacked;
/// it may be compressed by gzip. A log with the header `Idempotency-Key` counts once in 24 hours, and another body with the key of one
/// is refused; a log without the header counts each time. An account may send four logs at once to each process.
#[utoipa::path(post, path = "/api/analytics/logs", tag = "Analytics",
    params(LogQuery, ("Idempotency-Key" = Option<String>, Header, description = "Key of the log, up to 255 characters.")),
    request_body(content = inline(LogText), content_type = "application/octet-stream", description = "Lines of the log. Any content type is accepted."),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<PushLogs, LogNotCounted>, (status = 202, description = "The log is counted.", body = CountedLog)))]
async fn push_log(
    caller: Caller<PushLogs>,
    State(domains): State<DomainsService>,
    State(pushes): State<LogPushes>,
    headers: HeaderMap,
    AppQuery(query): AppQuery<LogQuery>,
    request: Request,
) -> ApiResult<impl IntoResponse> {
    let name = query.domain.filter(|domain| !domain.is_empty());
    let name = name.ok_or_else(|| ApiError::invalid_parameter("domain", "is missing"))?;
    let format = LogFormat::named(query.format.as_deref().unwrap_or("auto"))
        .map_err(|message| ApiError::invalid_parameter("format", message))?;
    let idempotency_key = key_of(&headers)?;
    let site = RequestedDomain::named(&name).site(&caller, &domains, DomainAccess::Use).await?;
    let _slot = pushes.slot(caller.account())?;
    let AnyBody(body) = AnyBody::from_request(request, &()).await?;
    let log = PushedLog { body, format, idempotency_key };
    let PushedLines { lines, visits, unreadable } = pushes.count(site.domain.clone(), log).await?;
    Ok((StatusCode::ACCEPTED, Json(CountedLog { lines, visits, unreadable })))
}

/// Returns the idempotency key of a request.
fn key_of(headers: &HeaderMap) -> ApiResult<Option<String>> {
    let mut keys = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(key) = keys.next() else { return Ok(None) };
    let text = key.to_str().ok().filter(|text| (1..=MAX_KEY_BYTES).contains(&text.len()));
    match text.filter(|_| keys.next().is_none()) {
        Some(text) => Ok(Some(text.to_owned())),
        None => {
            Err(ApiError::invalid_parameter("Idempotency-Key", "must be one text of 1 to 255 characters"))
        }
    }
}

impl From<PushError> for ApiError {
    fn from(error: PushError) -> ApiError {
        match error {
            PushError::TooMany => ApiError::new(ErrorCode::RateLimited).retry_after(Duration::from_secs(1)),
            PushError::TooLarge => ApiError::new(ErrorCode::PayloadTooLarge),
            PushError::Damaged => ApiError::invalid_parameter("", "is no text, and cannot be unpacked"),
            PushError::KeyOfAnother => ApiError::new(ErrorCode::IdempotencyKeyReused),
            PushError::Write(error) => error.into(),
        }
    }
}

/// Lets Fastly push logs to this service.
///
/// Before it pushes, Fastly asks the host of the address for the services that may. The answer names all, since each push has a key.
#[utoipa::path(get, path = "/.well-known/fastly/logging/challenge", tag = "Analytics", security(()),
    responses((status = 200, description = "An asterisk.", body = String, content_type = "text/plain"),
        (status = "4XX", description = "The head of the request cannot be read.")))]
async fn get_fastly_challenge() -> &'static str {
    "*"
}
