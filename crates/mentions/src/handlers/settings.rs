//! HTTP of a domain's brand profile and of how it is monitored.

use crate::Mentions;
use ::domains::DomainsService;
use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::refuse_body;
use crate::MentionsState;
use crate::brand::{BrandBody, BrandView};
use crate::monitoring::{MonitoringChange, MonitoringView};
use crate::service::settings::brands;
use ::domains::access::{ChangeBeyond, ReadBeyond};
use ::domains::{DomainAccess, RequestedDomain};
use accounts::callers::Caller;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson};

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<MentionsState> {
    OpenApiRouter::new()
        .routes(routes!(get_brand, replace_brand))
        .routes(routes!(get_monitoring, update_monitoring))
}

own_errors! {
    MonitoringNotRead: ApiKeyDomainScopeMismatch, NotFound;
    MonitoringNotChanged: InvalidRequest, ApiKeyDomainScopeMismatch, DomainSuspended, NotFound, PayloadTooLarge,
        UnsupportedMediaType;
}

/// Returns the brand of a domain and its competitors. Until somebody saves a profile, it follows from the domain and the name
/// of its site.
#[utoipa::path(get, path = "/api/domains/{domain}/brand", tag = "AI mentions",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ReadBeyond, MonitoringNotRead>,
        (status = 200, description = "The profile.", body = BrandView)))]
async fn get_brand(
    caller: Caller<ReadBeyond>,
    State(domains): State<DomainsService>,
    State(mentions): State<Mentions>,
    domain: RequestedDomain,
) -> ApiResult<Json<BrandView>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?;
    Ok(Json(brands::get_brand(&mentions, &domain).await?))
}

/// Replaces the brand of a domain and its competitors.
///
/// Kept answers are analysed again in the background, without asking any model: `recomputing` says how far that is.
#[utoipa::path(put, path = "/api/domains/{domain}/brand", tag = "AI mentions",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    request_body = BrandBody,
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ChangeBeyond, MonitoringNotChanged>,
        (status = 200, description = "The profile from now on.", body = BrandView)))]
async fn replace_brand(
    caller: Caller<ChangeBeyond>,
    State(domains): State<DomainsService>,
    State(mentions): State<Mentions>,
    domain: RequestedDomain,
    AppJson(body): AppJson<BrandBody>,
) -> ApiResult<Json<BrandView>> {
    let (profile, competitors) = body.read().map_err(refuse_body)?;
    let domain = domain.record(&caller, &domains, DomainAccess::Use).await?;
    let saved = brands::replace_brand(&mentions, &domain, profile, competitors).await?;
    Ok(Json(saved.ok_or_else(ApiError::not_found)?))
}

/// Returns how a domain is monitored.
#[utoipa::path(get, path = "/api/domains/{domain}/monitoring", tag = "AI mentions",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ReadBeyond, MonitoringNotRead>,
        (status = 200, description = "The settings.", body = MonitoringView)))]
async fn get_monitoring(
    caller: Caller<ReadBeyond>,
    State(domains): State<DomainsService>,
    State(mentions): State<Mentions>,
    domain: RequestedDomain,
) -> ApiResult<Json<MonitoringView>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?;
    Ok(Json(mentions.monitoring.get(&domain).await?))
}

/// Changes how a domain is monitored. The webhook's secret is in the answer that made it, and never again.
#[utoipa::path(patch, path = "/api/domains/{domain}/monitoring", tag = "AI mentions",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    request_body = MonitoringChange,
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ChangeBeyond, MonitoringNotChanged>,
        (status = 200, description = "The settings from now on.", body = MonitoringView)))]
async fn update_monitoring(
    caller: Caller<ChangeBeyond>,
    State(domains): State<DomainsService>,
    State(mentions): State<Mentions>,
    domain: RequestedDomain,
    AppJson(change): AppJson<MonitoringChange>,
) -> ApiResult<Json<MonitoringView>> {
    let change = change.check().map_err(refuse_body)?;
    let domain = domain.record(&caller, &domains, DomainAccess::Use).await?;
    let changed = mentions.monitoring.change(&domain, change).await?;
    Ok(Json(changed.ok_or_else(ApiError::not_found)?))
}
