//! Callers and their authorization: extractors, so that a handler's signature says who may call it.
//!
//! A handler's first argument is `Caller<Access>`; bodies and queries come after it. axum runs extractors in order, so
//! the refusals come in the documented order: 401, 429, 402, plan, scope kind, and only then what was sent.
//! Must never look a domain up: whether it exists is nobody's business before ownership is proven.
//! See docs/decisions/0011 and docs/decisions/0012.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use crawler::url::www_twin;
use http::Method;
use http::request::Parts;

use super::Callers;
use super::credentials::{Presented, presented_key, presented_key_or_bearer};
use super::operator::Operator;
use super::requester::Requester;
use super::signed_in::{lacks_csrf_token, signed_in};
use crate::AccountId;
use crate::model::{KeyIdentity, SessionIdentity, VisibleAccount};
use platform::api::access::{Access, Credentials, PersonRole, Rate};
use platform::api::client::client_address;
use platform::api::rate_limit_state::RateLimitSlot;
use platform::api::{ApiError, ErrorCode};
use platform::config::Config;
use platform::networks::customer_address;
use platform::plans::{Plan, PlanLimit, PlanLimits};

/// Somebody who may call an operation that demands `A`.
pub struct Caller<A: Access> {
    /// Credential that was presented.
    pub credential: Credential,
    /// True for the operator's command: values are stored as sent, without requests to other servers.
    pub is_operator: bool,
    limits: Arc<Config>,
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

/// Mark of a request that a tool makes within this process, in the request's extensions: the credential of the caller of the
/// tool, which was accepted and counted with that call. Accepted by operations for sessions too.
///
/// See docs/decisions/0546.
#[derive(Debug, Clone)]
pub struct ToolRequest(pub Credential);

impl<A: Access> Caller<A> {
    /// Returns the account that calls.
    pub fn account(&self) -> &AccountId {
        match &self.credential {
            Credential::Key(key) => &key.account,
            Credential::Session(session) => &session.account,
        }
    }

    /// Returns the account's plan.
    pub fn plan(&self) -> Plan {
        match &self.credential {
            Credential::Key(key) => key.plan,
            Credential::Session(session) => session.plan,
        }
    }

    /// Returns the limits of the account's plan.
    pub fn limits(&self) -> &PlanLimits {
        self.limits.plan(self.plan())
    }

    /// Returns true when the account's subscription is active.
    pub fn is_active(&self) -> bool {
        self.credential.is_active()
    }

    /// Returns the one domain that the caller is restricted to.
    pub fn scope(&self) -> Option<&str> {
        self.credential.scope()
    }

    /// Returns the account as the caller sees it.
    pub fn seen_account(&self) -> VisibleAccount<'_> {
        let domains = match &self.credential {
            Credential::Key(_) => None,
            Credential::Session(session) => session.domains.as_deref(),
        };
        VisibleAccount { account: self.account(), domains }
    }

    /// Returns true when the caller sees the domain of this name, if it is one of the account's.
    pub fn sees(&self, host: &str) -> bool {
        self.seen_account().sees(host)
    }

    /// Refuses a key that only reads.
    pub fn check_writes(&self) -> Result<(), ApiError> {
        match &self.credential {
            Credential::Key(key) if key.reads_only => Err(ApiError::new(ErrorCode::KeyReadOnly)),
            _ => Ok(()),
        }
    }

    /// Refuses a key that is restricted to another domain, without saying whether `domain` exists.
    ///
    /// `domain` is a host in canonical form (lower case, A-labels); the `www.` twin counts as the same domain.
    pub fn check_scope(&self, domain: &str) -> Result<(), ApiError> {
        check_scope(self.scope(), domain)
    }
}

impl Credential {
    /// Returns the requester that its requests are counted for.
    fn requester(&self) -> Requester {
        match self {
            Credential::Key(key) => Requester::Key { key: key.key.clone(), account: key.account.clone() },
            Credential::Session(session) => Requester::Session { account: session.account.clone() },
        }
    }

    /// Returns the e-mail address of the person: who is signed in, or who made the key.
    pub fn person(&self) -> Option<&str> {
        match self {
            Credential::Key(key) => key.created_by.as_deref(),
            Credential::Session(session) => Some(&session.email),
        }
    }

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

/// Refuses with 403 `api_key_domain_scope_mismatch` when `scope` is another domain than `domain`. Pure, for the fast path too.
pub fn check_scope(scope: Option<&str>, domain: &str) -> Result<(), ApiError> {
    match scope {
        Some(scope) if scope != domain && www_twin(scope).as_deref() != Some(domain) => {
            Err(ApiError::new(ErrorCode::ApiKeyDomainScopeMismatch))
        }
        _ => Ok(()),
    }
}

impl<A: Access, S: Send + Sync> FromRequestParts<S> for Caller<A>
where
    Callers: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let uncounted = Uncounted::<A>::from_request_parts(parts, state).await?;
        uncounted.count(&Callers::from_ref(state), A::RATE).await?;
        uncounted.admit()
    }
}

/// Somebody with a valid credential, whose request has not been counted yet: for an operation where what was sent says
/// what it counts towards. The handler calls [`Uncounted::admit`] and [`Uncounted::count`], and answers the refusal of
/// the second before that of the first.
pub struct Uncounted<A: Access> {
    credential: Credential,
    /// The request would change something, and lacks its session's token.
    lacks_csrf_token: bool,
    is_read: bool,
    /// The request was counted with the call of the tool that makes it.
    is_of_tool: bool,
    /// True for the operator's command; see [`Caller::is_operator`].
    pub is_operator: bool,
    limits: Arc<Config>,
    standing: Option<RateLimitSlot>,
    access: PhantomData<A>,
}

impl<A: Access, S: Send + Sync> FromRequestParts<S> for Uncounted<A>
where
    Callers: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let callers = Callers::from_ref(state);
        let operator = parts.extensions.get::<Operator>();
        let credential = match operator {
            Some(Operator(identity)) => Credential::Session(identity.clone()),
            None => authenticate::<A>(parts, &callers).await?,
        };
        Ok(Uncounted {
            lacks_csrf_token: match &credential {
                Credential::Key(_) => false,
                Credential::Session(session) => lacks_csrf_token(parts, session),
            },
            is_read: is_read(&parts.method),
            is_operator: operator.is_some(),
            credential,
            is_of_tool: parts.extensions.get::<ToolRequest>().is_some(),
            limits: callers.config.clone(),
            standing: parts.extensions.get::<RateLimitSlot>().cloned(),
            access: PhantomData,
        })
    }
}

impl<A: Access> Uncounted<A> {
    /// Counts the request; 429 over the limit.
    pub async fn count(&self, callers: &Callers, rate: Rate) -> Result<(), ApiError> {
        if self.is_operator || self.is_of_tool && rate == Rate::Beyond {
            return Ok(());
        }
        let Some(standing) = callers.rate_limits.take(rate, &self.credential.requester()).await? else {
            return Ok(());
        };
        if let Some(slot) = &self.standing {
            // The first limit that was asked is the one that is reported.
            let _ = slot.0.set(standing);
        }
        standing.refusal().map_or(Ok(()), Err)
    }

    /// Returns the caller, unless the credential, its kind or the account does not allow the operation: 402 and 403.
    pub fn admit(&self) -> Result<Caller<A>, ApiError> {
        if self.lacks_csrf_token {
            return Err(ApiError::new(ErrorCode::CsrfTokenMissing));
        }
        if A::ACTIVE && !self.credential.is_active() {
            return Err(ApiError::new(ErrorCode::SubscriptionRequired));
        }
        if let (Some(plan), Credential::Key(key)) = (A::KEY_PLAN, &self.credential)
            && key.plan < plan
        {
            return Err(ApiError::plan_required(plan));
        }
        if A::ACCOUNT_WIDE && self.credential.scope().is_some() {
            return Err(ApiError::new(ErrorCode::RequiresUnscopedKey));
        }
        self.check_role()?;
        let (credential, limits) = (self.credential.clone(), self.limits.clone());
        Ok(Caller { credential, is_operator: self.is_operator, limits, access: PhantomData })
    }

    /// Refuses a person whose role is below the operation's, and a write with a key that only reads.
    fn check_role(&self) -> Result<(), ApiError> {
        let forbidden = |required: PersonRole| {
            Err(ApiError::new(ErrorCode::RoleForbidden).with("requiredRole", required))
        };
        match &self.credential {
            Credential::Session(session) if session.role < A::ROLE => forbidden(A::ROLE),
            Credential::Session(session) if A::EVERY_DOMAIN && session.domains.is_some() => {
                forbidden(PersonRole::Owner)
            }
            Credential::Key(key) if key.reads_only && !self.is_read && A::ROLE > PersonRole::Viewer => {
                Err(ApiError::new(ErrorCode::KeyReadOnly))
            }
            _ => Ok(()),
        }
    }
}

/// Finds the credential, or refuses with 401. Where both kinds are taken, a request with a key and a cookie uses the key only.
async fn authenticate<A: Access>(parts: &Parts, callers: &Callers) -> Result<Credential, ApiError> {
    if let Some(ToolRequest(credential)) = parts.extensions.get() {
        return Ok(credential.clone());
    }
    let presented = match (A::CREDENTIALS, A::BEARER) {
        (Credentials::Sessions, _) => Presented::Nothing,
        (_, true) => presented_key_or_bearer(&parts.headers),
        (_, false) => presented_key(&parts.headers),
    };
    let found = match presented {
        Presented::Key(text) => find_key(text, parts, callers).await?.map(Credential::Key),
        Presented::Nothing if A::CREDENTIALS != Credentials::Keys => {
            signed_in(parts, callers).await?.map(Credential::Session)
        }
        Presented::Nothing | Presented::Malformed => None,
    };
    found.ok_or_else(|| unknown_caller(parts, callers))
}

/// Finds whose key this is. For an address that is over the limit of those without a valid credential, keys that are not
/// known to exist are looked up only so many times a second: guesses must cost the database next to nothing.
async fn find_key(
    text: &str,
    parts: &Parts,
    callers: &Callers,
) -> Result<Option<Arc<KeyIdentity>>, ApiError> {
    let address = customer_address(client_address(parts));
    if callers.rate_limits.anonymous.is_used_up(&address)
        && !callers.accounts.may_exist(text).await
        && !callers.rate_limits.takes_look_up(address)
    {
        return Ok(None);
    }
    Ok(callers.accounts.authenticate(text).await?)
}

pub(super) fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Makes the refusal of an unknown caller: 401, or 429 for an address that has had too many of them.
pub fn unknown_caller(parts: &Parts, callers: &Callers) -> ApiError {
    let standing = callers.rate_limits.anonymous.take(&customer_address(client_address(parts)));
    standing.refusal().unwrap_or_else(|| ApiError::new(ErrorCode::InvalidApiKey))
}

/// A signed-in session and nothing else, for what the dashboard asks about itself. Counted like everything beyond the
/// specification.
#[derive(Debug)]
pub struct SignedIn(pub SessionIdentity);

struct SignedInOnly;

impl Access for SignedInOnly {
    const ROLE: PersonRole = PersonRole::Viewer;
    const CREDENTIALS: Credentials = Credentials::Sessions;
    const RATE: Rate = Rate::Beyond;
}

impl<S: Send + Sync> FromRequestParts<S> for SignedIn
where
    Callers: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let caller = Caller::<SignedInOnly>::from_request_parts(parts, state).await?;
        match caller.credential {
            Credential::Session(session) => Ok(SignedIn(session)),
            Credential::Key(_) => Err(unknown_caller(parts, &Callers::from_ref(state))),
        }
    }
}

/// Refuses with `code`, `limit` and `current` unless one more is within the limit.
pub fn check_limit(limit: PlanLimit, current: u64, code: ErrorCode) -> Result<(), ApiError> {
    if limit.allows(current + 1) {
        return Ok(());
    }
    Err(ApiError::new(code).with("limit", limit).with("current", current))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_covers_its_domain_and_the_www_twin() {
        assert!(check_scope(None, "any.example").is_ok());
        assert!(check_scope(Some("shop.example"), "shop.example").is_ok());
        assert!(check_scope(Some("shop.example"), "www.shop.example").is_ok());
        assert!(check_scope(Some("www.shop.example"), "shop.example").is_ok());

        // Only a registrable name has a twin.
        for other in ["a.shop.example", "www.a.shop.example"] {
            let error = check_scope(Some("shop.example"), other).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ApiKeyDomainScopeMismatch);
        }
        assert!(check_scope(Some("a.shop.example"), "www.a.shop.example").is_err());
    }
}
