//! Who calls, and whether they may: extractors, so that a handler's signature is its authorization.
//!
//! A handler's first argument is `Caller<Access>`; bodies and queries come after it. axum runs extractors in order, so
//! the refusals come in the documented order: 401, 429, 402, plan, scope kind, and only then what was sent.
//! Must never look a domain up: whether it exists is nobody's business before ownership is proven.

use std::marker::PhantomData;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, Method, header};
use subtle::ConstantTimeEq;

use super::error::ApiError;
use super::rate_limit::{Standing, counted_as};
use super::shared_limits::SharedLimit;
use crate::accounts::model::{KeyIdentity, SessionIdentity};
use crate::accounts::sessions::cookie_in;
use crate::accounts::{AccountId, Limit, Plan, PlanLimits};
use crate::app::AppState;

/// Header that carries an API key.
pub const API_KEY: &str = "x-service-api-key";
/// Header that repeats a session's token in state-changing calls.
pub const CSRF_TOKEN: &str = "x-csrf-token";

/// What an operation demands of its caller. One empty type per kind of operation.
pub trait Access: Send + Sync + 'static {
    /// A signed-in session may call, beside keys.
    const SESSION: bool = false;
    /// The account must be active, because the operation costs something: else 402.
    const ACTIVE: bool = false;
    /// The plan that a key needs: else 403 `plan_required`. Sessions are not gated.
    const KEY_PLAN: Option<Plan> = None;
    /// A key must be for the whole account: else 403 `requires_unscoped_key`.
    const ACCOUNT_WIDE: bool = false;
    /// What a key's requests count towards. Those of sessions are not counted.
    const RATE: Rate = Rate::Unlimited;
}

/// A limit of requests per minute and key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// None.
    Unlimited,
    /// The 600 per minute of the endpoints beyond the specification, counted by each process.
    Beyond,
    /// Counted by all processes together.
    Shared(SharedLimit),
}

/// The render endpoint: any key of an active account.
#[derive(Debug)]
pub struct Rendering;

impl Access for Rendering {
    const ACTIVE: bool = true;
}

/// The account's own affairs (keys, usage): a session or an account-wide key.
#[derive(Debug)]
pub struct OwnAccount;

impl Access for OwnAccount {
    const SESSION: bool = true;
    const ACCOUNT_WIDE: bool = true;
    const RATE: Rate = Rate::Beyond;
}

/// Reading about one domain, beyond the specification: a session, an account-wide key or the domain's own.
#[derive(Debug)]
pub struct ReadDomain;

impl Access for ReadDomain {
    const SESSION: bool = true;
    const RATE: Rate = Rate::Beyond;
}

/// Changing one domain, beyond the specification: like [`ReadDomain`], for active accounts.
#[derive(Debug)]
pub struct WriteDomain;

impl Access for WriteDomain {
    const SESSION: bool = true;
    const ACTIVE: bool = true;
    const RATE: Rate = Rate::Beyond;
}

/// Somebody who may call an operation that demands `A`.
pub struct Caller<A: Access> {
    /// What they showed.
    pub credential: Credential,
    limits: Arc<crate::config::Config>,
    access: PhantomData<A>,
}

/// A credential that was accepted.
#[derive(Debug, Clone)]
pub enum Credential {
    /// An API key.
    Key(Arc<KeyIdentity>),
    /// A dashboard session.
    Session(SessionIdentity),
}

impl<A: Access> Caller<A> {
    /// The account that calls.
    pub fn account(&self) -> &AccountId {
        match &self.credential {
            Credential::Key(key) => &key.account,
            Credential::Session(session) => &session.account,
        }
    }

    /// The account's plan.
    pub fn plan(&self) -> Plan {
        match &self.credential {
            Credential::Key(key) => key.plan,
            Credential::Session(session) => session.plan,
        }
    }

    /// What the account's plan allows.
    pub fn limits(&self) -> &PlanLimits {
        self.limits.plan(self.plan())
    }

    /// Whether the account's subscription is active.
    pub fn is_active(&self) -> bool {
        self.credential.is_active()
    }

    /// The one domain that the caller is restricted to.
    pub fn scope(&self) -> Option<&str> {
        self.credential.scope()
    }

    /// Refuses a key that is restricted to another domain, without saying whether `domain` exists.
    ///
    /// `domain` is a host in canonical form (lower case, A-labels); the `www.` twin counts as the same domain.
    pub fn check_scope(&self, domain: &str) -> Result<(), ApiError> {
        check_scope(self.scope(), domain)
    }
}

impl Credential {
    fn is_active(&self) -> bool {
        match self {
            Credential::Key(key) => key.active,
            Credential::Session(session) => session.active,
        }
    }

    fn scope(&self) -> Option<&str> {
        match self {
            Credential::Key(key) => key.scope.as_deref(),
            Credential::Session(_) => None,
        }
    }
}

/// 403 `api_key_domain_scope_mismatch` when `scope` is another domain than `domain`. Pure, for the fast path too.
pub fn check_scope(scope: Option<&str>, domain: &str) -> Result<(), ApiError> {
    match scope {
        Some(scope) if without_www(scope) != without_www(domain) => {
            Err(ApiError::forbidden("api_key_domain_scope_mismatch"))
        }
        _ => Ok(()),
    }
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// What a request shows, before it is checked.
#[derive(Debug, PartialEq, Eq)]
pub enum Presented<'a> {
    /// One API key, or something in its place.
    Key(&'a str),
    /// Two different keys, or one that is no text: cannot be right.
    Malformed,
    /// No key at all.
    Nothing,
}

/// Finds the API key of a request: `x-service-api-key`, or `Authorization: Bearer`.
///
/// The same key in both is one key; two different ones are none, since nobody can say which was meant.
pub fn presented_key(headers: &HeaderMap) -> Presented<'_> {
    let mut found = None;
    let own = headers.get_all(API_KEY).iter().map(|value| value.to_str().ok());
    let bearer = headers.get_all(header::AUTHORIZATION).iter().filter_map(bearer_token);
    for key in own.chain(bearer) {
        match (key, found) {
            (None, _) => return Presented::Malformed,
            (Some(key), Some(other)) if key != other => return Presented::Malformed,
            (Some(key), _) => found = Some(key),
        }
    }
    found.map_or(Presented::Nothing, Presented::Key)
}

/// The token after `Bearer `, in any case. Other schemes are none of ours: a proxy in front may use them.
fn bearer_token(value: &http::HeaderValue) -> Option<Option<&str>> {
    let scheme = value.as_bytes().get(..7)?;
    if !scheme.eq_ignore_ascii_case(b"bearer ") {
        return None;
    }
    Some(value.to_str().ok().map(|text| text[7..].trim()))
}

impl<A: Access> FromRequestParts<AppState> for Caller<A> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let uncounted = Uncounted::<A>::from_request_parts(parts, app).await?;
        uncounted.count(app, A::RATE).await?;
        uncounted.admit()
    }
}

/// Somebody with a valid credential, whose request has not been counted yet: for an operation where what was sent says
/// what it counts towards. The handler calls [`Uncounted::admit`] and [`Uncounted::count`], and answers the refusal of
/// the second before that of the first.
pub struct Uncounted<A: Access> {
    credential: Credential,
    limits: Arc<crate::config::Config>,
    standing: Option<StandingSlot>,
    access: PhantomData<A>,
}

impl<A: Access> FromRequestParts<AppState> for Uncounted<A> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        Ok(Uncounted {
            credential: authenticate::<A>(parts, app).await?,
            limits: app.platform.config.clone(),
            standing: parts.extensions.get::<StandingSlot>().cloned(),
            access: PhantomData,
        })
    }
}

impl<A: Access> Uncounted<A> {
    /// Counts the request; 429 over the limit.
    pub async fn count(&self, app: &AppState, rate: Rate) -> Result<(), ApiError> {
        let Credential::Key(key) = &self.credential else { return Ok(()) };
        let standing = match rate {
            Rate::Unlimited => return Ok(()),
            Rate::Beyond => app.rate_limits.per_key.take(key.key.clone()),
            // A busy database is worth another try, like one that is away.
            Rate::Shared(limit) => app.rate_limits.shared.take(limit, &key.key).await.map_err(|error| {
                match error.is_conflict() {
                    true => ApiError::unavailable(error),
                    false => ApiError::from(error),
                }
            })?,
        };
        if let Some(slot) = &self.standing {
            // The first limit that was asked is the one that is reported.
            let _ = slot.0.set(standing);
        }
        standing.refusal().map_or(Ok(()), Err)
    }

    /// The caller, unless the account or the kind of credential does not allow the operation: 402 and 403.
    pub fn admit(&self) -> Result<Caller<A>, ApiError> {
        if A::ACTIVE && !self.credential.is_active() {
            return Err(ApiError::subscription_required());
        }
        if let (Some(plan), Credential::Key(key)) = (A::KEY_PLAN, &self.credential)
            && key.plan < plan
        {
            return Err(ApiError::plan_required(plan));
        }
        if A::ACCOUNT_WIDE && self.credential.scope().is_some() {
            return Err(ApiError::forbidden("requires_unscoped_key"));
        }
        let (credential, limits) = (self.credential.clone(), self.limits.clone());
        Ok(Caller { credential, limits, access: PhantomData })
    }
}

/// 401 or a credential. A request with a key and a cookie uses the key only.
async fn authenticate<A: Access>(parts: &Parts, app: &AppState) -> Result<Credential, ApiError> {
    match presented_key(&parts.headers) {
        Presented::Key(text) => match app.accounts.authenticate(text).await? {
            Some(key) => Ok(Credential::Key(key)),
            None => Err(unknown_caller(parts, app)),
        },
        Presented::Nothing if A::SESSION => match signed_in(parts, app).await? {
            Some(session) => Ok(Credential::Session(session)),
            None => Err(unknown_caller(parts, app)),
        },
        Presented::Nothing | Presented::Malformed => Err(unknown_caller(parts, app)),
    }
}

/// The session of a request's cookie. 403 `csrf_token_missing` when it changes something without the session's token.
async fn signed_in(parts: &Parts, app: &AppState) -> Result<Option<SessionIdentity>, ApiError> {
    let Some(cookie) = cookie_in(&parts.headers, app.platform.config.is_public_https()) else {
        return Ok(None);
    };
    let Some(session) = app.accounts.find_session(cookie).await? else { return Ok(None) };
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    let token = parts.headers.get(CSRF_TOKEN).map(|value| value.as_bytes()).unwrap_or_default();
    if !is_read && !bool::from(token.ct_eq(session.csrf_token.as_bytes())) {
        return Err(ApiError::forbidden("csrf_token_missing"));
    }
    Ok(Some(session))
}

/// 401, or 429 for an address that has had too many of them.
fn unknown_caller(parts: &Parts, app: &AppState) -> ApiError {
    let standing = app.rate_limits.anonymous.take(counted_as(client_address(parts)));
    standing.refusal().unwrap_or_else(ApiError::invalid_api_key)
}

/// A signed-in session and nothing else: for signing out and for what the dashboard asks about itself.
#[derive(Debug)]
pub struct SignedIn(pub SessionIdentity);

impl FromRequestParts<AppState> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let session = signed_in(parts, app).await?;
        session.map(SignedIn).ok_or_else(|| unknown_caller(parts, app))
    }
}

/// The address that a request came from. The envelope puts it there, with trusted proxies taken into account.
#[derive(Debug, Clone, Copy)]
pub struct ClientAddress(pub IpAddr);

impl FromRequestParts<AppState> for ClientAddress {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Self::Rejection> {
        Ok(ClientAddress(client_address(parts)))
    }
}

fn client_address(parts: &Parts) -> IpAddr {
    // Without a connection (a test) everybody is the same unknown client.
    parts.extensions.get::<ClientAddress>().map_or(IpAddr::from([0, 0, 0, 0]), |address| address.0)
}

/// Where an extractor leaves the standing of a rate limit, for the headers of the answer.
#[derive(Debug, Clone, Default)]
pub struct StandingSlot(pub Arc<OnceLock<Standing>>);

/// 403 `code` with `limit` and `current` unless one more is within the limit.
pub fn check_limit(limit: Limit, current: u64, code: &'static str) -> Result<(), ApiError> {
    if limit.allows(current + 1) {
        return Ok(());
    }
    Err(ApiError::forbidden(code).with("limit", limit).with("current", current))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(*name, value.parse().unwrap());
        }
        map
    }

    #[test]
    fn a_key_is_read_from_either_header() {
        assert_eq!(presented_key(&headers(&[(API_KEY, "k")])), Presented::Key("k"));
        assert_eq!(presented_key(&headers(&[("authorization", "Bearer k")])), Presented::Key("k"));
        assert_eq!(presented_key(&headers(&[("authorization", "bearer k")])), Presented::Key("k"));
        assert_eq!(
            presented_key(&headers(&[("authorization", "Bearer k"), (API_KEY, "k")])),
            Presented::Key("k")
        );
    }

    #[test]
    fn two_different_keys_are_none() {
        let both = headers(&[("authorization", "Bearer a"), (API_KEY, "b")]);
        let twice = headers(&[("authorization", "Bearer a"), ("authorization", "Bearer b")]);

        assert_eq!(presented_key(&both), Presented::Malformed);
        assert_eq!(presented_key(&twice), Presented::Malformed);
    }

    #[test]
    fn other_authorization_schemes_are_no_key() {
        for value in ["Basic azpr", "k", "Bearer", ""] {
            assert_eq!(presented_key(&headers(&[("authorization", value)])), Presented::Nothing, "{value}");
        }
    }

    #[test]
    fn a_scope_covers_its_domain_and_the_www_twin() {
        assert!(check_scope(None, "any.example").is_ok());
        assert!(check_scope(Some("shop.example"), "shop.example").is_ok());
        assert!(check_scope(Some("shop.example"), "www.shop.example").is_ok());
        assert!(check_scope(Some("www.shop.example"), "shop.example").is_ok());

        let error = check_scope(Some("shop.example"), "a.shop.example").unwrap_err();
        assert_eq!(error.code(), "api_key_domain_scope_mismatch");
    }
}
