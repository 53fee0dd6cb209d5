//! Endpoints of IndexNow, which notifies search engines of changed pages.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{NotRead, change_failed};
use crate::access::{ChangeBeyond, ReadBeyond};
use crate::indexnow::{IndexNow, IndexNowChange, IndexNowState};
use crate::{DomainAccess, DomainsService, DomainsState, RequestedDomain};
use accounts::callers::Caller;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiResult, DomainsJson};

/// Returns the routes of this file.
pub(super) fn routes() -> OpenApiRouter<DomainsState> {
    OpenApiRouter::new().routes(routes!(get_indexnow, update_indexnow))
}

own_errors! {
    IndexNowNotChanged: ValidationError, ApiKeyDomainScopeMismatch, DomainSuspended, NotFound, PayloadTooLarge,
        UnsupportedMediaType;
}

/// Returns the state of a domain's submissions to IndexNow.
#[utoipa::path(get, path = "/api/domains/{domain}/indexnow", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ReadBeyond, NotRead>, (status = 200, description = "The state.", body = IndexNowState)))]
async fn get_indexnow(
    caller: Caller<ReadBeyond>,
    State(domains): State<DomainsService>,
    State(index_now): State<IndexNow>,
    domain: RequestedDomain,
) -> ApiResult<Json<IndexNowState>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?;
    Ok(Json(index_now.state(&domain).await?))
}

/// Switches IndexNow on or off.
///
/// While IndexNow is on, pages that search engines may list are submitted when a render has changed their text or status.
/// A response of 403 or 422 switches IndexNow off and sets `problem`.
#[utoipa::path(patch, path = "/api/domains/{domain}/indexnow", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    request_body = IndexNowChange,
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ChangeBeyond, IndexNowNotChanged>,
        (status = 200, description = "The state from now on.", body = IndexNowState)))]
async fn update_indexnow(
    caller: Caller<ChangeBeyond>,
    State(domains): State<DomainsService>,
    State(index_now): State<IndexNow>,
    domain: RequestedDomain,
    DomainsJson(change): DomainsJson<IndexNowChange>,
) -> ApiResult<Json<IndexNowState>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Use).await?;
    let domain = match change.enabled {
        Some(enabled) => index_now.set_enabled(&domain.id, enabled).await.map_err(change_failed)?,
        None => domain,
    };
    Ok(Json(index_now.state(&domain).await?))
}
