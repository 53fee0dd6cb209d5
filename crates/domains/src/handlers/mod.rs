//! Endpoints of domains. Each operation of the Domains API has one implementation and two paths: below `/api/domains` for
//! API keys, and below `/api/dashboard/domains` for the dashboard.

use store::DbError;
use utoipa_axum::router::OpenApiRouter;

use super::service::DomainChangeError;
use crate::DomainsState;
use platform::api::openapi::own_errors;
use platform::api::{ApiError, ErrorCode};

mod check;
mod dns_records;
mod domain_records;
mod indexnow;
mod rendering;
mod root_files;
mod settings;
mod sitemap;

/// Returns the routes of this feature.
pub fn routes() -> OpenApiRouter<DomainsState> {
    OpenApiRouter::new()
        .merge(domain_records::routes())
        .merge(dns_records::routes())
        .merge(check::routes())
        .merge(settings::routes())
        .merge(sitemap::routes())
        .merge(rendering::routes())
        .merge(root_files::routes())
        .merge(indexnow::routes())
}

own_errors! {
    /// Errors of an operation that reads one domain.
    NotRead: ApiKeyDomainScopeMismatch, NotFound;
    /// Errors of an operation that changes one domain and takes no body.
    NotChanged: ApiKeyDomainScopeMismatch, DomainSuspended, NotFound;
}

/// Converts the reason of a failed change into an API error.
pub fn change_failed(error: DomainChangeError) -> ApiError {
    match error {
        DomainChangeError::Gone => ApiError::not_found(),
        DomainChangeError::Suspended => ApiError::new(ErrorCode::DomainSuspended),
        DomainChangeError::Store(error) => not_applied(error),
    }
}

/// Returns 503 when the database cannot apply a change at the moment, including a conflict; 500 otherwise.
fn not_applied(error: DbError) -> ApiError {
    if error.is_conflict() { ApiError::unavailable(error) } else { error.into() }
}

#[cfg(test)]
mod tests;
