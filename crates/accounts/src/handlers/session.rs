//! HTTP of sessions: signing in and out, the account that a session is in, the person's password.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::attempt::{Attempt, AttemptBody, check_new_password};
use crate::callers::proxied::NotProxied;
use crate::callers::{Callers, SignedIn};
use crate::model::{AccountId, Email};
use crate::service::SignInError;
use crate::sessions::{cookie_in, ended_cookie};
use crate::{Accounts, AccountsState, People};
use platform::api::access::PersonRole;
use platform::api::client::ClientAddress;
use platform::api::openapi::{Errors, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, ErrorCode, Issue};
use platform::config::Config;
use platform::plans::Plan;

/// Returns the operations on sessions.
pub(super) fn routes() -> OpenApiRouter<AccountsState> {
    OpenApiRouter::new()
        .routes(routes!(create_session, get_session, update_session, delete_session))
        .routes(routes!(enter_account))
        .routes(routes!(change_password))
}

own_errors! {
    NotSignedIn: InvalidRequest, InvalidCredentials, TotpRequired, WrongSignInCode, CrossSiteRequest, SignInByProxy,
        PayloadTooLarge, UnsupportedMediaType, RateLimited, InternalError, ServiceUnavailable;
    NoSession: InvalidApiKey, SignInByProxy, RateLimited, InternalError, ServiceUnavailable;
    SessionNotChanged: InvalidRequest, InvalidApiKey, CsrfTokenMissing, SignInByProxy, PayloadTooLarge, UnsupportedMediaType,
        RateLimited, InternalError, ServiceUnavailable;
    NotSignedOut: InvalidApiKey, CsrfTokenMissing, SignInByProxy, RateLimited, InternalError, ServiceUnavailable;
    NotEntered: InvalidRequest, InvalidApiKey, CsrfTokenMissing, SignInByProxy, NotFound, PayloadTooLarge, UnsupportedMediaType,
        RateLimited, InternalError, ServiceUnavailable;
    PasswordNotChanged: InvalidRequest, InvalidApiKey, CsrfTokenMissing, WrongPassword, SignInByProxy, PayloadTooLarge,
        UnsupportedMediaType, RateLimited, InternalError, ServiceUnavailable;
}

/// E-mail address, password and code of a person.
#[derive(Deserialize, ToSchema)]
#[schema(as = Credentials)]
struct PasswordCredentials {
    #[schema(examples("owner@shop.example"))]
    email: String,
    #[schema(examples("correct horse battery staple"))]
    password: String,
    /// Code of the second factor, or a recovery code; for people who have one.
    #[schema(examples("287082"))]
    code: Option<String>,
}

/// An account by its id and its name.
#[derive(Serialize, ToSchema)]
struct AccountName {
    id: AccountId,
    /// E-mail address that the account was made with.
    #[schema(examples("owner@shop.example"))]
    name: String,
}

/// The signed-in person, in one account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SessionInfo {
    /// E-mail address of the person.
    #[schema(examples("ada@shop.example"))]
    email: String,
    /// Plan of the account.
    plan: Plan,
    /// Role of the person in the account.
    role: PersonRole,
    /// Only domains that the person sees; null: all.
    domains: Option<Vec<String>>,
    /// Account that the session is in.
    account: AccountName,
    /// Accounts that the person is in.
    accounts: Vec<AccountName>,
    /// True when the person signs in with a second factor.
    second_factor: bool,
    /// True when the person gets a mail about the visible domains each Monday; null: no mail server is set.
    weekly_mail: Option<bool>,
    /// Token that requests with changes must send as `x-csrf-token`.
    csrf_token: String,
}

/// Signs in to the dashboard.
///
/// Answers with a session cookie. A person with a second factor sends a code of it as well: without one the answer to the right
/// password is `totp_required`. Failed attempts, wrong codes among them, are limited to 10 per minute for an address and e-mail
/// together and 30 per minute for an address; over the limit the right password waits too.
#[utoipa::path(post, path = "/api/session", tag = "Session", security(()), request_body = PasswordCredentials, responses(Errors::<NotSignedIn>,
    (status = 204, description = "Signed in.", headers(("set-cookie" = String, description = "The session.")))))]
async fn create_session(
    _: NotProxied,
    State(callers): State<Callers>,
    State(config): State<Arc<Config>>,
    State(people): State<People>,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    AttemptBody(credentials): AttemptBody<PasswordCredentials>,
) -> ApiResult<impl IntoResponse> {
    let email: Email = credentials
        .email
        .parse()
        .map_err(|_| ApiError::invalid_request(vec![Issue::new("email", "is not an e-mail address")]))?;
    let attempt = Attempt::begin(&callers, address, email.as_str()).await?;
    let https = config.is_public_https();
    let (code, shown) = (credentials.code.as_deref(), cookie_in(&headers, https));
    let session = match people.credentials.sign_in(&email, credentials.password, code, shown).await {
        Ok(session) => session,
        Err(SignInError::Busy) => return Err(attempt.busy().await),
        Err(SignInError::CodeRequired) => {
            attempt.give_back().await?;
            return Err(ApiError::new(ErrorCode::TotpRequired));
        }
        Err(SignInError::WrongCode) => return Err(ApiError::new(ErrorCode::WrongSignInCode)),
        Err(SignInError::WrongCredentials) => return Err(ApiError::new(ErrorCode::InvalidCredentials)),
        Err(SignInError::Store(error)) => return Err(error.into()),
    };
    callers.rate_limits.record_right(session.id());
    attempt.give_back().await?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, session.cookie(https))]))
}

/// Says who is signed in.
///
/// Begins a session for a person whom a proxy names (`server.auth_header`).
#[utoipa::path(get, path = "/api/session", tag = "Session", security(("session" = [])), responses(Errors::<NoSession>,
    (status = 200, description = "The session.", body = SessionInfo)))]
async fn get_session(
    SignedIn(session): SignedIn,
    State(callers): State<Callers>,
    State(people): State<People>,
) -> ApiResult<Response> {
    let accounts = people.credentials.list_accounts_of(&session.person).await?;
    let weekly_mail = match people.weekly_mails.mailer() {
        Some(_) => Some(people.weekly_mails.is_wanted(&session.person).await?),
        None => None,
    };
    let mut headers = HeaderMap::from_iter([(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))]);
    let mut csrf_token = session.csrf_token.clone();
    if !session.is_stored {
        let begun = people.credentials.begin_of(&session).await?;
        callers.rate_limits.record_right(begun.id());
        headers.insert(header::SET_COOKIE, begun.cookie(callers.config.is_public_https()));
        csrf_token = begun.csrf_token;
    }
    let body = SessionInfo {
        email: session.email,
        plan: session.plan,
        role: session.role,
        domains: session.domains,
        account: AccountName { id: session.account, name: session.account_name },
        accounts: accounts.into_iter().map(|(id, name)| AccountName { id: id.into(), name }).collect(),
        second_factor: session.second_factor,
        weekly_mail,
        csrf_token,
    };
    Ok((headers, Json(body)).into_response())
}

/// Changes of what concerns only the signed-in person. What is not given stays.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SessionChange {
    /// True: a mail about the visible domains each Monday at 6:00 UTC, the first on the next Monday. Needs a mail server.
    #[schema(nullable = false)]
    weekly_mail: Option<bool>,
}

/// Changes what concerns only the signed-in person: the weekly mail.
#[utoipa::path(patch, path = "/api/session", tag = "Session", request_body = SessionChange, security(("session" = [])),
    responses(Errors::<SessionNotChanged>, (status = 204, description = "Changed.")))]
async fn update_session(
    SignedIn(session): SignedIn,
    State(people): State<People>,
    AppJson(change): AppJson<SessionChange>,
) -> ApiResult<StatusCode> {
    if let Some(is_wanted) = change.weekly_mail {
        if people.weekly_mails.mailer().is_none() {
            let issue = Issue::new("weeklyMail", "needs a mail server, and none is set");
            return Err(ApiError::invalid_request(vec![issue]));
        }
        people.weekly_mails.switch(&session.person, is_wanted).await?;
    }
    Ok(StatusCode::NO_CONTENT)
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

/// The account that a session is to be in.
#[derive(Deserialize, ToSchema)]
struct EnteredAccount {
    id: AccountId,
}

/// Moves this session to another account of its person.
#[utoipa::path(put, path = "/api/session/account", tag = "Session", request_body = EnteredAccount, security(("session" = [])),
    responses(Errors::<NotEntered>, (status = 204, description = "The session is in the account.")))]
async fn enter_account(
    SignedIn(session): SignedIn,
    State(config): State<Arc<Config>>,
    State(people): State<People>,
    headers: HeaderMap,
    AppJson(wanted): AppJson<EnteredAccount>,
) -> ApiResult<StatusCode> {
    let id = cookie_in(&headers, config.is_public_https()).unwrap_or_default();
    match people.credentials.enter(id, &session.person, &wanted.id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(ApiError::not_found()),
    }
}

/// The password of a person, and the one that takes its place.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PasswordChange {
    #[schema(examples("correct horse battery staple"))]
    current_password: String,
    /// 12 to 256 characters.
    #[schema(examples("purple monkey dishwasher"), min_length = 12, max_length = 256)]
    new_password: String,
}

/// Changes the person's password.
///
/// Ends every session of the person and answers with the cookie of a new one, whose CSRF token is a new one too. A wrong
/// current password counts like a failed sign-in.
#[utoipa::path(put, path = "/api/dashboard/password", tag = "Session", request_body = PasswordChange, security(("session" = [])),
    responses(Errors::<PasswordNotChanged>,
        (status = 204, description = "Changed.", headers(("set-cookie" = String, description = "The new session.")))))]
async fn change_password(
    State(callers): State<Callers>,
    State(people): State<People>,
    ClientAddress(address): ClientAddress,
    SignedIn(session): SignedIn,
    _: NotProxied,
    AppJson(change): AppJson<PasswordChange>,
) -> ApiResult<impl IntoResponse> {
    check_new_password("newPassword", &change.new_password)?;
    let attempt = Attempt::begin(&callers, address, session.email.as_str()).await?;
    let changed =
        people.credentials.change_password(&session, change.current_password, change.new_password).await;
    let fresh = match changed {
        Ok(fresh) => fresh,
        Err(SignInError::Busy) => return Err(attempt.busy().await),
        Err(SignInError::Store(error)) => return Err(error.into()),
        Err(_) => return Err(ApiError::new(ErrorCode::WrongPassword)),
    };
    attempt.give_back().await?;
    callers.rate_limits.record_right(fresh.id());
    let cookie = fresh.cookie(callers.config.is_public_https());
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]))
}
