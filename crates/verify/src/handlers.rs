//! HTTP of verifications.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::model::{
    DEFAULT_CRAWLER, ImitatedCrawler, SiteReport, VerificationChange, VerificationView, VerifyError,
};
use super::target::target_of;
use crate::{ScheduledVerification, VerifyState};
use accounts::callers::Caller;
use domains::access::{ChangeBeyond, ReadBeyond};
use domains::{DomainAccess, DomainsService, RequestedDomain, Site};
use platform::api::access::SharedLimit;
use platform::api::access::{Access, Credentials, PersonRole, Rate};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, ErrorCode, OptionalJson};

/// Returns the operations of this feature.
pub fn routes() -> OpenApiRouter<VerifyState> {
    OpenApiRouter::new().routes(routes!(verify_domain)).routes(routes!(get_verification, update_verification))
}

own_errors! {
    NotVerified: InvalidRequest, FetchFailed, ApiKeyDomainScopeMismatch, DomainSuspended, NotFound, PayloadTooLarge,
        UnsupportedMediaType;
    ScheduleNotRead: ApiKeyDomainScopeMismatch, NotFound;
    ScheduleNotChanged: InvalidRequest, ApiKeyDomainScopeMismatch, DomainSuspended, NotFound, PayloadTooLarge,
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
    let target = target_of(&domain, path, crawler, app.config.limits.url_bytes)
        .map_err(|error| ApiError::invalid_parameter("path", error.to_string()))?;
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

/// Returns how often a domain is verified by itself, and the last result.
#[utoipa::path(get, path = "/api/domains/{domain}/verification", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ReadBeyond, ScheduleNotRead>,
        (status = 200, description = "The schedule.", body = VerificationView)))]
async fn get_verification(
    caller: Caller<ReadBeyond>,
    State(domains): State<DomainsService>,
    State(scheduled): State<ScheduledVerification>,
    domain: RequestedDomain,
) -> ApiResult<Json<VerificationView>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?;
    Ok(Json(scheduled.view(&domain).await?))
}

/// Changes how often a domain is verified by itself.
///
/// A domain is verified daily once it is connected. Webhooks are told with `verify.failing` and `verify.recovered`.
#[utoipa::path(patch, path = "/api/domains/{domain}/verification", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    request_body = VerificationChange,
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ChangeBeyond, ScheduleNotChanged>,
        (status = 200, description = "The schedule from now on.", body = VerificationView)))]
async fn update_verification(
    caller: Caller<ChangeBeyond>,
    State(domains): State<DomainsService>,
    State(scheduled): State<ScheduledVerification>,
    domain: RequestedDomain,
    AppJson(change): AppJson<VerificationChange>,
) -> ApiResult<Json<VerificationView>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Use).await?;
    if let Some(every) = change.every {
        scheduled.set(&domain, every).await?;
    }
    Ok(Json(scheduled.view(&domain).await?))
}
