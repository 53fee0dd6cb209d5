//! HTTP of accounts: signing in, keys, use of the plan.

use crate::Accounts;
use crate::callers::Callers;
use crate::ports::AccountHoldings;
use platform::config::Config;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::response::IntoResponse;
use http::{HeaderMap, StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::model::{ApiKeyInfo, Email, KeyId};
use super::service::{CreateKeyError, SignInError};
use super::sessions::{cookie_in, ended_cookie};
use super::usage::{UsageReport, entries};
use crate::AccountsState;
use crate::callers::Caller;
use crate::callers::caller::SignedIn;
use platform::api::access::OwnAccount;
use platform::api::client::{ClientAddress, client_address};
use platform::api::extract::BodyLimit;
use platform::api::header_names::SEC_FETCH_SITE;
use platform::api::openapi::{Errors, Refusals, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, AppPath, ErrorCode, Issue};
use platform::plans::Plan;

/// Returns the operations of this feature.
pub fn routes() -> OpenApiRouter<AccountsState> {
    OpenApiRouter::new()
        .routes(routes!(create_session, get_session, delete_session))
        .routes(routes!(list_keys, create_key))
        .routes(routes!(revoke_key))
        .routes(routes!(get_usage))
}

own_errors! {
    NotSignedIn: InvalidRequest, InvalidCredentials, CrossSiteRequest, PayloadTooLarge, UnsupportedMediaType, RateLimited,
        InternalError, ServiceUnavailable;
    NoSession: InvalidApiKey, RateLimited, InternalError, ServiceUnavailable;
    NotSignedOut: InvalidApiKey, CsrfTokenMissing, RateLimited, InternalError, ServiceUnavailable;
    NoKeyMade: InvalidRequest, DomainNotOwned, KeyLimitReached, PayloadTooLarge, UnsupportedMediaType;
    NoSuchKey: NotFound;
}

/// E-mail address and password.
#[derive(Deserialize, ToSchema)]
#[schema(as = Credentials)]
struct PasswordCredentials {
    /// E-mail address of the account.
    #[schema(examples("owner@shop.example"))]
    email: String,
    #[schema(examples("correct horse battery staple"))]
    password: String,
}

/// Bytes that a sign-in may have: they are read for strangers.
const SIGN_IN_BYTES: usize = 4 * 1024;

/// An attempt to sign in. Nothing is read for an address that has had too many.
struct SignIn(PasswordCredentials);

impl FromRequest<AccountsState> for SignIn {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AccountsState) -> ApiResult<SignIn> {
        let (mut parts, body) = request.into_parts();
        if let Some(standing) = app.callers.rate_limits.sign_ins.find_used_up(client_address(&parts)) {
            standing.refusal().map_or(Ok(()), Err)?;
        }
        let most = parts.extensions.get().map_or(SIGN_IN_BYTES, |BodyLimit(most)| SIGN_IN_BYTES.min(*most));
        parts.extensions.insert(BodyLimit(most));
        let AppJson(credentials) = AppJson::from_request(Request::from_parts(parts, body), app).await?;
        Ok(SignIn(credentials))
    }
}

/// The signed-in account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SessionInfo {
    /// E-mail address of the account.
    #[schema(examples("owner@shop.example"))]
    email: String,
    plan: Plan,
    /// Token that requests with changes must send as `x-csrf-token`.
    csrf_token: String,
}

/// Signs in to the dashboard.
///
/// Answers with a session cookie. Failed attempts are limited to 10 per minute for an address and e-mail together and
/// 30 per minute for an address; over the limit the right password waits too.
#[utoipa::path(post, path = "/api/session", tag = "Session", security(()), request_body = PasswordCredentials, responses(Errors::<NotSignedIn>,
    (status = 204, description = "Signed in.", headers(("set-cookie" = String, description = "The session.")))))]
async fn create_session(
    State(callers): State<Callers>,
    State(config): State<Arc<Config>>,
    State(accounts): State<Accounts>,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    SignIn(credentials): SignIn,
) -> ApiResult<impl IntoResponse> {
    // A page of another site must not be able to sign its visitor in to an account of its own choice.
    if headers.get(SEC_FETCH_SITE).is_some_and(|site| site == "cross-site" || site == "same-site") {
        return Err(ApiError::new(ErrorCode::CrossSiteRequest));
    }
    let email: Email = credentials
        .email
        .parse()
        .map_err(|_| ApiError::invalid_request(vec![Issue::new("email", "is not an e-mail address")]))?;

    // Counted before the password is looked at, so that attempts in parallel count too; given back when it was right.
    let sign_ins = &callers.rate_limits.sign_ins;
    sign_ins.take(address, &email).await?.refusal().map_or(Ok(()), Err)?;
    let https = config.is_public_https();
    let shown = cookie_in(&headers, https);
    let session = match accounts.sign_in(&email, credentials.password, shown).await {
        Ok(session) => session.ok_or_else(|| ApiError::new(ErrorCode::InvalidCredentials))?,
        Err(SignInError::Busy) => {
            sign_ins.give_back(address, &email).await?;
            return Err(ApiError::new(ErrorCode::RateLimited).retry_after(Duration::from_secs(1)));
        }
        Err(SignInError::Store(error)) => return Err(error.into()),
    };
    callers.rate_limits.note_right(session.id());
    sign_ins.give_back(address, &email).await?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, session.cookie(https))]))
}

/// Says who is signed in.
#[utoipa::path(get, path = "/api/session", tag = "Session", security(("session" = [])), responses(Errors::<NoSession>,
    (status = 200, description = "The session.", body = SessionInfo)))]
async fn get_session(SignedIn(session): SignedIn) -> impl IntoResponse {
    let body = SessionInfo { email: session.email, plan: session.plan, csrf_token: session.csrf_token };
    ([(header::CACHE_CONTROL, "no-store")], Json(body))
}

/// Signs out.
#[utoipa::path(delete, path = "/api/session", tag = "Session", security(("session" = [])),
    responses(Errors::<NotSignedOut>, (status = 204, description = "Signed out.")))]
async fn delete_session(
    State(config): State<Arc<Config>>,
    State(accounts): State<Accounts>,
    _: SignedIn,
    headers: HeaderMap,
) -> ApiResult<impl IntoResponse> {
    let https = config.is_public_https();
    if let Some(id) = cookie_in(&headers, https) {
        accounts.sign_out(id).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, ended_cookie(https))]))
}

/// The API keys of an account.
#[derive(Serialize, ToSchema)]
struct KeyList {
    /// Oldest first; revoked keys stay listed.
    keys: Vec<ApiKeyInfo>,
}

/// Lists the account's API keys.
#[utoipa::path(get, path = "/api/keys", tag = "Account", security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<OwnAccount>, (status = 200, description = "The keys.", body = KeyList)))]
async fn list_keys(caller: Caller<OwnAccount>, State(accounts): State<Accounts>) -> ApiResult<Json<KeyList>> {
    Ok(Json(KeyList { keys: accounts.list_keys(caller.account()).await? }))
}

/// A key to be made.
#[derive(Deserialize, ToSchema)]
struct NewKeyRequest {
    /// Name of the key; at most 100 characters.
    #[schema(examples("Build server"), max_length = 100)]
    name: Option<String>,
    /// Restricts the key to one of the account's domains.
    #[schema(examples("shop.example"))]
    domain: Option<String>,
}

/// A key that was made.
#[derive(Serialize, ToSchema)]
struct CreatedKey {
    /// The key itself. It is shown here and never again.
    #[schema(examples("gh_live_Zk3vQm0aT9xB7yLr2WcN5eHs8UdJ4fGp0XqAbC"))]
    key: String,
    /// The key as in lists.
    #[serde(flatten)]
    info: ApiKeyInfo,
}

/// Makes an API key.
///
/// An account has at most 100 that work (`limits.keys_per_account`).
#[utoipa::path(post, path = "/api/keys", tag = "Account", request_body = NewKeyRequest,
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<OwnAccount, NoKeyMade>, (status = 201, description = "The key.", body = CreatedKey)))]
async fn create_key(
    caller: Caller<OwnAccount>,
    State(holdings): State<Arc<dyn AccountHoldings>>,
    State(accounts): State<Accounts>,
    AppJson(wanted): AppJson<NewKeyRequest>,
) -> ApiResult<impl IntoResponse> {
    let name = wanted.name.unwrap_or_default().trim().to_owned();
    if name.chars().count() > 100 {
        return Err(ApiError::invalid_request(vec![Issue::new("name", "is longer than 100 characters")]));
    }
    if name.chars().any(char::is_control) {
        // Names stand in tables of terminals, and PostgreSQL keeps no NUL.
        return Err(ApiError::invalid_request(vec![Issue::new(
            "name",
            "must not contain control characters",
        )]));
    }
    let domain = match wanted.domain {
        Some(domain) => {
            let owned = holdings.find_domain(caller.account(), &domain).await?;
            Some(owned.ok_or_else(|| ApiError::new(ErrorCode::DomainNotOwned))?)
        }
        None => None,
    };
    let made = accounts.create_key(caller.account(), &name, domain).await;
    let (key, info) = made.map_err(|error| match error {
        CreateKeyError::LimitReached { limit } => {
            ApiError::new(ErrorCode::KeyLimitReached).with("limit", limit).with("current", limit)
        }
        CreateKeyError::Store(error) => error.into(),
    })?;
    let body = CreatedKey { key: key.reveal().to_owned(), info };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, "no-store")], Json(body)))
}

/// Revokes an API key.
///
/// It stops working within two seconds and stays listed. Revoking it again changes nothing.
#[utoipa::path(delete, path = "/api/keys/{id}", tag = "Account", params(("id" = KeyId, Path, description = "Id of the key.")),
    security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<OwnAccount, NoSuchKey>, (status = 204, description = "Revoked.")))]
async fn revoke_key(
    caller: Caller<OwnAccount>,
    State(accounts): State<Accounts>,
    AppPath(id): AppPath<String>,
) -> ApiResult<StatusCode> {
    let found = accounts.revoke_key(Some(caller.account()), &KeyId::from(id)).await?;
    if found { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::not_found()) }
}

/// Says how much of the plan is used this month.
#[utoipa::path(get, path = "/api/usage", tag = "Account", security(("apiKey" = []), ("session" = [])),
    responses(Refusals::<OwnAccount>, (status = 200, description = "Use against each limit of the plan.", body = UsageReport)))]
async fn get_usage(
    caller: Caller<OwnAccount>,
    State(app): State<AccountsState>,
) -> ApiResult<Json<UsageReport>> {
    let holdings = app.holdings.count(caller.account()).await?;
    let (month, resets_at, counts) = app.accounts.usage(caller.account()).await?;
    let used = |metric| counts.iter().find(|(counted, _)| *counted == metric).map_or(0, |(_, used)| *used);
    let limits = entries(caller.limits(), used, holdings);
    Ok(Json(UsageReport { plan: caller.plan(), active: caller.is_active(), month, resets_at, limits }))
}

#[cfg(test)]
mod tests;
