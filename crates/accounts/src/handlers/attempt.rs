//! Attempts to get in with a password, a code or a link: counted together, read in small bodies, and never asked for by a page of
//! another site.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::{FromRequest, Request};
use http::HeaderMap;
use serde::de::DeserializeOwned;

use crate::AccountsState;
use crate::callers::Callers;
use platform::api::client::client_address;
use platform::api::extract::BodyLimit;
use platform::api::header_names::SEC_FETCH_SITE;
use platform::api::{ApiError, ApiResult, AppJson, ErrorCode, Issue};

/// Maximum bytes of a sign-in attempt, whose sender is not authenticated.
const ATTEMPT_BYTES: usize = 4 * 1024;
/// Characters that a new password has.
const NEW_PASSWORD: std::ops::RangeInclusive<usize> = 12..=256;

/// Body of an attempt. Nothing is read for an address that has had too many.
pub(super) struct AttemptBody<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<AccountsState> for AttemptBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AccountsState) -> ApiResult<AttemptBody<T>> {
        let (mut parts, body) = request.into_parts();
        if let Some(standing) = app.callers.rate_limits.sign_ins.find_used_up(client_address(&parts)) {
            standing.refusal().map_or(Ok(()), Err)?;
        }
        let most = parts.extensions.get().map_or(ATTEMPT_BYTES, |BodyLimit(most)| ATTEMPT_BYTES.min(*most));
        parts.extensions.insert(BodyLimit(most));
        let request = Request::from_parts(parts, body);
        check_site(request.headers())?;
        let AppJson(body) = AppJson::from_request(request, app).await?;
        Ok(AttemptBody(body))
    }
}

/// Refuses a request of another site's page: it must not be able to sign its visitor in to an account of its own choice.
fn check_site(headers: &HeaderMap) -> ApiResult<()> {
    match headers.get(SEC_FETCH_SITE) {
        Some(site) if site == "cross-site" || site == "same-site" => {
            Err(ApiError::new(ErrorCode::CrossSiteRequest))
        }
        _ => Ok(()),
    }
}

/// An attempt that counts as failed until it is given back.
pub(super) struct Attempt<'a> {
    callers: &'a Callers,
    address: IpAddr,
    whom: String,
}

impl<'a> Attempt<'a> {
    /// Counts an attempt before anything is looked at, so that attempts in parallel count too; 429 over the limit.
    pub(super) async fn begin(
        callers: &'a Callers,
        address: IpAddr,
        whom: impl Into<String>,
    ) -> ApiResult<Attempt<'a>> {
        let attempt = Attempt { callers, address, whom: whom.into() };
        let standing = callers.rate_limits.sign_ins.take(address, &attempt.whom).await?;
        standing.refusal().map_or(Ok(attempt), Err)
    }

    /// Takes the attempt back, which was no failure.
    pub(super) async fn give_back(self) -> ApiResult<()> {
        Ok(self.callers.rate_limits.sign_ins.give_back(self.address, &self.whom).await?)
    }

    /// Takes the attempt back because too many passwords wait, and returns that refusal.
    pub(super) async fn busy(self) -> ApiError {
        match self.give_back().await {
            Ok(()) => ApiError::new(ErrorCode::RateLimited).retry_after(Duration::from_secs(1)),
            Err(error) => error,
        }
    }
}

/// Refuses a new password that is too short or too long. `path` is the name of its field.
pub(super) fn check_new_password(path: &str, password: &str) -> ApiResult<()> {
    if NEW_PASSWORD.contains(&password.chars().count()) {
        return Ok(());
    }
    Err(ApiError::invalid_request(vec![Issue::new(path, "must have 12 to 256 characters")]))
}
