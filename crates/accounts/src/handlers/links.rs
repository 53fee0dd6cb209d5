//! HTTP of the links that let somebody in: invitations, and those to another password.

use axum::extract::State;
use axum::response::IntoResponse;
use http::request::Parts;
use http::{StatusCode, header};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::attempt::{Attempt, AttemptBody, check_new_password};
use crate::callers::Callers;
use crate::callers::proxied::{NotProxied, ProxiedPerson, proxied_person};
use crate::callers::signed_in_to_change;
use crate::people::AcceptError;
use crate::sessions::{NewSession, cookie_in};
use crate::{AccountsState, People};
use platform::api::client::ClientAddress;
use platform::api::openapi::{Errors, own_errors};
use platform::api::{ApiError, ApiResult, ErrorCode, Issue};

/// Returns the operations on links.
pub(super) fn routes() -> OpenApiRouter<AccountsState> {
    OpenApiRouter::new().routes(routes!(accept_invitation)).routes(routes!(request_reset, reset_password))
}

own_errors! {
    NotAccepted: InvalidRequest, InvalidToken, InvalidApiKey, CsrfTokenMissing, CrossSiteRequest, SignInByProxy, PayloadTooLarge,
        UnsupportedMediaType, RateLimited, InternalError, ServiceUnavailable;
    NotRequested: InvalidRequest, CrossSiteRequest, SignInByProxy, PayloadTooLarge, UnsupportedMediaType, RateLimited,
        InternalError, ServiceUnavailable;
    NotReset: InvalidRequest, InvalidToken, CrossSiteRequest, SignInByProxy, PayloadTooLarge, UnsupportedMediaType, RateLimited,
        InternalError, ServiceUnavailable;
}

/// Link of an invitation, and the password of a new person.
#[derive(Deserialize, ToSchema)]
struct AcceptedInvitation {
    /// Part of the link after `#`.
    token: String,
    /// 12 to 256 characters; for somebody who is no person yet.
    #[schema(examples("purple monkey dishwasher"), min_length = 12, max_length = 256)]
    password: Option<String>,
}

/// Accepts an invitation.
///
/// Makes the person with a password. Where the address is a person's already, only a session of that person may, which then is in
/// the account that invites, and no password is set: else 401. A refused password does not use the link up.
#[utoipa::path(post, path = "/api/session/invitation", tag = "Session", request_body = AcceptedInvitation,
    security(()),
    responses(Errors::<NotAccepted>,
        (status = 204, description = "Signed in, in the account.", headers(("set-cookie" = String, description = "The session.")))))]
async fn accept_invitation(
    State(callers): State<Callers>,
    State(people): State<People>,
    ClientAddress(address): ClientAddress,
    parts: Parts,
    AttemptBody(accepted): AttemptBody<AcceptedInvitation>,
) -> ApiResult<impl IntoResponse> {
    let attempt = Attempt::begin(&callers, address, accepted.token.as_str()).await?;
    let accepted = accept(&parts, &callers, &people, accepted).await;
    if accepted.as_ref().err().is_none_or(|error| error.code() != ErrorCode::InvalidToken) {
        attempt.give_back().await?;
    }
    let session = accepted?;
    callers.rate_limits.record_right(session.id());
    let cookie = session.cookie(callers.config.is_public_https());
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]))
}

async fn accept(
    parts: &Parts,
    callers: &Callers,
    people: &People,
    accepted: AcceptedInvitation,
) -> ApiResult<NewSession> {
    let (links, token) = (&people.links, accepted.token.as_str());
    let refused = |error| match error {
        AcceptError::UnknownToken => ApiError::new(ErrorCode::InvalidToken),
        AcceptError::NotSignedIn => ApiError::new(ErrorCode::InvalidApiKey),
        AcceptError::Store(error) => error.into(),
    };
    let (invitation, is_person) = links.find_invitation(token).await.map_err(refused)?;
    if is_person {
        let identity = signed_in_to_change(parts, callers).await?;
        let shown = cookie_in(&parts.headers, callers.config.is_public_https());
        return links.accept_as(token, &identity, shown).await.map_err(refused);
    }
    let password = match (proxied_person(parts, &callers.config)?, accepted.password) {
        (ProxiedPerson::NoProxy, password) => {
            let missing = || ApiError::invalid_request(vec![Issue::new("password", "is missing")]);
            let password = password.ok_or_else(missing)?;
            check_new_password("password", &password)?;
            Some(password)
        }
        // The proxy has proven the address, and will sign the person in.
        (ProxiedPerson::Named(email), None) if email == invitation.email => None,
        _ => return Err(ApiError::new(ErrorCode::SignInByProxy)),
    };
    links.accept_as_new(token, password).await.map_err(refused)
}

/// Address of somebody who lost the password.
#[derive(Deserialize, ToSchema)]
struct ResetRequest {
    #[schema(examples("ada@shop.example"))]
    email: String,
}

/// Mails a link to another password.
///
/// The answer is the same whether the address is a person's or not. The link works once and for an hour; a newer one ends it.
/// Requests are limited like failed sign-ins. Nothing is mailed where no mail server is set.
#[utoipa::path(post, path = "/api/session/reset", tag = "Session", request_body = ResetRequest, security(()),
    responses(Errors::<NotRequested>, (status = 204, description = "A link is mailed if the address is a person's.")))]
async fn request_reset(
    _: NotProxied,
    State(callers): State<Callers>,
    State(people): State<People>,
    ClientAddress(address): ClientAddress,
    AttemptBody(request): AttemptBody<ResetRequest>,
) -> ApiResult<StatusCode> {
    let email: crate::model::Email = request
        .email
        .parse()
        .map_err(|_| ApiError::invalid_request(vec![Issue::new("email", "is not an e-mail address")]))?;
    Attempt::begin(&callers, address, email.as_str()).await?;
    people.links.request_reset(email);
    Ok(StatusCode::NO_CONTENT)
}

/// Link to another password, and that password.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PasswordReset {
    /// Part of the link after `#`.
    token: String,
    /// 12 to 256 characters.
    #[schema(examples("purple monkey dishwasher"), min_length = 12, max_length = 256)]
    new_password: String,
}

/// Sets another password with a mailed link.
///
/// Ends every session of the person and begins none. A second factor stays on.
#[utoipa::path(put, path = "/api/session/reset", tag = "Session", request_body = PasswordReset, security(()),
    responses(Errors::<NotReset>, (status = 204, description = "The password is set.")))]
async fn reset_password(
    _: NotProxied,
    State(callers): State<Callers>,
    State(people): State<People>,
    ClientAddress(address): ClientAddress,
    AttemptBody(reset): AttemptBody<PasswordReset>,
) -> ApiResult<StatusCode> {
    check_new_password("newPassword", &reset.new_password)?;
    let attempt = Attempt::begin(&callers, address, reset.token.as_str()).await?;
    if !people.links.reset(&reset.token, reset.new_password).await? {
        return Err(ApiError::new(ErrorCode::InvalidToken));
    }
    attempt.give_back().await?;
    Ok(StatusCode::NO_CONTENT)
}
