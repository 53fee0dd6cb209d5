//! HTTP of domains. Every operation of the Domains API stands twice in the document, for API keys below `/api/domains` and
//! for the dashboard below `/api/dashboard/domains`, and once in the code.

use store::DbError;
use utoipa_axum::router::OpenApiRouter;

use super::model::{Domain, DomainStatus};
use super::names;
use super::service::ChangeError;
use crate::api::caller::Access;
use crate::api::openapi::ErrorBody;
use crate::api::{ApiError, ApiResult, Caller};
use crate::app::AppState;

/// Declares one operation of the Domains API and its twin for the dashboard. Both call one function.
macro_rules! twins {
    (
        $(#[doc = $doc:literal])*
        $method:ident($caller:ident) $name:ident: $path:literal, $access:ty, $refusals:ident;
        $twin:ident: $twin_path:literal, $twin_access:ty, $twin_refusals:ident;
        $(params($($params:tt)*);)?
        $(body($($body:tt)*);)?
        responses($($responses:tt)*);
        $do:ident($($argument:ident: $extractor:ty),*) -> $reply:ty
    ) => {
        $(#[doc = $doc])*
        #[utoipa::path($method, path = $path, tag = "Domains",
            $(params($($params)*),)?
            $(request_body($($body)*),)?
            security(("apiKey" = []), ("bearer" = [])),
            responses($refusals, $($responses)*))]
        async fn $name(
            caller: $caller<$access>,
            axum::extract::State(app): axum::extract::State<crate::app::AppState>,
            $($argument: $extractor),*
        ) -> crate::api::ApiResult<$reply> {
            $do(&caller, &app, $($argument),*).await
        }

        $(#[doc = $doc])*
        ///
        /// The same for a session, and for keys of every plan.
        #[utoipa::path($method, path = $twin_path, tag = "Domains",
            $(params($($params)*),)?
            $(request_body($($body)*),)?
            security(("apiKey" = []), ("bearer" = []), ("session" = [])),
            responses($twin_refusals, $($responses)*))]
        async fn $twin(
            caller: $caller<$twin_access>,
            axum::extract::State(app): axum::extract::State<crate::app::AppState>,
            $($argument: $extractor),*
        ) -> crate::api::ApiResult<$reply> {
            $do(&caller, &app, $($argument),*).await
        }
    };
}

mod check;
mod records;
mod rendering;
mod settings;
mod sitemap;

/// The operations of this feature.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .merge(records::routes())
        .merge(check::routes())
        .merge(settings::routes())
        .merge(sitemap::routes())
        .merge(rendering::routes())
}

/// What every operation on one domain may answer.
#[derive(utoipa::IntoResponses)]
#[expect(dead_code, reason = "only their description is used")]
enum OnOneDomain {
    /// The account has no such domain.
    #[response(status = 404, example = json!({ "error": "not_found" }))]
    NotFound(ErrorBody),
}

/// What every operation with a body may answer.
#[derive(utoipa::IntoResponses)]
#[expect(dead_code, reason = "only their description is used")]
enum WithBody {
    /// The body is too large.
    #[response(status = 413, example = json!({ "error": "payload_too_large" }))]
    TooLarge(ErrorBody),
    /// The body is not JSON.
    #[response(status = 415, example = json!({ "error": "unsupported_media_type" }))]
    NotJson(ErrorBody),
}

/// The account's domain of this name: 403 for another domain's key, 404 when the account has none.
async fn owned<A: Access>(caller: &Caller<A>, app: &AppState, domain: &str) -> ApiResult<Domain> {
    let host = names::parse_domain(domain);
    // What is no name at all is another one than the key's, too.
    caller.check_scope(host.as_deref().unwrap_or(""))?;
    let host = host.ok_or_else(ApiError::not_found)?;
    app.domains.find_exact(caller.account(), &host).await?.ok_or_else(ApiError::not_found)
}

/// The same, and 403 for a suspended one.
async fn changeable<A: Access>(caller: &Caller<A>, app: &AppState, domain: &str) -> ApiResult<Domain> {
    let domain = owned(caller, app, domain).await?;
    match domain.status {
        DomainStatus::Suspended => Err(ApiError::forbidden("domain_suspended")),
        _ => Ok(domain),
    }
}

/// What a change that was not made is answered with.
fn change_failed(error: ChangeError) -> ApiError {
    match error {
        ChangeError::Gone => ApiError::not_found(),
        ChangeError::Suspended => ApiError::forbidden("domain_suspended"),
        ChangeError::Store(error) => not_applied(error),
    }
}

/// 503 when the database cannot take a change at the moment, a conflicting one included; 500 otherwise.
fn not_applied(error: DbError) -> ApiError {
    if error.is_conflict() { ApiError::unavailable(error) } else { error.into() }
}

#[cfg(test)]
mod tests;
