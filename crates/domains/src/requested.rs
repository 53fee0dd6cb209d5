//! Domain that a request names, and the check of the caller's access to the domain. All endpoints use this look-up, so that
//! the order of refusals is the same: a key of another domain, a domain that is not the account's or that its caller does not
//! see, a suspended domain. An invalid name is treated as an unknown domain. Must never distinguish a domain of another
//! account from an unknown domain.

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

/// Domain that a request names: in its path, as an extractor, or in its query or body, by [`RequestedDomain::named`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedDomain {
    /// Canonical form; none when the request's text is not a valid name.
    host: Option<String>,
}

/// Kind of access to a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainAccess {
    /// Read access; allowed for a suspended domain.
    Read,
    /// Change or use; refused for a suspended domain.
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
    /// Parses the domain's name as it was sent.
    pub fn named(text: &str) -> RequestedDomain {
        RequestedDomain { host: names::parse_domain(text) }
    }

    /// Makes the domain of a host in canonical form.
    pub fn of_host(host: &str) -> RequestedDomain {
        RequestedDomain { host: Some(host.to_owned()) }
    }

    /// Finds the account's record of exactly this name in the database. Fails with 404 when there is none. For the Domains API.
    pub async fn record<A: Access>(
        &self,
        caller: &Caller<A>,
        domains: &DomainsService,
        access: DomainAccess,
    ) -> ApiResult<Domain> {
        let host = self.in_scope_of(caller)?.ok_or_else(ApiError::not_found)?;
        let found = domains.find_exact(caller.account(), host).await?;
        let domain = found.filter(|domain| caller.sees(&domain.host)).ok_or_else(ApiError::not_found)?;
        check(domain.status, access)?;
        Ok(domain)
    }

    /// Finds the account's site that the name belongs to, its `www.`/apex twin included, in memory that is at most two seconds
    /// old. Fails with 403 when there is none. For endpoints outside the Domains API.
    pub async fn site<A: Access>(
        &self,
        caller: &Caller<A>,
        domains: &DomainsService,
        access: DomainAccess,
    ) -> ApiResult<Arc<Site>> {
        let not_owned = || ApiError::new(ErrorCode::DomainNotOwned);
        let host = self.in_scope_of(caller)?.ok_or_else(not_owned)?;
        let found = domains.find(caller.account(), host).await?;
        let site = found.filter(|site| caller.sees(&site.domain.host)).ok_or_else(not_owned)?;
        check(site.domain.status, access)?;
        Ok(site)
    }

    /// Finds the site like [`RequestedDomain::site`], for costly operations. Checks the lock in memory and in the database.
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
        // An invalid name is out of the scope of a restricted key, too.
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
