//! HTTP of the dashboard: its files on every path that is no operation, the change of an account's password, and what only
//! the dashboard asks.

mod policy_test;
mod preview;
mod rules;
mod sites;

use accounts::Accounts;
use accounts::callers::Callers;
use platform::config::Config;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, StatusCode, Uri, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::assets::{self, WebFiles};
use crate::DashboardState;
use accounts::SignInError;
use accounts::callers::caller::SignedIn;
use accounts::model::Email;
use platform::api::access::{Access, Credentials, Rate};
use platform::api::client::ClientAddress;
use platform::api::openapi::{Errors, own_errors};
use platform::api::{ApiError, ApiResult, AppJson, ErrorCode, Issue};

/// Returns the operations of this feature.
pub fn routes() -> OpenApiRouter<DashboardState> {
    OpenApiRouter::new()
        .routes(routes!(change_password))
        .merge(sites::routes())
        .merge(rules::routes())
        .merge(preview::routes())
}

/// Operations of the dashboard alone: a session of any account, 600 a minute.
#[derive(Debug)]
pub(super) struct UseDashboard;

impl Access for UseDashboard {
    const CREDENTIALS: Credentials = Credentials::Sessions;
    const RATE: Rate = Rate::Beyond;
}

/// Makes an answer that no cache keeps.
fn no_store(body: impl Serialize) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "private, no-store")], Json(body))
}

own_errors! {
    PasswordNotChanged: InvalidRequest, InvalidApiKey, CsrfTokenMissing, WrongPassword, PayloadTooLarge, UnsupportedMediaType,
        RateLimited, InternalError, ServiceUnavailable;
}

/// Responds on every path that has no operation: 404 below those of the API and the probes and where middlewares of
/// Prerender ask, else the dashboard.
pub async fn answer_other_path(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path();
    let is_below =
        |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if ["/api", "/healthz", "/readyz"].into_iter().any(is_below) || is_of_prerender(path) {
        return ApiError::not_found().into_response();
    }
    assets::respond::<WebFiles>(&method, path, &headers)
}

/// Decides whether a path is one of Prerender's interface: an address, or an operation. A middleware that got the
/// dashboard there would hand it to crawlers.
fn is_of_prerender(path: &str) -> bool {
    let name = path.trim_matches('/');
    let start: Vec<u8> = percent_encoding::percent_decode_str(name).take(7).collect();
    let is_address =
        |scheme: &[u8]| start.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
    matches!(name, "render" | "recache" | "sitemap" | "cache-clear")
        || is_address(b"http:/")
        || is_address(b"https:/")
}

/// Characters that a new password has.
const NEW_PASSWORD: std::ops::RangeInclusive<usize> = 12..=256;

/// The password of an account, and the one that takes its place.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PasswordChange {
    #[schema(examples("correct horse battery staple"))]
    current_password: String,
    /// 12 to 256 characters.
    #[schema(examples("purple monkey dishwasher"), min_length = 12, max_length = 256)]
    new_password: String,
}

/// Changes the account's password.
///
/// Ends every session of the account and answers with the cookie of a new one, whose CSRF token is a new one too. A wrong
/// current password counts like a failed sign-in.
#[utoipa::path(put, path = "/api/dashboard/password", tag = "Session", request_body = PasswordChange, security(("session" = [])),
    responses(Errors::<PasswordNotChanged>,
        (status = 204, description = "Changed.", headers(("set-cookie" = String, description = "The new session.")))))]
async fn change_password(
    State(callers): State<Callers>,
    State(accounts): State<Accounts>,
    State(config): State<Arc<Config>>,
    ClientAddress(address): ClientAddress,
    SignedIn(session): SignedIn,
    AppJson(change): AppJson<PasswordChange>,
) -> ApiResult<impl IntoResponse> {
    if !NEW_PASSWORD.contains(&change.new_password.chars().count()) {
        let issue = Issue::new("newPassword", "must have 12 to 256 characters");
        return Err(ApiError::invalid_request(vec![issue]));
    }
    let email: Email = session.email.parse().expect("the address of an account is one");
    // Counted before the password is looked at, so that attempts in parallel count too; given back when it was right.
    let sign_ins = &callers.rate_limits.sign_ins;
    sign_ins.take(address, &email).await?.refusal().map_or(Ok(()), Err)?;
    let fresh = match accounts.change_password(&email, change.current_password, change.new_password).await {
        Ok(changed) => changed.ok_or_else(|| ApiError::new(ErrorCode::WrongPassword))?,
        Err(SignInError::Busy) => {
            sign_ins.give_back(address, &email).await?;
            return Err(ApiError::new(ErrorCode::RateLimited).retry_after(Duration::from_secs(1)));
        }
        Err(SignInError::Store(error)) => return Err(error.into()),
    };
    sign_ins.give_back(address, &email).await?;
    callers.rate_limits.note_right(fresh.id());
    let cookie = fresh.cookie(config.is_public_https());
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]))
}
