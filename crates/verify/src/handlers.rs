//! HTTP of verifications.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use url::Url;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::model::{
    DEFAULT_CRAWLER, ImitatedCrawler, SiteReport, SnapshotExpectation, VerifyError, VerifyTarget,
};
use crate::VerifyState;
use accounts::callers::Caller;
use domains::{Domain, DomainAccess, RequestedDomain, Site};
use platform::api::access::SharedLimit;
use platform::api::access::{Access, Credentials, PersonRole, Rate};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, ErrorCode, OptionalJson};

/// Returns the operation of this feature.
pub fn routes() -> OpenApiRouter<VerifyState> {
    OpenApiRouter::new().routes(routes!(verify_domain))
}

own_errors! {
    NotVerified: InvalidRequest, FetchFailed, ApiKeyDomainScopeMismatch, DomainSuspended, NotFound, PayloadTooLarge,
        UnsupportedMediaType;
}

/// Verification of a domain: a session, an account-wide key of any plan, or the domain's own; 6 a minute.
#[derive(Debug)]
struct VerifyDomain;

impl Access for VerifyDomain {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::KeysAndSessions;
    const BEARER: bool = true;
    const ACTIVE: bool = true;
    const RATE: Rate = Rate::Shared(SharedLimit { name: "verify", per_minute: 6, per_minute_of_sessions: 6 });
}

/// Page to verify.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default)]
struct VerifyBody {
    /// Path of the page, with its query; left out: `/`.
    #[schema(examples("/pricing"))]
    path: Option<String>,
    /// Crawler to imitate, by id or name; left out: Googlebot.
    #[schema(examples("gptbot"))]
    r#as: Option<String>,
}

/// Says whether a domain's crawlers get pages and its people the app.
///
/// Asks the page over the public address as a crawler and as a person, twice in turns, and beside it an asset, HEAD, an address
/// that does not exist, one with a new query, robots.txt and another page: about fifteen requests, in a minute at most. Each check says
/// what was seen and, where something is wrong, how to repair it on the platform that the site's headers tell. At most 6 per minute; a site
/// that no check has proven is asked at most 60 times an hour, by all verifications together.
#[utoipa::path(post, path = "/api/domains/{domain}/verify", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    request_body = VerifyBody,
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<VerifyDomain, NotVerified>,
        (status = 200, description = "Every check.", body = SiteReport)))]
async fn verify_domain(
    caller: Caller<VerifyDomain>,
    State(app): State<VerifyState>,
    domain: RequestedDomain,
    OptionalJson(body): OptionalJson<VerifyBody>,
) -> ApiResult<Json<SiteReport>> {
    let path = body.path.as_deref().unwrap_or("/");
    let crawler = ImitatedCrawler::named(body.r#as.as_deref().unwrap_or(DEFAULT_CRAWLER))
        .map_err(|error| ApiError::invalid_parameter("as", error.to_string()))?;
    if !path.starts_with('/') {
        return Err(ApiError::invalid_parameter("path", "must begin with /"));
    }
    let domain = domain.record(&caller, &app.domains, DomainAccess::Use).await?;
    let url_bytes = app.config.limits.url_bytes;
    let address = |scheme: &str| -> ApiResult<Url> {
        crawler::url::parse_target(&format!("{scheme}://{}{path}", domain.host), url_bytes)
            .map_err(|error| ApiError::invalid_parameter("path", error.to_string()))
    };
    let url = address("https")?;
    let target = VerifyTarget {
        query_parameters: domain.rendering.query_parameters.clone(),
        expects: expectation(&domain, &url),
        refresh_interval: Duration::from_secs(domain.rendering.refresh_interval_seconds),
        is_unproven: !domain.is_proven(),
        // A site that has no certificate yet.
        otherwise: Some(address("http")?),
        ..VerifyTarget::new(url, crawler)
    };
    let mut report = app.site_verifier.verify(&target).await.map_err(|error| match error {
        VerifyError::NothingAnswered { reason, .. } => {
            ApiError::new(ErrorCode::FetchFailed).with("reason", reason)
        }
        VerifyError::AskedTooOften { resets_in } => {
            ApiError::new(ErrorCode::RateLimited).retry_after(resets_in)
        }
    })?;
    // Read afterwards: the page may have been rendered for this verification.
    report.explain_empty_page(&app.render.stored_pages().problems(&Site::new(domain), &target.url).await?);
    Ok(Json(report))
}

/// Returns what the crawler should get of a page of the domain.
fn expectation(domain: &Domain, url: &Url) -> SnapshotExpectation {
    let is_connected = domain.is_proven();
    let (verified_only, on_demand) =
        (domain.rendering.verified_crawlers_only, domain.settings.on_demand_render_enabled);
    if Site::new(domain.clone()).ignores(url) {
        return SnapshotExpectation::IgnoredPath;
    }
    match (is_connected, verified_only, on_demand) {
        (_, true, _) => SnapshotExpectation::VerifiedCrawlersOnly,
        (false, ..) => SnapshotExpectation::Unknown,
        (true, _, true) => SnapshotExpectation::Snapshot,
        (true, _, false) => SnapshotExpectation::StoredSnapshot,
    }
}
