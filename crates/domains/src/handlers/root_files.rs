//! Endpoints of the files at a site's root.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{NotRead, change_failed};
use crate::access::{ChangeBeyond, ReadBeyond};
use crate::root_files::{RootFiles, SentRootFile};
use crate::{DomainAccess, DomainsService, DomainsState, RequestedDomain};
use accounts::callers::Caller;
use platform::api::openapi::{Refusals, own_errors};
use platform::api::{ApiError, ApiResult, DomainsJson};

/// Returns the routes of this file.
pub(super) fn routes() -> OpenApiRouter<DomainsState> {
    OpenApiRouter::new().routes(routes!(get_root_files, update_root_files))
}

own_errors! {
    RootFilesNotChanged: ValidationError, ApiKeyDomainScopeMismatch, DomainSuspended, NotFound, PayloadTooLarge,
        UnsupportedMediaType;
}

/// Lists the files at a site's root that the edge serves.
#[utoipa::path(get, path = "/api/domains/{domain}/root-files", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ReadBeyond, NotRead>, (status = 200, description = "The files.", body = RootFiles)))]
async fn get_root_files(
    caller: Caller<ReadBeyond>,
    State(domains): State<DomainsService>,
    domain: RequestedDomain,
) -> ApiResult<Json<RootFiles>> {
    let domain = domain.record(&caller, &domains, DomainAccess::Read).await?;
    Ok(Json(domains.find_root_files(&domain.id).await?))
}

/// Files at a site's root that replace all existing files.
#[derive(Debug, Clone, Deserialize, ToSchema)]
struct RootFilesChange {
    #[schema(max_items = 20)]
    files: Vec<SentRootFile>,
}

/// Replaces the files at a site's root.
///
/// At most 20 files of at most 512 KiB each; the request may have 12 MiB. The files apply to requests within two seconds.
#[utoipa::path(put, path = "/api/domains/{domain}/root-files", tag = "Domains",
    params(("domain" = String, Path, description = "Domain of the account.", example = "shop.example")),
    request_body = RootFilesChange,
    security(("apiKey" = []), ("bearer" = []), ("session" = [])),
    responses(Refusals::<ChangeBeyond, RootFilesNotChanged>,
        (status = 200, description = "The files from now on.", body = RootFiles)))]
async fn update_root_files(
    caller: Caller<ChangeBeyond>,
    State(domains): State<DomainsService>,
    domain: RequestedDomain,
    DomainsJson(change): DomainsJson<RootFilesChange>,
) -> ApiResult<Json<RootFiles>> {
    let files = RootFiles::check(change.files).map_err(ApiError::validation_error)?;
    let domain = domain.record(&caller, &domains, DomainAccess::Use).await?;
    domains.replace_root_files(&domain.id, &files).await.map_err(change_failed)?;
    Ok(Json(files))
}
