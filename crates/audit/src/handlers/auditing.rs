//! HTTP of a domain's audit settings.

use axum::Json;
use axum::extract::State;
use domains::DomainsService;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::AuditState;
use crate::auditing::{AuditingChange, AuditingView};
use crate::service::{AuditSettings, AuditingError};
use accounts::callers::Caller;
use domains::access::{ChangeBeyond, ReadBeyond};
use domains::{DomainAccess, RequestedDomain};
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, DomainsJson};

/// Returns the operations of this file.
pub(super) fn routes() -> OpenApiRouter<AuditState> {
    OpenApiRouter::new().routes(routes!(get_auditing, update_auditing))
}

own_errors! {
    AuditingNotRead: ApiKeyDomainScopeMismatch, NotFound;
    AuditingNotChanged: ValidationError, ApiKeyDomainScopeMismatch, DomainSuspended, NotFound, PayloadTooLarge,
        UnsupportedMediaType;
}

/// Says how a domain is audited. Values of headers and passwords are never shown.
#[utoipa::path(get, path = "/api/domains/{domain}/auditing", tag = "SEO audit",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ReadBeyond, AuditingNotRead>, (status = 200, description = "How it is audited.", body = AuditingView)))]
async fn get_auditing(
    caller: Caller<ReadBeyond>,
    State(domains): State<DomainsService>,
    State(settings): State<AuditSettings>,
    domain: RequestedDomain,
) -> ApiResult<Json<AuditingView>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?;
    Ok(Json(settings.view(&domain).await?))
}

/// Changes how a domain is audited. Holds for audits that begin from now on.
#[utoipa::path(patch, path = "/api/domains/{domain}/auditing", tag = "SEO audit",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    request_body = AuditingChange,
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ChangeBeyond, AuditingNotChanged>,
        (status = 200, description = "How it is audited from now on.", body = AuditingView)))]
async fn update_auditing(
    caller: Caller<ChangeBeyond>,
    State(domains): State<DomainsService>,
    State(settings): State<AuditSettings>,
    domain: RequestedDomain,
    DomainsJson(change): DomainsJson<AuditingChange>,
) -> ApiResult<Json<AuditingView>> {
    validated(change.issues())?;
    let domain = domain.record(&caller, &domains, DomainAccess::Use).await?;
    if !domain.is_proven() {
        validated(change.issues_unproven())?;
    }
    let changed = settings.change(&domain, change).await;
    changed.map(Json).map_err(|error| match error {
        AuditingError::Gone => ApiError::not_found(),
        AuditingError::Store(error) => error.into(),
    })
}

/// Refuses a change that has issues.
fn validated(issues: Vec<(String, String)>) -> ApiResult<()> {
    if issues.is_empty() { Ok(()) } else { Err(ApiError::validation_error(issues)) }
}
