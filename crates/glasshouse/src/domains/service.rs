//! Connected domains: adding, finding, suspending and removing them, and saving their settings.
//! Used by the render endpoint, the edge, the Domains API and the command line. The checks of a setting's form are in
//! the pure files; here is what needs the other records.

mod changes;
mod promotion;

use std::sync::Arc;
use std::time::{Duration, Instant};

use store::{Conn, Db, DbError};

use super::jobs::RemoveDomain;
use super::model::{Domain, DomainId, DomainStatus, Rendering, Settings};
use super::names::{self, OriginProblem};
use super::queries;
use super::site::Site;
use crate::accounts::{AccountId, Limit};
use crate::clock::Clock;
use crate::jobs::{Job, Jobs};
use crate::platform::Platform;

pub use changes::ChangeError;

/// How long a request may act on settings that were changed elsewhere.
const FRESH: Duration = Duration::from_secs(2);
/// How long it may do so while the database is away.
const FRESH_WITHOUT_DATABASE: Duration = Duration::from_secs(60);
/// Names that are remembered, those included that are nobody's.
const REMEMBERED: u64 = 50_000;

/// A domain to add.
#[derive(Debug, Clone, Default)]
pub struct NewDomain {
    /// As it was typed.
    pub domain: String,
    /// As it was typed; none or empty: the domain itself.
    pub origin_host: Option<String>,
    /// The sitemap's address; none: empty.
    pub sitemap_url: Option<String>,
    /// Pending, unless the operator says that it is connected already.
    pub status: DomainStatus,
}

/// Why a domain was not added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// Not a registrable name or a subdomain of one.
    #[error(
        "is not a domain that can be connected: a registrable name such as shop.com, or a subdomain of one"
    )]
    InvalidDomain,
    /// The origin host has no usable host in it.
    #[error("the origin host is not a host name")]
    InvalidOriginHost,
    /// The origin would be asked through ourselves.
    #[error("the origin host must be another name than the domain, where the site itself answers")]
    OriginHostSameAsDomain,
    /// The origin is where the site is edited.
    #[error("the origin host is an editor's address; use the one under which the site is published")]
    OriginHostIsEditorUrl,
    /// The sitemap's address is no http(s) URL.
    #[error("the sitemap is not an absolute http(s) URL")]
    InvalidSitemapUrl,
    /// The name is locked by the operator.
    #[error("this domain is suspended")]
    Suspended,
    /// This account has it, or another one serves it.
    #[error("this domain is connected already")]
    AlreadyConnected,
    /// The plan allows no more.
    #[error("the plan allows {limit} domains")]
    LimitReached {
        /// What the plan allows.
        limit: u64,
        /// What the account has.
        current: u64,
    },
    /// The database failed.
    #[error("could not reach the database")]
    Store(#[from] DbError),
}

/// See the module.
#[derive(Clone)]
pub struct DomainsService {
    db: Db,
    clock: Clock,
    jobs: Jobs,
    default_refresh_interval_s: u64,
    cache: moka::sync::Cache<String, Arc<Remembered>>,
}

struct Remembered {
    site: Option<Arc<Site>>,
    since: Instant,
}

impl DomainsService {
    /// Makes the service.
    pub fn new(platform: &Platform, jobs: &Jobs) -> DomainsService {
        let interval_s = platform.config.render.default_refresh_interval_s;
        let jobs = jobs.clone();
        DomainsService { jobs, ..DomainsService::on(platform.db.clone(), platform.clock.clone(), interval_s) }
    }

    /// The service on a database alone, for commands. New domains get this refresh interval.
    pub fn on(db: Db, clock: Clock, default_refresh_interval_s: u64) -> DomainsService {
        let jobs = Jobs::new(db.clone(), clock.clone());
        let cache = moka::sync::Cache::new(REMEMBERED);
        DomainsService { db, clock, jobs, default_refresh_interval_s, cache }
    }

    /// Adds a domain to an account whose plan allows `limit` of them.
    pub async fn add(&self, account: &AccountId, limit: Limit, new: NewDomain) -> Result<Domain, AddError> {
        let host = names::parse_domain(&new.domain).ok_or(AddError::InvalidDomain)?;
        let origin_host = check_origin(&host, new.origin_host.as_deref().unwrap_or(""))?;
        let sitemap_url = check_sitemap(new.sitemap_url.as_deref().unwrap_or(""))?;
        let now = self.clock.now();
        let domain = Domain {
            id: DomainId::generate(),
            account_id: account.clone(),
            status: new.status,
            settings: Settings {
                origin_host,
                sitemap_url,
                on_demand_render_enabled: true,
                ..Settings::default()
            },
            rendering: Rendering::new(self.default_refresh_interval_s),
            version: 1,
            created_at: now,
            updated_at: now,
            host,
        };
        self.insert(&domain, limit).await?;
        self.forget(account, &domain.host);
        Ok(domain)
    }

    async fn insert(&self, domain: &Domain, limit: Limit) -> Result<(), AddError> {
        let mut tx = self.db.write().await?;
        queries::lock_account(&mut tx, &domain.account_id).await?;
        let others = queries::list_by_host(&mut tx, &domain.host).await?;
        if queries::is_locked(&mut tx, &domain.host).await? {
            return Err(AddError::Suspended);
        }
        // A pending claim of another account blocks nobody.
        let blocks =
            |other: &Domain| other.account_id == domain.account_id || other.status != DomainStatus::Pending;
        if others.iter().any(blocks) {
            return Err(AddError::AlreadyConnected);
        }
        let current = queries::count_domains(&mut tx, &domain.account_id).await?;
        if !limit.allows(current + 1) {
            return Err(AddError::LimitReached { limit: limit.most().unwrap_or(u64::MAX), current });
        }
        queries::insert_domain(&mut tx, domain).await.map_err(|error| match error.is_unique_violation() {
            // Another process was faster.
            true => AddError::AlreadyConnected,
            false => AddError::Store(error),
        })?;
        Ok(tx.commit().await?)
    }

    /// The account's domain that a host belongs to: the connected name itself, or its `www.`/apex twin.
    ///
    /// At most two seconds old.
    pub async fn find(&self, account: &AccountId, host: &str) -> Result<Option<Arc<Site>>, DbError> {
        self.find_or_read(memory_key(account.as_str(), host), async |conn| {
            queries::find_domain(conn, account, host, names::twin(host).as_deref()).await
        })
        .await
    }

    /// What [`DomainsService::find`] would answer from memory, without waiting.
    pub fn find_in_memory(&self, account: &AccountId, host: &str) -> Option<Arc<Site>> {
        self.fresh(&memory_key(account.as_str(), host))?.site.clone()
    }

    /// The domain that answers at the edge for a host, on whichever account: a served one before a suspended one before
    /// the oldest claim. At most two seconds old.
    pub async fn find_for_edge(&self, host: &str) -> Result<Option<Arc<Site>>, DbError> {
        self.find_or_read(memory_key(EVERY_ACCOUNT, host), async |conn| {
            queries::find_edge_domain(conn, host, names::twin(host).as_deref()).await
        })
        .await
    }

    async fn find_or_read(
        &self,
        key: String,
        read: impl AsyncFnOnce(&mut Conn) -> Result<Option<Domain>, DbError>,
    ) -> Result<Option<Arc<Site>>, DbError> {
        if let Some(fresh) = self.fresh(&key) {
            return Ok(fresh.site.clone());
        }
        // Boxed: most requests are answered above, and none should take room for this.
        let found = Box::pin(async {
            let mut conn = self.db.read().await?;
            read(&mut conn).await
        });
        match found.await {
            Ok(domain) => Ok(self.remember(key, domain)),
            Err(error) => match self.cache.get(&key) {
                Some(old) if error.is_unavailable() && old.since.elapsed() < FRESH_WITHOUT_DATABASE => {
                    Ok(old.site.clone())
                }
                _ => Err(error),
            },
        }
    }

    /// The domain with an id, as it is now.
    pub async fn find_by_id(&self, id: &DomainId) -> Result<Option<Domain>, DbError> {
        queries::find_domain_by_id(&mut self.db.read().await?, id).await
    }

    /// The account's record of exactly this name.
    pub async fn find_exact(&self, account: &AccountId, host: &str) -> Result<Option<Domain>, DbError> {
        queries::find_domain(&mut self.db.read().await?, account, host, None).await
    }

    /// An account's domains, or all, in the order they were added.
    pub async fn list(&self, account: Option<&AccountId>) -> Result<Vec<Domain>, DbError> {
        queries::list_domains(&mut self.db.read().await?, account).await
    }

    /// Every account's record of a name.
    pub async fn list_by_host(&self, host: &str) -> Result<Vec<Domain>, DbError> {
        queries::list_by_host(&mut self.db.read().await?, host).await
    }

    /// Number of an account's domains.
    pub async fn count(&self, account: &AccountId) -> Result<u64, DbError> {
        queries::count_domains(&mut self.db.read().await?, account).await
    }

    /// Removes a domain; its name is free at once. `false`: it was gone.
    ///
    /// What belongs to its id is deleted by a job that becomes durable together with the removal.
    pub async fn remove(&self, domain: &Domain) -> Result<bool, DbError> {
        let mut tx = self.db.write().await?;
        if !queries::mark_removed(&mut tx, &domain.id, self.clock.now()).await? {
            return Ok(false);
        }
        let job = RemoveDomain { domain: domain.id.clone() }.queued_for(domain.account_id.as_str());
        self.jobs.enqueue(&mut tx, vec![job]).await?;
        promotion::remember_removal(&mut tx, domain, self.clock.now()).await?;
        tx.commit().await?;
        self.jobs.wake();
        self.forget(&domain.account_id, &domain.host);
        Ok(true)
    }

    /// Deletes the record of a removed domain, once what belonged to it is gone.
    pub async fn delete_removed(&self, id: &DomainId) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        queries::delete_removed(&mut tx, id).await?;
        tx.commit().await
    }

    /// Locks or unlocks a name, on whichever account. Answers how many records of it there are; for a name that is
    /// unlocked after its records were removed, 1.
    ///
    /// The lock is the name's: removing a locked domain and adding it again does not open it.
    pub async fn set_suspended(&self, host: &str, lock: Lock) -> Result<u64, DbError> {
        let mut tx = self.db.write().await?;
        let now = self.clock.now();
        let mut changed = queries::set_suspended(&mut tx, host, lock == Lock::On, now).await?;
        match lock {
            Lock::On if changed > 0 => queries::insert_lock(&mut tx, host, now).await?,
            Lock::On => {}
            Lock::Off => changed = changed.max(queries::delete_lock(&mut tx, host).await?),
        }
        tx.commit().await?;
        for domain in self.list_by_host(host).await? {
            self.forget(&domain.account_id, &domain.host);
        }
        Ok(changed)
    }

    fn fresh(&self, key: &str) -> Option<Arc<Remembered>> {
        self.cache.get(key).filter(|remembered| remembered.since.elapsed() < FRESH)
    }

    /// Keeps the compiled site when the record has not changed, so that what is cached beside it stays valid.
    fn remember(&self, key: String, domain: Option<Domain>) -> Option<Arc<Site>> {
        let old = self.cache.get(&key).and_then(|old| old.site.clone());
        let site = domain.map(|domain| match old {
            Some(old) if old.domain.id == domain.id && old.domain.version == domain.version => old,
            _ => Arc::new(Site::new(domain)),
        });
        let remembered = Remembered { site: site.clone(), since: Instant::now() };
        self.cache.insert(key, Arc::new(remembered));
        site
    }

    fn forget(&self, account: &AccountId, host: &str) {
        for host in std::iter::once(host.to_owned()).chain(names::twin(host)) {
            self.cache.invalidate(&memory_key(account.as_str(), &host));
            self.cache.invalidate(&memory_key(EVERY_ACCOUNT, &host));
        }
    }
}

/// The operator's lock on a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// Suspended.
    On,
    /// Resumed.
    Off,
}

/// Stands for the account where the edge asks.
const EVERY_ACCOUNT: &str = "";

fn memory_key(account: &str, host: &str) -> String {
    let mut key = String::with_capacity(account.len() + 1 + host.len());
    key.push_str(account);
    key.push('\0');
    key.push_str(host);
    key
}

/// The canonical form of a domain's origin host; none or blank: empty.
fn check_origin(host: &str, text: &str) -> Result<String, AddError> {
    if text.trim().is_empty() {
        return Ok(String::new());
    }
    names::check_origin(host, text).map_err(|problem| match problem {
        OriginProblem::Invalid => AddError::InvalidOriginHost,
        OriginProblem::SameAsDomain => AddError::OriginHostSameAsDomain,
        OriginProblem::EditorUrl => AddError::OriginHostIsEditorUrl,
    })
}

fn check_sitemap(text: &str) -> Result<String, AddError> {
    if text.is_empty() {
        return Ok(String::new());
    }
    let url = url::Url::parse(text).map_err(|_| AddError::InvalidSitemapUrl)?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url.into()),
        _ => Err(AddError::InvalidSitemapUrl),
    }
}

#[cfg(test)]
mod tests;
