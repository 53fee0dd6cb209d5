//! HTTP of a person's own second factor.

use std::net::IpAddr;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::attempt::Attempt;
use crate::callers::proxied::NotProxied;
use crate::callers::{Callers, SignedIn};
use crate::model::{Email, SessionIdentity};
use crate::people::{CodeError, TotpSetup};
use crate::{AccountsState, People};
use platform::api::client::ClientAddress;
use platform::api::openapi::{Errors, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, ErrorCode};

/// Returns the operations on second factors.
pub(super) fn routes() -> OpenApiRouter<AccountsState> {
    OpenApiRouter::new().routes(routes!(begin_totp, confirm_totp, delete_totp))
}

own_errors! {
    NotBegun: InvalidRequest, InvalidApiKey, CsrfTokenMissing, WrongPassword, SignInByProxy, TotpEnabled, PayloadTooLarge,
        UnsupportedMediaType, RateLimited, InternalError, ServiceUnavailable;
    NotConfirmed: InvalidRequest, InvalidApiKey, CsrfTokenMissing, InvalidCode, SignInByProxy, TotpEnabled, PayloadTooLarge,
        UnsupportedMediaType, RateLimited, InternalError, ServiceUnavailable;
    NotDeleted: InvalidRequest, InvalidApiKey, CsrfTokenMissing, InvalidCode, SignInByProxy, PayloadTooLarge,
        UnsupportedMediaType, RateLimited, InternalError, ServiceUnavailable;
}

/// Password of the person.
#[derive(Deserialize, ToSchema)]
struct OwnPassword {
    #[schema(examples("correct horse battery staple"))]
    password: String,
}

/// Code of an authenticator.
#[derive(Deserialize, ToSchema)]
struct TotpCode {
    /// Six digits, or a recovery code where one is on.
    #[schema(examples("287082"))]
    code: String,
}

/// Codes for a lost authenticator.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RecoveryCodeList {
    /// Ten codes, each of which signs in once. They are shown here and never again.
    #[schema(examples("abcd-efgh-ijkl-mnop"))]
    recovery_codes: Vec<String>,
}

/// Makes the secret of a second factor.
///
/// Nothing is asked for at sign-in before the first code confirms it. A wrong password counts like a failed sign-in.
#[utoipa::path(post, path = "/api/session/totp", tag = "Session", request_body = OwnPassword, security(("session" = [])),
    responses(Errors::<NotBegun>, (status = 200, description = "The secret, for an authenticator.", body = TotpSetup)))]
async fn begin_totp(
    SignedIn(session): SignedIn,
    _: NotProxied,
    State(callers): State<Callers>,
    State(people): State<People>,
    ClientAddress(address): ClientAddress,
    AppJson(own): AppJson<OwnPassword>,
) -> ApiResult<impl IntoResponse> {
    let (attempt, email) = attempt(&callers, address, &session).await?;
    let setup = settle(people.second_factors.begin(&email, own.password).await, attempt).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(setup)))
}

/// Turns the second factor on with its first code.
///
/// A wrong code counts like a failed sign-in.
#[utoipa::path(put, path = "/api/session/totp", tag = "Session", request_body = TotpCode, security(("session" = [])),
    responses(Errors::<NotConfirmed>, (status = 200, description = "It is on.", body = RecoveryCodeList)))]
async fn confirm_totp(
    SignedIn(session): SignedIn,
    State(callers): State<Callers>,
    State(people): State<People>,
    ClientAddress(address): ClientAddress,
    AppJson(totp): AppJson<TotpCode>,
) -> ApiResult<impl IntoResponse> {
    let (attempt, email) = attempt(&callers, address, &session).await?;
    let recovery_codes = settle(people.second_factors.confirm(&email, &totp.code).await, attempt).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(RecoveryCodeList { recovery_codes })))
}

/// Turns the second factor off.
///
/// A wrong code counts like a failed sign-in.
#[utoipa::path(delete, path = "/api/session/totp", tag = "Session", request_body = TotpCode, security(("session" = [])),
    responses(Errors::<NotDeleted>, (status = 204, description = "It is off, and its recovery codes are gone.")))]
async fn delete_totp(
    SignedIn(session): SignedIn,
    State(callers): State<Callers>,
    State(people): State<People>,
    ClientAddress(address): ClientAddress,
    AppJson(totp): AppJson<TotpCode>,
) -> ApiResult<StatusCode> {
    let (attempt, email) = attempt(&callers, address, &session).await?;
    settle(people.second_factors.remove(&email, &totp.code).await, attempt).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn attempt<'a>(
    callers: &'a Callers,
    address: IpAddr,
    session: &SessionIdentity,
) -> ApiResult<(Attempt<'a>, Email)> {
    let email = session.email.parse().map_err(ApiError::internal)?;
    Ok((Attempt::begin(callers, address, session.email.as_str()).await?, email))
}

/// Turns a refusal into its answer, and takes an attempt back that was no failure.
async fn settle<T>(result: Result<T, CodeError>, attempt: Attempt<'_>) -> ApiResult<T> {
    match result {
        Ok(done) => {
            attempt.give_back().await?;
            Ok(done)
        }
        Err(CodeError::Enabled) => {
            attempt.give_back().await?;
            Err(ApiError::new(ErrorCode::TotpEnabled))
        }
        Err(CodeError::Busy) => Err(attempt.busy().await),
        Err(CodeError::WrongCode) => Err(ApiError::new(ErrorCode::InvalidCode)),
        Err(CodeError::WrongPassword) => Err(ApiError::new(ErrorCode::WrongPassword)),
        Err(CodeError::Store(error)) => Err(error.into()),
    }
}
