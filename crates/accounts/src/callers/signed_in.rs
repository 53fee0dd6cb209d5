//! Person of a request: the one that a proxy in front names, or that the cookie's session is of.

use http::header::SET_COOKIE;
use http::request::Parts;
use subtle::ConstantTimeEq;

use super::Callers;
use super::caller::{is_read, unknown_caller};
use super::proxied::{ProxiedPerson, proxied_person};
use crate::model::SessionIdentity;
use crate::sessions::{cookie_in, ended_cookie};
use platform::api::client::client_address;
use platform::api::header_names::CSRF_TOKEN;
use platform::api::{ApiError, ErrorCode};

/// Finds who is signed in: the person that a proxy in front names, else the session of the request's cookie.
pub(super) async fn signed_in(parts: &Parts, callers: &Callers) -> Result<Option<SessionIdentity>, ApiError> {
    let by_proxy = || ApiError::new(ErrorCode::SignInByProxy);
    let named = proxied_person(parts, &callers.config)?;
    let session = session_of_cookie(parts, callers).await?;
    match (named, session) {
        (ProxiedPerson::NoProxy, session) => Ok(session),
        (ProxiedPerson::Nobody, None) => Ok(None),
        (ProxiedPerson::Named(email), Some(session)) if session.email == email.as_str() => Ok(Some(session)),
        // The cookie of somebody else would be refused for as long as the browser keeps it.
        (_, Some(_)) => {
            Err(by_proxy().with_header(SET_COOKIE, ended_cookie(callers.config.is_public_https())))
        }
        (ProxiedPerson::Named(email), None) => {
            let person = callers.accounts.find_person(&email).await?;
            person.map(Some).ok_or_else(by_proxy)
        }
    }
}

/// Finds the session of a request's cookie. Guesses are not looked up for long, like those of keys.
async fn session_of_cookie(parts: &Parts, callers: &Callers) -> Result<Option<SessionIdentity>, ApiError> {
    let Some(cookie) = cookie_in(&parts.headers, callers.config.is_public_https()) else {
        return Ok(None);
    };
    if !callers.rate_limits.may_look_up(client_address(parts), cookie) {
        return Ok(None);
    }
    let session = callers.accounts.find_session(cookie).await?;
    if session.is_some() {
        callers.rate_limits.record_right(cookie);
    }
    Ok(session)
}

/// Decides whether a request of a session would change something without the session's token.
pub(super) fn lacks_csrf_token(parts: &Parts, session: &SessionIdentity) -> bool {
    let token = parts.headers.get(CSRF_TOKEN).map(|value| value.as_bytes()).unwrap_or_default();
    !is_read(&parts.method) && !bool::from(token.ct_eq(session.csrf_token.as_bytes()))
}

/// Returns the session of a request that changes something where a session is one way of several: 401 without one.
pub async fn signed_in_to_change(parts: &Parts, callers: &Callers) -> Result<SessionIdentity, ApiError> {
    let session = signed_in(parts, callers).await?.ok_or_else(|| unknown_caller(parts, callers))?;
    match lacks_csrf_token(parts, &session) {
        true => Err(ApiError::new(ErrorCode::CsrfTokenMissing)),
        false => Ok(session),
    }
}
