//! Which domain a request is about, and whether its caller may have it. The one look-up of the API, so that the order of
//! refusals is the same everywhere: another domain's key, a domain that is not the account's, a suspended one. What is no
//! name at all is a domain that nobody has. Must never tell a domain of another account from one that does not exist.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::model::{Domain, DomainStatus};
use super::names;
use super::service::DomainsService;
use super::site::Site;
use accounts::callers::Caller;
use platform::api::access::Access;
use platform::api::{ApiError, ApiResult, AppPath, ErrorCode};

/// The domain that a request names: in its path, as an extractor, or in its query or body, by [`RequestedDomain::named`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedDomain {
    /// Canonical; none: what was sent is no name.
    host: Option<String>,
}

/// What a request wants with its domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainAccess {
    /// To read: a suspended domain is read like any other.
    Read,
    /// To change or use it: a suspended one is refused.
    Use,
}

impl<S: Send + Sync> FromRequestParts<S> for RequestedDomain {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let AppPath(text) = AppPath::<String>::from_request_parts(parts, state).await?;
        Ok(RequestedDomain::named(&text))
    }
}

impl RequestedDomain {
    /// The domain of this name, as it was sent.
    pub fn named(text: &str) -> RequestedDomain {
        RequestedDomain { host: names::parse_domain(text) }
    }

    /// The domain of a host in canonical form.
    pub fn of_host(host: &str) -> RequestedDomain {
        RequestedDomain { host: Some(host.to_owned()) }
    }

    /// The account's record of exactly this name, as it is stored now: for the Domains API, where 404 says that there is
    /// none.
    pub async fn record<A: Access>(
        &self,
        caller: &Caller<A>,
        domains: &DomainsService,
        access: DomainAccess,
    ) -> ApiResult<Domain> {
        let host = self.in_scope_of(caller)?.ok_or_else(ApiError::not_found)?;
        let found = domains.find_exact(caller.account(), host).await?;
        let domain = found.ok_or_else(ApiError::not_found)?;
        check(domain.status, access)?;
        Ok(domain)
    }

    /// The account's site that the name belongs to, its `www.`/apex twin included, at most two seconds old: everywhere
    /// else, where 403 says that there is none.
    pub async fn site<A: Access>(
        &self,
        caller: &Caller<A>,
        domains: &DomainsService,
        access: DomainAccess,
    ) -> ApiResult<Arc<Site>> {
        let not_owned = || ApiError::new(ErrorCode::DomainNotOwned);
        let host = self.in_scope_of(caller)?.ok_or_else(not_owned)?;
        let site = domains.find(caller.account(), host).await?.ok_or_else(not_owned)?;
        check(site.domain.status, access)?;
        Ok(site)
    }

    /// [`RequestedDomain::site`] for what costs, with the lock as it is stored now: one that already shows holds.
    pub async fn site_to_use<A: Access>(
        &self,
        caller: &Caller<A>,
        domains: &DomainsService,
    ) -> ApiResult<Arc<Site>> {
        let site = self.site(caller, domains, DomainAccess::Use).await?;
        let stored = domains.find_by_id(&site.domain.id).await?;
        check(stored.map_or(site.domain.status, |domain| domain.status), DomainAccess::Use)?;
        Ok(site)
    }

    fn in_scope_of<A: Access>(&self, caller: &Caller<A>) -> ApiResult<Option<&str>> {
        // What is no name is another one than the key's, too.
        caller.check_scope(self.host.as_deref().unwrap_or(""))?;
        Ok(self.host.as_deref())
    }
}

fn check(status: DomainStatus, access: DomainAccess) -> ApiResult<()> {
    match (status, access) {
        (DomainStatus::Suspended, DomainAccess::Use) => Err(ApiError::new(ErrorCode::DomainSuspended)),
        _ => Ok(()),
    }
}
