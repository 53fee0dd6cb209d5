//! HTTP of domains. Every operation of the Domains API stands twice in the document, for API keys below `/api/domains` and
//! for the dashboard below `/api/dashboard/domains`, and once in the code.

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

/// The operations of this feature.
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
    /// Of an operation that reads one domain.
    NotRead: ApiKeyDomainScopeMismatch, NotFound;
    /// Of an operation that changes one domain, and takes no body.
    NotChanged: ApiKeyDomainScopeMismatch, DomainSuspended, NotFound;
}

/// Makes the refusal of a change that was not made.
pub fn change_failed(error: DomainChangeError) -> ApiError {
    match error {
        DomainChangeError::Gone => ApiError::not_found(),
        DomainChangeError::Suspended => ApiError::new(ErrorCode::DomainSuspended),
        DomainChangeError::Store(error) => not_applied(error),
    }
}

/// 503 when the database cannot take a change at the moment, a conflicting one included; 500 otherwise.
fn not_applied(error: DbError) -> ApiError {
    if error.is_conflict() { ApiError::unavailable(error) } else { error.into() }
}

#[cfg(test)]
mod tests;
