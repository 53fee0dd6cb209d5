//! HTTP of SEO audits: the three operations of the specification, and the others.

mod auditing;
mod catalogue;
mod details;
mod events;
mod exports;
mod runs;

use std::time::Duration;

pub use catalogue::{IssueCatalogue, issue_catalogue};
use utoipa_axum::router::OpenApiRouter;

use super::model::Run;
use super::segments::ReadError;
use crate::AuditState;
use crate::service::AuditReader;
use accounts::callers::Caller;
use accounts::callers::caller::Credential;
use domains::DomainsService;
use platform::api::access::Access;
use platform::api::openapi::own_errors;
use platform::api::{ApiError, ApiResult, ErrorCode};

/// Returns the operations of this feature.
pub fn routes() -> OpenApiRouter<AuditState> {
    OpenApiRouter::new()
        .merge(runs::routes())
        .merge(details::routes())
        .merge(exports::routes())
        .merge(events::routes())
        .merge(auditing::routes())
        .merge(catalogue::routes())
}

own_errors! {
    /// Errors of an operation that reads a run, with parameters.
    RunNotRead: InvalidRequest, ApiKeyDomainScopeMismatch, DomainNotOwned, DomainAccessForbidden, NotFound, ArchiveUnavailable;
    /// Errors of an operation that reads a run, without parameters.
    NoRun: ApiKeyDomainScopeMismatch, DomainNotOwned, DomainAccessForbidden, NotFound;
}

/// Finds the run of this id, if the caller may see it. A run of another account counts as absent.
async fn visible_run<A: Access>(
    caller: &Caller<A>,
    domains: &DomainsService,
    reader: &AuditReader,
    id: &str,
) -> ApiResult<Run> {
    let found = reader.find_run(id).await?;
    let is_visible = |run: &Run| run.account_id == *caller.account() && caller.sees(&run.host);
    let run = found.filter(is_visible).ok_or_else(ApiError::not_found)?;
    caller.check_scope(&run.host)?;
    let domain = domains.find_by_id(&run.domain_id).await?;
    if domain.is_none_or(|domain| domain.account_id != run.account_id) {
        return Err(ApiError::new(match caller.credential {
            Credential::Session(_) => ErrorCode::DomainAccessForbidden,
            Credential::Key(_) => ErrorCode::DomainNotOwned,
        }));
    }
    Ok(run)
}

/// Data that cannot be read from cold storage now may be readable later.
impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> ApiError {
        match error {
            ReadError::Store(error) => error.into(),
            error @ (ReadError::Archive(_) | ReadError::Missing { .. }) => {
                ApiError::new(ErrorCode::ArchiveUnavailable)
                    .caused_by(error)
                    .retry_after(Duration::from_secs(60))
            }
        }
    }
}
